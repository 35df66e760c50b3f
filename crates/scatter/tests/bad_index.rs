//! A bad index value, wherever it is and whatever the loops: the error of the reference, and
//! nothing written.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Case, Random, Tensor, divisions, on_threads, same};
use scatter::cpu::internals::{Limits, Pattern, Simd};
use scatter::{Index, Op, Reduce, f16};

/// In place and into another tensor, in each of these ways.
fn is_refused<T: Random, I: Index>(case: &Case<T, I>, ways: &[Limits]) {
    let expected = Err(case.by_reference().unwrap_err());
    // Of what self holds, nothing may be brought into another tensor either.
    let before: Vec<T> = case.self_.storage.iter().rev().copied().collect();
    on_threads(2, || {
        for limits in ways {
            let mut out = case.self_.clone();
            assert_eq!(case.by_cpu_on(&mut out, limits), expected, "{limits:?}");
            assert!(same(&out.storage, &case.self_.storage), "{limits:?}");

            let mut out = Tensor { storage: before.clone(), ..case.self_.clone() };
            assert_eq!(case.by_cpu_into(&mut out, limits), expected, "{limits:?}");
            assert!(same(&out.storage, &before), "{limits:?}");
        }
    });
}

/// Elements that differ.
fn numbered<T>(len: usize, element: impl Fn(usize) -> T) -> Vec<T> {
    (0..len).map(element).collect()
}

/// The last value is bad.
#[test]
fn the_last_bad_value_is_refused_by_all_loops() {
    the_last_is_refused(|at| at as f32, [1_i64, 3]);
    the_last_is_refused(|at| at as f32, [1_i64, i64::MIN]);
    the_last_is_refused(|at| at as i32, [1_i64, 3]);
    the_last_is_refused(|at| at as i32, [1_i32, 3]);
}

fn the_last_is_refused<T: Random, I: Index>(element: impl Fn(usize) -> T, [good, bad]: [I; 2]) {
    let shapes =
        [([3, 900], [3, 900], 0), ([900, 3], [900, 3], 1), ([1, 3], [1, 2700], 1), ([1, 3], [1, 70_000], 1)];
    for (turn, (self_shape, index_shape, dim)) in (0..).zip(shapes) {
        let updates = index_shape.iter().product();
        for reduce in [Reduce::None, Reduce::Add, Reduce::Mean] {
            let mut index = vec![good; updates];
            index[updates - 1] = bad;
            let case = Case {
                op: Op::ScatterReduce { dim, reduce, include_self: true },
                self_: Tensor::lines(numbered(self_shape.iter().product(), &element), self_shape[1], 1),
                index: Tensor::lines(index, index_shape[1], 1),
                src: Tensor::lines(numbered(updates, &element), index_shape[1], 1),
            };
            is_refused(&case, &divisions(turn));
        }
    }
}

/// A strided index is checked value by value, or run by run: each of them counts, not only the
/// last.
#[test]
fn a_bad_value_anywhere_in_a_strided_index_is_refused() {
    anywhere_in_a_strided_index_is_refused(3_i64);
    anywhere_in_a_strided_index_is_refused(-4_i64);
    anywhere_in_a_strided_index_is_refused(i64::MAX);
    anywhere_in_a_strided_index_is_refused(-4_i32);
    anywhere_in_a_strided_index_is_refused(3_i32);
}

fn anywhere_in_a_strided_index_is_refused<I: Index + From<i8>>(bad: I) {
    let along = |dim| (Op::ScatterReduce { dim, reduce: Reduce::Add, include_self: true }, vec![3, 3]);
    let nd = |depth| (Op::ScatterNdAdd, vec![3; depth]);
    for (turn, ((op, self_shape), shape, strides, offset)) in (0..).zip([
        // Transposed, with gaps, backwards, every row the same, and rows one after the other but
        // for a gap.
        (along(0), &[4, 3][..], &[1, 4][..], 0),
        (along(1), &[3, 5], &[10, 2], 0),
        (along(1), &[3, 5], &[-5, -1], 14),
        (along(1), &[3, 5], &[0, 3], 1),
        (along(1), &[3, 5], &[6, 1], 0),
        // Entries of one, two and three values: apart, apart from each other, and one after the
        // other, also but for a gap.
        (nd(1), &[5, 1], &[3, 1], 0),
        (nd(1), &[2, 3, 1], &[4, 1, 1], 0),
        (nd(2), &[5, 2], &[1, 5], 0),
        (nd(2), &[5, 2], &[2, 1], 0),
        (nd(2), &[2, 3, 2], &[7, 2, 1], 0),
        (nd(3), &[5, 3], &[3, 1], 0),
    ]) {
        let good = Tensor {
            storage: vec![I::from(1); 30],
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            offset,
        };
        let depth = usize::from(op == Op::ScatterNdAdd);
        let src_shape = &shape[..shape.len() - depth];
        let contiguous = |shape: &[usize]| Tensor {
            storage: numbered(shape.iter().product(), |at| at as f32),
            shape: shape.to_vec(),
            strides: (0..shape.len())
                .map(|axis| shape[axis + 1..].iter().product::<usize>() as isize)
                .collect(),
            offset: 0,
        };
        let (self_, src) = (contiguous(&self_shape), contiguous(src_shape));
        for at in good.view().layout().shape().coordinates() {
            let mut index = good.clone();
            let address = index.view().layout().address(&at);
            index.storage[address] = bad;
            let case = Case { op, self_: self_.clone(), index, src: src.clone() };
            is_refused(&case, &divisions(turn));
        }
    }
}

/// Tasks have copies of different lines, or of integers a copy of the same line each: any of them
/// may meet the bad value.
#[test]
fn tasks_that_have_copies_of_lines_refuse_a_bad_value() {
    tasks_with_copies_refuse([9, 300], 9_000, |at| at as f32);
    tasks_with_copies_refuse([9, 300], 9_000, |at| f16::from_f32(at as f32));
    tasks_with_copies_refuse([1, 300], 70_000, |at| at as i32);
    tasks_with_copies_refuse([2, 300], 70_000, |at| at as i8);
}

fn tasks_with_copies_refuse<T: Random>(
    [lines, size]: [usize; 2],
    updates: usize,
    element: impl Fn(usize) -> T,
) {
    let tensor = |width: usize| Tensor::lines(numbered(lines * width, &element), width, 1);
    let (self_, src) = (tensor(size), tensor(updates));
    for (place, bad) in [(0, size as i64), (updates / 2, -1 - size as i64), (updates - 1, i64::MIN)] {
        let mut index: Vec<i64> = (0..lines * updates).map(|at| (at * 7919 % size) as i64).collect();
        index[(lines - 1) * updates + place] = bad;
        for reduce in [Reduce::None, Reduce::Add] {
            let op = Op::ScatterReduce { dim: 1, reduce, include_self: true };
            let index = Tensor::lines(index.clone(), updates, 1);
            let case = Case { op, self_: self_.clone(), index, src: src.clone() };
            let ways = [2, 3, 7].into_iter().zip(Simd::all().into_iter().cycle()).map(|(tasks, simd)| {
                let pattern = Some(Pattern::LineCopies);
                Limits { tasks: Some(tasks), pattern, simd, ..Limits::default() }
            });
            is_refused(&case, &ways.collect::<Vec<_>>());
        }
    }
}
