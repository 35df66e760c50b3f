//! The ways to update a destination: what an element is meanwhile, and which loops run.

use super::call::Call;
use super::grid::Grid;
use super::limits::{Limits, Pattern};
use super::numbers::Numbers;
use super::rows::Rows;
use super::rule::{self, Rule};
use super::segment::MAX_SLOTS;
use super::slot::{Accumulated, Counted, Plain, Slot, Touched};
use super::sweep::{Storages, apply};
use super::walk::Walk;
use super::{buckets, lines, rows, segment, threads, tiles};
use crate::{Element, Reduce};

/// Longer lines don't stay in a near cache.
const LINE: usize = 1 << 19;

/// So many threads at least share a line that stays in a near cache: partitioning an update takes as long as making it on so
/// many.
const SHARED: usize = 5;

/// Fewer updates of one line are not worth the rounds of a partition.
const MANY_UPDATES: usize = 1 << 18;

/// Slots that are kept in all for one long line, at most.
const MAX_BUCKET_SLOTS: usize = 1 << 22;

/// Updates the destination: chooses what an element is meanwhile.
///
/// # Safety
/// The walk was made for these storages, in which all of its addresses lie; all index values are valid; the destination
/// overlaps neither itself nor anything else.
pub(super) unsafe fn update<T: Element>(call: &Call<'_, T>, reduce: Reduce) {
    // SAFETY: the caller's promise.
    unsafe {
        match reduce {
            Reduce::None => update_by::<T, rule::Replace, Plain<T>>(call),
            Reduce::Add => fold::<T, rule::Add>(call),
            Reduce::Mul => fold::<T, rule::Mul>(call),
            Reduce::Max => fold::<T, rule::Max>(call),
            Reduce::Min => fold::<T, rule::Min>(call),
            Reduce::Mean => update_by::<T, rule::Mean, Counted<T::Acc>>(call),
        }
    }
}

/// [`update`] for a reduction that needs no count.
///
/// # Safety
/// As [`update`].
unsafe fn fold<T: Element, R: Rule>(call: &Call<'_, T>) {
    // SAFETY: the caller's promise.
    unsafe {
        if !call.include_self {
            update_by::<T, R, Touched<T::Acc>>(call);
        } else if T::WIDE_ACC {
            update_by::<T, R, Accumulated<T::Acc>>(call);
        } else {
            update_by::<T, R, Plain<T>>(call);
        }
    }
}

/// [`update`] by the loops that suit the call.
///
/// # Safety
/// As [`update`].
unsafe fn update_by<T: Element, R: Rule, L: Slot<T>>(call: &Call<'_, T>) {
    let numbers = Numbers::new(call.storages.index, &call.walk.components, call.limits.simd);
    let rows = Rows::recognise(call.walk);
    // SAFETY: the caller's promise; `choose` takes loops only where they can do the walk.
    unsafe {
        match (choose::<T, L>(call, rows.is_some()), &numbers, &rows) {
            (Pattern::Rows, Some(numbers), Some(rows)) => rows::run::<T, R, L>(call, rows, numbers),
            (Pattern::Lines, Some(numbers), _) => lines::run::<T, R, L>(call, numbers),
            (Pattern::Tiles, Some(numbers), _) => tiles::run::<T, R, L>(call, numbers),
            (Pattern::Buckets, Some(numbers), _) => {
                bring_all(call);
                buckets::run::<T, R, L>(call, numbers);
            }
            _ => {
                bring_all(call);
                sweep::<T, R, L>(call);
            }
        }
    }
}

/// The loops for a call: those that are forced if they can do it, or else the fastest.
fn choose<T: Element, L: Slot<T>>(call: &Call<'_, T>, is_rows: bool) -> Pattern {
    let Call { walk, limits, .. } = call;
    let targets = walk.components.targets();
    let fits_once = L::IN_PLACE || targets <= MAX_BUCKET_SLOTS;
    let fits = L::IN_PLACE || targets <= MAX_SLOTS;
    if let Some(pattern) = limits.pattern {
        let can = match pattern {
            Pattern::Rows => is_rows,
            Pattern::Lines => lines::can(walk) && fits,
            Pattern::Tiles => tiles::can(walk) && targets <= limits.slots_at_most.max(1 << 12),
            Pattern::Buckets => lines::can(walk) && fits_once,
            Pattern::Sweep => true,
        };
        return if can { pattern } else { Pattern::Sweep };
    }
    if is_rows {
        return Pattern::Rows;
    }
    let updates = walk.scanned().map_or(0, |axis| axis.extent);
    let threads = limits.tasks_for(walk);
    // Where there are few updates, what they don't touch is better left alone.
    let is_dense = updates >= targets / 4;
    if lines::can(walk) {
        let lines = walk.steps() / updates.max(1);
        let is_long = targets.saturating_mul(size_of::<L>()) > LINE;
        let is_large = walk.steps() >= MANY_UPDATES;
        let shared = lines < threads && is_large && is_dense && threads >= if is_long { 2 } else { SHARED };
        return match () {
            () if shared && fits_once => Pattern::Buckets,
            () if L::IN_PLACE || is_dense && fits => Pattern::Lines,
            () => Pattern::Sweep,
        };
    }
    let is_tiled = tiles::can(walk)
        && is_dense
        && tiles::grid(call).part().elements() <= limits.slots_at_most
        && (!L::IN_PLACE || walk.steps() >= 1 << 15);
    if is_tiled { Pattern::Tiles } else { Pattern::Sweep }
}

/// Makes the whole destination equal to self, where that is to be done.
///
/// # Safety
/// As [`update`].
unsafe fn bring_all<T: Element>(call: &Call<'_, T>) {
    if call.origin.is_none() {
        return;
    }
    let grid = Grid::of_axes(call.walk, call.limits.direct(call.walk, size_of::<T>()));
    threads::run(grid.len(), call.limits.tasks_for(call.walk) > 1, &|_, number| {
        // SAFETY: the caller's promise; tasks own different parts of the destination.
        unsafe { call.bring_task(&grid.task(number)) }
    });
}

/// The loops for any call: straight to the destination, or by way of segments.
///
/// # Safety
/// As [`update`].
unsafe fn sweep<T: Element, R: Rule, L: Slot<T>>(call: &Call<'_, T>) {
    let Call { walk, storages, limits, include_self, .. } = *call;
    if L::IN_PLACE {
        let update = |to: *mut T, from: *mut T| {
            // SAFETY: `apply` hands over an element of out, which its task owns and a slot has the representation of, and
            // one of src.
            unsafe { (*to.cast::<L>()).update(R::REDUCE, from.read()) }
        };
        // SAFETY: the caller's promise.
        return unsafe { each_update(walk, storages, limits, update) };
    }
    let grid = Grid::new(walk, limits.segmented(walk, size_of::<T>()));
    threads::run(grid.len(), limits.tasks_for(walk) > 1, &|scratch, number| {
        // SAFETY: the caller's promise; tasks own different places.
        unsafe {
            segment::run::<T, R, L>(&grid.task(number), storages, scratch, include_self, |task, storages| {
                apply(task, storages, |slot: *mut L, src: *mut T| (*slot).update(R::REDUCE, src.read()));
            });
        }
    });
}

/// Calls `update(dst, src)` for every update of the walk, on all threads; those of one owned place in order.
///
/// # Safety
/// As [`apply`], for the whole walk. What `update` writes at different coordinates of the owned axes, or for different
/// targets, are different elements.
pub(super) unsafe fn each_update<S: Element, D: Element>(
    walk: &Walk,
    storages: Storages<S, D>,
    limits: &Limits,
    update: impl Fn(*mut D, *mut S) + Sync,
) {
    let grid = Grid::new(walk, limits.direct(walk, size_of::<D>()));
    threads::run(grid.len(), limits.tasks_for(walk) > 1, &|_, number| {
        // SAFETY: the caller's promise; tasks own different places.
        unsafe { apply(&grid.task(number), storages, &update) }
    });
}
