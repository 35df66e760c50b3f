//! The rule that needs the data: every index value is in range. Nothing is written before this is
//! known.

use crate::cpu::index::storage::{IndexStorage, with_values, wrap_signed};
use crate::cpu::plan::Planner;
use crate::cpu::prefetch::{PREFETCHED, prefetch_on};
use crate::cpu::threads;
use crate::cpu::walk::turns::each_run;
use crate::cpu::walk::{Component, Walk};
use crate::simd::Simd;
use crate::{Argument, Error, Index, Problem};

/// Refuses the first bad index value of a problem in row-major order. No value names where a window
/// begins.
///
/// # Safety
/// The layout of index lies inside this storage, which nobody writes.
pub(in crate::cpu) unsafe fn check_indices(
    problem: &Problem,
    index: IndexStorage,
    planner: &Planner<'_>,
) -> Result<(), Error> {
    let Some(updates) = problem.updates() else { return Ok(()) };
    let walk = Walk::index_entries(updates, problem.self_layout());
    let grid = planner.portions(&walk, 1);
    let prefetches = planner.prefetches_checked_index(walk.updates());
    let any_bad = threads::any(grid.len(), &|number| {
        let (walk, simd) = (&grid.task(number).walk, planner.limits.simd);
        // SAFETY: the layout of index, from which the walk was made, was proved to lie inside this
        // storage, which nobody writes.
        !with_values!(index, index => unsafe { all_valid(walk, index, prefetches, simd) })
    });
    if !any_bad {
        return Ok(());
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

/// Whether every index value that the walk reads is in range: `[-size, size)` of its component.
/// Later values may be prefetched.
///
/// # Safety
/// Every address that the walk's axes and components reach lies inside the storage of the index,
/// which nobody writes.
unsafe fn all_valid<I: Index>(walk: &Walk, index: *const I, prefetches: bool, simd: Simd) -> bool {
    let mut valid = true;
    each_run(walk, |inner, [index_at, ..]| {
        let run = index.wrapping_offset(index_at);
        let (step, extent) = (inner.index, inner.extent);
        // SAFETY: the entries of this run and their components lie inside the storage of the index,
        // which nobody writes.
        unsafe {
            if let Some((components, entries)) = walk.components.adjacent(run, step, extent) {
                valid &= are_valid::<I, 1>(entries, components, prefetches, simd);
                return;
            }
            if let Some((components, entries)) = walk.components.adjacent(run, step, extent) {
                valid &= are_valid::<I, 2>(entries, components, prefetches, simd);
                return;
            }
        }
        for component in walk.components.as_slice() {
            let (Some(at), size) = (component.value_at(), component.size) else { continue };
            for step in 0..inner.extent as isize {
                // SAFETY: the walk reaches this address, so that it lies inside the storage of the
                // index, which nobody writes.
                let value = unsafe { run.offset(at + step * inner.index).read() };
                valid &= wrap_signed(value.to_i64(), size as i64).1 >= 0;
            }
        }
    });
    valid
}

/// [`all_valid`] for entries that lie one after the other.
fn are_valid<I: Index, const K: usize>(
    entries: &[[I; K]],
    components: [Component; K],
    prefetches: bool,
    simd: Simd,
) -> bool {
    let Some(&first) = entries.first() else { return true };
    // If the least and the greatest are in range, so are all between them.
    let extremes = simd.run((extremes, (entries, first, prefetches)));
    extremes.iter().zip(&components).all(|(of, component)| {
        of.iter().all(|value| wrap_signed(value.to_i64(), component.size as i64).1 >= 0)
    })
}

/// The least and the greatest value of each component of entries, of which one is `first`; with
/// `prefetches`, later ones are prefetched.
#[inline(always)]
fn extremes<I: Index, const K: usize>(
    (entries, first, prefetches): (&[[I; K]], [I; K], bool),
) -> [[I; 2]; K] {
    let mut extremes = first.map(|value| [value; 2]);
    for entries in entries.chunks(if prefetches { PREFETCHED } else { entries.len() }) {
        if prefetches {
            prefetch_on(entries);
        }
        for entry in entries {
            for ([least, greatest], &value) in extremes.iter_mut().zip(entry) {
                (*least, *greatest) = (value.min(*least), value.max(*greatest));
            }
        }
    }
    extremes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::walk::Coordinate;

    /// Entries of one axis, and of two, all of whose values but one are 0.
    #[test]
    fn entries_are_valid_if_all_of_their_values_are_in_range() {
        let axis = |size| Component { coordinate: Coordinate::Value(0), size, step: 1, weight: 1 };
        for size in [0, 1, 2, 64, u32::MAX.into(), 1 << 62, i64::MAX] {
            let near = [i64::MIN, -size, 0, size, i64::MAX];
            for value in near.iter().flat_map(|near| (-2..=2).filter_map(|step| near.checked_add(step))) {
                for (at, simd) in [0, 1, 130, 299]
                    .into_iter()
                    .flat_map(|at| Simd::all().into_iter().map(move |simd| (at, simd)))
                {
                    let (mut of_one, mut of_two) = ([[0]; 300], [[0; 2]; 300]);
                    of_one[at] = [value];
                    of_two[at][at % 2] = value;
                    let mut sizes = [axis(1); 2];
                    sizes[at % 2] = axis(size as usize);
                    let expected = (-size..size).contains(&value);
                    for prefetches in [false, true] {
                        let valid = are_valid(&of_one, [axis(size as usize)], prefetches, simd);
                        assert_eq!(valid, expected, "{value} of {size} at {at} {simd:?}");
                        let valid = are_valid(&of_two, sizes, prefetches, simd);
                        assert_eq!(valid, expected, "{value} of {sizes:?} at {at} {simd:?}");
                    }
                }
            }
        }
        assert!(are_valid::<i64, 1>(&[], [axis(0)], true, Simd::PORTABLE));
    }
}
