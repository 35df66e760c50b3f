//! An index that is stored whole may be constant along its rows, as a framework's
//! `expand_as(…).contiguous()` leaves it. It is read to find out, and its first column is used in
//! its place.

use core::array;
use core::slice;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::Index;
use crate::cpu::index::storage::{IndexStorage, with_values, wrap_signed};
use crate::cpu::plan::Planner;
use crate::cpu::prefetch::{PREFETCHED, prefetch_on};
use crate::cpu::threads;
use crate::cpu::threads::room::zeros;
use crate::cpu::walk::turns::each_plane;
use crate::cpu::walk::{Axis, Component, MAX_AXES, Walk, WalkAxes};
use crate::simd::{Simd, SimdLoop};

/// One number for each row of an index, and the walk that uses it.
#[derive(Debug)]
pub(in crate::cpu) struct RowNumbers {
    numbers: Vec<i32>,
    walk: Walk,
}

impl RowNumbers {
    /// The first column of an index whose rows are constant, all values being valid; `None` where
    /// they are not, or where the walk that uses the column is not `is_useful`. Reading stops at
    /// the first difference.
    ///
    /// # Safety
    /// Every address that the walk's axes and components reach lies inside the storage of the
    /// index, which nobody writes.
    pub(in crate::cpu) unsafe fn find(
        walk: &Walk,
        index: IndexStorage,
        planner: &Planner<'_>,
        is_useful: fn(&Walk) -> bool,
    ) -> Option<Self> {
        let row = walk.inner();
        let wanted = planner.looks_for_rows(row.extent);
        let [component] = walk.components.as_slice() else { return None };
        if !wanted || row.index != 1 || !row.owned || i32::try_from(component.size).is_err() {
            return None;
        }

        let (scan, used, rows) = walks(walk);
        if !is_useful(&used) {
            return None;
        }
        // SAFETY: `scan` reads index at addresses of `walk` only, which lie inside the storage,
        // which nobody writes.
        let numbers = unsafe { numbers(&scan, index, component.size, rows, planner) }?;
        Some(Self { numbers, walk: used })
    }

    /// The walk of the same updates.
    pub(in crate::cpu) const fn walk(&self) -> &Walk {
        &self.walk
    }

    /// Its index.
    pub(in crate::cpu) fn index(&self) -> IndexStorage {
        IndexStorage::I32(self.numbers.as_ptr())
    }
}

/// The walk that reads each row once, whose destination is the column; the walk of the updates that
/// uses the column; and the length of the column.
fn walks(walk: &Walk) -> (Walk, Walk, usize) {
    let row = walk.inner();
    let outer = walk.axes.as_slice().split_last().map_or(&[][..], |(_, outer)| outer);
    // The column's steps, in row-major order; 0 where the index doesn't move either.
    let (mut steps, mut rows) = ([0_isize; MAX_AXES], 1);
    for (step, axis) in steps.iter_mut().zip(outer).rev().filter(|(_, axis)| axis.index != 0) {
        *step = rows as isize;
        rows *= axis.extent;
    }
    let (mut scan, mut used) = (WalkAxes::default(), WalkAxes::default());
    for (&step, axis) in steps.iter().zip(outer) {
        if axis.index != 0 {
            scan.push(Axis { src: 0, dst: step, owned: true, ..*axis });
        }
        used.push(Axis { index: step, ..*axis });
    }
    // Not owned, so that it is never divided.
    scan.push(Axis { src: 0, dst: 0, owned: false, ..row });
    used.push(Axis { index: 0, ..row });
    let scan = Walk { axes: scan, src: 0, dst: 0, ..*walk };
    (scan, Walk { axes: used, index: 0, ..*walk }, rows)
}

/// The column of `rows` numbers, if all rows are constant and valid; `None` also if there is no
/// memory for it.
///
/// # Safety
/// As [`RowNumbers::find`], for `scan`.
unsafe fn numbers(
    scan: &Walk,
    index: IndexStorage,
    size: usize,
    rows: usize,
    planner: &Planner<'_>,
) -> Option<Vec<i32>> {
    let at = scan.components.as_slice().first().and_then(Component::value_at).unwrap_or(0);
    let simd = planner.limits.simd;
    let prefetches = planner.prefetches_rows_of_index(scan.inner().extent);
    let are_constant = |column: &[AtomicI32], row: &Axis, rows: Axis, [start, _, to]: [isize; 3]| {
        let some = SomeRows { rows, len: row.extent, size, column, to, prefetches };
        with_values!(index.from(start + at), index => simd.run(ConstantRows { index, some }))
    };
    // One row is enough to know of most indices that they are not constant.
    if !are_constant(&[AtomicI32::new(0)], &scan.inner(), Axis::SINGLE, [scan.index, 0, 0]) {
        return None;
    }
    let mut numbers = zeros::<i32>(rows).ok()?;
    const { assert!(align_of::<AtomicI32>() == align_of::<i32>()) };
    // SAFETY: the slice covers `numbers`, which nobody else touches while it lives; an atomic has
    // the representation of a number.
    let column = unsafe { slice::from_raw_parts(numbers.as_mut_ptr().cast::<AtomicI32>(), rows) };
    let differs = AtomicBool::new(false);
    let grid = planner.boxes(scan, size_of::<i32>());
    threads::run(grid.len(), grid.len() > 1, &|number| {
        each_plane(&grid.task(number).walk, |row, rows, start| {
            let at_a_time = (VALUES / row.extent.max(1)).clamp(1, ROWS);
            for first in (0..rows.extent).step_by(at_a_time) {
                if differs.load(Ordering::Relaxed) {
                    return;
                }
                let steps = rows.steps();
                let start = array::from_fn(|of| start[of] + first as isize * steps[of]);
                let rows = Axis { extent: (rows.extent - first).min(at_a_time), ..*rows };
                if !are_constant(column, row, rows, start) {
                    differs.store(true, Ordering::Relaxed);
                }
            }
        });
    });
    (!differs.into_inner()).then_some(numbers)
}

/// The rows at the most that a thread reads before it looks whether another one has found a
/// difference.
const ROWS: usize = 64;

/// The values of these rows at the most, unless a single row has more.
const VALUES: usize = 1 << 14;

/// Some rows of an index, whatever its type.
#[derive(Clone, Copy)]
struct SomeRows<'a> {
    rows: Axis,
    /// The values of a row, which lie in the index's storage, where nobody writes them.
    len: usize,
    /// The targets that there are.
    size: usize,
    column: &'a [AtomicI32],
    /// Where the number of the first row goes.
    to: isize,
    /// Whether later values are prefetched.
    prefetches: bool,
}

/// Whether some rows are constant and valid, which leaves their numbers in `column`.
struct ConstantRows<'a, I> {
    /// The first value of the first row.
    index: *const I,
    some: SomeRows<'a>,
}

impl<I: Index> SimdLoop for ConstantRows<'_, I> {
    type Output = bool;

    #[inline(always)]
    fn run(self, _simd: Simd) -> bool {
        let SomeRows { rows, len, size, column, to, prefetches } = self.some;
        // Not by `all`: that was compiled as a function of its own, without the vector instructions
        // that this loop may use.
        for row in 0..rows.extent as isize {
            let start = self.index.wrapping_offset(row * rows.index);
            // SAFETY: a row has `len` values, which nobody writes.
            let values = unsafe { slice::from_raw_parts(start, len) };
            let first = values[0].to_i64();
            let (wrapped, sign) = wrap_signed(first, size as i64);
            if sign < 0 {
                return false;
            }
            for values in values.chunks(PREFETCHED) {
                if prefetches {
                    prefetch_on(values);
                }
                // No early exit inside a block, so that the loop is vectorised.
                if values.iter().fold(0, |bits, value| bits | (value.to_i64() ^ first)) != 0 {
                    return false;
                }
            }
            column[(to + row * rows.dst) as usize].store(wrapped as i32, Ordering::Relaxed);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Limits;
    use crate::cpu::plan::WORTH_A_ROW;
    use crate::cpu::walk::rows::Rows;
    use crate::{DType, Layout, Op, Operand, Problem};

    /// The column of an index of some rows into 50, if there is one.
    fn column(index: &[i64], width: usize, limits: &Limits) -> Option<Vec<i32>> {
        let rows = index.len() / width;
        let operand = |dtype, rows, address| {
            Operand::new(dtype, Layout::contiguous(&[rows, width], rows * width).unwrap(), address)
        };
        let (out, index_operand) = (operand(DType::F32, 50, 1 << 40), operand(DType::I64, rows, 1 << 50));
        let src = operand(DType::F32, rows, 1 << 60);
        let op = Op::ScatterAdd { dim: 0 };
        let problem = Problem::new(op, &out, &index_operand, Some(&src), &out).unwrap();
        let walk = Walk::scatter(problem.updates().unwrap(), problem.out_layout());
        // SAFETY: as many values as the layout of the index, from which the walk was made, has
        // elements.
        let column = unsafe {
            RowNumbers::find(&walk, IndexStorage::I64(index.as_ptr()), &Planner::here(limits), Rows::are_of)
        };
        column.map(|column| column.numbers)
    }

    #[test]
    fn rows_are_one_number_each_where_all_of_their_values_are_one_that_is_valid() {
        // More rows than are read at a time.
        let values: Vec<i64> = (0..2 * ROWS as i64 + 5).map(|row| row * 7 % 100 - 50).collect();
        let numbers: Vec<i32> = values.iter().map(|value| (value + 50) as i32 % 50).collect();
        let stored = |width| values.iter().flat_map(|&value| vec![value; width]).collect::<Vec<i64>>();
        for simd in Simd::all() {
            let limits = Limits { simd, ..Limits::default() };
            for width in [WORTH_A_ROW, 9, 300] {
                assert_eq!(column(&stored(width), width, &limits), Some(numbers.clone()), "{width} {simd:?}");
                let last = values.len() - 1;
                for at in [0, 1, width - 1, 2 * width, ROWS * width + 1, (last + 1) * width - 1] {
                    let mut differs = stored(width);
                    differs[at] += 1;
                    assert_eq!(column(&differs, width, &limits), None, "{at} of {width} {simd:?}");
                }
                for (row, value) in [(0, 50), (last, -51), (ROWS, i64::MAX), (1, i64::MIN)] {
                    let mut bad = stored(width);
                    bad[row * width..][..width].fill(value);
                    assert_eq!(column(&bad, width, &limits), None, "{value} in {row} of {width} {simd:?}");
                }
            }
            let short = WORTH_A_ROW - 1;
            assert_eq!(column(&stored(short), short, &limits), None);
        }
    }
}
