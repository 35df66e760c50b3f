//! One row of src, and rows to come.

use super::rule::Rule;
use super::slot::Slot;
use crate::Element;
use crate::simd::{self, Simd};

/// The bytes of a part: a longer row is updated and prefetched part by part.
const PART: usize = 1024;

/// How many parts ahead a long row is prefetched, if slots are in place.
const PARTS: usize = 6;

/// How many bytes ahead rows are prefetched.
const AHEAD: usize = 4096;

/// The copies that are made at a time of a row's only element.
const STILL: usize = 64;

/// A row of src, which may be one element that is at all of its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct SrcRow<T> {
    pub(super) start: *const T,
    pub(super) is_still: bool,
}

impl<T: Element> SrcRow<T> {
    /// Updates a row of slots in parts, while what lies some parts ahead is prefetched, in this row
    /// and in the `next`.
    ///
    /// # Safety
    /// The row has as many elements, and nobody writes them.
    #[inline(always)]
    pub(super) unsafe fn update_long<R: Rule, L: Slot<T>>(&self, slots: &mut [L], next: Next<T>, simd: Simd) {
        let (part, len) = (part::<T>(), slots.len());
        // Slots are filled from a whole row at once, so all of the next one is prefetched before.
        let ahead = if L::IN_PLACE { len.min(PARTS * part) } else { len };
        for (number, slots) in slots.chunks_mut(part).enumerate() {
            let first = number * part;
            let to = first + ahead;
            if to >= len {
                let start = (to - len) / part * part;
                next.prefetch(start, part.min(len - start));
            } else {
                if !self.is_still {
                    simd::prefetch_all(self.start.wrapping_add(to), part);
                }
                simd::prefetch_all(slots.as_ptr().wrapping_add(ahead), part);
            }
            // SAFETY: the row has an element for each slot, and nobody writes it.
            unsafe { self.update::<R, L>(slots, first, simd) }
        }
    }

    /// Updates slots with as many elements, from the row's `first` on.
    ///
    /// # Safety
    /// The row has these elements, and nobody writes them.
    #[inline(always)]
    pub(super) unsafe fn update<R: Rule, L: Slot<T>>(&self, slots: &mut [L], first: usize, simd: Simd) {
        // SAFETY: the row has an element for each slot from `first` on, or one element for all, and
        // nobody writes it.
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

/// A row to come, as far as it is to be prefetched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next<T> {
    /// Of src.
    pub(super) src: Option<*const T>,
    /// Of the destination.
    pub(super) dst: Option<*const T>,
}

impl<T> Next<T> {
    pub(super) const NONE: Self = Self { src: None, dst: None };

    #[inline(always)]
    pub(super) fn prefetch(&self, first: usize, len: usize) {
        for row in [self.src, self.dst].into_iter().flatten() {
            simd::prefetch_all(row.wrapping_add(first), len);
        }
    }
}

/// The elements of a part of a long row.
#[inline(always)]
fn part<T>() -> usize {
    (PART / size_of::<T>()).max(1)
}

/// Whether a row is updated in parts.
#[inline(always)]
pub(super) fn is_long<T>(width: usize) -> bool {
    width > part::<T>()
}

/// The most that [`ahead`] returns.
pub(super) const MOST_AHEAD: usize = 16;

/// How many rows ahead to prefetch.
#[inline(always)]
pub(super) fn ahead<T>(width: usize) -> usize {
    (AHEAD / (width * size_of::<T>()).max(1)).clamp(1, MOST_AHEAD)
}

/// Prefetches a row, or the start of one.
#[inline(always)]
pub(super) fn prefetch<T>(row: *const T, width: usize) {
    simd::prefetch_all(row, width.min(part::<T>()));
}
