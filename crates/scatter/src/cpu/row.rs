//! One row of src, and rows to come.

use super::rule::Rule;
use super::slot::Slot;
use crate::Element;
use crate::simd::{self, Simd};

/// A row of more bytes is asked for in parts of so many.
const PART: usize = 1024;

/// The bytes of rows to come that are asked for.
const AHEAD: usize = 2048;

/// So many elements are made at a time of a row that is stored as one.
const STILL: usize = 64;

/// A row of src, which may be one element that is at all of its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct SrcRow<T> {
    pub(super) start: *const T,
    pub(super) is_still: bool,
}

impl<T: Element> SrcRow<T> {
    /// Updates slots with as many elements, from the row's `first` on.
    ///
    /// # Safety
    /// The row has these elements, and nobody writes them.
    #[inline(always)]
    pub(super) unsafe fn update<R: Rule, L: Slot<T>>(&self, slots: &mut [L], first: usize, simd: Simd) {
        // SAFETY: the caller's promise.
        unsafe {
            if self.is_still {
                let made = [self.start.read(); STILL];
                for slots in slots.chunks_mut(STILL) {
                    L::update_row(slots, R::REDUCE, &made[..slots.len()], simd);
                }
            } else {
                let src = core::slice::from_raw_parts(self.start.add(first), slots.len());
                L::update_row(slots, R::REDUCE, src, simd);
            }
        }
    }
}

/// The elements of a part of a long row: each part of the next one is asked for while the same part of this one is updated.
#[inline(always)]
pub(super) fn part<T>() -> usize {
    (PART / size_of::<T>()).max(1)
}

/// How many rows ahead to ask for.
#[inline(always)]
pub(super) fn ahead<T>(width: usize) -> usize {
    (AHEAD / (width * size_of::<T>()).max(1)).clamp(1, 16)
}

/// Asks for a row, or the start of one.
#[inline(always)]
pub(super) fn prefetch<T>(row: *const T, width: usize) {
    let bytes = (width * size_of::<T>()).min(PART);
    for line in (0..bytes).step_by(64) {
        simd::prefetch(row.cast::<u8>().wrapping_add(line));
    }
}
