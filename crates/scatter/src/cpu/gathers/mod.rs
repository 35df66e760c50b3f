//! Gathers: elements of self are copied to out, from where index says. Every element of out is
//! written independently of the others, so that tasks own boxes of it.
//!
//! Where index is constant along contiguous rows, or found to be, whole rows are copied, and those
//! to come are prefetched. [Lines](lines) have loops of their own; columns that lie together are
//! taken for lines. Everything else is visited like the updates of a scatter.

mod lines;

use super::index::check::check_indices;
use super::index::constant::RowNumbers;
use super::index::numbers::TargetNumbers;
use super::index::targets::Targets;
use super::limits::Limits;
use super::plan::{GatherPlan, GatherWay, Planner, enter, gather_with_columns_joined, has_rows};
use super::pointers::Pointers;
use super::prefetch::{is_in_parts, prefetch_row, rows_ahead};
use super::threads;
use super::walk::grid::Task;
use super::walk::moves;
use super::walk::storage::{Storage, Storages};
use super::walk::turns::each_run;
use super::walk::visit::{PLACES, apply};
use super::walk::{Walk, WalkAxes};
use crate::{Error, Problem};

/// Runs a gather on the threads that it is worth.
///
/// # Safety
/// The problem gathers, and the pointers of self, index and out are as
/// [`planned::run`](super::planned::run) asks for.
pub(super) unsafe fn run(problem: &Problem, pointers: Pointers, limits: &Limits) -> Result<(), Error> {
    let Some(updates) = problem.updates() else { return Ok(()) };
    let walk = Walk::gather(updates, problem);
    enter(limits, walk.updates(), &mut || {
        // SAFETY: self, index and out are storages as their layouts say, only this call writes out,
        // and the walk is that of the updates.
        unsafe { run_here(problem, &walk, pointers, &Planner::here(limits)) }
    })
}

/// [`run`] on the threads that there are.
///
/// # Safety
/// As [`run`]; the walk is that of the problem's updates.
unsafe fn run_here(
    problem: &Problem,
    walk: &Walk,
    pointers: Pointers,
    planner: &Planner<'_>,
) -> Result<(), Error> {
    let size = problem.dtype().size();
    // SAFETY: the layout of index, from which the walk was made, was proved to lie inside this
    // storage, which nobody writes.
    let column = unsafe { RowNumbers::find(walk, pointers.index, planner, has_rows) };
    let joined = if column.is_none() { gather_with_columns_joined(walk, planner) } else { None };
    let walk = joined.as_ref().unwrap_or(walk);
    let (walk, index) =
        column.as_ref().map_or((walk, pointers.index), |column| (column.walk(), column.index()));
    let are_numbers = match column {
        Some(_) => true,
        // SAFETY: the layout of index was proved to lie inside this storage, which nobody writes.
        None => unsafe { check_indices(problem, index, planner) }?,
    };
    // self is where an update would go, out where it would come from.
    let storages = Storages {
        index,
        src: Storage { start: pointers.out, size },
        dst: Storage { start: pointers.self_.cast_mut(), size },
    };
    let GatherPlan { grid, way } = GatherPlan::new(walk, size, planner);
    // SAFETY: `are_numbers` is what the check of index found, or said of a column, whose values are
    // numbers of targets.
    let numbers = unsafe { TargetNumbers::new(index, &walk.components, are_numbers, planner.limits.simd) };
    threads::run(grid.len(), grid.len() > 1, &|number| {
        let task = &grid.task(number);
        // SAFETY: the layouts that the walk was made from lie inside these storages. Index values
        // were checked, here or when the column was made. out, which overlaps neither itself nor
        // self nor index, is written once per coordinate, and tasks have different ones.
        unsafe {
            match way {
                GatherWay::Rows => copy_rows(task, storages),
                GatherWay::Lines(how) => lines::copy(task, storages, &numbers, how),
                GatherWay::Elements => apply(task, storages, &moves::gather(size)),
            }
        }
    });
    Ok(())
}

/// Copies the rows of a task.
///
/// # Safety
/// As [`apply`]: out is what is written, and the task has all targets.
unsafe fn copy_rows(task: &Task<'_>, storages: Storages) {
    let Storages { index, src: out, dst: self_ } = storages;
    let Some((row, outer)) = task.walk.axes.as_slice().split_last() else { return };
    let mut axes = WalkAxes::default();
    outer.iter().for_each(|&axis| axes.push(axis));
    let bytes = row.extent * out.size;
    let (ahead, targets) = (rows_ahead(bytes), Targets::new(task, index));
    let (mut places, mut numbers) = ([0; PLACES], [0; PLACES]);
    each_run(&Walk { axes, ..*task.walk }, |entries, [index_at, out_at, self_at]| {
        for first in (0..entries.extent).step_by(PLACES) {
            let places = &mut places[..(entries.extent - first).min(PLACES)];
            let at = |start: isize, step: isize, number: usize| start + (first + number) as isize * step;
            let index_at = at(index_at, entries.index, 0);
            // SAFETY: the entries lie inside the storage of the index, which nobody writes, and
            // their values are valid.
            let found = unsafe { targets.places(index_at, entries.index, places, &mut numbers) };
            let places = found.of_all();
            let from = |number: usize| self_.at(at(self_at, entries.dst, number) + places[number]);
            for number in 0..places.len() {
                let to = out.at(at(out_at, entries.src, number));
                if number + ahead < places.len() {
                    prefetch_row(from(number + ahead), bytes);
                }
                // A long copy may store past the caches.
                if !is_in_parts(bytes) {
                    prefetch_row(to.wrapping_add(ahead * bytes), bytes);
                }
                // SAFETY: a row of self, which nobody writes, and a row of out, which this task
                // owns and which shares no memory with self.
                unsafe { to.copy_from_nonoverlapping(from(number), bytes) }
            }
        }
    });
}
