//! Loops that move elements. Of a dtype only its size matters to them.

use crate::cpu::index::targets::Places;
use crate::cpu::slot::block::{Context, Slots, Source};
use crate::cpu::walk::sweep::Visit;

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
