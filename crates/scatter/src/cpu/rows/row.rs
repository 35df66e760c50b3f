//! The update of one row, and rows to come.

use core::mem::MaybeUninit;

use crate::Element;
use crate::cpu::prefetch::{PART, PARTS_AHEAD, is_in_parts, prefetch_all};
use crate::cpu::slot::Slot;
use crate::cpu::slot::rule::{self, Rule};
use crate::simd::Simd;

/// A row of src.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct SrcRow<T> {
    pub(in crate::cpu) start: *const T,
    /// Whether these are [`Copies`] of one element, as many as the row or a part of it has.
    pub(in crate::cpu) are_copies: bool,
}

/// Room for as many copies of an element as a part of a row has, aligned for every dtype.
pub(in crate::cpu) struct Copies(MaybeUninit<[u128; PART / size_of::<u128>()]>);

impl Copies {
    pub(in crate::cpu) const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// As many copies of an element as a row of `len` or a part of it has.
    pub(in crate::cpu) fn of<T: Element>(&mut self, element: T, len: usize) -> *const T {
        let start = self.0.as_mut_ptr().cast::<T>();
        for at in 0..len.min(const { PART / size_of::<T>() }) {
            // SAFETY: there is room for a part, and the alignment is enough for every dtype.
            unsafe { start.add(at).write(element) }
        }
        start
    }
}

impl<T: Element> SrcRow<T> {
    /// Updates a row of slots, a long one in parts, while what lies some parts ahead is prefetched,
    /// in this row and in the `next`. `in_place` says whether the slots are elements.
    ///
    /// # Safety
    /// The row has an element for each slot, and nobody writes them.
    #[inline(always)]
    pub(in crate::cpu) unsafe fn update<R: Rule, L: Slot<T>>(
        &self,
        slots: &mut [L],
        in_place: bool,
        factor: T::Acc,
        next: Next<T>,
        simd: Simd,
    ) {
        let (len, part) = (slots.len(), const { PART / size_of::<T>() });
        if !is_in_parts(len * size_of::<T>()) {
            next.prefetch_short(len);
            // SAFETY: the row has an element for each slot, and nobody writes it.
            let src = unsafe { core::slice::from_raw_parts(self.start, len) };
            // The same loop for a length that is known when it is compiled, which then has no
            // jumps. To compile less, not for every rule.
            if rule::is_common::<R>() && len == part {
                return L::update_row::<R>(&mut slots[..part], factor, &src[..part], simd);
            }
            return L::update_row::<R>(slots, factor, src, simd);
        }
        for (number, slots) in slots.chunks_mut(part).enumerate() {
            let first = number * part;
            self.prefetch_part(slots, in_place, first, len, next);
            let from = if self.are_copies { 0 } else { first };
            // SAFETY: the row has an element for each slot, or copies have one for each of a part,
            // and nobody writes them.
            let src = unsafe { core::slice::from_raw_parts(self.start.add(from), slots.len()) };
            L::update_row::<R>(slots, factor, src, simd);
        }
    }

    /// Prefetches what lies some parts after the slots of a part, which are `first` on of a row of
    /// `len`: of that row, of this one, and of the `next`.
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
            if !self.are_copies {
                prefetch_all(self.start.wrapping_add(to), part);
            }
            prefetch_all(slots.as_ptr().wrapping_add(ahead), part);
        }
    }
}

/// A row to come, as far as it is to be prefetched.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Next<T> {
    /// Of src.
    pub(in crate::cpu) src: Option<*const T>,
    /// Of the destination.
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
