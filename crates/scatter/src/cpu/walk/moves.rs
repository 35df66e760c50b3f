//! Loops that move elements. Of a dtype only its size matters to them.

use crate::Index;
use crate::cpu::index::numbers::{prefetch_on, wrap_signed};
use crate::cpu::index::targets::Places;
use crate::cpu::slot::block::{Slots, Source};
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
    Visit { run, places: None, include_self: true }
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
    Visit { run, places: None, include_self: true }
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
    Visit { run, places: Some(places), include_self: true }
}

/// # Safety
/// `len` elements of `SIZE` bytes: to read, and others to write.
unsafe fn copy_run<const SIZE: usize>(to: Slots, from: Source, len: usize, _include_self: bool) {
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
unsafe fn zero_run<const SIZE: usize>(to: Slots, _from: Source, len: usize, _include_self: bool) {
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
unsafe fn gather_run<const SIZE: usize>(to: Slots, from: Source, len: usize, include_self: bool) {
    let (written, read) = (
        Slots { start: from.start.cast_mut(), step: from.step },
        Source { start: to.start.cast_const(), step: to.step },
    );
    // SAFETY: the caller promises as many elements.
    unsafe { copy_run::<SIZE>(written, read, len, include_self) }
}

/// # Safety
/// As [`gather_run`], for the elements at these places of `to`.
unsafe fn gather_places<const SIZE: usize>(to: Slots, from: Source, places: Places<'_>) {
    let (read, written) = (to.start.cast::<[u8; SIZE]>(), from.start.cast_mut().cast::<[u8; SIZE]>());
    // SAFETY: the caller promises an element at each place, and one to write for it.
    places.each(|at, place| unsafe {
        written.offset(at * from.step).write(read.wrapping_offset(place + at * to.step).read());
    });
}

/// A contiguous line of self, and where elements of it go, one after the other.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct GatheredLine {
    pub(in crate::cpu) from: *const u8,
    /// Its elements: negative index values count from there.
    pub(in crate::cpu) size: usize,
    pub(in crate::cpu) to: *mut u8,
    /// The line that is read next, which is prefetched.
    pub(in crate::cpu) next: *const u8,
}

/// The values that are used between two prefetches.
const BLOCK: usize = 64;

impl GatheredLine {
    /// Copies the elements that values name, of `bytes` each.
    ///
    /// # Safety
    /// The values are valid; the line is there to read, and an element for each value, which shares
    /// no memory with it, to write.
    pub(in crate::cpu) unsafe fn gather<I: Index>(&self, values: &[I], bytes: usize) {
        // SAFETY: as the caller promises.
        unsafe {
            match bytes {
                1 => self.gather_of::<I, 1>(values),
                2 => self.gather_of::<I, 2>(values),
                4 => self.gather_of::<I, 4>(values),
                8 => self.gather_of::<I, 8>(values),
                _ => self.gather_of::<I, 16>(values),
            }
        }
    }

    /// # Safety
    /// As [`GatheredLine::gather`], for elements of `SIZE` bytes.
    unsafe fn gather_of<I: Index, const SIZE: usize>(&self, values: &[I]) {
        let from = self.from.cast::<[u8; SIZE]>();
        let (to, next) = (self.to.cast::<[u8; SIZE]>(), self.next.cast::<[u8; SIZE]>());
        for (number, block) in values.chunks(BLOCK).enumerate() {
            let first = number * BLOCK;
            prefetch_on(block);
            prefetch_all(next.wrapping_add(first), block.len());
            for (at, value) in (first..).zip(block) {
                let (place, _) = wrap_signed(value.to_i64(), self.size as i64);
                // SAFETY: the value names an element of the line, and there is one to write for it;
                // arrays of bytes are aligned everywhere.
                unsafe { to.add(at).write(from.add(place as usize).read()) }
            }
        }
    }
}
