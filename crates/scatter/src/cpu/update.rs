//! The ways to update a destination: straight, or by way of segments.

use super::grid::Grid;
use super::rule::{self, Rule};
use super::segment::{self, Accumulated, Counted, Slot, Touched};
use super::sweep::{Storages, apply};
use super::walk::Walk;
use super::{Limits, threads};
use crate::element::combine;
use crate::{Element, Problem, Reduce};

/// Chooses what a destination element is while it is updated, and runs.
pub(super) fn update<T: Element>(problem: &Problem, walk: &Walk, storages: Storages<T, T>, limits: &Limits) {
    match problem.reduce() {
        Reduce::None => update_direct::<T, rule::Replace>(walk, storages, limits),
        Reduce::Add => fold::<T, rule::Add>(problem, walk, storages, limits),
        Reduce::Mul => fold::<T, rule::Mul>(problem, walk, storages, limits),
        Reduce::Max => fold::<T, rule::Max>(problem, walk, storages, limits),
        Reduce::Min => fold::<T, rule::Min>(problem, walk, storages, limits),
        Reduce::Mean => {
            update_segments::<T, rule::Mean, Counted<T::Acc>>(problem, walk, storages, limits);
        }
    }
}

/// [`update`] for a reduction that needs no count.
fn fold<T: Element, R: Rule>(problem: &Problem, walk: &Walk, storages: Storages<T, T>, limits: &Limits) {
    if !problem.op().include_self() {
        update_segments::<T, R, Touched<T::Acc>>(problem, walk, storages, limits);
    } else if T::WIDE_ACC {
        update_segments::<T, R, Accumulated<T::Acc>>(problem, walk, storages, limits);
    } else {
        update_direct::<T, R>(walk, storages, limits);
    }
}

/// Updates go straight to out.
fn update_direct<T: Element, R: Rule>(walk: &Walk, storages: Storages<T, T>, limits: &Limits) {
    let update = |to: *mut T, from: *mut T| {
        // SAFETY: `apply` hands over an element of out, which its task owns, and one of src.
        unsafe {
            let from = from.read();
            to.write(match R::REDUCE {
                Reduce::None => from.stored(),
                reduce => T::narrow(combine::<T>(reduce, to.read().widen(), from.widen())),
            });
        }
    };
    // SAFETY: the binding was checked: the layouts that the walk was made from lie inside these storages. Index values
    // were checked. out overlaps neither itself nor index or src.
    unsafe { each_update(walk, storages, limits, update) }
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

/// Updates go to segments, which are written back to out.
fn update_segments<T: Element, R: Rule, L: Slot<T>>(
    problem: &Problem,
    walk: &Walk,
    storages: Storages<T, T>,
    limits: &Limits,
) {
    let grid = Grid::new(walk, limits.segmented(walk, size_of::<T>()));
    threads::run(grid.len(), limits.tasks_for(walk) > 1, &|scratch, number| {
        // SAFETY: as in `update_direct`.
        unsafe {
            segment::run::<T, R, L>(&grid.task(number), storages, scratch, problem.op().include_self());
        }
    });
}
