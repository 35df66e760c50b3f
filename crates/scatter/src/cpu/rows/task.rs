//! The loops over the updates of a task of rows: in the order of index, or those of a bucket.

use core::marker::PhantomData;

use crate::cpu::index::partition::{Entry, Group};
use crate::cpu::prefetch::rows_ahead;
use crate::cpu::rows::row::{Copies, Next, SrcRow};
use crate::cpu::rows::together::{self, Together};
use crate::cpu::slot::Slot;
use crate::cpu::slot::block::MeanRow;
use crate::cpu::slot::rule::{self, Factor, Rule};
use crate::cpu::walk::rows::RowSteps;
use crate::simd::{Simd, SimdLoop};
use crate::{Element, Reduce};

/// Updates of some columns of rows.
#[derive(Debug)]
pub(in crate::cpu) struct RowTask<'a> {
    pub(super) updates: Group<'a>,
    /// The first target of a group of buckets.
    pub(super) first: usize,
    pub(super) columns: usize,
    /// The row of entry 0.
    pub(super) src: *const u8,
    /// The row of target 0.
    pub(super) dst: *mut u8,
    pub(super) steps: RowSteps,
    pub(super) include_self: bool,
    pub(super) factor: Factor,
    /// For a mean, the loop that writes its rows.
    pub(super) mean_row: Option<MeanRow>,
    pub(super) simd: Simd,
}

impl RowTask<'_> {
    /// The row of a target.
    #[inline(always)]
    fn row<T>(&self, target: usize) -> *mut T {
        self.dst.cast::<T>().wrapping_offset(target as isize * self.steps.dst)
    }
}

/// Makes the updates of a task on long rows, each from a row of src of its own. Unless slots are in
/// place, the task has one target.
///
/// # Safety
/// The task's rows are long, and each of its updates has a row of src of its own, which lies inside
/// src's storage, which nobody writes. Only the task accesses its columns of its targets' rows.
/// Unless slots are in place, it has one target, and `slots` is a row of slots that only it
/// accesses.
pub(in crate::cpu) unsafe fn update_by_target<T: Element, R: Rule, L: Slot<T>>(
    task: &RowTask<'_>,
    slots: *mut u8,
) {
    task.simd.run(ByTarget::<T, R, L> { task, slots: slots.cast(), types: PhantomData });
}

/// Makes the updates of a task one by one.
///
/// # Safety
/// As [`update_by_target`], but for any task. Unless slots are in place, `slots` has a row for each
/// target, and `counts` a 0 for each; else `counts` is empty. For a mean, this is called with the
/// rule of a sum.
pub(in crate::cpu) unsafe fn update_in_task<T: Element, R: Rule, L: Slot<T>>(
    task: &RowTask<'_>,
    slots: *mut u8,
    counts: &mut [u32],
) {
    task.simd.run(InTask::<T, R, L> { task, slots: slots.cast(), counts, types: PhantomData });
}

/// The loop over the updates of a task; those that follow one another and have the same target are
/// made together.
struct ByTarget<'a, T, R, L> {
    /// Its rows are long, and it has one target unless slots are in place.
    task: &'a RowTask<'a>,
    /// A row, unless slots are in place.
    slots: *mut L,
    types: PhantomData<(T, R)>,
}

impl<T: Element, R: Rule, L: Slot<T>> SimdLoop for ByTarget<'_, T, R, L> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: Simd) {
        let updates = self.task.updates;
        let target_of = |at: usize| (at < updates.len()).then(|| updates.entry(at).target);
        let mut at = 0;
        while at < updates.len() {
            let is_same = |n: usize| target_of(at + n) == target_of(at);
            const { assert!(together::MOST == 4) };
            let made = 1 + (1..together::MOST).take_while(|&n| is_same(n)).count();
            match made {
                // Slots that are not in place are held in the nearest cache between updates, so
                // that a loop over the updates costs nothing, and takes less code than one for each
                // number of updates.
                _ if !L::IN_PLACE => self.together::<{ together::MOST }>(simd, at, made),
                1 => self.together::<1>(simd, at, 1),
                2 => self.together::<2>(simd, at, 2),
                3 => self.together::<3>(simd, at, 3),
                _ => self.together::<4>(simd, at, 4),
            }
            at += made;
        }
    }
}

impl<T: Element, R: Rule, L: Slot<T>> ByTarget<'_, T, R, L> {
    /// Makes `made` updates, `N` at the most, from `at` on. `made` is `N` if slots are in place.
    #[inline(always)]
    fn together<const N: usize>(&self, simd: Simd, at: usize, made: usize) {
        let RowTask { updates, columns, src, steps, include_self, factor, .. } = *self.task;
        let src = src.cast::<T>();
        let row_of = |entry: Entry| self.task.row::<T>(entry.target as usize);
        let src_of = |entry: Entry| src.wrapping_offset(entry.number as isize * steps.src);
        let row = row_of(updates.entry(at));
        let end = at + made;
        let sources = core::array::from_fn(|n| src_of(updates.entry((at + n).min(end - 1))));
        let together = Together::<T, L, N> {
            row,
            slots: if L::IN_PLACE { row.cast() } else { self.slots },
            is_first: at == 0,
            is_last: end == updates.len(),
            len: columns,
            made,
            src: sources,
            factor: factor.get::<T>(),
            next_row: updates.ahead(end).map_or(row, row_of).cast_const(),
            next_src: core::array::from_fn(|n| updates.ahead(end + n).map_or(sources[n], src_of)),
        };
        // SAFETY: the rows of src lie inside its storage, which nobody writes. Only this task
        // accesses its columns of the row of the destination, whose representation slots that are
        // in place have; other slots are this task's, and its first updates fill them.
        unsafe { together.run::<R>(include_self, simd) }
    }
}

/// The loop over the updates of a task.
struct InTask<'a, T, R, L> {
    task: &'a RowTask<'a>,
    /// A row for each target; null where slots are in place.
    slots: *mut L,
    /// The updates of each target so far; the slots of a target without updates are not filled.
    counts: &'a mut [u32],
    types: PhantomData<(T, R)>,
}

impl<T: Element, R: Rule, L: Slot<T>> SimdLoop for InTask<'_, T, R, L> {
    type Output = ();
    const AVX512: bool = rule::is_common::<R>();

    #[inline(always)]
    fn run(mut self, simd: Simd) {
        if !self.has_slots() && !self.task.steps.is_still {
            return self.update::<true>(simd);
        }
        self.update::<false>(simd);
        if self.has_slots() {
            self.store(simd);
        }
    }
}

impl<T: Element, R: Rule, L: Slot<T>> InTask<'_, T, R, L> {
    const IS_SUM: bool = matches!(R::REDUCE, Reduce::Add) && !R::SCALED;

    /// Whether there are slots apart from the elements. A sum may be that of a mean, which has
    /// slots even where elements could hold its sums.
    #[inline(always)]
    fn has_slots(&self) -> bool {
        !L::IN_PLACE || Self::IS_SUM && !self.slots.is_null()
    }

    /// What writes the rows of a mean, if this is the sum of one.
    #[inline(always)]
    fn mean_row(&self) -> Option<MeanRow> {
        if Self::IS_SUM { self.task.mean_row } else { None }
    }

    /// Makes the updates: of slots that are filled before the first of them, or of elements.
    /// `PLAIN` says that there are no slots, and that src is not still; compiled apart, these most
    /// frequent updates take up to a tenth less time.
    #[inline(always)]
    fn update<const PLAIN: bool>(&mut self, simd: Simd) {
        let RowTask { updates, first, columns, src, steps, include_self, factor, .. } = *self.task;
        let (has_slots, is_still) = (!PLAIN && self.has_slots(), !PLAIN && steps.is_still);
        let (ahead, factor) = (rows_ahead(columns * size_of::<T>()), factor.get::<T>());
        let (src, mut copies) = (src.cast::<T>(), Copies::new());
        let starts_from_identity = self.mean_row().is_some() && !include_self;
        let src_of = |number: u32| src.wrapping_offset(number as isize * steps.src);
        for (at, Entry { target, number }) in updates.iter().enumerate() {
            // Counts exist only for this group's targets.
            let is_loaded = |target: u32| {
                has_slots
                    && self.counts.get((target as usize).wrapping_sub(first)).is_some_and(|&count| count > 0)
            };
            let next = updates.ahead(at + ahead).map_or(Next::NONE, |Entry { target, number }| Next {
                src: (!is_still).then_some(src_of(number)),
                dst: (!is_loaded(target)).then_some(self.task.row::<T>(target as usize).cast_const()),
            });
            let (row, target) = (self.task.row::<T>(target as usize), target as usize - first);
            let slots = match has_slots {
                true => self.slots.wrapping_add(target * columns),
                false => row.cast::<L>(),
            };
            // SAFETY: only this task accesses these columns of the row, whose representation slots
            // that are in place have; other slots are this task's, and hold numbers, which are zero
            // at first.
            let slots = unsafe { core::slice::from_raw_parts_mut(slots, columns) };
            if has_slots && let Some(count) = self.counts.get_mut(target) {
                if *count == 0 && starts_from_identity {
                    let identity = T::narrow(T::identity(R::REDUCE));
                    slots.fill(L::load(identity, R::REDUCE, false));
                } else if *count == 0 {
                    // SAFETY: only this task accesses these columns of the row, and the slots are
                    // apart from it.
                    let row = unsafe { core::slice::from_raw_parts(row, columns) };
                    L::load_row(row, slots, R::REDUCE, include_self, simd);
                }
                *count += 1;
            }
            // SAFETY: the row of src, or its only element, lies inside its storage, which nobody
            // writes.
            unsafe {
                let start = src_of(number);
                let start = if is_still { copies.of(start.read(), columns) } else { start };
                let src = SrcRow { start, are_copies: is_still };
                src.update::<R, L>(slots, !has_slots, factor, next, simd);
            }
        }
    }

    /// Writes the slots back that were updated.
    #[inline(always)]
    fn store(&self, simd: Simd) {
        let RowTask { first, columns, include_self, .. } = *self.task;
        for (target, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let (slots, row) =
                (self.slots.wrapping_add(target * columns), self.task.row::<T>(first + target));
            // SAFETY: only this task accesses these columns of the row, and its slots, which are
            // filled and apart from the row; slots of a sum are accumulators.
            unsafe {
                if let Some(mean_row) = self.mean_row() {
                    let values = u64::from(count) + u64::from(include_self);
                    mean_row(row.cast(), slots.cast(), columns, values, simd);
                } else {
                    let (slots, row) = (
                        core::slice::from_raw_parts(slots, columns),
                        core::slice::from_raw_parts_mut(row, columns),
                    );
                    L::store_row(slots, row, include_self, simd);
                }
            }
        }
    }
}
