//! The ways to update a destination: what an element is meanwhile, and the loops that the plan
//! names.

use super::call::Call;
use super::grid::Grid;
use super::numbers::Numbers;
use super::plan::{Plan, Scatter, Strategy};
use super::room::{NoMemory, Ready, Room};
use super::rule::{self, Rule};
use super::slot::{Accumulated, Counted, Plain, Slot};
use super::sweep::{Storages, apply};
use super::{
    buckets, line_ranges, lines, private, row_buckets, row_ranges, rows, segment, small, threads, tiles,
};
use crate::{Element, Reduce};

/// Updates the destination, which `ready` has made ready before: chooses what an element is
/// meanwhile. False if an index value is not valid; then, as without memory, nothing was written.
///
/// # Safety
/// The walk was made for these storages, in which all of its addresses lie; all index values are
/// valid, unless the plan [checks](Plan::is_checking) them; the destination overlaps neither itself
/// nor anything else.
pub(super) unsafe fn update<T: Element>(
    call: &Call<'_, T>,
    reduce: Reduce,
    ready: Ready<'_>,
) -> Result<bool, NoMemory> {
    // SAFETY: the walk's addresses lie inside the storages, and index values are valid or checked
    // by the plan, which is all that these functions ask for.
    unsafe {
        match reduce {
            Reduce::None => update_by::<T, rule::Replace, Plain<T>>(call, ready),
            Reduce::Add => fold::<T, rule::Add>(call, ready),
            Reduce::Mul => fold::<T, rule::Mul>(call, ready),
            Reduce::Max => fold::<T, rule::Max>(call, ready),
            Reduce::Min => fold::<T, rule::Min>(call, ready),
            Reduce::Mean => update_by::<T, rule::Mean, Counted<T::Acc>>(call, ready),
        }
    }
}

/// [`update`] for a reduction that needs no count. Where self is not included, all that updates go
/// to starts from the identity: one scatter writes it, and a second one folds, so that no element
/// has to remember whether it was touched.
///
/// # Safety
/// As [`update`].
unsafe fn fold<T: Element, R: Rule>(call: &Call<'_, T>, ready: Ready<'_>) -> Result<bool, NoMemory> {
    // SAFETY: the caller vouches for the walk's addresses and for the index values, as `fold_by`
    // and `write_identity` ask for.
    unsafe {
        if call.include_self {
            return fold_by::<T, R>(call, ready);
        }
        // The second scatter calls this when it has its memory.
        let ready = || write_identity::<T, R>(call, ready);
        fold_by::<T, R>(&Call { origin: None, ..*call }, &ready)
    }
}

/// [`fold`] for a destination that holds what is to be folded.
///
/// # Safety
/// As [`update`].
unsafe fn fold_by<T: Element, R: Rule>(call: &Call<'_, T>, ready: Ready<'_>) -> Result<bool, NoMemory> {
    // SAFETY: the caller vouches for the walk's addresses and for the index values.
    unsafe {
        if T::WIDE_ACC {
            update_by::<T, R, Accumulated<T::Acc>>(call, ready)
        } else {
            update_by::<T, R, Plain<T>>(call, ready)
        }
    }
}

/// Writes the identity of a reduction to all that updates go to. By itself, so that the frames of
/// other calls have no room for its walk.
///
/// # Safety
/// As [`update`], but that all index values are valid.
#[inline(never)]
unsafe fn write_identity<T: Element, R: Rule>(call: &Call<'_, T>, ready: Ready<'_>) {
    let mut identity = T::narrow(T::identity(R::REDUCE));
    let storages = Storages { src: &raw mut identity, ..call.storages };
    let walk = call.walk.with_src_still();
    let tasks_copy_self = call.origin.is_some();
    let scatter =
        Scatter { walk: &walk, dtype: T::DTYPE, reduce: Reduce::None, tasks_copy_self, may_check: false };
    let plan = Plan::new(scatter, call.planner);
    let call = Call { walk: &walk, plan: &plan, storages, ..*call };
    // It can do without memory, for its slots are in place.
    // SAFETY: the walk has the index and the destination of the caller's, and a src that is one
    // element, which outlives the scatter.
    let _ = unsafe { update_by::<T, rule::Replace, Plain<T>>(&call, ready) };
}

/// [`update`] by the loops of the plan.
///
/// # Safety
/// As [`update`].
unsafe fn update_by<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    ready: Ready<'_>,
) -> Result<bool, NoMemory> {
    // No problem asks for these, so that the loops need not be compiled.
    if const { R::REDUCE.missing_for(T::DTYPE).is_some() } {
        return Ok(true);
    }
    let numbers = Numbers::new(call.storages.index, &call.walk.components, call.simd());
    // SAFETY: the caller promises what the loops ask for, and plans name loops only where they can
    // do the walk.
    unsafe {
        let done = match &call.plan.strategy {
            Strategy::Small { slots } => {
                return small::run::<T, R, L>(call, &numbers, *slots);
            }
            Strategy::Private(plan) => {
                return private::run::<T, R, L>(call, &numbers, plan);
            }
            Strategy::Rows { rows, tiles } => {
                ready();
                rows::run::<T, R, L>(call, rows, &numbers, *tiles);
                Ok(())
            }
            Strategy::RowRanges { rows } => {
                ready();
                row_ranges::run::<T, R, L>(call, rows, &numbers);
                Ok(())
            }
            Strategy::RowBuckets { rows, buckets } => {
                row_buckets::run::<T, R, L>(call, rows, &numbers, buckets, ready)
            }
            Strategy::Lines(plan) => lines::run::<T, R, L>(call, &numbers, plan, ready),
            Strategy::LineRanges { grid, parts } => {
                ready();
                line_ranges::run::<T, R, L>(call, &numbers, grid, *parts);
                Ok(())
            }
            Strategy::Tiles { grid } => tiles::run::<T, R, L>(call, &numbers, grid, ready),
            Strategy::Buckets(plan) => {
                buckets::run::<T, R, L>(call, &numbers, plan, &|| copy_self_of_call(call, ready))
            }
            Strategy::Sweep { grid } => sweep::<T, R, L>(call, grid, ready),
        };
        // Slots that are in place need no memory in a sweep.
        if done.is_err() && L::IN_PLACE {
            let least = call.planner.parts(call.walk, size_of::<T>());
            sweep::<T, R, L>(call, &least, ready)?;
            return Ok(true);
        }
        done.map(|()| true)
    }
}

/// Makes the whole destination ready, and equal to self where that is to be done.
///
/// # Safety
/// As [`update`].
unsafe fn copy_self_of_call<T: Element>(call: &Call<'_, T>, ready: Ready<'_>) {
    ready();
    if call.origin.is_none() {
        return;
    }
    let grid = call.planner.boxes(call.walk, size_of::<T>());
    threads::run(grid.len(), call.plan.tasks > 1, &|number| {
        // SAFETY: the caller promises that addresses are those of the walk; tasks own different
        // parts of the destination.
        unsafe { call.copy_self_of_task(&grid.task(number)) }
    });
}

/// The loops for any call: straight to the destination, or by way of segments.
///
/// # Safety
/// As [`update`].
unsafe fn sweep<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    grid: &Grid<'_>,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let Call { storages, include_self, .. } = *call;
    if L::IN_PLACE {
        let update = |to: *mut T, from: *mut T| {
            // SAFETY: `apply` hands over an element of out, which its task owns and a slot has the
            // representation of, and one of src.
            unsafe { (*to.cast::<L>()).update(R::REDUCE, from.read()) }
        };
        // SAFETY: the grid's walk lies inside the storages, with valid index values; all updates of
        // an element are one task's, which writes that element alone.
        unsafe {
            copy_self_of_call(call, ready);
            each_update(grid, storages, update);
        }
        return Ok(());
    }
    let room = Room::new::<L>(grid.len(), call.plan.tasks > 1, grid.elements(), 0)?;
    // SAFETY: the caller promises that addresses are those of the walk, and that nobody else has
    // the destination.
    unsafe { copy_self_of_call(call, ready) }
    threads::run_in(room, grid.len(), &|scratch, number| {
        // SAFETY: the caller promises that addresses are those of the walk; tasks own different
        // places.
        unsafe {
            segment::run::<T, R, L>(&grid.task(number), storages, scratch, include_self, |task, storages| {
                apply(task, storages, |slot: *mut L, src: *mut T| (*slot).update(R::REDUCE, src.read()));
            });
        }
    });
    Ok(())
}

/// Calls `update(dst, src)` for every update of the grid's walk, on all threads; those of one owned
/// place in order.
///
/// # Safety
/// As [`apply`], for the whole walk. What `update` writes at different coordinates of the owned
/// axes, or for different targets, are different elements.
pub(super) unsafe fn each_update<S: Element, D: Element>(
    grid: &Grid<'_>,
    storages: Storages<S, D>,
    update: impl Fn(*mut D, *mut S) + Sync,
) {
    threads::run(grid.len(), grid.len() > 1, &|number| {
        // SAFETY: the caller promises that addresses are those of the walk; tasks own different
        // places.
        unsafe { apply(&grid.task(number), storages, &update) }
    });
}
