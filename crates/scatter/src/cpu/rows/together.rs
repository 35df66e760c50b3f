//! Updates of one long row that follow one another: some are made at once, in registers or in the
//! nearest cache, so that the row of the destination is loaded and stored once for all of them.

use crate::Element;
use crate::cpu::aligned::Aligned;
use crate::cpu::prefetch::{CACHE_LINE, PAGE, TOGETHER_AHEAD, prefetch_all};
use crate::cpu::slot::Slot;
use crate::cpu::slot::rule::Rule;
use crate::simd::Simd;

/// The updates that are made at once, at the most.
pub(in crate::cpu) const MOST: usize = 4;

/// The elements that are held at a time, in registers or in the nearest cache.
const HELD: usize = 64;

/// Updates of a row, `N` at the most.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Together<T: Element, L, const N: usize> {
    /// The row of the destination.
    pub(in crate::cpu) row: *mut T,
    /// The slots of the row: they are read unless these are its first updates, and written unless
    /// they are its last ones.
    pub(in crate::cpu) slots: *mut L,
    pub(in crate::cpu) is_first: bool,
    pub(in crate::cpu) is_last: bool,
    /// The elements of a row.
    pub(in crate::cpu) len: usize,
    /// How many updates there are: `N` if slots are in place, where the compiler has to know.
    pub(in crate::cpu) made: usize,
    pub(in crate::cpu) src: [*const T; N],
    /// What updates are multiplied by, if the rule says so.
    pub(in crate::cpu) factor: T::Acc,
    /// Rows that come next: of the destination, and of src.
    pub(in crate::cpu) next_row: *const T,
    pub(in crate::cpu) next_src: [*const T; N],
}

impl<T: Element, L: Slot<T>, const N: usize> Together<T, L, N> {
    /// # Safety
    /// `row`, `slots` and each of `src` have `len` elements. Only the caller accesses the row and
    /// its slots, and nobody writes src. The slots are filled unless these are the first updates.
    #[inline(always)]
    pub(in crate::cpu) unsafe fn run<R: Rule>(&self, include_self: bool, simd: Simd) {
        // Updates of in-place slots are never multiplied by a factor here: see `Loops::by_target`.
        const { assert!(!L::IN_PLACE || !R::SCALED) }
        // With slots in place hardware has the time to read long rows ahead by itself: it is enough
        // to prefetch one cache line in each 4 KiB of the next rows, best not the line that they
        // begin in.
        let reads_ahead = L::IN_PLACE && self.len * size_of::<T>() >= PAGE;
        let ahead = if reads_ahead { self.len } else { (TOGETHER_AHEAD / size_of::<T>()).min(self.len) };
        debug_assert!(!L::IN_PLACE || self.made == N, "in place all of src is added");
        // Then accesses had better not cross cache lines, either: parts begin where cache lines of
        // the row do. Rows of src are mostly aligned as the row is.
        let head = if reads_ahead { self.row.align_offset(CACHE_LINE) } else { 0 };
        let head = if head < self.len { head } else { 0 };
        if head > 0 {
            // Before the others: after them, it cost rows of 16 KiB a twentieth of their time.
            // SAFETY: the row, its slots and the rows of src have these elements, for `head` is
            // less than `len`.
            unsafe { self.part::<R>(0, head, include_self, simd) }
        }
        let full = head + (self.len - head) / HELD * HELD;
        for first in (head..full).step_by(HELD) {
            if !reads_ahead || ((first - head) * size_of::<T>()).is_multiple_of(PAGE) {
                self.prefetch(first + ahead);
            }
            // SAFETY: the row, its slots and the rows of src have these elements, for `full` is no
            // more than `len`.
            unsafe { self.part::<R>(first, HELD, include_self, simd) }
        }
        if full < self.len {
            // SAFETY: the row, its slots and the rows of src have these elements, which end at
            // `len`.
            unsafe { self.part::<R>(full, self.len - full, include_self, simd) }
        }
    }

    /// Elements `first` to `first + len` of the row.
    ///
    /// # Safety
    /// As [`Together::run`], and `first + len` is at most the length of the row.
    #[inline(always)]
    unsafe fn part<R: Rule>(&self, first: usize, len: usize, include_self: bool, simd: Simd) {
        // SAFETY: the row, its slots and the rows of src have these elements. Slots and the row are
        // never borrowed at the same time, for they may be one.
        unsafe {
            let (row, slots) = (self.row.add(first), self.slots.add(first));
            let part = |src: *const T| core::slice::from_raw_parts(src.add(first), len);
            if L::IN_PLACE {
                let src = self.src.map(part);
                for (at, slot) in core::slice::from_raw_parts_mut(slots, len).iter_mut().enumerate() {
                    let mut held = *slot;
                    for src in src {
                        held.update(R::REDUCE, src[at]);
                    }
                    *slot = held;
                }
                return;
            }
            let any = if self.is_first { L::load(row.read(), R::REDUCE, include_self) } else { slots.read() };
            let mut held = Aligned([any; HELD]);
            let held = &mut held.0[..len];
            if self.is_first {
                L::load_row(core::slice::from_raw_parts(row, len), held, R::REDUCE, include_self, simd);
            } else {
                held.copy_from_slice(core::slice::from_raw_parts(slots, len));
            }
            for &src in self.src.iter().take(self.made) {
                L::update_row::<R>(held, self.factor, part(src), simd);
            }
            if self.is_last {
                L::store_row(held, core::slice::from_raw_parts_mut(row, len), include_self, simd);
            } else {
                core::slice::from_raw_parts_mut(slots, len).copy_from_slice(held);
            }
        }
    }

    /// Prefetches elements from `first` on, which may be those of the next rows.
    #[inline(always)]
    fn prefetch(&self, first: usize) {
        let in_row = first < self.len;
        let start = if in_row { first } else { first - self.len };
        let prefetch = |row: *const T, next: *const T| {
            prefetch_all(if in_row { row } else { next }.wrapping_add(start), HELD.min(self.len - start));
        };
        prefetch(self.row, self.next_row);
        self.src.iter().zip(self.next_src).take(self.made).for_each(|(&row, next)| prefetch(row, next));
    }
}
