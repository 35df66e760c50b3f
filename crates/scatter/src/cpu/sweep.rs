//! The loops themselves: every update of a task, in order, handed to a function with its source and
//! destination.

use super::grid::Task;
use super::row;
use super::targets::{ELSEWHERE, IndexStorage, Targets};
use super::walk::{Axis, MAX_AXES, Walk};

/// The storages of a walk. `src` is only read where the function that is applied only reads it.
#[derive(Debug)]
pub(super) struct Storages<S, D> {
    pub(super) index: IndexStorage,
    pub(super) src: *mut S,
    pub(super) dst: *mut D,
}

impl<S, D> Clone for Storages<S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, D> Copy for Storages<S, D> {}

// SAFETY: the pointers are dereferenced in `apply` only, where tasks that run at the same time own
// different elements of what is written.
unsafe impl<S: Send + Sync, D: Send + Sync> Sync for Storages<S, D> {}

// SAFETY: the addresses belong to no thread; tasks that run at the same time own different elements
// of what is written.
unsafe impl<S: Send + Sync, D: Send + Sync> Send for Storages<S, D> {}

/// The targets that are found at a time.
const BATCH: usize = 128;

/// How many runs ahead short ones are prefetched.
pub(super) const AHEAD: isize = 8;

/// Calls `update(dst, src)` for every update of the task, in row-major order of index.
///
/// # Safety
/// The walk was made for these storages: every address that its axes and components reach with
/// valid index values lies inside them, all index values are valid (see [`super::check`]), and
/// nobody else writes what `update` reads or touches what it writes while this runs.
pub(super) unsafe fn apply<S, D>(task: &Task, storages: Storages<S, D>, update: impl Fn(*mut D, *mut S)) {
    let Storages { index, src, dst } = storages;
    let targets = Targets::new(task, index);
    let mut places = [0; BATCH];
    // Hardware doesn't read ahead from one short row to the next.
    let ahead = AHEAD.wrapping_mul(task.walk.outer().src);
    let is_short = !row::is_long::<S>(task.walk.inner().extent);
    each_run(&task.walk, |inner, [index_at, src_at, dst_at]| {
        // Every offset below is an address of the walk, so it stays inside its storage (or, for
        // targets of other tasks, is not formed at all): `offset` can't leave the allocation.
        if inner.index == 0 && inner.owned {
            // SAFETY: an index address of the walk.
            let place = unsafe { targets.place(index_at) };
            if place != ELSEWHERE {
                if is_short {
                    row::prefetch(src.wrapping_offset(src_at + ahead), inner.extent);
                }
                // SAFETY: addresses of the walk; the task owns this run of the destination.
                unsafe { row(dst.offset(dst_at + place), src.offset(src_at), inner, &update) }
            }
            return;
        }
        let update_at = |step: isize, place: isize| {
            // SAFETY: addresses of the walk; the task owns this element of the destination.
            let (to, from) = unsafe {
                (dst.offset(dst_at + step * inner.dst + place), src.offset(src_at + step * inner.src))
            };
            update(to, from);
        };
        // SAFETY: the run's index addresses lie inside the storage, and its values are valid.
        unsafe { each_owned(&targets, inner, index_at, &mut places, update_at) }
    });
}

/// Calls `visit` with the step along `inner` and the place of every entry from `index_at` on that
/// the task owns.
///
/// # Safety
/// As [`apply`], for the index.
#[inline(always)]
unsafe fn each_owned(
    targets: &Targets<'_>,
    inner: &Axis,
    index_at: isize,
    places: &mut [isize; BATCH],
    mut visit: impl FnMut(isize, isize),
) {
    for first in (0..inner.extent).step_by(BATCH) {
        let places = &mut places[..(inner.extent - first).min(BATCH)];
        // SAFETY: index addresses of the walk.
        unsafe { targets.places(index_at + first as isize * inner.index, inner.index, places) };
        for (step, &place) in (first as isize..).zip(&*places) {
            if place != ELSEWHERE {
                visit(step, place);
            }
        }
    }
}

/// Calls `visit` with the place of every update of the task that the task owns, in row-major order
/// of index.
///
/// # Safety
/// As [`apply`], for the index.
pub(super) unsafe fn each_place(task: &Task, index: IndexStorage, mut visit: impl FnMut(isize)) {
    let targets = Targets::new(task, index);
    let mut places = [0; BATCH];
    each_run(&task.walk, |inner, [index_at, ..]| {
        // SAFETY: the run's index addresses lie inside the storage, and its values are valid.
        unsafe { each_owned(&targets, inner, index_at, &mut places, |_, place| visit(place)) }
    });
}

/// One run of updates whose destinations lie one step apart.
///
/// # Safety
/// `dst` and `src` with all steps of `axis` are addresses of their storages.
#[inline(always)]
unsafe fn row<S, D>(dst: *mut D, src: *mut S, axis: &Axis, update: &impl Fn(*mut D, *mut S)) {
    if axis.dst == 1 && axis.src == 1 {
        // Written apart so that the compiler sees unit strides and vectorises.
        for step in 0..axis.extent {
            // SAFETY: `dst` and `src` with each step of the axis are addresses of their storages.
            unsafe { update(dst.add(step), src.add(step)) }
        }
        return;
    }
    for step in 0..axis.extent as isize {
        // SAFETY: `dst` and `src` with each step of the axis are addresses of their storages.
        unsafe { update(dst.offset(step * axis.dst), src.offset(step * axis.src)) }
    }
}

/// Calls `run` with the innermost axis and the offsets of index, src and dst for every turn of the
/// outer loops.
#[inline(always)]
pub(super) fn each_run(walk: &Walk, mut run: impl FnMut(&Axis, [isize; 3])) {
    let Some((inner, outer)) = walk.axes.as_slice().split_last() else { return };
    let mut turns = [0_usize; MAX_AXES];
    let mut at = [walk.index, walk.src, walk.dst];
    'turn: loop {
        run(inner, at);
        for (turn, axis) in turns.iter_mut().zip(outer).take(outer.len()).rev() {
            let steps = [axis.index, axis.src, axis.dst];
            *turn += 1;
            if *turn < axis.extent {
                at.iter_mut().zip(steps).for_each(|(at, step)| *at += step);
                continue 'turn;
            }
            *turn = 0;
            let back = axis.extent as isize - 1;
            at.iter_mut().zip(steps).for_each(|(at, step)| *at -= back * step);
        }
        return;
    }
}
