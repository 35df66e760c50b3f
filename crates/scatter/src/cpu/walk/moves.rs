//! Loops that move elements. Of a dtype only its size matters to them.

use crate::cpu::index::targets::Places;
use crate::cpu::slot::block::{Context, PairLoop, PlaceLoop, Slots, Source};
use crate::cpu::walk::visit::Visit;

/// `of`, a function or a tuple of functions, compiled for elements of `size` bytes.
macro_rules! by_size {
    ($size:expr, $SIZE:ident => $of:expr) => {
        match $size {
            1 => by_size!(@of 1, $SIZE, $of),
            2 => by_size!(@of 2, $SIZE, $of),
            4 => by_size!(@of 4, $SIZE, $of),
            8 => by_size!(@of 8, $SIZE, $of),
            _ => by_size!(@of 16, $SIZE, $of),
        }
    };
    (@of $bytes:literal, $SIZE:ident, $of:expr) => {{
        const $SIZE: usize = $bytes;
        $of
    }};
}

pub(in crate::cpu) use by_size;

/// Copies elements of `size` bytes from src to the destination, which share no memory.
pub(in crate::cpu) const fn copy(size: usize) -> PairLoop {
    by_size!(size, SIZE => copy_run::<SIZE>)
}

/// Writes zeros to elements of `size` bytes of the destination.
pub(in crate::cpu) const fn zero(size: usize) -> PairLoop {
    by_size!(size, SIZE => zero_run::<SIZE>)
}

/// Copies elements of `size` bytes from the destination to src, which share no memory.
pub(in crate::cpu) const fn gather(size: usize) -> Visit {
    let (run, places): (PairLoop, PlaceLoop) =
        by_size!(size, SIZE => (gather_run::<SIZE>, gather_places::<SIZE>));
    Visit { run, places, context: Context::NONE }
}

/// # Safety
/// `from` has `len` elements of `SIZE` bytes, which nobody writes; `to` has as many, which only the
/// caller accesses and which share no memory with them.
unsafe fn copy_run<const SIZE: usize>(to: Slots, from: Source, len: usize, _context: Context) {
    let (start, source) = (to.start.cast::<[u8; SIZE]>(), from.start.cast::<[u8; SIZE]>());
    // SAFETY: the caller promises `len` elements that nobody writes, and as many apart from them
    // that only it accesses; arrays of bytes are aligned everywhere.
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
/// `to` has `len` elements of `SIZE` bytes, which only the caller accesses.
unsafe fn zero_run<const SIZE: usize>(to: Slots, _from: Source, len: usize, _context: Context) {
    let (bytes, runs) = if to.step == 1 { (SIZE * len, 1) } else { (SIZE, len) };
    for at in 0..runs as isize {
        // SAFETY: the caller promises `len` elements that only it accesses; with a step of 1 they
        // are one run.
        unsafe { to.start.offset(at * to.step * SIZE as isize).write_bytes(0, bytes) }
    }
}

/// # Safety
/// As [`copy_run`], with `from` written and `to` read.
unsafe fn gather_run<const SIZE: usize>(to: Slots, from: Source, len: usize, context: Context) {
    let (written, read) = (
        Slots { start: from.start.cast_mut(), step: from.step },
        Source { start: to.start.cast_const(), step: to.step },
    );
    // SAFETY: the caller promises `len` elements of `to`, which nobody writes, and as many of
    // `from`, which share no memory with them and which only it accesses.
    unsafe { copy_run::<SIZE>(written, read, len, context) }
}

/// # Safety
/// As [`gather_run`], for the elements at these places of `to`.
unsafe fn gather_places<const SIZE: usize>(to: Slots, from: Source, places: Places<'_>, _context: Context) {
    let (read, written) = (to.start.cast::<[u8; SIZE]>(), from.start.cast_mut().cast::<[u8; SIZE]>());
    // SAFETY: the caller promises an element at each place, which nobody writes, and for each one
    // of `from` that only it accesses; arrays of bytes are aligned everywhere.
    places.each(|at, place| unsafe {
        written.offset(at * from.step).write(read.wrapping_offset(place + at * to.step).read());
    });
}
