//! One row of src, and rows to come.

use core::mem::MaybeUninit;

use crate::Element;
use crate::cpu::prefetch::{PART, PARTS_AHEAD, is_long_row, prefetch_all};
use crate::cpu::slot::Slot;
use crate::cpu::slot::rule::{self, Rule};
use crate::simd::Simd;

/// A row of src, which may be one element that is repeated.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct SrcRow<T> {
    pub(in crate::cpu) start: *const T,
    pub(in crate::cpu) is_still: bool,
}

impl<T: Element> SrcRow<T> {
    /// Updates a row of slots, a long one in parts, while what lies some parts ahead is prefetched,
    /// in this row and in the `next`. `in_place` says whether the slots are elements.
    ///
    /// # Safety
    /// The row has an element for each slot, or a single one if it is still, and nobody writes
    /// them.
    #[inline(always)]
    pub(in crate::cpu) unsafe fn update<R: Rule, L: Slot<T>>(
        &self,
        slots: &mut [L],
        in_place: bool,
        factor: T::Acc,
        next: Next<T>,
        simd: Simd,
    ) {
        let len = slots.len();
        let is_long = is_long_row(len * size_of::<T>());
        if is_long && rule::is_common::<R>() && !self.is_still {
            // The loop below would do the same. Here the compiler knows how long a part is.
            for (number, slots) in slots.chunks_mut(const { PART / size_of::<T>() }).enumerate() {
                let first = number * const { PART / size_of::<T>() };
                self.prefetch_part(slots, in_place, first, len, next);
                // SAFETY: the row has an element for each slot, and nobody writes it.
                let src = unsafe { core::slice::from_raw_parts(self.start.add(first), slots.len()) };
                L::update_row::<R>(slots, factor, src, simd);
            }
            return;
        }
        if !is_long {
            next.prefetch_short(len);
        }
        let part = if is_long { const { PART / size_of::<T>() } } else { len.max(1) };
        // A part with as many copies of the row's only element.
        let mut copies = MaybeUninit::<[u128; PART / size_of::<u128>()]>::uninit();
        let mut start = self.start;
        if self.is_still {
            let first = copies.as_mut_ptr().cast::<T>();
            for at in 0..part {
                // SAFETY: the row has an element, which nobody writes; the copies have room for a
                // part, which has no more bytes than `PART`, and are aligned for every dtype.
                unsafe { first.add(at).write(self.start.read()) }
            }
            start = first;
        }
        for (number, slots) in slots.chunks_mut(part).enumerate() {
            let first = number * part;
            if is_long {
                self.prefetch_part(slots, in_place, first, len, next);
            }
            let from = if self.is_still { 0 } else { first };
            // SAFETY: the row has an element for each slot, or a part of copies has, and nobody
            // writes them.
            let src = unsafe { core::slice::from_raw_parts(start.add(from), slots.len()) };
            L::update_row::<R>(slots, factor, src, simd);
        }
    }

    /// Prefetches what lies some parts after the slots of a part, which begin at `first` of a row
    /// of `len`: of the row of slots, of this row of src, and of the `next` rows.
    #[inline(always)]
    fn prefetch_part<L: Slot<T>>(
        &self,
        slots: &[L],
        in_place: bool,
        first: usize,
        len: usize,
        next: Next<T>,
    ) {
        let part = const { PART / size_of::<T>() };
        // Slots are filled from a whole row at once, so all of the next one is prefetched before.
        let ahead = if in_place { len.min(PARTS_AHEAD * part) } else { len };
        let to = first + ahead;
        if to >= len {
            let start = (to - len) / part * part;
            next.prefetch(start, part.min(len - start));
        } else {
            if !self.is_still {
                prefetch_all(self.start.wrapping_add(to), part);
            }
            prefetch_all(slots.as_ptr().wrapping_add(ahead), part);
        }
    }
}

/// Whether rows of `bytes` are updated by [`update_short`], which does what [`SrcRow::update`]
/// would do, in fewer instructions.
#[inline(always)]
pub(in crate::cpu) fn is_short<R: Rule>(bytes: usize, is_still: bool) -> bool {
    rule::is_common::<R>() && !is_still && !is_long_row(bytes)
}

/// Updates a short row of slots, while the `next` is prefetched.
///
/// # Safety
/// `row` has an element for each slot, and nobody writes them.
#[inline(always)]
pub(in crate::cpu) unsafe fn update_short<T: Element, R: Rule, L: Slot<T>>(
    row: *const T,
    slots: &mut [L],
    factor: T::Acc,
    next: Next<T>,
    simd: Simd,
) {
    next.prefetch_short(slots.len());
    // SAFETY: the row has an element for each slot, and nobody writes it.
    let src = unsafe { core::slice::from_raw_parts(row, slots.len()) };
    // This is the same loop for a length that is known at compile time, and so without jumps.
    let part = const { PART / size_of::<T>() };
    if slots.len() == part {
        return L::update_row::<R>(&mut slots[..part], factor, &src[..part], simd);
    }
    L::update_row::<R>(slots, factor, src, simd);
}

/// A row to come, as far as it is to be prefetched.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Next<T> {
    /// The row of src.
    pub(in crate::cpu) src: Option<*const T>,
    /// The row of the destination.
    pub(in crate::cpu) dst: Option<*const T>,
}

impl<T> Next<T> {
    pub(in crate::cpu) const NONE: Self = Self { src: None, dst: None };

    #[inline(always)]
    fn prefetch(&self, first: usize, len: usize) {
        for row in [self.src, self.dst].into_iter().flatten() {
            prefetch_all(row.wrapping_add(first), len);
        }
    }

    /// [`Next::prefetch`] from the start of both rows on, by a loop for each: one for both would
    /// cost short rows a quarter of their time.
    #[inline(always)]
    fn prefetch_short(&self, len: usize) {
        self.dst.into_iter().for_each(|row| prefetch_all(row, len));
        self.src.into_iter().for_each(|row| prefetch_all(row, len));
    }
}
