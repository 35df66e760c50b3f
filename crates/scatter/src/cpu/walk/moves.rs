//! Loops that move elements. Of a dtype only its size matters to them.

use core::slice;

use crate::Index;
use crate::cpu::index::numbers::{is_sparse, prefetch_named, prefetch_on, wrap_signed};
use crate::cpu::index::targets::Places;
use crate::cpu::slot::block::{Context, Slots, Source};
use crate::cpu::walk::Axis;
use crate::cpu::walk::sweep::Visit;
use crate::simd::prefetch_all;

/// Copies elements of `size` bytes from src to the destination, which share no memory.
pub(in crate::cpu) const fn copy(size: usize) -> Visit {
    let run = match size {
        1 => copy_run::<1>,
        2 => copy_run::<2>,
        4 => copy_run::<4>,
        8 => copy_run::<8>,
        _ => copy_run::<16>,
    };
    Visit { run, places: None, context: Context::NONE }
}

/// Writes zeros to elements of `size` bytes of the destination.
pub(in crate::cpu) const fn zero(size: usize) -> Visit {
    let run = match size {
        1 => zero_run::<1>,
        2 => zero_run::<2>,
        4 => zero_run::<4>,
        8 => zero_run::<8>,
        _ => zero_run::<16>,
    };
    Visit { run, places: None, context: Context::NONE }
}

/// Copies elements of `size` bytes from the destination to src, which share no memory.
pub(in crate::cpu) const fn gather(size: usize) -> Visit {
    let (run, places) = match size {
        1 => (gather_run::<1> as _, gather_places::<1> as _),
        2 => (gather_run::<2> as _, gather_places::<2> as _),
        4 => (gather_run::<4> as _, gather_places::<4> as _),
        8 => (gather_run::<8> as _, gather_places::<8> as _),
        _ => (gather_run::<16> as _, gather_places::<16> as _),
    };
    Visit { run, places: Some(places), context: Context::NONE }
}

/// # Safety
/// `len` elements of `SIZE` bytes: to read, and others to write.
unsafe fn copy_run<const SIZE: usize>(to: Slots, from: Source, len: usize, _context: Context) {
    let (start, source) = (to.start.cast::<[u8; SIZE]>(), from.start.cast::<[u8; SIZE]>());
    // SAFETY: the caller promises as many elements; arrays of bytes are aligned everywhere.
    unsafe {
        if to.step == 1 && from.step == 1 {
            start.copy_from_nonoverlapping(source, len);
            return;
        }
        for at in 0..len as isize {
            start.offset(at * to.step).write(source.offset(at * from.step).read());
        }
    }
}

/// # Safety
/// `len` elements of `SIZE` bytes to write.
unsafe fn zero_run<const SIZE: usize>(to: Slots, _from: Source, len: usize, _context: Context) {
    // SAFETY: the caller promises as many elements.
    unsafe { zero_elements(to, SIZE, len) }
}

/// # Safety
/// `len` elements of `size` bytes to write.
unsafe fn zero_elements(to: Slots, size: usize, len: usize) {
    let (bytes, runs) = if to.step == 1 { (size * len, 1) } else { (size, len) };
    for at in 0..runs as isize {
        // SAFETY: the caller promises as many elements.
        unsafe { to.start.offset(at * to.step * size as isize).write_bytes(0, bytes) }
    }
}

/// # Safety
/// As [`copy_run`]: `from` is what is written.
unsafe fn gather_run<const SIZE: usize>(to: Slots, from: Source, len: usize, context: Context) {
    let (written, read) = (
        Slots { start: from.start.cast_mut(), step: from.step },
        Source { start: to.start.cast_const(), step: to.step },
    );
    // SAFETY: the caller promises as many elements.
    unsafe { copy_run::<SIZE>(written, read, len, context) }
}

/// # Safety
/// As [`gather_run`], for the elements at these places of `to`.
unsafe fn gather_places<const SIZE: usize>(to: Slots, from: Source, places: Places<'_>, _context: Context) {
    let (read, written) = (to.start.cast::<[u8; SIZE]>(), from.start.cast_mut().cast::<[u8; SIZE]>());
    // SAFETY: the caller promises an element at each place, and one to write for it.
    places.each(|at, place| unsafe {
        written.offset(at * from.step).write(read.wrapping_offset(place + at * to.step).read());
    });
}

/// Contiguous lines of self that lie evenly apart, and where elements of them go, those of a line
/// one after the other.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct GatheredLines<'a> {
    /// The first line.
    pub(in crate::cpu) from: *const u8,
    /// The elements of a line: negative index values count from there.
    pub(in crate::cpu) size: usize,
    /// Where the elements of the first line go.
    pub(in crate::cpu) to: *mut u8,
    /// How many elements of each line go somewhere.
    pub(in crate::cpu) len: usize,
    /// Whether a near cache holds the lines.
    pub(in crate::cpu) are_near: bool,
    /// The lines, with the steps from one to the next in index, in out (src) and in self (dst).
    pub(in crate::cpu) lines: &'a Axis,
}

/// The values that are used between two prefetches.
const BLOCK: usize = 64;

/// How many values ahead single elements of lines are prefetched: as many as are used between two
/// prefetches. A guess.
const NAMED_AHEAD: usize = BLOCK;

impl GatheredLines<'_> {
    /// Copies the elements that values name, of `bytes` each; the first line's begin at
    /// `first_value`.
    ///
    /// # Safety
    /// Each line has its values, which are valid; the lines are there to read, and an element for
    /// each value, which shares no memory with them, to write.
    pub(in crate::cpu) unsafe fn gather<I: Index>(&self, first_value: *const I, bytes: usize) {
        let gather = match bytes {
            1 => gather_block::<I, 1>,
            2 => gather_block::<I, 2>,
            4 => gather_block::<I, 4>,
            8 => gather_block::<I, 8>,
            _ => gather_block::<I, 16>,
        };
        let Self { size, len, lines, .. } = *self;
        let [from_step, to_step] = [lines.dst, lines.src].map(|step| step.wrapping_mul(bytes as isize));
        // Of more than 32 elements of each line, the same part of the next line is prefetched; of
        // fewer, those that are read some lines later, if they are few beside the line, and a near
        // cache doesn't hold the lines. Hardware does for the others.
        let prefetches = len > BLOCK / 2;
        let names = !prefetches && !self.are_near && is_sparse(len, from_step.unsigned_abs());
        let ahead = (NAMED_AHEAD / len.max(1)) as isize;
        // SAFETY: each line has as many values, which nobody writes.
        let values_of =
            |line: isize| unsafe { slice::from_raw_parts(first_value.offset(line * lines.index), len) };
        for line in 0..lines.extent as isize {
            let from = self.from.wrapping_offset(line.wrapping_mul(from_step));
            let to = self.to.wrapping_offset(line.wrapping_mul(to_step));
            let values = values_of(line);
            if names && line + ahead < lines.extent as isize {
                let from = from.wrapping_offset(ahead.wrapping_mul(from_step));
                prefetch_named(from, bytes as isize, values_of(line + ahead));
            }
            for (number, block) in values.chunks(BLOCK).enumerate() {
                let first = number * BLOCK * bytes;
                if prefetches {
                    prefetch_on(block);
                    prefetch_all(from.wrapping_offset(from_step).wrapping_add(first), block.len() * bytes);
                }
                // SAFETY: the values are valid; the line, and as many elements to write.
                unsafe { gather(from, size, to.wrapping_add(first), block) };
            }
        }
    }
}

/// Copies elements of a line of `size` to as many places as there are values.
///
/// # Safety
/// As [`GatheredLines::gather`], for a block of a line and elements of `SIZE` bytes.
unsafe fn gather_block<I: Index, const SIZE: usize>(from: *const u8, size: usize, to: *mut u8, values: &[I]) {
    let (from, to) = (from.cast::<[u8; SIZE]>(), to.cast::<[u8; SIZE]>());
    for (at, value) in values.iter().enumerate() {
        let (place, _) = wrap_signed(value.to_i64(), size as i64);
        // SAFETY: the value names an element of the line, and there is one to write for it; arrays
        // of bytes are aligned everywhere.
        unsafe { to.add(at).write(from.add(place as usize).read()) }
    }
}
