//! Sums of integers that go far beyond their range while they are in UB: what they are held in has
//! to wrap again and again.

use scatter::{Element, Op};
use scatter_kernels::Soc;
use scatter_kernels::model::{Mode, Options};
use scatter_kernels::plan::Algorithm;

use crate::case::Case;
use crate::sample::kind;
use crate::tensor::Arrangement::ExpandedBut;

/// Adds `largest` to one row as often as takes f32 beyond 2^24 and digits of 16 bits beyond 2^31.
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
