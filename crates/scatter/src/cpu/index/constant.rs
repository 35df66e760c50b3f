//! An index that is stored whole may be constant along its rows, as a framework's
//! `expand_as(…).contiguous()` leaves it. It is read to find out, and its first column is used in
//! its place.

use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::Index;
use crate::cpu::index::numbers::wrap_signed;
use crate::cpu::index::targets::IndexStorage;
use crate::cpu::plan::{Planner, looks_for_rows};
use crate::cpu::rows::Rows;
use crate::cpu::threads;
use crate::cpu::threads::room::zeros;
use crate::cpu::walk::sweep::each_run;
use crate::cpu::walk::{Axes, Axis, MAX_AXES, Walk};
use crate::simd::{Simd, SimdLoop};

/// One number for each row of an index, and the walk that uses it.
#[derive(Debug)]
pub(in crate::cpu) struct Column {
    numbers: Vec<i32>,
    walk: Walk,
}

impl Column {
    /// The first column of an index whose rows are constant, all values being valid; `None` where
    /// they are not, or where a scatter would have no use for it. Reading stops at the first
    /// difference.
    ///
    /// # Safety
    /// Every address that the walk's axes and components reach lies inside the storage of the
    /// index, which nobody writes.
    pub(in crate::cpu) unsafe fn find(
        walk: &Walk,
        index: IndexStorage,
        planner: &Planner<'_>,
    ) -> Option<Self> {
        // SAFETY: as the caller promises.
        unsafe { Self::find_for(walk, index, planner, |walk| Rows::recognise(walk).is_some()) }
    }

    /// The same, where the walk that uses the column `is_useful`.
    ///
    /// # Safety
    /// As [`Column::find`].
    pub(in crate::cpu) unsafe fn find_for(
        walk: &Walk,
        index: IndexStorage,
        planner: &Planner<'_>,
        is_useful: fn(&Walk) -> bool,
    ) -> Option<Self> {
        let row = walk.inner();
        let wanted = looks_for_rows(row.extent, planner);
        let [component] = walk.components.as_slice() else { return None };
        if !wanted || row.index != 1 || !row.owned || i32::try_from(component.size).is_err() {
            return None;
        }

        let (scan, used, rows) = walks(walk);
        if !is_useful(&used) {
            return None;
        }
        // Without the memory, index is read as it is.
        let mut numbers = zeros::<i32>(rows).ok()?;
        const { assert!(align_of::<AtomicI32>() == align_of::<i32>()) };
        // SAFETY: the slice covers `numbers`, which nobody else touches while it lives; an atomic
        // has the representation of a number.
        let shared = unsafe { core::slice::from_raw_parts(numbers.as_mut_ptr().cast::<AtomicI32>(), rows) };
        // SAFETY: `scan` reads index at addresses of `walk` only, which lie inside the storage.
        let constant = unsafe { is_constant(&scan, index, component.size, shared, planner) };
        constant.then_some(Self { numbers, walk: used })
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
    let (mut scan, mut used) = (Axes::default(), Axes::default());
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

/// Whether all rows are constant and valid, which leaves their numbers in `column`.
///
/// # Safety
/// As [`Column::find`], for `scan`.
unsafe fn is_constant(
    scan: &Walk,
    index: IndexStorage,
    size: usize,
    column: &[AtomicI32],
    planner: &Planner<'_>,
) -> bool {
    let at = scan.components.as_slice().first().map_or(0, |component| component.at);
    // SAFETY: the index addresses of a row.
    let constant = |start: isize, len: usize| unsafe {
        match index {
            IndexStorage::I32(index) => constant(index.offset(start + at), len, size, planner.limits.simd),
            IndexStorage::I64(index) => constant(index.offset(start + at), len, size, planner.limits.simd),
        }
    };
    // One row is enough to know of most indices that they are not constant.
    if constant(scan.index, scan.inner().extent).is_none() {
        return false;
    }
    let differs = AtomicBool::new(false);
    let grid = planner.boxes(scan, size_of::<i32>());
    threads::run(grid.len(), grid.len() > 1, &|number| {
        each_run(&grid.task(number).walk, |row, [index_at, _, to]| {
            if differs.load(Ordering::Relaxed) {
                return;
            }
            match constant(index_at, row.extent) {
                Some(value) => column[to as usize].store(value, Ordering::Relaxed),
                None => differs.store(true, Ordering::Relaxed),
            }
        });
    });
    !differs.into_inner()
}

/// The target that all values of a row name, if they are equal and valid.
///
/// # Safety
/// `len` values to read, one at least.
unsafe fn constant<I: Index>(row: *const I, len: usize, size: usize, simd: Simd) -> Option<i32> {
    // SAFETY: the row has `len` values, which nobody writes.
    let values = unsafe { core::slice::from_raw_parts(row, len) };
    let first = values[0];
    let (wrapped, sign) = wrap_signed(first.to_i64(), size as i64);
    (sign >= 0 && simd.run(AllEqual { values })).then_some(wrapped as i32)
}

/// The values that are compared between two looks at whether one differed.
const BLOCK: usize = 128;

/// Whether all values are the first.
struct AllEqual<'a, I> {
    values: &'a [I],
}

impl<I: Index> SimdLoop for AllEqual<'_, I> {
    type Output = bool;

    #[inline(always)]
    fn run(self, _simd: Simd) -> bool {
        let first = self.values[0].to_i64();
        // No early exit inside a block, so that the loop is vectorised; no prefetches, because
        // hardware reads a single stream ahead.
        self.values
            .chunks(BLOCK)
            .all(|values| values.iter().fold(0, |bits, value| bits | (value.to_i64() ^ first)) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Limits;
    use crate::cpu::plan::WORTH_A_ROW;
    use crate::{DType, Layout, Op, Operand, Problem};

    /// The column of an index of five rows into 50, if there is one.
    fn column(index: &[i64], width: usize, limits: &Limits) -> Option<Vec<i32>> {
        let operand = |dtype, rows, address| {
            Operand::new(dtype, Layout::contiguous(&[rows, width], rows * width).unwrap(), address)
        };
        let (out, index_operand) = (operand(DType::F32, 50, 1 << 40), operand(DType::I64, 5, 1 << 50));
        let src = operand(DType::F32, 5, 1 << 60);
        let op = Op::ScatterAdd { dim: 0 };
        let problem = Problem::new(op, &out, &index_operand, Some(&src), &out).unwrap();
        let walk = Walk::scatter(problem.updates().unwrap(), problem.out_layout());
        assert_eq!(index.len(), 5 * width);
        // SAFETY: as many values as the layout of the index, from which the walk was made, has
        // elements.
        let column =
            unsafe { Column::find(&walk, IndexStorage::I64(index.as_ptr()), &Planner::here(limits)) };
        column.map(|column| column.numbers)
    }

    #[test]
    fn rows_are_one_number_each_where_all_of_their_values_are_one() {
        let values = [7_i64, -1, 0, 49, 7];
        let stored = |width| values.iter().flat_map(|&value| vec![value; width]).collect::<Vec<i64>>();
        for simd in Simd::all() {
            let limits = Limits { simd, ..Limits::default() };
            for width in [WORTH_A_ROW, 9, 300] {
                assert_eq!(
                    column(&stored(width), width, &limits),
                    Some(vec![7, 49, 0, 49, 7]),
                    "{width} {simd:?}"
                );
                for at in [0, 1, width - 1, 2 * width, 5 * width - 1] {
                    let mut differs = stored(width);
                    differs[at] += 1;
                    assert_eq!(column(&differs, width, &limits), None, "{at} of {width} {simd:?}");
                }
            }
            let short = WORTH_A_ROW - 1;
            assert_eq!(column(&stored(short), short, &limits), None);
        }
    }
}
