//! Rows that one copy moves together: two of which the second is further on in memory, or any
//! number with a constant stride. In other orders rows are copied one by one.

use scatter::{DType, Element, Op, Reduce, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, Kernel};

use crate::case::{Bad, Case, Kind};
use crate::sample::{kind, reduce};
use crate::tensor::Arrangement::{self, Contiguous, ExpandedBut};

const ROWS: usize = 100;
const ADD: Op = Op::ScatterAdd { dim: 0 };

/// Update `i` goes to row `target(i)`.
fn check<T: Element>(kind: &Kind, cores: u32, target: impl Fn(usize) -> usize) {
    let mut case = Case::<T, i64>::new(kind);
    for (update, value) in case.index.storage.iter_mut().enumerate() {
        *value = target(update) as i64;
    }
    case.check(&Soc::default().with_cores(cores), Some(Algorithm::Rows), &Options::strict(0));
}

/// Row `order(i)` gets update `i` of a src with this arrangement.
fn check_order(src: Arrangement, order: impl Fn(usize) -> usize + Copy) {
    // Whole groups with a remainder: an odd number of updates, and a single one.
    for updates in [97, 98, 129] {
        let of = kind(ADD, &[ROWS, 24], updates, ExpandedBut(0));
        check::<f32>(&Kind { src, ..of }, 1, order);
    }
}

#[test]
fn rows_in_any_order() {
    // Rows in ascending order, every third row, and in descending order.
    check_order(Contiguous, |update| update % ROWS);
    check_order(Contiguous, |update| update * 3 % ROWS);
    check_order(Contiguous, |update| ROWS - 1 - update % ROWS);
    // Several updates for a row, in turn and at random.
    check_order(Contiguous, |update| update % 7);
    check_order(Contiguous, |update| (update * update + update / 2) % 41);
    check_order(Contiguous, |update| update * 7919 / 13 % ROWS);
}

/// src is broadcast to all rows: their stride is 0.
#[test]
fn rows_of_src_that_are_the_same() {
    check_order(ExpandedBut(1), |update| update % 7);
}

/// Fewer updates than cores, of rows so long that several cores share one; also a value that is out
/// of range.
#[test]
fn long_rows_of_a_few_updates() {
    let replace = reduce(Reduce::None, true);
    let mean = reduce(Reduce::Mean, false);
    for (op, dtype) in [(ADD, DType::F32), (ADD, DType::F16), (mean, DType::F32), (replace, DType::I16)] {
        for (updates, bytes) in [(1, 40_000), (1, 100_000), (2, 66_000), (3, 100_000)] {
            for bad in [vec![], vec![Bad { at: Some(0), which: 0 }]] {
                for seed in 0..3 {
                    let bad = bad.clone();
                    let of = kind(op, &[5, bytes / dtype.size()], updates, ExpandedBut(0));
                    let of = Kind { bad, seed, ..of };
                    let soc = Soc::default().with_cores(7);
                    let options = Options::strict(seed);
                    let plan = with_element!(dtype, T => {
                        Case::<T, i64>::new(&of).check(&soc, Some(Algorithm::Rows), &options)
                    });
                    let is_shared = |kernel: &Kernel| matches!(kernel, Kernel::Rows(rows) if rows.shares > 1);
                    assert!(plan.steps.iter().any(|step| is_shared(&step.kernel)), "{of:?}");
                }
            }
        }
    }
}

/// An update of the lowest row or of the highest is made, although the sample lacks it.
#[test]
fn rows_that_no_sample_has() {
    let of = kind(ADD, &[ROWS, 24], 5000, ExpandedBut(0));
    for alone in [0, ROWS - 1] {
        for at in [1, 77, 2503, 4999] {
            let others = |update: usize| 1 + update * 7919 / 13 % (ROWS - 2);
            check::<f32>(&of, 7, |update| if update == at { alone } else { others(update) });
        }
    }
}

/// Where several cores share the columns of a row, groups have more rows than with whole rows.
#[test]
fn columns_of_a_row_that_all_updates_go_to() {
    for dtype in [DType::F32, DType::F16, DType::I64, DType::I32, DType::I16, DType::I8, DType::Bool] {
        for columns in [1000, 4000] {
            with_element!(dtype, T => check::<T>(&kind(ADD, &[3, columns], 701, ExpandedBut(0)), 7, |_| 1));
        }
    }
}
