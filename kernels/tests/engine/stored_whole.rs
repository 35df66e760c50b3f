//! Gathers whose index is stored for each element of a row, and may have the same value for all of
//! them. Only its values tell: so there are launches for either case.

use scatter::{DType, Element, Index, with_element};
use scatter_kernels::Soc;
use scatter_kernels::launch::LaunchMemory;
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, Kernel, Plan, plan_with};
use scatter_kernels::tiling::GatherForm;

use crate::case::{Case, Kind, bad_values};
use crate::gather::kind;
use crate::tensor::Arrangement::{self, Contiguous, Expanded, Rows, Strided};

/// Rows of `self_shape` along dim 0, by as many index values as `updates` says, equal along rows.
pub(crate) fn case<T: Element, I: Index + TryFrom<i64>>(
    self_shape: &[usize],
    updates: usize,
    seed: u64,
) -> Case<T, I> {
    let mut index_shape = self_shape.to_vec();
    index_shape[0] = updates;
    with_equal_columns(&Kind { seed, ..kind(0, self_shape, &index_shape, Contiguous) })
}

/// A case with the same index value for all elements of a row.
fn with_equal_columns<T: Element, I: Index + TryFrom<i64>>(kind: &Kind) -> Case<T, I> {
    let mut case = Case::new(kind);
    let layout = case.index.layout;
    for at in layout.shape().coordinates() {
        let mut first = at.to_vec();
        first[at.len() - 1] = 0;
        case.index.storage[layout.address(&at)] = case.index.storage[layout.address(&first)];
    }
    case
}

/// Sets one index value.
pub(crate) fn set<T: Element, I: Index + TryFrom<i64>>(case: &mut Case<T, I>, at: &[usize], value: i64) {
    let address = case.index.layout.address(at);
    if let Ok(value) = I::try_from(value) {
        case.index.storage[address] = value;
    }
}

/// Sets the index values of a row of two axes.
pub(crate) fn set_row<T: Element, I: Index + TryFrom<i64>>(case: &mut Case<T, I>, row: usize, value: i64) {
    for column in 0..case.index.layout.shape()[1] {
        set(case, &[row, column], value);
    }
}

fn has_equal_columns<T: Element, I: Index>(case: &Case<T, I>) -> bool {
    let layout = case.index.layout;
    layout.shape().coordinates().all(|at| {
        let mut first = at.to_vec();
        first[at.len() - 1] = 0;
        case.index.storage[layout.address(&at)] == case.index.storage[layout.address(&first)]
    })
}

fn is_listed(plan: &Plan) -> bool {
    plan.steps
        .iter()
        .any(|step| matches!(&step.kernel, Kernel::Gather(tiling) if tiling.form == GatherForm::ListedRows))
}

/// All launches together; and that of the two gathers one does all of the work, and the other none.
pub(crate) fn check<T: Element, I: Index + TryFrom<i64>>(case: &Case<T, I>, soc: &Soc, seed: u64) {
    let options = Options::strict(seed);
    let plan = case.check(soc, Some(Algorithm::Rows), &options);
    assert!(is_listed(&plan) && plan.steps.len() == 3, "{plan:#?}");
    let whole = case.run(&plan, LaunchMemory::one_index(case.index.range()), &options).out;
    let without = |step: usize| {
        let mut plan = plan.clone();
        plan.steps.remove(step);
        case.run(&plan, LaunchMemory::one_index(case.index.range()), &options).out
    };
    let (of_otherwise, of_rows) = (without(1), without(2));
    let (used, unused) =
        if has_equal_columns(case) { (of_rows, of_otherwise) } else { (of_otherwise, of_rows) };
    let same = |left: &[T], right: &[T]| left.iter().zip(right).all(|(left, right)| left.same(*right));
    assert!(same(&used, &whole), "the launch whose turn it is has left elements out");
    assert!(same(&unused, &case.out.storage), "the launch whose turn it isn't has written");
}

const BLOCKS: [u32; 4] = [1, 2, 7, 48];

fn soc(ub: u32, blocks: u32) -> Soc {
    Soc { ub, ..Soc::default().with_cores(blocks) }
}

#[test]
fn equal_columns_of_every_dtype() {
    for (number, dtype) in DType::ALL.into_iter().enumerate() {
        for (seed, blocks) in (number as u64..).zip(BLOCKS) {
            let soc = soc(24 * 1024, blocks);
            with_element!(dtype, T => {
                check(&case::<T, i64>(&[9, 72], 300, seed), &soc, seed);
                check(&case::<T, i32>(&[40, 200], 65, seed), &soc, seed);
            });
        }
    }
}

/// One index value of all is another one, at the edges of rows, of repeats of the vector unit, of
/// chunks, and of what blocks take; or names the same row by a negative number.
#[test]
fn one_column_differs() {
    const ROWS: usize = 200;
    for (number, blocks) in [1, 2, 7].into_iter().enumerate() {
        let share = ROWS.div_ceil(blocks as usize);
        for row in [0, 1, 63, 64, share - 1, share % ROWS, ROWS - 1] {
            for column in [0, 1, 8, 63, 64, 71, 135] {
                let seed = (number * ROWS + row) as u64;
                let mut case = case::<u8, i64>(&[9, 136], ROWS, seed);
                let value = case.index.storage[case.index.layout.address(&[row, column])];
                let same_row = if value < 0 { value + 9 } else { value - 9 };
                let other_row = (value.rem_euclid(9) + 1) % 9;
                set(&mut case, &[row, column], if row % 2 == 0 { other_row } else { same_row });
                assert!(!has_equal_columns(&case));
                check(&case, &soc(24 * 1024, blocks), seed);
            }
        }
    }
}

/// Bad values along a whole row, in one of its columns, or both; the first position counts.
#[test]
fn bad_values_of_rows_and_of_columns() {
    for which in 0..bad_values(1).len() {
        let bad = bad_values(9)[which];
        let places = [
            (Some(150), None),
            (None, Some([150, 71])),
            (Some(150), Some([20, 1])),
            (Some(20), Some([150, 64])),
        ];
        for (row, at) in places {
            for (seed, blocks) in (which as u64..).zip(BLOCKS) {
                let mut of_i64 = case::<f32, i64>(&[9, 72], 200, seed);
                let mut of_i32 = case::<scatter::f16, i32>(&[9, 72], 200, seed);
                if let Some(row) = row {
                    set_row(&mut of_i64, row, bad);
                    set_row(&mut of_i32, row, bad);
                }
                if let Some(at) = at {
                    set(&mut of_i64, &at, bad_values(9)[1 - which.min(1)]);
                    set(&mut of_i32, &at, bad_values(9)[1 - which.min(1)]);
                }
                assert!(of_i64.reference().is_err());
                check(&of_i64, &soc(24 * 1024, blocks), seed);
                check(&of_i32, &soc(24 * 1024, blocks), seed);
            }
        }
    }
}

/// Bad values that are one number as f32: they differ, but the first one is that of the row.
#[test]
fn bad_values_that_differ_by_too_little() {
    let mut case = case::<f32, i64>(&[9, 72], 200, 1);
    set_row(&mut case, 30, 1 << 40);
    set(&mut case, &[30, 5], (1 << 40) + 1);
    case.check(&soc(24 * 1024, 2), Some(Algorithm::Rows), &Options::strict(1));
}

/// Batches, rows with gaps, index that is the same for all batches, rows that are longer than UB,
/// and tensors of a row.
#[test]
fn shapes_and_layouts() {
    let shapes: [(usize, &[usize], &[usize]); 7] = [
        (1, &[3, 9, 40], &[3, 70, 40]),
        (1, &[3, 9, 40], &[2, 70, 40]),
        (2, &[2, 3, 9, 16], &[2, 3, 70, 16]),
        (0, &[9, 4000], &[20, 4000]),
        (0, &[1, 16], &[1, 16]),
        (0, &[1, 64], &[2000, 64]),
        (0, &[5000, 16], &[3, 16]),
    ];
    let mut taken = 0;
    for seed in 0..400 {
        let (dim, self_shape, index_shape) = shapes[seed as usize % shapes.len()];
        let arrangements: [(Arrangement, Arrangement); 4] =
            [(Contiguous, Contiguous), (Rows, Rows), (Contiguous, Rows), (Rows, Contiguous)];
        let (index, out) = arrangements[seed as usize / shapes.len() % arrangements.len()];
        let index = if seed % 9 == 8 {
            Expanded
        } else if seed % 9 == 7 {
            Strided
        } else {
            index
        };
        let kind = Kind { out, seed, ..kind(dim, self_shape, index_shape, index) };
        let mut case = with_equal_columns::<f32, i64>(&kind);
        if seed % 2 == 0 {
            let last: Vec<usize> = index_shape.iter().map(|size| size - 1).collect();
            let size = self_shape[dim] as i64;
            set(&mut case, &last, if seed % 4 == 0 { -size } else { size });
        }
        let ub = [16 * 1024, 24 * 1024, Soc::default().ub][seed as usize % 3];
        let soc = soc(ub, BLOCKS[seed as usize % 4]);
        if plan_with(&case.problem, &soc, Some(Algorithm::Rows)).is_ok_and(|plan| is_listed(&plan)) {
            check(&case, &soc, seed);
            taken += 1;
        }
    }
    assert!(taken > 150, "{taken}");
}

/// What the plan takes by itself where UB has no room for a column of self.
#[test]
fn a_table_that_no_core_can_hold() {
    for columns in [64, 256] {
        for differs in [false, true] {
            let mut case = case::<f32, i64>(&[60_000, columns], 1000, 1);
            if differs {
                set(&mut case, &[999, columns - 1], 59_999);
            }
            let plan = case.check(&Soc::default(), None, &Options::strict(1));
            assert!(is_listed(&plan), "{plan:#?}");
            check(&case, &Soc::default(), 2);
        }
    }
}
