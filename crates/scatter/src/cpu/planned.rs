//! A scatter: its plan is made, and carried out.

use core::ptr;

use super::call::Call;
use super::index::check::{check_indices, refusal};
use super::index::constant::RowNumbers;
use super::index::numbers::TargetNumbers;
use super::limits::{Limits, Pattern};
use super::plan::{self, Plan, Planner, Scatter, enter};
use super::pointers::Pointers;
use super::slot::loops::ScatterLoops;
use super::slot::rule;
use super::threads::room::NoMemory;
use super::update::update;
use super::walk::rows::Rows;
use super::walk::storage::{Storage, Storages};
use super::walk::{Walk, copy};
use crate::{DType, Element, Error, Operator, Problem, Scalar, with_element};

/// Runs a scatter on the threads that it is worth.
///
/// # Safety
/// Each pointer is that of a storage of the problem's dtype, or of the index's, as large as the
/// problem's layout says and aligned, which is neither written nor, where it is out's, read by
/// anybody else until this returns. The loops are those of the problem's dtype and reduction. The
/// problem doesn't gather, has no alpha and no windows, and has a self.
pub(super) unsafe fn run(
    problem: &Problem,
    pointers: Pointers,
    limits: &Limits,
    loops: ScatterLoops,
) -> Result<(), Error> {
    let walk = problem.updates().map(|updates| Walk::scatter(updates, problem.out_layout()));
    enter(limits, work(problem, walk.as_ref()), &mut || {
        // SAFETY: the pointers are of storages as the problem's layouts say, out is written by this
        // call alone, and the loops are those of the dtype and the reduction.
        unsafe { run_here(problem, walk.as_ref(), pointers, &Planner::here(limits), loops) }
    })
}

/// The elements that are updated or, out of place, copied: whichever are more.
pub(super) fn work(problem: &Problem, walk: Option<&Walk>) -> usize {
    let copied = if problem.in_place() { 0 } else { problem.out_layout().elements() };
    walk.map_or(0, Walk::updates).max(copied)
}

/// [`run`] on the threads that there are.
///
/// # Safety
/// As [`run`]; the walk is that of the problem's updates.
unsafe fn run_here(
    problem: &Problem,
    walk: Option<&Walk>,
    pointers: Pointers,
    planner: &Planner<'_>,
    loops: ScatterLoops,
) -> Result<(), Error> {
    let Some(walk) = walk else {
        // SAFETY: without updates only self is copied to out, which are storages as their layouts
        // say, and only this call writes out.
        return unsafe { run_plan(problem, None, pointers, true, planner, loops) }.map(|_| ());
    };
    // SAFETY: the layout of index, from which the walk was made, was proved to lie inside this
    // storage, which nobody writes.
    let rows = unsafe { RowNumbers::find(walk, pointers.index, planner, Rows::are_of) };
    let (walk, index) = rows.as_ref().map_or((walk, pointers.index), |rows| (rows.walk(), rows.index()));
    let scatter = Scatter::of(problem, walk, loops.update.slot);
    let joined = plan::with_columns_joined(scatter, planner);
    let taken = joined.as_ref().map_or(scatter, |walk| Scatter { walk, ..scatter });
    // Whether no value is negative, if all were checked. Numbers of rows are numbers of targets.
    let mut are_numbers = rows.as_ref().map(|_| true);
    let mut attempt = |plan: &Plan<'_>| {
        if !plan.is_checking() && are_numbers.is_none() {
            // SAFETY: the layout of index was proved to lie inside this storage, which nobody
            // writes.
            are_numbers = Some(unsafe { check_indices(problem, pointers.index, planner) }?);
        }
        let (pointers, are_numbers) = (Pointers { index, ..pointers }, are_numbers.unwrap_or(false));
        // SAFETY: storages and loops are as `run` asks for. Numbers of rows are an index of their
        // own, which their walk is made for. Index values were checked, or the plan's loops do.
        unsafe { run_plan(problem, Some(plan), pointers, are_numbers, planner, loops) }
    };
    let plan = Plan::new(taken, planner);
    let mut ran = attempt(&plan);
    if matches!(ran, Err(Error::Memory { .. })) {
        // Where slots are in place, `update_by` has swept, unless the plan's loops check index. So
        // the plan needs slots, or a copy, that can't be had. Plans that may do with less are tried
        // one after the other: one whose loops don't check index, one that doesn't take columns for
        // lines, and a sweep of small segments.
        let checked = Scatter { may_check: false, ..scatter };
        let limits = *planner.limits;
        let slots_at_most = limits.slots.min(limits.slots_at_most);
        let swept = &Limits { pattern: Some(Pattern::Sweep), slots_at_most, ..limits };
        let others = [
            (plan.is_checking(), Scatter { may_check: false, ..taken }, planner),
            (joined.is_some(), checked, planner),
            (true, checked, &Planner { limits: swept, ..*planner }),
        ];
        for (_, other, planner) in others.into_iter().filter(|&(differs, ..)| differs) {
            ran = attempt(&Plan::new(other, planner));
            if !matches!(ran, Err(Error::Memory { .. })) {
                break;
            }
        }
    }
    if ran? {
        return Ok(());
    }
    // SAFETY: the layout of index was proved to lie inside this storage, which nobody writes.
    Err(unsafe { refusal(problem, pointers.index) })
}

/// The copy of self, and the updates; false if an index value is not valid. Nothing was written
/// then, nor where it fails.
///
/// # Safety
/// As [`run`]; the plan is one for the problem's updates, if it has any. Index values were checked,
/// unless the plan says that its loops do; with `are_numbers`, they were, and none is negative.
pub(super) unsafe fn run_plan(
    problem: &Problem,
    plan: Option<&Plan<'_>>,
    pointers: Pointers,
    are_numbers: bool,
    planner: &Planner<'_>,
    loops: ScatterLoops,
) -> Result<bool, Error> {
    let (operator, dtype) = (problem.operator(), problem.dtype());
    let storage = |start| Storage { start, size: dtype.size() };
    let (self_, out) = (storage(pointers.self_.cast_mut()), storage(pointers.out));
    // A scalar is a src that never moves.
    let mut value = problem.op().value().map(|got| element(got, dtype, operator)).transpose()?;
    let tasks_copy_self = plan.is_some_and(|plan| plan::can_tasks_copy_self(problem, plan.walk.updates()));
    let origin = tasks_copy_self.then(|| copy::origin(problem, self_));
    let no_memory = |NoMemory { bytes }| Error::Memory { operator, bytes };
    if problem.is_entangled() {
        // SAFETY: both storages are as the problem's layouts say; nobody else writes them, or reads
        // out.
        return unsafe { copy::copy_entangled(problem, self_, out) }.map(|()| true).map_err(no_memory);
    }
    let is_copied = !problem.in_place() && origin.is_none();
    let ready = || {
        if is_copied {
            // SAFETY: both storages are as the problem's layouts say, and out, which nobody else
            // reads or writes, doesn't overlap self: else it would be in place or entangled.
            unsafe { copy::copy(problem, self_, out, planner) };
        }
    };
    if let Some(plan) = plan.filter(|plan| plan.walk.updates() > 0) {
        let src = value.as_mut().map_or(pointers.src.cast_mut(), |value| ptr::from_mut(value).cast());
        let storages = Storages { index: pointers.index, src: storage(src), dst: out };
        let include_self = problem.op().include_self();
        let (components, simd) = (&plan.walk.components, planner.limits.simd);
        // SAFETY: with `are_numbers` all values were checked, and none is negative.
        let numbers = unsafe { &TargetNumbers::new(pointers.index, components, are_numbers, simd) };
        let call = Call { storages, dtype, all_loops: loops, plan, numbers, planner, include_self, origin };
        // SAFETY: the layouts that the walk was made from lie inside these storages, and the loops
        // are those of their dtype. Index values were checked, or the plan says that its loops do.
        // out overlaps neither itself nor index or src.
        return unsafe { update(&call, &ready) }.map_err(no_memory);
    }
    ready();
    Ok(true)
}

/// A scalar as an element of a dtype, in the first bytes of the result.
fn element(got: Scalar, dtype: DType, operator: Operator) -> Result<u128, Error> {
    let bits = with_element!(dtype, T => T::from_scalar(got).map(rule::bits));
    bits.ok_or(Error::Value { operator, expected: dtype, got })
}
