//! The rule that needs the data: every index value is in range. Nothing is written before this is
//! known.

use crate::cpu::index::numbers::wrap_signed;
use crate::cpu::index::targets::IndexStorage;
use crate::cpu::plan::Planner;
use crate::cpu::threads;
use crate::cpu::walk::sweep::each_run;
use crate::cpu::walk::{Component, Walk};
use crate::problem::Updates;
use crate::simd::{Simd, SimdLoop};
use crate::{Argument, Error, Index, Layout, Operator};

/// Refuses the first bad index value in row-major order.
pub(in crate::cpu) fn check_indices(
    updates: &Updates,
    operator: Operator,
    indexed: &Layout,
    index: IndexStorage,
    planner: &Planner<'_>,
) -> Result<(), Error> {
    let walk = Walk::index_entries(updates, indexed);
    let grid = planner.portions(&walk, 1);
    let any_bad = threads::any(grid.len(), &|number| {
        // SAFETY: the layout of index, from which the walk was made, was proved to lie inside this
        // storage.
        !unsafe { all_valid(&grid.task(number).walk, index, planner.limits.simd) }
    });
    if !any_bad {
        return Ok(());
    }
    // SAFETY: the layout of index was proved to lie inside this storage, which nobody writes.
    Err(unsafe { refusal(updates, operator, indexed, index) })
}

/// The error of an index that has a bad value: the first in row-major order.
///
/// # Safety
/// The layout of index lies inside this storage, which nobody writes.
pub(in crate::cpu) unsafe fn refusal(
    updates: &Updates,
    operator: Operator,
    indexed: &Layout,
    index: IndexStorage,
) -> Error {
    // SAFETY: an address of the layout.
    let read = |address: usize| unsafe { index.read(address as isize) };
    // A bad value was found before; if it is gone, somebody writes the index, which the caller has
    // ruled out.
    let changed = Error::Binding { operator, argument: Argument::Index };
    updates.first_bad_index(operator, indexed, &read).unwrap_or(changed)
}

/// Whether every index value that the walk reads is in range: `[-size, size)` of its component.
///
/// # Safety
/// Every address that the walk's axes and components reach lies inside the storage of the index,
/// which nobody writes.
unsafe fn all_valid(walk: &Walk, index: IndexStorage, simd: Simd) -> bool {
    // SAFETY: every index address of the walk lies inside the storage, which nobody writes.
    unsafe {
        match index {
            IndexStorage::I32(index) => all_valid_of(walk, index, simd),
            IndexStorage::I64(index) => all_valid_of(walk, index, simd),
        }
    }
}

/// [`all_valid`] for the type of the index.
///
/// # Safety
/// As [`all_valid`].
unsafe fn all_valid_of<I: Index>(walk: &Walk, index: *const I, simd: Simd) -> bool {
    let mut valid = true;
    let are_short = walk.components.as_slice().iter().all(|component| component.size as u64 <= MAX_SIZE);
    each_run(walk, |inner, [index_at, ..]| {
        let run = index.wrapping_offset(index_at);
        let (step, extent) = (inner.index, inner.extent);
        if are_short {
            // SAFETY: the index addresses of this run.
            unsafe {
                if let Some((components, entries)) = walk.components.adjacent(run, step, extent) {
                    valid &= simd.run(AllValid::<I, 1> { entries, components });
                    return;
                }
                if let Some((components, entries)) = walk.components.adjacent(run, step, extent) {
                    valid &= simd.run(AllValid::<I, 2> { entries, components });
                    return;
                }
            }
        }
        for component in walk.components.as_slice() {
            let (Some(at), size) = (component.value_at(), component.size) else { continue };
            for step in 0..inner.extent as isize {
                // SAFETY: an index address of the walk.
                let value = unsafe { run.offset(at + step * inner.index).read() };
                valid &= wrap_signed(value.to_i64(), size as i64).1 >= 0;
            }
        }
    });
    valid
}

/// The largest axis for which [`range_sign`] is right; nothing larger is in memory, but an axis
/// whose stride is 0 may be.
const MAX_SIZE: u64 = 1 << 62;

/// A number that is negative unless `value` is in `[-size, size)`, where `size` is 2^62 at the
/// most. What overflows is out of range, and comes out negative.
#[inline(always)]
fn range_sign(value: i64, size: i64) -> i64 {
    value.wrapping_add(size) | (size - 1).wrapping_sub(value)
}

/// The loop for entries that lie one after the other.
struct AllValid<'a, I, const K: usize> {
    entries: &'a [[I; K]],
    components: [Component; K],
}

impl<I: Index, const K: usize> SimdLoop for AllValid<'_, I, K> {
    type Output = bool;

    #[inline(always)]
    fn run(self, _simd: Simd) -> bool {
        let mut signs = 0;
        // Without prefetches: hardware reads a single stream ahead, and they would only cost time.
        for entry in self.entries {
            for (value, component) in entry.iter().zip(&self.components) {
                signs |= range_sign(value.to_i64(), component.size as i64);
            }
        }
        signs >= 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_says_whether_a_value_is_in_range() {
        for size in [0, 1, 2, 64, i64::from(u32::MAX), MAX_SIZE as i64 - 1, MAX_SIZE as i64] {
            for near in [i64::MIN, i64::MIN + size, -size, 0, size, i64::MAX - size, i64::MAX] {
                for value in (-2..=2).filter_map(|step| near.checked_add(step)) {
                    assert_eq!(
                        range_sign(value, size) >= 0,
                        (-size..size).contains(&value),
                        "{value} of {size}"
                    );
                }
            }
        }
    }
}
