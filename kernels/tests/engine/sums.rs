//! Sums of integers that exceed their range while they are in UB: by far, so that their
//! accumulators have to be wrapped several times, and just, so that they carry from digit to digit.

use scatter::{Element, Op};
use scatter_kernels::Soc;
use scatter_kernels::model::{Mode, Options};
use scatter_kernels::plan::Algorithm;

use crate::case::Case;
use crate::sample::kind;
use crate::tensor::Arrangement::ExpandedBut;
use crate::tensor::Tensor;

/// Adds `largest` to one row so often that f32 would exceed 2^24 and digits of 16 bits 2^31.
fn sums_of<T: Element>(largest: T) {
    let updates = if size_of::<T>() == 1 { 66_000 } else { 33_000 };
    // A row of 64 bytes, the shortest that goes by rows.
    let of = kind(Op::ScatterAdd { dim: 0 }, &[1, 64 / size_of::<T>()], updates, ExpandedBut(0));
    let mut case = Case::<T, i64>::new(&of);
    if let Some(src) = &mut case.src {
        src.storage.fill(largest);
    }
    let options = Options { mode: Mode::Fast, ..Options::strict(0) };
    case.check(&Soc::default().with_cores(1), Some(Algorithm::Rows), &options);
}

#[test]
fn rows_wrap_while_they_are_held() {
    sums_of(u8::MAX);
    sums_of(i8::MIN);
    sums_of(i16::MIN);
    sums_of(-1_i32);
    sums_of(-1_i64);
}

/// Adds every edge value of the accumulators to every other: once in one row, twice in another.
fn sums_at_edges<T: Element>(of: impl Fn(i64) -> T) {
    let around = |bit: i64| [(1_i64 << bit) - 1, 1 << bit, -(1 << bit), -(1 << bit) - 1];
    let ends = [0, 1, -1, i64::MAX, i64::MIN];
    let edges: Vec<T> =
        [7, 8, 15, 16, 31, 32, 47, 48].into_iter().flat_map(around).chain(ends).map(of).collect();
    let rows = kind(Op::ScatterAdd { dim: 0 }, &[2, edges.len() * edges.len()], 3, ExpandedBut(0));
    let mut case = Case::<T, i64>::new(&rows);
    fill(&mut case.index, |row, _| [1, 0, 1][row]);
    fill(&mut case.out, |_, column| edges[column / edges.len()]);
    if let Some(src) = &mut case.src {
        fill(src, |_, column| edges[column % edges.len()]);
    }
    for ub in [16 * 1024, Soc::default().ub] {
        let soc = Soc { ub, ..Soc::default().with_cores(1) };
        case.check(&soc, Some(Algorithm::Rows), &Options::strict(0));
    }
}

/// Fills a tensor with what each row and column has.
fn fill<T>(tensor: &mut Tensor<T>, value: impl Fn(usize, usize) -> T) {
    for at in tensor.layout.shape().coordinates() {
        tensor.storage[tensor.layout.address(&at)] = value(at[0], at[1]);
    }
}

#[test]
fn sums_carry_from_digit_to_digit() {
    sums_at_edges(|edge| edge);
    sums_at_edges(|edge| edge as i32);
    sums_at_edges(|edge| edge as i16);
    sums_at_edges(|edge| edge as i8);
    sums_at_edges(|edge| edge as u8);
}
