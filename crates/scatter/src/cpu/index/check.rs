//! The rule that needs the data: every index value is in range. Nothing is written before this is
//! known.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::cpu::index::range::{Values, check_adjacent};
use crate::cpu::index::storage::{IndexStorage, with_values};
use crate::cpu::plan::Planner;
use crate::cpu::threads;
use crate::cpu::walk::Walk;
use crate::cpu::walk::turns::each_run;
use crate::simd::Simd;
use crate::{Argument, Error, Index, Problem};

/// Refuses the first bad index value of a problem in row-major order. Returns whether no value is
/// negative, so that each is the number of its target. No value names where a window begins.
///
/// # Safety
/// The layout of index lies inside this storage, which nobody writes.
pub(in crate::cpu) unsafe fn check_indices(
    problem: &Problem,
    index: IndexStorage,
    planner: &Planner<'_>,
) -> Result<bool, Error> {
    let Some(updates) = problem.updates() else { return Ok(true) };
    let walk = Walk::index_entries(updates, problem.self_layout());
    let grid = planner.portions(&walk, 1);
    let prefetches = planner.prefetches_checked_index(walk.updates());
    let any_negative = AtomicBool::new(false);
    let any_bad = threads::any(grid.len(), &|number| {
        let (walk, simd) = (&grid.task(number).walk, planner.limits.simd);
        // SAFETY: the layout of index, from which the walk was made, was proved to lie inside this
        // storage, which nobody writes.
        let values = with_values!(index, index => unsafe { check(walk, index, prefetches, simd) });
        if values == Values::Valid {
            any_negative.store(true, Ordering::Relaxed);
        }
        values == Values::Bad
    });
    if !any_bad {
        return Ok(!any_negative.into_inner());
    }
    // SAFETY: the layout of index was proved to lie inside this storage, which nobody writes.
    Err(unsafe { refusal(problem, index) })
}

/// The error of an index that has a bad value: the first in row-major order.
///
/// # Safety
/// The layout of index lies inside this storage, which nobody writes.
pub(in crate::cpu) unsafe fn refusal(problem: &Problem, index: IndexStorage) -> Error {
    // SAFETY: the address is one of the layout, which lies inside the storage, which nobody writes.
    let read = |address: usize| unsafe { index.read(address as isize) };
    let (operator, indexed) = (problem.operator(), problem.self_layout());
    let bad = problem.updates().and_then(|updates| updates.first_bad_index(operator, indexed, &read));
    // A bad value was found before; if it is gone, somebody writes the index, which the caller has
    // ruled out.
    bad.unwrap_or(Error::Binding { operator, argument: Argument::Index })
}

/// What the index values are that the walk reads. Later ones may be prefetched.
///
/// # Safety
/// Every address that the walk's axes and components reach lies inside the storage of the index,
/// which nobody writes.
unsafe fn check<I: Index>(walk: &Walk, index: *const I, prefetches: bool, simd: Simd) -> Values {
    let mut worst = Values::NotNegative;
    each_run(walk, |inner, [index_at, ..]| {
        let run = index.wrapping_offset(index_at);
        let (step, extent) = (inner.index, inner.extent);
        // SAFETY: the entries of this run and their components lie inside the storage of the index,
        // which nobody writes.
        unsafe {
            if let Some((components, entries)) = walk.components.adjacent(run, step, extent) {
                worst = worst.max(check_adjacent::<I, 1>(entries, components, prefetches, simd));
                return;
            }
            if let Some((components, entries)) = walk.components.adjacent(run, step, extent) {
                worst = worst.max(check_adjacent::<I, 2>(entries, components, prefetches, simd));
                return;
            }
        }
        for component in walk.components.as_slice() {
            let (Some(at), size) = (component.value_at(), component.size) else { continue };
            for step in 0..inner.extent as isize {
                // SAFETY: the walk reaches this address, so that it lies inside the storage of the
                // index, which nobody writes.
                let value = unsafe { run.offset(at + step * inner.index).read() }.to_i64();
                worst = worst.max(Values::between(value, value, size));
            }
        }
    });
    worst
}
