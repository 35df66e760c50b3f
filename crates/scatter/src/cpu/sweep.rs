//! The loops themselves: every update of a task, in order, handed to a function with its source and destination.

use super::grid::Task;
use super::walk::{Axis, Component, Walk};
use crate::Index;
use crate::problem::wrap;

/// The storages of a walk. `src` is only read where the function that is applied only reads it.
#[derive(Debug)]
pub(super) struct Storages<I, S, D> {
    pub(super) index: *const I,
    pub(super) src: *mut S,
    pub(super) dst: *mut D,
}

impl<I, S, D> Clone for Storages<I, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, S, D> Copy for Storages<I, S, D> {}

// SAFETY: the pointers are read and written in `apply` only, whose callers promise that tasks which run at the same
// time own different elements of what is written.
unsafe impl<I: Sync, S: Send + Sync, D: Send + Sync> Sync for Storages<I, S, D> {}

// SAFETY: as for `Sync`; it is a bundle of addresses that belongs to no thread.
unsafe impl<I: Sync, S: Send + Sync, D: Send + Sync> Send for Storages<I, S, D> {}

/// Calls `update(dst, src)` for every update of the task, in row-major order of index.
///
/// # Safety
/// The walk was made for these storages: every address that its axes and components reach with valid index values
/// lies inside them, all index values are valid (see [`all_valid`]), and nobody else writes what `update` reads or
/// touches what it writes while this runs.
pub(super) unsafe fn apply<I: Index, S, D>(
    task: &Task,
    storages: Storages<I, S, D>,
    update: impl Fn(*mut D, *mut S),
) {
    match task.walk.components.as_slice() {
        [only] => {
            let target = |entry: *const I| {
                // SAFETY: an index address of the walk, inside its storage as the caller promises.
                let value = wrap(unsafe { entry.read() }.to_i64(), only.size);
                (value, value as isize * only.step)
            };
            // SAFETY: the caller's promise, passed on.
            unsafe { sweep(task, storages, target, update) }
        }
        components => {
            let target = |entry: *const I| {
                components.iter().fold((0, 0), |(number, step), component| {
                    // SAFETY: an index address of the walk, inside its storage as the caller promises.
                    let value = wrap(unsafe { entry.offset(component.at).read() }.to_i64(), component.size);
                    (number + value * component.weight, step + value as isize * component.step)
                })
            };
            // SAFETY: the caller's promise, passed on.
            unsafe { sweep(task, storages, target, update) }
        }
    }
}

/// [`apply`] for one way to find a target: its number and its place from an index entry.
///
/// # Safety
/// As [`apply`].
#[inline(always)]
unsafe fn sweep<I: Index, S, D>(
    task: &Task,
    storages: Storages<I, S, D>,
    target: impl Fn(*const I) -> (usize, isize),
    update: impl Fn(*mut D, *mut S),
) {
    let Storages { index, src, dst } = storages;
    each_run(&task.walk, |inner, [index_at, src_at, dst_at]| {
        // Every offset below is an address of the walk, so it stays inside its storage (or, for targets of other
        // tasks, is not formed at all): `offset` can't leave the allocation.
        if inner.index == 0 && inner.owned {
            // SAFETY: an index address of the walk.
            let (number, place) = target(unsafe { index.offset(index_at) });
            if number.wrapping_sub(task.first_target) < task.targets {
                // SAFETY: addresses of the walk; the task owns this run of the destination.
                unsafe { row(dst.offset(dst_at + place), src.offset(src_at), inner, &update) }
            }
            return;
        }
        for step in 0..inner.extent as isize {
            // SAFETY: an index address of the walk.
            let (number, place) = target(unsafe { index.offset(index_at + step * inner.index) });
            if number.wrapping_sub(task.first_target) < task.targets {
                // SAFETY: addresses of the walk; the task owns this element of the destination.
                let (to, from) = unsafe {
                    (dst.offset(dst_at + step * inner.dst + place), src.offset(src_at + step * inner.src))
                };
                update(to, from);
            }
        }
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
            // SAFETY: the caller's promise.
            unsafe { update(dst.add(step), src.add(step)) }
        }
        return;
    }
    for step in 0..axis.extent as isize {
        // SAFETY: the caller's promise.
        unsafe { update(dst.offset(step * axis.dst), src.offset(step * axis.src)) }
    }
}

/// Calls `run` with the innermost axis and the offsets of index, src and dst for every turn of the outer loops.
#[inline(always)]
fn each_run(walk: &Walk, mut run: impl FnMut(&Axis, [isize; 3])) {
    let Some((inner, outer)) = walk.axes.as_slice().split_last() else { return };
    let mut turns = [0_usize; 16];
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

/// Whether every index value that the walk reads is in range: `[-size, size)` of its component.
///
/// # Safety
/// Every address that the walk's axes and components reach lies inside the storage at `index`, which nobody writes.
pub(super) unsafe fn all_valid<I: Index>(walk: &Walk, index: *const I) -> bool {
    let mut valid = true;
    each_run(walk, |inner, [index_at, ..]| {
        for &Component { at, size, .. } in walk.components.as_slice() {
            // `-size <= value < size` as one unsigned comparison; sizes are below 2^63.
            let size = size as u64;
            let in_range = |value: i64| (value as u64).wrapping_add(size) < 2 * size;
            let start = index_at + at;
            if inner.index == 1 {
                for step in 0..inner.extent {
                    // SAFETY: an index address of the walk.
                    valid &= in_range(unsafe { index.offset(start).add(step).read() }.to_i64());
                }
            } else {
                for step in 0..inner.extent as isize {
                    // SAFETY: an index address of the walk.
                    valid &= in_range(unsafe { index.offset(start + step * inner.index).read() }.to_i64());
                }
            }
        }
    });
    valid
}
