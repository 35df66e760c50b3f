//! Rows that one copy moves together: two of which the second is further on in memory, or any
//! number with a constant stride. In other orders rows are copied one by one.

use scatter::{DType, Element, Op, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::Algorithm;

use crate::case::{Case, Kind};
use crate::sample::kind;
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

/// Where several cores share the columns of a row, groups have more rows than with whole rows.
#[test]
fn columns_of_a_row_that_all_updates_go_to() {
    for dtype in [DType::F32, DType::F16, DType::I64, DType::I32, DType::I16, DType::I8, DType::Bool] {
        for columns in [1000, 4000] {
            with_element!(dtype, T => check::<T>(&kind(ADD, &[3, columns], 701, ExpandedBut(0)), 7, |_| 1));
        }
    }
}
