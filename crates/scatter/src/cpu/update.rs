//! The ways to update a destination: what an element is meanwhile, and which loops run.

use super::call::Call;
use super::grid::Grid;
use super::limits::{Limits, Pattern};
use super::line_updates::is_near;
use super::numbers::Numbers;
use super::room::{NoMemory, Ready, Room};
use super::rows::Rows;
use super::rule::{self, Rule};
use super::segment::MAX_SLOTS;
use super::slot::{Accumulated, Counted, Plain, Slot};
use super::sweep::{Storages, apply};
use super::walk::Walk;
use super::{buckets, line_ranges, lines, private, rows, segment, small, threads, tiles};
use crate::{Element, Reduce};

/// Slots that are kept in all for one long line, at most.
const MAX_BUCKET_SLOTS: usize = 1 << 22;

/// Updates the destination, which `ready` has made ready before: chooses what an element is meanwhile. False if an index value is
/// not valid; then, as without memory, nothing was written.
///
/// # Safety
/// The walk was made for these storages, in which all of its addresses lie; all index values are valid, unless the
/// loops are [checking](Call::checking); the destination overlaps neither itself nor anything else.
pub(super) unsafe fn update<T: Element>(
    call: &Call<'_, T>,
    reduce: Reduce,
    ready: Ready<'_>,
) -> Result<bool, NoMemory> {
    // SAFETY: the caller's promise.
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

/// [`update`] for a reduction that needs no count. Where self is not included, all that updates go to starts from the
/// identity: one scatter writes it, and a second one folds, so that no element has to remember whether it was touched.
///
/// # Safety
/// As [`update`].
unsafe fn fold<T: Element, R: Rule>(call: &Call<'_, T>, ready: Ready<'_>) -> Result<bool, NoMemory> {
    let mut call = *call;
    let mut identity = T::narrow(T::identity(R::REDUCE));
    let storages = Storages { src: &raw mut identity, ..call.storages };
    let still = call.walk.with_src_still();
    let start = Call { walk: &still, storages, ..call };
    // Behind the memory for the second one. It needs none that it can't do without: its slots are in place.
    let start = || {
        // SAFETY: the caller's promise; the identity outlives the scatter that writes it, whose src never moves.
        let _ = unsafe { update_by::<T, rule::Replace, Plain<T>>(&start, ready) };
    };
    let ready: Ready<'_> = if call.include_self { ready } else { &start };
    if !call.include_self {
        call.origin = None;
    }
    // SAFETY: the caller's promise.
    unsafe {
        if T::WIDE_ACC {
            update_by::<T, R, Accumulated<T::Acc>>(&call, ready)
        } else {
            update_by::<T, R, Plain<T>>(&call, ready)
        }
    }
}

/// [`update`] by the loops that suit the call.
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
    let numbers = Numbers::new(call.storages.index, &call.walk.components, call.limits.simd);
    let rows = Rows::recognise(call.walk);
    // SAFETY: the caller's promise; `choose` takes loops only where they can do the walk.
    unsafe {
        let done = match (choose::<T, L>(call, rows.is_some()), &numbers, &rows) {
            (Pattern::Small, Some(numbers), _) => return small::run::<T, R, L>(call, numbers),
            (Pattern::Private, Some(numbers), _) => return private::run::<T, R, L>(call, numbers),
            (Pattern::Rows, Some(numbers), Some(rows)) => rows::run::<T, R, L>(call, rows, numbers, ready),
            (Pattern::Lines, Some(numbers), _) => lines::run::<T, R, L>(call, numbers, ready),
            (Pattern::Tiles, Some(numbers), _) => tiles::run::<T, R, L>(call, numbers, ready),
            (Pattern::Buckets, Some(numbers), _) => {
                buckets::run::<T, R, L>(call, numbers, &|| bring_all(call, ready))
            }
            _ => sweep::<T, R, L>(call, ready),
        };
        // Slots that are in place need no memory there.
        if done.is_err() && L::IN_PLACE { sweep::<T, R, L>(call, ready) } else { done }.map(|()| true)
    }
}

/// The loops for a call: those that are forced if they can do it, or else the fastest.
pub(super) fn choose<T: Element, L: Slot<T>>(call: &Call<'_, T>, is_rows: bool) -> Pattern {
    let Call { walk, limits, .. } = call;
    if let Some(pattern) = call.checking {
        return pattern;
    }
    let targets = walk.components.targets();
    let fits_once = L::IN_PLACE || targets <= MAX_BUCKET_SLOTS;
    let fits = L::IN_PLACE || targets <= MAX_SLOTS;
    if let Some(pattern) = limits.pattern {
        let can = match pattern {
            Pattern::Rows => is_rows,
            Pattern::Lines => lines::can(walk) && fits,
            Pattern::Tiles => tiles::can(walk) && targets <= limits.slots_at_most.max(1 << 12),
            Pattern::Buckets => lines::can(walk) && fits_once,
            // They would have been taken above.
            Pattern::Private | Pattern::Small => false,
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
        let is_long = !is_near::<L>(targets);
        let is_large = walk.steps() >= line_ranges::MANY_UPDATES;
        // A few threads share long lines by ranges, where no slots are needed.
        let partitioned = if is_long && !L::IN_PLACE { 2 } else { threads::MANY };
        let shared = lines < threads && is_large && is_dense && threads >= partitioned;
        return match () {
            () if shared && fits_once => Pattern::Buckets,
            () if L::IN_PLACE || is_dense && fits => Pattern::Lines,
            () => Pattern::Sweep,
        };
    }
    let is_tiled = tiles::can(walk)
        && is_dense
        && tiles::grid::<T, L>(call).part().elements() <= limits.slots_at_most
        && (!L::IN_PLACE || walk.steps() >= 1 << 15);
    if is_tiled { Pattern::Tiles } else { Pattern::Sweep }
}

/// Makes the whole destination ready, and equal to self where that is to be done.
///
/// # Safety
/// As [`update`].
unsafe fn bring_all<T: Element>(call: &Call<'_, T>, ready: Ready<'_>) {
    ready();
    if call.origin.is_none() {
        return;
    }
    let grid = Grid::of_axes(call.walk, call.limits.direct(call.walk, size_of::<T>()));
    threads::run(grid.len(), call.limits.tasks_for(call.walk) > 1, &|number| {
        // SAFETY: the caller's promise; tasks own different parts of the destination.
        unsafe { call.bring_task(&grid.task(number)) }
    });
}

/// The loops for any call: straight to the destination, or by way of segments.
///
/// # Safety
/// As [`update`].
unsafe fn sweep<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let Call { walk, storages, limits, include_self, .. } = *call;
    if L::IN_PLACE {
        let update = |to: *mut T, from: *mut T| {
            // SAFETY: `apply` hands over an element of out, which its task owns and a slot has the representation of, and
            // one of src.
            unsafe { (*to.cast::<L>()).update(R::REDUCE, from.read()) }
        };
        // SAFETY: the caller's promise.
        unsafe {
            bring_all(call, ready);
            each_update(walk, storages, limits, update);
        }
        return Ok(());
    }
    let grid = Grid::new(walk, limits.segmented(walk, size_of::<T>()));
    let room = Room::new::<L>(grid.len(), limits.tasks_for(walk) > 1, grid.part().elements(), 0)?;
    // SAFETY: the caller's promise.
    unsafe { bring_all(call, ready) }
    threads::run_in(room, grid.len(), &|scratch, number| {
        // SAFETY: the caller's promise; tasks own different places.
        unsafe {
            segment::run::<T, R, L>(&grid.task(number), storages, scratch, include_self, |task, storages| {
                apply(task, storages, |slot: *mut L, src: *mut T| (*slot).update(R::REDUCE, src.read()));
            });
        }
    });
    Ok(())
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
    threads::run(grid.len(), limits.tasks_for(walk) > 1, &|number| {
        // SAFETY: the caller's promise; tasks own different places.
        unsafe { apply(&grid.task(number), storages, &update) }
    });
}
