//! The CPU engine against the reference, for random problems of every kind.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Case, Plan, Random, Tensor, divisions, on_threads, plans, proptest_config, same};
use proptest::prelude::*;
use scatter::cpu::internals::{Limits, Pattern, Simd};
use scatter::{Addressing, Bool, Complex, Error, Index, Op, Reduce, Scalar, bf16, f16};

/// How many random problems each property is tried on. Miri takes seconds for one.
const CASES: u32 = if cfg!(miri) { 4 } else { 1500 };

/// The numbers of threads that each is tried on.
const THREADS: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 7] };

fn cpu_is_reference<T: Random, I: Index>(plan: &Plan, case: &Case<T, I>) -> Result<(), TestCaseError> {
    let expected = case.by_reference().unwrap();
    for &threads in THREADS {
        // All of them by one call of the pool: its threads would sleep and be woken for each.
        on_threads(threads, || {
            for limits in divisions(plan.seed) {
                let got = case.by_cpu(&limits).unwrap();
                prop_assert!(
                    same(&got, &expected),
                    "{threads} threads, {limits:?}\n got {got:?}\n expected {expected:?}"
                );
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// What random problems are too small for: a line beyond a near cache, whose updates are found and
/// made in several blocks; a short line with enough updates for several tasks; and rows of several
/// blocks along another axis.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn long_lines_and_wide_rows_equal_the_reference() {
    long_lines_equal_the_reference(|at| at as f32 * 0.37);
    long_lines_equal_the_reference(|at| f16::from_f32(at as f32 * 0.37));
    long_lines_equal_the_reference(|at| at as i64 - 40);
    long_lines_equal_the_reference(|at| at as i8 - 40);
    long_lines_equal_the_reference(|at| Complex::new(at as f64 * 0.37, at as f64));
}

fn long_lines_equal_the_reference<T: Random>(element: impl Fn(usize) -> T) {
    for (self_shape, index_shape, dim, step) in [
        ([1, 70_000], [1, 9_000], 1, 1),
        ([2, 70_000], [2, 5_000], 1, 1),
        ([1, 300], [1, 70_000], 1, 1),
        ([1, 300], [1, 70_000], 1, -1),
        ([5, 1_300], [7, 1_300], 0, 1),
        // A few columns, which are updated as lines.
        ([23_000, 3], [3_001, 3], 0, 1),
        ([100, 64], [1_001, 64], 0, 1),
    ] {
        for reduce in [Reduce::None, Reduce::Add, Reduce::Mean] {
            let op = Op::ScatterReduce { dim, reduce, include_self: true };
            let case = case_of(op, self_shape, index_shape, step, &element);
            equal_the_reference(&case, &[1, 2, 3, 7]);
        }
    }
}

/// Batches of a few columns, whose index begins anywhere, and whose batches may be apart.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn batches_of_a_few_columns_equal_the_reference() {
    let (batches, rows, updates, columns) = (3, 50, 400, 3);
    for (padding, offset, is_flipped) in
        [(0, 0, false), (0, 1, false), (columns, columns, false), (1, 2, false), (0, 0, true), (1, 2, true)]
    {
        let step = updates * columns + padding;
        let mut numbers = common::Numbers(11);
        let len = offset + batches * step - padding;
        let values = (0..len).map(|_| numbers.below(2 * rows) as i64 - rows as i64);
        // The last batch first, perhaps.
        let (batch, start) = match is_flipped {
            true => (-(step as isize), offset + (batches - 1) * step),
            false => (step as isize, offset),
        };
        let index = Tensor {
            storage: values.collect(),
            shape: vec![batches, updates, columns],
            strides: vec![batch, columns as isize, 1],
            offset: start,
        };
        // The same with one value for all columns.
        let step = updates + padding;
        let batch = if is_flipped { -(step as isize) } else { step as isize };
        let len = offset + batches * step - padding;
        let expanded = Tensor {
            storage: index.storage[..len].to_vec(),
            strides: vec![batch, 1, 0],
            offset: if is_flipped { offset + (batches - 1) * step } else { offset },
            ..index.clone()
        };
        for reduce in [Reduce::None, Reduce::Add, Reduce::Mean] {
            let op = Op::ScatterReduce { dim: 1, reduce, include_self: false };
            for index in [&index, &expanded] {
                let [self_, src] = [rows, updates].map(|rows| batches_of_f32([batches, rows, columns]));
                equal_the_reference(&Case { op, self_, index: index.clone(), src }, &[1, 3]);
            }
        }
    }
}

/// Many batches of so few columns and updates that those of several batches are made together.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn many_tiny_batches_equal_the_reference() {
    let mut numbers = common::Numbers(3);
    for (batches, rows, updates, columns) in [(5_001, 2, 2, 2), (5_001, 3, 1, 4), (3_001, 5, 2, 4)] {
        let index = (0..batches * updates * columns).map(|_| numbers.below(2 * rows) as i64 - rows as i64);
        let index = batches_of(index.collect(), [batches, updates, columns]);
        let [self_, src] = [rows, updates].map(|rows| batches_of_f32([batches, rows, columns]));
        let op = Op::ScatterAdd { dim: 1 };
        equal_the_reference(&Case { op, self_, index, src }, &[1, 3]);
    }
}

/// Short rows whose index is stored whole, and constant along each of them.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn short_constant_rows_equal_the_reference() {
    let (rows, updates, columns) = (2_000, 3_000, 8);
    let mut numbers = common::Numbers(5);
    let values = (0..updates).map(|_| numbers.below(2 * rows) as i64 - rows as i64);
    let index: Vec<i64> = values.flat_map(|value| [value; 8]).collect();
    let tensor = |rows: usize| {
        let values = (0..rows * columns).map(|at| f16::from_f32((at % 97) as f32 * 0.37));
        Tensor::lines(values.collect(), columns, 1)
    };
    for (reduce, include_self) in
        [(Reduce::Add, true), (Reduce::Add, false), (Reduce::Mean, true), (Reduce::Mean, false)]
    {
        let case = Case {
            op: Op::ScatterReduce { dim: 0, reduce, include_self },
            self_: tensor(rows),
            index: Tensor::lines(index.clone(), columns, 1),
            src: tensor(updates),
        };
        equal_the_reference(&case, &[1, 3]);
        let expected = case.by_reference().unwrap();
        for tasks in [1, 3] {
            let limits = Limits { tasks: Some(tasks), ..Limits::default() };
            let mut out = Tensor { storage: vec![f16::ONE; rows * columns], ..case.self_.clone() };
            on_threads(2, || case.by_cpu_into(&mut out, &limits)).unwrap();
            assert!(same(&out.storage, &expected), "{} on {tasks} tasks, into", case.op);
        }
    }
}

/// The same of several batches, each of which has rows of its own.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn constant_rows_of_batches_equal_the_reference() {
    let (batches, rows, updates, columns) = (3, 50, 70, 9);
    let mut numbers = common::Numbers(13);
    let values = (0..batches * updates).map(|_| numbers.below(2 * rows) as i64 - rows as i64);
    let index: Vec<i64> = values.flat_map(|value| [value; 9]).collect();
    let [self_, src] = [rows, updates].map(|rows| batches_of_f32([batches, rows, columns]));
    let index = batches_of(index, [batches, updates, columns]);
    equal_the_reference(&Case { op: Op::ScatterAdd { dim: 1 }, self_, index, src }, &[1, 3]);
}

/// Batches along two axes, of which those of self are apart.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn rows_of_two_axes_of_batches_equal_the_reference() {
    let (rows, updates, columns) = (5, 7, 12);
    let mut numbers = common::Numbers(19);
    let index = (0..3 * 3 * updates).map(|_| numbers.below(2 * rows) as i64 - rows as i64).collect();
    let index = Tensor {
        storage: index,
        shape: vec![3, 3, updates, columns],
        strides: vec![3 * updates as isize, updates as isize, 1, 0],
        offset: 0,
    };
    let tensor = |rows: usize, padding: usize| {
        let batch = rows * columns;
        let step = 3 * batch + padding;
        Tensor {
            storage: (0..3 * step).map(|at| (at % 97) as f32 * 0.37).collect(),
            shape: vec![3, 3, rows, columns],
            strides: vec![step as isize, batch as isize, columns as isize, 1],
            offset: 0,
        }
    };
    let (self_, src) = (tensor(rows, 11), tensor(updates, 0));
    equal_the_reference(&Case { op: Op::ScatterAdd { dim: 2 }, self_, index, src }, &[1, 3]);
}

/// A contiguous tensor of batches of rows.
fn batches_of<T>(storage: Vec<T>, [batches, rows, columns]: [usize; 3]) -> Tensor<T> {
    let strides = vec![(rows * columns) as isize, columns as isize, 1];
    Tensor { storage, shape: vec![batches, rows, columns], strides, offset: 0 }
}

/// The same of some numbers.
fn batches_of_f32(shape: [usize; 3]) -> Tensor<f32> {
    batches_of((0..shape.iter().product()).map(|at| (at % 97) as f32 * 0.37).collect(), shape)
}

/// Each thread has a copy of a line that is beyond a near cache.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn copies_of_long_lines_equal_the_reference() {
    let op = Op::ScatterAdd { dim: 1 };
    equal_the_reference(&case_of(op, [1, 270_000], [1, 2_300_000], 1, &|at| at as i8 - 40), &[2]);
}

/// Copies of a line start from the identity, whatever the reduction. No product, or maximum, is
/// that of a zero.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn copies_start_from_the_identity() {
    for (reduce, sign) in [(Reduce::Mul, 1), (Reduce::Min, 1), (Reduce::Max, -1), (Reduce::Add, 1)] {
        let op = Op::ScatterReduce { dim: 1, reduce, include_self: true };
        equal_the_reference(&case_of(op, [1, 5], [1, 400], 1, &|at| sign * (2 * at as i32 + 1)), &[3]);
    }
}

/// A byte that no update goes to is no update of itself, which would make it 0 or 1.
#[test]
fn untouched_bools_keep_their_byte() {
    // Miri, which is slow, sees sums only.
    for &reduce in if cfg!(miri) { &[Reduce::Add][..] } else { &[Reduce::Add, Reduce::Mul] } {
        let op = Op::ScatterReduce { dim: 1, reduce, include_self: true };
        let mut case = case_of(op, [1, 6], [1, 400], 1, &|at| Bool(at as u8 % 2 * 2));
        case.index.storage.iter_mut().for_each(|value| *value = value.rem_euclid(3));
        equal_the_reference(&case, &[3]);
    }
}

/// Lines of so few updates that those of several are made together, if they lie so in src.
#[test]
fn tiny_lines_of_a_padded_src_equal_the_reference() {
    let lines = if cfg!(miri) { 9 } else { 301 };
    let case = case_of(Op::ScatterAdd { dim: 1 }, [lines, 7], [lines, 4], 1, &|at| at as f32 * 0.37);
    let storage = (0..lines * 5).map(|at| at as f32 * 0.37).collect();
    let src = Tensor { storage, strides: vec![5, 1], ..case.src.clone() };
    equal_the_reference(&Case { src, ..case }, &[1, 3]);
}

/// Out of place, elements that no update goes to are those of self.
#[test]
fn untouched_elements_are_copied() {
    // With and without slots; Miri, which is slow, sees the slots.
    for &reduce in if cfg!(miri) { &[Reduce::Mean][..] } else { &[Reduce::Mean, Reduce::Add] } {
        let op = Op::ScatterReduce { dim: 1, reduce, include_self: true };
        let case = case_of(op, [3, 50], [3, 40], 1, &|at| at as f32 * 0.37);
        let expected = case.by_reference().unwrap();
        on_threads(2, || {
            for pattern in [None].into_iter().chain(Pattern::ALL.map(Some)) {
                for tasks in [1, 3] {
                    let limits = Limits { tasks: Some(tasks), pattern, ..Limits::default() };
                    let mut out = Tensor { storage: vec![-1.0; 150], ..case.self_.clone() };
                    case.by_cpu_into(&mut out, &limits).unwrap();
                    assert!(same(&out.storage, &expected), "{op} {limits:?}");
                }
            }
        });
    }
}

/// A case with random index values, some of them negative, whose lines are `step` apart.
fn case_of<T: Random>(
    op: Op,
    self_shape: [usize; 2],
    index_shape: [usize; 2],
    step: isize,
    element: &impl Fn(usize) -> T,
) -> Case<T, i64> {
    let mut numbers = common::Numbers(7);
    let size = self_shape[op.dim().unwrap() as usize];
    let count: usize = index_shape.iter().product();
    let index = (0..count).map(|_| numbers.below(2 * size) as i64 - size as i64).collect();
    let tensor = |shape: [usize; 2]| {
        let storage = (0..shape.iter().product()).map(|at| element(at % 97)).collect();
        Tensor::lines(storage, shape[1], 1)
    };
    Case {
        op,
        self_: tensor(self_shape),
        index: Tensor::lines(index, index_shape[1], step),
        src: tensor(index_shape),
    }
}

/// Every pattern with some numbers of tasks equals the reference, also where no index value is
/// negative; and if the last one is bad, none writes anything.
fn equal_the_reference<T: Random>(case: &Case<T, i64>, tasks: &[usize]) {
    let expected = case.by_reference().unwrap();
    let has_negatives = case.index.storage.iter().any(|&value| value < 0);
    let without_negatives = case.op.dim().filter(|_| has_negatives).map(|_| case.without_negatives());
    let mut bad = case.clone();
    *bad.index.storage.last_mut().unwrap() = i64::MAX;
    on_threads(2, || {
        for pattern in [None].into_iter().chain(Pattern::ALL.map(Some)) {
            for &tasks in tasks {
                let limits = Limits { tasks: Some(tasks), pattern, ..Limits::default() };
                let what = || format!("{:?} {:?} {:?} {limits:?}", T::DTYPE, case.op, case.self_.shape);
                assert!(same(&case.by_cpu(&limits).unwrap(), &expected), "{}", what());
                if let Some(case) = &without_negatives {
                    let got = case.by_cpu(&limits).unwrap();
                    assert!(same(&got, &expected), "{} without negatives", what());
                }
                let mut out = bad.self_.clone();
                let error = bad.by_cpu_on(&mut out, &limits).unwrap_err();
                assert!(
                    matches!(error, Error::IndexOutOfRange { value: i64::MAX, .. }),
                    "{error} {}",
                    what()
                );
                assert!(same(&out.storage, &bad.self_.storage), "{}", what());
            }
        }
    });
}

/// One update for each line at the most, which is made without slots: along the last axis, where
/// each has a target of its own, and along the first by an index that is the same for a whole row.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn single_updates_equal_the_reference() {
    single_updates_equal(|at| f16::from_f32(at as f32 * 0.37));
    single_updates_equal(|at| bf16::from_f32(at as f32 * 0.37));
    single_updates_equal(|at| at as f32 * 0.37);
    single_updates_equal(|at| at as i64 - 40);
}

fn single_updates_equal<T: Random>(element: impl Fn(usize) -> T) {
    let (lines, size) = (301, 7);
    let tensor = |rows: usize, width: usize| {
        Tensor::lines((0..rows * width).map(|at| element(at * 31 % 97)).collect(), width, 1)
    };
    let reductions = [Reduce::Add, Reduce::Mul, Reduce::Max, Reduce::Mean];
    let all = reductions.into_iter().flat_map(|reduce| [(reduce, true), (reduce, false)]);
    for (reduce, include_self) in all {
        let index = |count: usize| (0..count).map(|at| (at * 5 % (2 * size)) as i64 - size as i64).collect();
        let op = |dim| Op::ScatterReduce { dim, reduce, include_self };
        let of_lines = Case {
            op: op(1),
            self_: tensor(lines, size),
            index: Tensor::lines(index(lines), 1, 1),
            src: tensor(lines, 1),
        };
        let mut row = Tensor::lines(vec![-2_i64], 1, 1);
        (row.shape, row.strides) = (vec![1, lines], vec![1, 0]);
        let of_row = Case { op: op(0), self_: tensor(size, lines), index: row, src: tensor(1, lines) };
        for case in [of_lines, of_row] {
            let expected = case.by_reference().unwrap();
            for (tasks, pattern) in
                [(1, None), (3, None), (1, Some(Pattern::Sweep)), (7, Some(Pattern::Sweep))]
            {
                let limits = Limits { tasks: Some(tasks), pattern, ..Limits::default() };
                let got = on_threads(2, || case.by_cpu(&limits)).unwrap();
                assert!(same(&got, &expected), "{:?} {} {limits:?}", T::DTYPE, case.op);
            }
        }
    }
}

/// Many short lines, several of which are updated at a time, while later ones are prefetched; the
/// index of random problems is too small for that.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn many_short_lines_equal_the_reference() {
    many_short_lines_equal(|at| at as f32 * 0.37, Reduce::Add, [12_001, 9]);
    many_short_lines_equal(|at| at as f32 * 0.37, Reduce::Mean, [12_001, 9]);
    many_short_lines_equal(|at| f16::from_f32(at as f32 * 0.37), Reduce::Add, [12_001, 9]);
    many_short_lines_equal(|at| at as i8 - 40, Reduce::None, [12_001, 9]);
    // So few that nothing is prefetched, and a task updates all of its lines at a time.
    many_short_lines_equal(|at| at as f32 * 0.37, Reduce::Add, [1_001, 9]);
    many_short_lines_equal(|at| f16::from_f32(at as f32 * 0.37), Reduce::Add, [1_001, 9]);
    // Of long lines, only the elements that will be updated are prefetched.
    many_short_lines_equal(|at| at as f32 * 0.37, Reduce::Add, [13_001, 65]);
}

fn many_short_lines_equal<T: Random>(
    element: impl Fn(usize) -> T,
    reduce: Reduce,
    [lines, size]: [usize; 2],
) {
    let tensor =
        |width: usize| Tensor::lines((0..lines * width).map(|at| element(at * 31 % 97)).collect(), width, 1);
    for updates in [8, 3] {
        let values: Vec<i64> = (0..lines * updates).map(|at| (at * at % size) as i64).collect();
        // 64 / 8 and 64 / 3 lines are updated at a time; a negative value is in the first, in the
        // last, and in one between.
        let at_a_time = 64 / updates;
        let mut some_negative = values.clone();
        for line in [5 * at_a_time, 7 * at_a_time + 2, 10 * at_a_time - 1, 10 * at_a_time] {
            some_negative[line * updates + 1] -= size as i64;
        }
        let plain = Tensor::lines(values, updates, 1);
        let negative = Tensor { storage: some_negative, ..plain.clone() };
        let transposed = Tensor { strides: vec![1, lines as isize], ..negative.clone() };
        let same_for_all = Tensor { strides: vec![0, 1], ..plain.clone() };
        let apart = Tensor::lines(tensor(size + 2).storage, size + 2, 1);
        let apart = Tensor { shape: vec![lines, size], ..apart };
        let backward = Tensor { strides: vec![size as isize, -1], offset: size - 1, ..tensor(size) };
        for index in [plain, negative, transposed, same_for_all] {
            for self_ in [tensor(size), apart.clone(), backward.clone()] {
                let op = Op::ScatterReduce { dim: 1, reduce, include_self: true };
                let case = Case { op, self_, index: index.clone(), src: tensor(updates) };
                let expected = case.by_reference().unwrap();
                for tasks in [1, 3] {
                    let limits =
                        Limits { tasks: Some(tasks), pattern: Some(Pattern::Lines), ..Limits::default() };
                    let mut out = case.self_.clone();
                    case.by_cpu_on(&mut out, &limits).unwrap();
                    assert!(same(&out.storage, &expected), "{:?} {reduce:?} {updates} {tasks}", T::DTYPE);
                    let mut other = Tensor { storage: vec![element(1); out.storage.len()], ..out.clone() };
                    case.by_cpu_into(&mut other, &limits).unwrap();
                    let (got, in_place) = (other.elements(), out.elements());
                    assert!(same(&got, &in_place), "{:?} {reduce:?} {updates} {tasks}, into", T::DTYPE);
                }
            }
        }
    }
}

/// Rows that are multiplied while they are added, of f16 and bf16 by way of f32. Some are long, and
/// several updates of one follow one another.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn scaled_rows_equal_the_reference() {
    scaled_rows_equal(|at| at as f32 * 0.37, Scalar::Float(-0.3));
    scaled_rows_equal(|at| f16::from_f32(at as f32 * 0.37), Scalar::Float(-0.3));
    scaled_rows_equal(|at| bf16::from_f32(at as f32 * 0.37), Scalar::Float(-0.3));
    scaled_rows_equal(|at| at as i8 - 40, Scalar::Int(-3));
    scaled_rows_equal(|at| at as u8, Scalar::Int(200));
    scaled_rows_equal(|at| Bool::from(at % 3 == 0), Scalar::Int(0));
    let alpha = Scalar::Complex(Complex::new(0.3, -1.1));
    scaled_rows_equal(|at| Complex::new(at as f64 * 0.37, at as f64), alpha);
}

fn scaled_rows_equal<T: Random>(element: impl Fn(usize) -> T, alpha: Scalar) {
    let (rows, updates) = (5, 37);
    for width in [9, 300, 2600] {
        let tensor =
            |rows: usize| Tensor::lines((0..rows * width).map(|at| element(at % 97)).collect(), width, 1);
        // Runs of one to five updates of one row; some values are negative.
        let mut index = Tensor::lines((0..updates).map(|at| (at * at / 50 % 9) as i64 - 4).collect(), 1, 1);
        (index.shape, index.strides) = (vec![updates], vec![1]);
        let op = Op::IndexAdd { dim: 0, alpha };
        let case = Case { op, self_: tensor(rows), index, src: tensor(updates) };
        let expected = case.by_reference().unwrap();
        for pattern in [None, Some(Pattern::Rows), Some(Pattern::RowRanges), Some(Pattern::RowBuckets)] {
            for (tasks, simd) in
                [1, 2, 7].into_iter().flat_map(|tasks| Simd::all().into_iter().map(move |simd| (tasks, simd)))
            {
                let limits = Limits { tasks: Some(tasks), simd, pattern, ..Limits::default() };
                let got = on_threads(2, || case.by_cpu(&limits)).unwrap();
                assert!(same(&got, &expected), "{:?} {width} {limits:?}", T::DTYPE);
            }
            for bad in [-(rows as i64) - 1, rows as i64] {
                let mut case = case.clone();
                *case.index.storage.last_mut().unwrap() = bad;
                let (mut out, limits) = (case.self_.clone(), Limits { pattern, ..Limits::default() });
                let error = case.by_cpu_on(&mut out, &limits).unwrap_err();
                assert!(matches!(error, Error::IndexOutOfRange { value, .. } if value == bad), "{error}");
                assert!(same(&out.storage, &case.self_.storage), "{:?} {width} {limits:?}", T::DTYPE);
            }
        }
    }
}

/// Lines whose index has one negative value, or none. Only without one are values used as they are;
/// where they are checked block by block, 512 at a time, those of the other blocks are.
#[test]
fn lines_with_one_negative_value_equal_the_reference() {
    if cfg!(miri) {
        return lines_with_one_negative_value_equal([2, 600], &[Some(5)], |at| at as f32 * 0.37);
    }
    for (shape, negatives) in [
        ([15, 203], &[None, Some(0), Some(63), Some(64), Some(77), Some(128), Some(202)][..]),
        ([3, 1100], &[None, Some(0), Some(511), Some(512), Some(1023), Some(1024), Some(1099)]),
    ] {
        lines_with_one_negative_value_equal(shape, negatives, |at| at as f32 * 0.37);
        lines_with_one_negative_value_equal(shape, negatives, |at| f16::from_f32(at as f32 * 0.37));
        lines_with_one_negative_value_equal(shape, negatives, |at| at as i8 - 40);
    }
}

/// The negative value is one of the second line.
fn lines_with_one_negative_value_equal<T: Random>(
    [lines, updates]: [usize; 2],
    negatives: &[Option<usize>],
    element: impl Fn(usize) -> T,
) {
    let size = 64;
    let tensor = |width: usize, step: isize| {
        Tensor::lines((0..lines * width).map(|at| element(at % 97)).collect(), width, step)
    };
    let all = [1, 0, -1].map(|step| [Reduce::Add, Reduce::None, Reduce::Mean].map(|reduce| (step, reduce)));
    let all = if cfg!(miri) { &all.as_flattened()[..1] } else { all.as_flattened() };
    for &negative in negatives {
        for &(step, reduce) in all {
            let mut values: Vec<i32> = (0..lines * updates).map(|at| (at * at % 61 % size) as i32).collect();
            if let Some(place) = negative {
                values[updates + place] = -3;
            }
            let op = Op::ScatterReduce { dim: 1, reduce, include_self: true };
            let wide: Vec<i64> = values.iter().copied().map(i64::from).collect();
            let (self_, src) = (tensor(size, 1), tensor(updates, step));
            let (narrow, wide) = (Tensor::lines(values, updates, 1), Tensor::lines(wide, updates, 1));
            let (self_narrow, src_narrow) = (self_.clone(), src.clone());
            each_instruction_set_equals(&Case { op, self_: self_narrow, index: narrow, src: src_narrow });
            each_instruction_set_equals(&Case { op, self_, index: wide, src });
        }
    }
}

fn each_instruction_set_equals<T: Random, I: Index>(case: &Case<T, I>) {
    let expected = case.by_reference().unwrap();
    for pattern in [None, Some(Pattern::Lines), Some(Pattern::LineCopy)] {
        for simd in Simd::all() {
            let got = case.by_cpu(&Limits { simd, pattern, ..Limits::default() }).unwrap();
            let (index, step) = (I::DTYPE, &case.src.strides);
            assert!(
                same(&got, &expected),
                "{:?} {:?} {index:?} {pattern:?} {simd:?} {step:?}",
                T::DTYPE,
                case.op
            );
        }
    }
}

/// Few updates of a large self, out of place: all threads copy it before.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn few_updates_out_of_place_equal_the_reference() {
    let tensor = |rows: usize, step: isize| {
        Tensor::lines((0..rows * 50).map(|at| (at % 97) as f32 * 0.37).collect(), 50, step)
    };
    for (pattern, index, step) in [(None, vec![3_i64, -1, 3], 1), (Some(Pattern::Sweep), vec![0, 7, 7], 0)] {
        let index: Vec<i64> = index.into_iter().flat_map(|row| [row; 50]).collect();
        let case = Case {
            op: Op::ScatterReduce { dim: 0, reduce: Reduce::Add, include_self: true },
            self_: tensor(1_000, 1),
            index: Tensor::lines(index, 50, 1),
            src: tensor(3, step),
        };
        let expected = case.by_reference().unwrap();
        let mut out = Tensor { storage: vec![-1.0; 50_000], ..case.self_.clone() };
        let limits = Limits { pattern, ..Limits::default() };
        on_threads(2, || case.by_cpu_into(&mut out, &limits)).unwrap();
        assert!(same(&out.elements(), &expected), "{pattern:?}");
    }
}

/// A few points of a plane, each named by two coordinates: those of a point side by side, or those
/// for an axis. The rows of the plane may be apart.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn few_points_equal_the_reference() {
    few_points_equal(|at| f16::from_f32(at as f32 * 0.37));
    few_points_equal(|at| at as f32 * 0.37);
}

fn few_points_equal<T: Random>(element: impl Fn(usize) -> T) {
    let (rows, columns) = (40, 1_000);
    let points = [[1, 5], [0, 3], [39, 999], [-40, -1], [1, 5], [20, 640], [-20, 100_i64]];
    let side_by_side = Tensor::lines(points.concat(), 2, 1);
    let by_axis = Tensor {
        storage: [0, 1].map(|axis| points.map(|point| point[axis])).concat(),
        strides: vec![1, points.len() as isize],
        ..side_by_side.clone()
    };
    for (padding, index) in
        [0, 100].into_iter().flat_map(|padding| [(padding, &side_by_side), (padding, &by_axis)])
    {
        let step = columns + padding;
        let self_ = Tensor {
            storage: (0..rows * step).map(|at| element(at % 97)).collect(),
            shape: vec![rows, columns],
            strides: vec![step as isize, 1],
            offset: 0,
        };
        let values = (0..points.len()).map(|at| element(at + 1)).collect();
        let src = Tensor { storage: values, shape: vec![points.len()], strides: vec![1], offset: 0 };
        equal_the_reference(&Case { op: Op::ScatterNdAdd, self_, index: index.clone(), src }, &[1, 3, 7]);
    }
}

/// Lines of which a near cache holds two, but not all, so that updates prefetch the next one.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn lines_that_are_prefetched_equal_the_reference() {
    let element = |at: usize| at as f32 * 0.37;
    equal_the_reference(&case_of(Op::ScatterAdd { dim: 1 }, [64, 2_048], [64, 300], 1, &element), &[1, 3]);
}

/// So few updates of a long line that most of it is left alone, but more than are found at a time.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn few_updates_of_a_long_line_equal_the_reference() {
    let case = case_of(Op::ScatterAdd { dim: 1 }, [1, 100_000], [1, 300], 1, &|at| f16::from_f32(at as f32));
    equal_the_reference(&case, &[1, 3]);
}

/// A src whose rows each repeat one element.
#[derive(Clone, Copy, Debug)]
enum Still {
    /// Each row has an element of its own.
    Rows,
    /// All of src is one element.
    All,
}

/// Rows that several tasks share.
#[derive(Clone, Copy, Debug)]
struct LongRows {
    batches: usize,
    /// The bytes of a row, which no vectors fill.
    bytes: usize,
    updates: usize,
    /// One of each `spread` updates goes to any target, the others to two of them.
    spread: usize,
    /// How rows of src move, where each repeats one element.
    still: Option<Still>,
}

/// Rows, most of them long: many updates, most of them to few targets, which are taken target by
/// target; shorter ones, of which a bucket has several targets; all to one row; and few, which
/// threads share by columns.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn long_rows_equal_the_reference() {
    let usual = LongRows { batches: 3, bytes: 4_400, updates: 200, spread: 3, still: None };
    for rows in [
        usual,
        // Some targets have one more update than fours.
        LongRows { updates: 206, ..usual },
        LongRows { updates: 30, ..usual },
        LongRows { updates: 30, still: Some(Still::Rows), ..usual },
        LongRows { updates: 30, still: Some(Still::All), ..usual },
        LongRows { batches: 1, bytes: 1_600, spread: 2, ..usual },
        LongRows { batches: 1, spread: 1_000, ..usual },
        // As long as a part of a long one.
        LongRows { bytes: 1_024, ..usual },
        LongRows { batches: 1, bytes: 1_024, updates: 206, ..usual },
        // Short ones, in order, of which those after a block of targets are asked for in it.
        LongRows { bytes: 64, ..usual },
        LongRows { bytes: 64, updates: 192, ..usual },
        // And such as few threads own ranges of; a range may be empty.
        LongRows { batches: 1, bytes: 64, updates: 192, ..usual },
        LongRows { batches: 1, bytes: 64, updates: 206, spread: 1, ..usual },
        LongRows { batches: 1, bytes: 64, updates: 50, spread: 1_000, still: Some(Still::Rows) },
        LongRows { batches: 1, bytes: 64, updates: 50, spread: 1_000, still: Some(Still::All) },
    ] {
        long_rows_equal(rows, |at| at as i8);
        long_rows_equal(rows, |at| at as f32 * 0.37);
        long_rows_equal(rows, |at| Complex::new(at as f64 * 0.37, at as f64));
        long_rows_equal(rows, |at| f16::from_f32(at as f32 * 0.37));
        long_rows_equal(rows, |at| bf16::from_f32(at as f32 * 0.37));
    }
}

fn long_rows_equal<T: Random>(rows: LongRows, element: impl Fn(usize) -> T) {
    let LongRows { batches, bytes, updates, spread, still } = rows;
    let (targets, width) = (80, bytes / size_of::<T>());
    let mut numbers = common::Numbers(11);
    let index: Vec<i64> = (0..batches * updates)
        .map(|at| if at % spread == 0 { numbers.below(targets) as i64 } else { (at % 2) as i64 })
        .collect();
    let tensor = |rows: usize| Tensor {
        storage: (0..batches * rows * width).map(|at| element(at % 89)).collect(),
        shape: vec![batches, rows, width],
        strides: vec![(rows * width) as isize, width as isize, 1],
        offset: 0,
    };
    let mut src = tensor(updates);
    match still {
        None => {}
        Some(Still::Rows) => src.strides[2] = 0,
        // Not the first, which is zero.
        Some(Still::All) => (src.strides, src.offset) = (vec![0; 3], 5),
    }
    for (reduce, include_self) in
        [(Reduce::None, true), (Reduce::Add, true), (Reduce::Add, false), (Reduce::Mean, true)]
    {
        let case = Case {
            op: Op::ScatterReduce { dim: 1, reduce, include_self },
            self_: tensor(targets),
            index: Tensor {
                storage: index.clone(),
                shape: vec![batches, updates, width],
                strides: vec![updates as isize, 1, 0],
                offset: 0,
            },
            src: src.clone(),
        };
        let expected = case.by_reference().unwrap();
        for tasks in [1, 2, 7] {
            for simd in Simd::all() {
                let limits = Limits { tasks: Some(tasks), simd, ..Limits::default() };
                let got = on_threads(2, || case.by_cpu(&limits)).unwrap();
                assert!(same(&got, &expected), "{:?} {rows:?} {reduce:?} {limits:?}", T::DTYPE);
            }
        }
    }
}

fn in_place_is_into<T: Random, I: Index>(plan: &Plan, case: &Case<T, I>) -> Result<(), TestCaseError> {
    let expected = Tensor { storage: case.by_reference().unwrap(), ..case.self_.clone() }.elements();
    // An out with another layout than self, whose gaps must stay as they are.
    let before = Tensor::random(&case.self_.shape, false, &mut common::Numbers(plan.seed ^ 1), T::random);
    let mut is_inside = vec![false; before.storage.len()];
    let layout = *before.view().layout();
    layout.shape().coordinates().for_each(|at| is_inside[layout.address(&at)] = true);
    on_threads(2, || {
        for limits in divisions(plan.seed) {
            let mut out = before.clone();
            case.by_cpu_into(&mut out, &limits).unwrap();
            prop_assert!(same(&out.elements(), &expected), "{limits:?}: {out:?} {expected:?}");
            for address in (0..out.storage.len()).filter(|&address| !is_inside[address]) {
                let is_as_before = out.storage[address].same(before.storage[address]);
                prop_assert!(is_as_before, "outside of out, at {address}, {limits:?}");
            }
        }
        Ok(())
    })
}

/// Applies a case in two parts: `first` of the `length` entries of index along `axis`, then the
/// rest.
fn in_two_parts<T: Random, I: Index>(case: &Case<T, I>, axis: usize, first: usize) -> Vec<T> {
    let part = |from: usize, to: usize, self_: Tensor<T>| {
        let cut = |shape: &[usize], strides: &[isize], offset: usize| {
            let mut shape = shape.to_vec();
            shape[axis] = to - from;
            (shape, (offset as isize + from as isize * strides[axis]) as usize)
        };
        let mut part = Case { op: case.op, self_, index: case.index.clone(), src: case.src.clone() };
        (part.index.shape, part.index.offset) =
            cut(&case.index.shape, &case.index.strides, case.index.offset);
        (part.src.shape, part.src.offset) = cut(&case.src.shape, &case.src.strides, case.src.offset);
        // Other axes of self are cut too: entry i of an axis off dim goes to element i of self.
        if case.op.dim().is_some_and(|dim| dim.rem_euclid(case.self_.shape.len() as i64) as usize != axis) {
            let whole = part.self_.shape.clone();
            let offset = part.self_.offset;
            part.self_.offset = (offset as isize + from as isize * part.self_.strides[axis]) as usize;
            part.self_.shape[axis] = to - from;
            let storage = part.by_cpu(&Limits::default()).unwrap();
            return Tensor { storage, shape: whole, offset, ..part.self_ };
        }
        let storage = part.by_cpu(&Limits::default()).unwrap();
        Tensor { storage, ..part.self_ }
    };
    let length = case.index.shape[axis];
    let half_done = part(0, first, case.self_.clone());
    part(first, length, half_done).storage
}

/// Whether two calls in a row are one call: f16 and bf16 round after each, and Mean and an excluded
/// self start anew.
fn can_be_split<T: Random>(op: &Op) -> bool {
    let reduce = op.reduce();
    reduce == Reduce::None || (!T::WIDE_ACC && op.include_self() && reduce != Reduce::Mean)
}

fn parts_are_the_whole<T: Random, I: Index>(case: &Case<T, I>) -> Result<(), TestCaseError> {
    // Such an index has another rank than src, or every part would start from zeros.
    if !matches!(case.op.operator().signature().addressing, Addressing::Dim | Addressing::Nd) {
        return Ok(());
    }
    let dim = case.op.dim().map(|dim| dim.rem_euclid(case.self_.shape.len() as i64) as usize);
    let axes = if dim.is_some() { case.index.shape.len() } else { case.index.shape.len() - 1 };
    let expected = case.by_reference().unwrap();
    for axis in 0..axes {
        // Off dim the parts touch different elements, so they split whatever the reduction.
        if case.index.shape[axis] < 2
            || case.index.view().layout().is_empty()
            || !(can_be_split::<T>(&case.op) || dim.is_some_and(|dim| dim != axis))
        {
            continue;
        }
        // Row-major order: a split along an axis keeps the order of updates that meet only if no
        // scanned axis lies outside of it. For a dim that holds for every axis; for rows of indices
        // it does for the first.
        if dim.is_none() && axis > 0 {
            continue;
        }
        for first in 1..case.index.shape[axis] {
            let got = in_two_parts(case, axis, first);
            prop_assert!(
                same(&got, &expected),
                "axis {axis}, {first} first\n got {got:?}\n expected {expected:?}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(proptest_config(CASES))]

    #[test]
    fn cpu_equals_reference(plan in plans()) {
        on_case!(plan, case => cpu_is_reference(&plan, &case))?;
    }

    #[test]
    fn in_place_equals_out_of_place(plan in plans()) {
        on_case!(plan, case => in_place_is_into(&plan, &case))?;
    }

    #[test]
    fn parts_in_order_equal_the_whole(plan in plans()) {
        on_case!(plan, case => parts_are_the_whole(&case))?;
    }
}
