//! Which strategy the CPU engine plans for rows, lines and tiles, just below and above each
//! threshold; what the workloads of `bench` get is in `workload/plans.rs` there. Not among the unit
//! tests, because planning refers to the loops of every dtype, which would be compiled once more.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

use scatter::cpu::internals::{Limits, Machine, Pattern, outline};
use scatter::{DType, Layout, Op, Operand, Problem};

/// A call in place on contiguous tensors.
fn problem(op: Op, dtype: DType, self_: &[usize], index: &[usize]) -> Problem {
    let index_at = Layout::contiguous(index, index.iter().product()).unwrap();
    problem_by(op, dtype, self_, index_at)
}

/// The same by an index of another layout.
fn problem_by(op: Op, dtype: DType, self_: &[usize], index: Layout) -> Problem {
    problem_on(1 << 40, op, dtype, self_, index)
}

/// The same with self at an address; out is at 2^40.
fn problem_on(at: usize, op: Op, dtype: DType, self_: &[usize], index: Layout) -> Problem {
    let operand = |shape: &[usize], address| {
        Operand::new(dtype, Layout::contiguous(shape, shape.iter().product()).unwrap(), address)
    };
    let (out, src, self_) = (operand(self_, 1 << 40), operand(index.shape(), 1 << 60), operand(self_, at));
    Problem::new(op, &self_, &Operand::new(DType::I64, index, 1 << 50), Some(&src), &out).unwrap()
}

/// The pattern that a problem is planned with, and its portions.
fn planned(problem: &Problem, threads: usize) -> (Pattern, usize) {
    let outline = outline(problem, Machine::with_threads(threads), &Limits::default()).unwrap();
    (outline.pattern, outline.portions)
}

/// The pattern of a sum along the last axis.
fn of_lines_of(dtype: DType, self_: &[usize], index: &[usize], threads: usize) -> Pattern {
    let dim = self_.len() as i64 - 1;
    planned(&problem(Op::ScatterAdd { dim }, dtype, self_, index), threads).0
}

/// The pattern of a sum of f32 along the last axis.
fn of_lines(self_: &[usize], index: &[usize], threads: usize) -> Pattern {
    of_lines_of(DType::F32, self_, index, threads)
}

/// The plan of a sum of rows: the pattern and the portions. Each batch has `updates` of rows of
/// `width` elements, which go to that many `targets`.
fn of_rows(dtype: DType, [batches, targets, updates, width]: [usize; 4], threads: usize) -> (Pattern, usize) {
    let strides = [updates as isize, 1, 0];
    let index = Layout::new(&[batches, updates, width], &strides, 0, batches * updates).unwrap();
    let op = Op::ScatterAdd { dim: 1 };
    planned(&problem_by(op, dtype, &[batches, targets, width], index), threads)
}

#[test]
fn each_threshold_of_rows_is_where_it_is_said_to_be() {
    const WORTH_A_PARTITION: usize = 1 << 25;
    // The sizes of `of_rows`, the threads, and the plan.
    const PLANS: [(DType, [usize; 4], usize, Pattern, usize); 23] = [
        // Rows of 4 KiB, with an update for every second one.
        (DType::F32, [1, 100, 50, 1024], 1, Pattern::RowBuckets, 1),
        (DType::F32, [1, 100, 49, 1024], 1, Pattern::Rows, 1),
        (DType::F32, [1, 101, 101, 1023], 1, Pattern::Rows, 1),
        // Not of a self that a near cache holds.
        (DType::F32, [1, 65, 65, 1024], 1, Pattern::RowBuckets, 1),
        (DType::F32, [1, 64, 64, 1024], 1, Pattern::Rows, 1),
        // Two threads share the columns only where rows are taken in order.
        (DType::F32, [1, 100, 50, 1024], 2, Pattern::RowBuckets, 32),
        (DType::F32, [1, 100, 49, 1024], 2, Pattern::Rows, 2),
        // A call of 2^15 elements has work for a second thread.
        (DType::F32, [1, 1000, 128, 256], 2, Pattern::Rows, 2),
        (DType::F32, [1, 1000, 127, 256], 2, Pattern::Rows, 1),
        // Threads share the columns of rows that have 512 bytes for each of them.
        (DType::F32, [1, 200_000, 1 << 20, 256], 2, Pattern::Rows, 2),
        (DType::F32, [1, 200_000, 1 << 20, 255], 2, Pattern::RowRanges, 2),
        // Or batches, if there are four for each of them.
        (DType::F32, [8, 20_000, 1 << 17, 64], 2, Pattern::Rows, 8),
        (DType::F32, [7, 20_000, 1 << 17, 64], 2, Pattern::RowBuckets, 32),
        // Or batches and columns: three threads share six batches, each in two tiles of columns.
        (DType::F32, [6, 20_000, 1 << 17, 256], 3, Pattern::Rows, 12),
        (DType::F32, [5, 20_000, 1 << 17, 256], 3, Pattern::RowBuckets, 48),
        // Other rows are divided by targets if they have 32 MiB for each thread beyond the first.
        (DType::F32, [1, 200_000, WORTH_A_PARTITION / 256, 64], 2, Pattern::RowRanges, 2),
        (DType::F32, [1, 200_000, WORTH_A_PARTITION / 256 - 1, 64], 2, Pattern::Rows, 1),
        (DType::F32, [1, 200_000, WORTH_A_PARTITION / 512, 64], 3, Pattern::RowRanges, 3),
        (DType::F32, [1, 200_000, WORTH_A_PARTITION / 512 - 1, 64], 3, Pattern::Rows, 1),
        // Few threads own ranges of the targets.
        (DType::F32, [1, 200_000, 1 << 20, 64], 4, Pattern::RowRanges, 4),
        (DType::F32, [1, 200_000, 1 << 20, 64], 5, Pattern::RowBuckets, 80),
        // Slots that are not in place.
        (DType::Bf16, [1, 200_000, 1, 64], 1, Pattern::RowBuckets, 1),
        (DType::Bf16, [1, 200_000, 1 << 20, 64], 2, Pattern::RowBuckets, 32),
    ];
    for (dtype, sizes, threads, pattern, portions) in PLANS {
        let plan = of_rows(dtype, sizes, threads);
        assert_eq!(plan, (pattern, portions), "{dtype:?} {sizes:?} on {threads} threads");
    }
}

/// `x[:, :1, :]`, whose first two axes index names.
#[test]
fn an_axis_of_one_element_between_rows_leaves_them_rows() {
    let layout = Layout::new(&[1000, 1, 64], &[128, 64, 1], 0, 128_000).unwrap();
    let operand = |dtype, layout, address| Operand::new(dtype, layout, address);
    let contiguous = |shape: &[usize]| Layout::contiguous(shape, shape.iter().product()).unwrap();
    let out = operand(DType::F32, layout, 1 << 40);
    let src = operand(DType::F32, contiguous(&[5000, 64]), 1 << 60);
    let index = operand(DType::I64, contiguous(&[5000, 2]), 1 << 50);
    let rows = Problem::new(Op::ScatterNdAdd, &out, &index, Some(&src), &out).unwrap();
    assert_eq!(planned(&rows, 1).0, Pattern::Rows);
}

#[test]
fn each_threshold_of_tiles_is_where_it_is_said_to_be() {
    let of_columns = |self_: &[usize], index: &[usize]| {
        planned(&problem(Op::ScatterAdd { dim: 0 }, DType::F32, self_, index), 1).0
    };
    // An update for every fourth target of a column.
    assert_eq!(of_columns(&[1000, 200], &[250, 200]), Pattern::Tiles);
    assert_eq!(of_columns(&[1000, 200], &[249, 200]), Pattern::Sweep);
    // 2^15 updates.
    assert_eq!(of_columns(&[128, 256], &[128, 256]), Pattern::Tiles);
    assert_eq!(of_columns(&[128, 256], &[127, 256]), Pattern::Sweep);
    // Columns, or lines, of a single update each are swept, and none needs slots.
    assert_eq!(of_columns(&[4, 1 << 16], &[1, 1 << 16]), Pattern::Sweep);
    for dim in [0, 1] {
        let index = if dim == 0 { [1, 1 << 16] } else { [1 << 16, 1] };
        let single = problem(Op::ScatterAdd { dim }, DType::F16, &[1 << 16, 1 << 16], &index);
        let plan = outline(&single, Machine::with_threads(1), &Limits::default()).unwrap();
        assert_eq!((plan.pattern, plan.memory), (Pattern::Sweep, 0), "axis {dim}");
    }
    // The slots of a thread hold 16 columns, which fill a cache line.
    assert_eq!(of_columns(&[1 << 16, 80], &[1 << 16, 80]), Pattern::Tiles);
    assert_eq!(of_columns(&[(1 << 16) + 1, 80], &[1 << 16, 80]), Pattern::Sweep);
}

#[test]
fn a_few_columns_are_updated_as_lines() {
    let of_columns = |dtype, self_: &[usize], index: &[usize]| {
        let dim = self_.len() as i64 - 2;
        planned(&problem(Op::ScatterAdd { dim }, dtype, self_, index), 1).0
    };
    assert_eq!(of_columns(DType::F32, &[1 << 16, 3], &[1 << 14, 3]), Pattern::Lines);
    assert_eq!(of_columns(DType::F32, &[9, 1000, 3], &[9, 2000, 3]), Pattern::Lines);
    assert_eq!(of_columns(DType::F32, &[1000, 3], &[40_000, 3]), Pattern::LineCopy);
    // Of 64 columns, and of 32 where slots are loaded.
    assert_eq!(of_columns(DType::F32, &[10_000, 64], &[5_000, 64]), Pattern::Lines);
    assert_eq!(of_columns(DType::F32, &[10_000, 65], &[5_000, 65]), Pattern::Tiles);
    assert_eq!(of_columns(DType::F16, &[10_000, 32], &[5_000, 32]), Pattern::LineCopy);
    assert_eq!(of_columns(DType::F16, &[10_000, 33], &[5_000, 33]), Pattern::Tiles);
    // Not where a line has more slots than may be kept, and would be swept.
    assert_eq!(of_columns(DType::F16, &[1 << 18, 16], &[1 << 18, 16]), Pattern::LineCopy);
    assert_eq!(of_columns(DType::F16, &[(1 << 18) + 1, 16], &[1 << 18, 16]), Pattern::Sweep);
    // Rows of one target each: of 4 elements, and of 8 where slots are loaded.
    assert_eq!(of_rows(DType::F32, [1, 1 << 16, 1 << 14, 4], 1).0, Pattern::Lines);
    assert_eq!(of_rows(DType::F32, [1, 1 << 16, 1 << 14, 5], 1).0, Pattern::Rows);
    assert_eq!(of_rows(DType::F16, [9, 1 << 16, 1 << 14, 8], 1).0, Pattern::Lines);
    assert_eq!(of_rows(DType::F16, [9, 1 << 16, 1 << 14, 9], 1).0, Pattern::RowBuckets);
    // Those whose slots are loaded are one for each 64 slots.
    assert_eq!(of_rows(DType::F16, [1, 1 << 16, 1 << 13, 8], 1).0, Pattern::LineCopy);
    assert_eq!(of_rows(DType::F16, [1, 1 << 16, (1 << 13) - 1, 8], 1).0, Pattern::RowBuckets);
    assert_eq!(of_rows(DType::F16, [1, 1 << 16, 1 << 12, 4], 1).0, Pattern::Lines);
    assert_eq!(of_rows(DType::F16, [1, 1 << 16, (1 << 12) - 1, 4], 1).0, Pattern::RowBuckets);
    // Rows of more than 4 elements are no lines if threads would share one, or one would update it
    // while others idle. Short rows are partitioned as such, unless they are not worth that.
    assert_eq!(of_rows(DType::F16, [1, 1 << 13, 1 << 16, 8], 1).0, Pattern::LineCopy);
    assert_eq!(of_rows(DType::F16, [1, 1 << 13, 1 << 16, 8], 2).0, Pattern::RowBuckets);
    assert_eq!(of_rows(DType::F32, [1, 1 << 16, 1 << 16, 4], 5), (Pattern::LineBuckets, 16));
    assert_eq!(of_rows(DType::F32, [1, 1 << 16, 1 << 16, 4], 32), (Pattern::LineBuckets, 128));
    assert_eq!(of_rows(DType::F16, [1, 1 << 16, 1 << 14, 4], 2).0, Pattern::LineCopy);
    assert_eq!(of_rows(DType::F16, [1, 1 << 16, 1 << 14, 5], 2).0, Pattern::RowBuckets);
    assert_eq!(of_rows(DType::F16, [9, 1 << 16, 1 << 14, 8], 2).0, Pattern::Lines);
    assert_eq!(of_rows(DType::F32, [1, 1 << 23, 1 << 22, 4], 4).0, Pattern::LineRanges);
    assert_eq!(of_rows(DType::F32, [1, 1 << 23, 1 << 22, 4], 5).0, Pattern::RowBuckets);
    // Not where one thread would have all the work, and otherwise three or four of them some.
    let of_threads = |threads| {
        planned(&problem(Op::ScatterAdd { dim: 0 }, DType::F32, &[4096, 64], &[4000, 64]), threads).0
    };
    let [lines, tiles] = [Pattern::Lines, Pattern::Tiles];
    assert_eq!([1, 2, 3, 4].map(of_threads), [lines, lines, tiles, tiles]);
    // Not where the columns of index have others between them.
    let padded = Layout::new(&[1 << 14, 3], &[4, 1], 0, 4 << 14).unwrap();
    let op = Op::ScatterAdd { dim: 0 };
    assert_eq!(planned(&problem_by(op, DType::F32, &[1 << 14, 3], padded), 1).0, Pattern::Tiles);
}

#[test]
fn each_threshold_of_lines_is_where_it_is_said_to_be() {
    // A copy of no more bytes than there are updates, of which there are enough.
    assert_eq!(of_lines(&[1 << 14], &[1 << 16], 1), Pattern::LineCopy);
    assert_eq!(of_lines(&[1 << 14], &[(1 << 16) - 1], 1), Pattern::Lines);
    assert_eq!(of_lines(&[(1 << 14) + 1], &[1 << 16], 1), Pattern::Lines);
    assert_eq!(of_lines(&[1 << 22], &[1 << 24], 2), Pattern::LineCopy);
    // Of no more than 16 MiB.
    assert_eq!(of_lines(&[(1 << 22) + 1], &[1 << 25], 1), Pattern::Lines);
    // Few threads own ranges of a long line, and many partition its updates.
    let long = [(1 << 23), (1 << 24)];
    for (threads, pattern) in
        [(1, Pattern::Lines), (2, Pattern::LineRanges), (4, Pattern::LineRanges), (5, Pattern::LineBuckets)]
    {
        assert_eq!(of_lines(&long[..1], &long[1..], threads), pattern, "{threads} threads");
    }
    assert_eq!(of_lines(&[1 << 17], &[(1 << 18) - 1], 2), Pattern::Lines);
    assert_eq!(of_lines(&[1 << 17], &[1 << 18], 2), Pattern::LineRanges);
    // However few of its targets these go to.
    assert_eq!([2, 8].map(|threads| of_lines(&[1 << 30], &[1 << 18], threads)), {
        [Pattern::LineRanges, Pattern::LineBuckets]
    });
    // Or few updates of a self that they copy, if each copies more than it reads of index.
    let out_of_place = |targets, updates, threads| {
        let index = Layout::contiguous(&[updates], updates).unwrap();
        let op = Op::ScatterAdd { dim: 0 };
        planned(&problem_on(1 << 45, op, DType::F32, &[targets], index), threads)
    };
    assert_eq!(out_of_place(1 << 18, 1 << 15, 2), (Pattern::LineRanges, 2));
    assert_eq!(out_of_place((1 << 18) - 1, 1 << 15, 2), (Pattern::Lines, 1));
    assert_eq!(out_of_place(1 << 18, 1 << 15, 8), (Pattern::LineRanges, 8));
    assert_eq!(out_of_place((1 << 18) - 1, 1 << 15, 8), (Pattern::Lines, 1));
    assert_eq!(out_of_place(1 << 19, 1 << 16, 9), (Pattern::LineBuckets, 32));
    // Lines that don't occupy all threads are not partitioned, one after the other, for that: if
    // few of their elements are updated, or there are few updates beside a self that is copied.
    assert_eq!(of_lines(&[4, 1 << 26], &[4, 1 << 18], 8), Pattern::Lines);
    assert_eq!(of_lines(&[31, 1 << 20], &[31, 1 << 14], 32), Pattern::Lines);
    let out_of_place = |self_: &[usize], index: &[usize], threads| {
        let index = Layout::contiguous(index, index.iter().product()).unwrap();
        let op = Op::ScatterAdd { dim: 1 };
        planned(&problem_on(1 << 45, op, DType::F32, self_, index), threads).0
    };
    assert_eq!(out_of_place(&[7, 37_450], &[7, 9363], 8), Pattern::Lines);
    assert_eq!(out_of_place(&[127, 2064], &[127, 516], 128), Pattern::Lines);
    assert_eq!(out_of_place(&[64, 1 << 18], &[64, 2049], 128), Pattern::Lines);
    // Of a line of which few elements are updated, a thread has four ranges; but each has 256
    // updates, if they are spread evenly.
    let few = |updates| problem(Op::ScatterAdd { dim: 0 }, DType::F32, &[1 << 30], &[updates]);
    assert_eq!(planned(&few(1 << 18), 8), (Pattern::LineBuckets, 32));
    assert_eq!(planned(&few(1 << 18), 1024), (Pattern::LineBuckets, 1024));
    // A copy by way of slots, with an update for every 16 targets of a long line.
    assert_eq!(of_lines_of(DType::F16, &[1 << 22], &[1 << 18], 2), Pattern::LineCopy);
    assert_eq!(of_lines_of(DType::F16, &[(1 << 22) + 1], &[1 << 18], 2), Pattern::Sweep);
    assert_eq!(of_lines_of(DType::F16, &[(1 << 22) - 16], &[(1 << 18) - 2], 2), Pattern::Sweep);
    // Two to four threads share it, and of several lines no more for each.
    let ranges = |lines: usize, threads| {
        let problem = problem(Op::ScatterAdd { dim: 1 }, DType::F16, &[lines, 1 << 20], &[lines, 1 << 20]);
        let plan = outline(&problem, Machine::with_threads(threads), &Limits::default()).unwrap();
        (plan.pattern, plan.index_reads)
    };
    assert_eq!([1, 2, 4].map(|threads| ranges(1, threads).1), [1, 2, 4]);
    assert_eq!(ranges(2, 8), (Pattern::LineCopy, 4));
    assert_eq!(ranges(2, 9).0, Pattern::LineBuckets);
    // Where no copy can be had, a few threads partition the updates.
    assert_eq!(of_lines_of(DType::F16, &[3, 1 << 21], &[3, 1 << 20], 4), Pattern::LineBuckets);
    // Of integers each thread has a copy, whose slots each get four updates.
    assert_eq!(of_lines_of(DType::I8, &[1 << 14], &[1 << 17], 2), Pattern::LineCopies);
    assert_eq!(of_lines_of(DType::I8, &[1 << 14], &[(1 << 17) - 1], 2), Pattern::LineCopy);
    // Lines by way of slots have an update for every 512 targets.
    assert_eq!(of_lines_of(DType::F16, &[1 << 16], &[1 << 7], 1), Pattern::Lines);
    assert_eq!(of_lines_of(DType::F16, &[1 << 16], &[(1 << 7) - 1], 1), Pattern::Sweep);
    // Or for every fourth, where threads would share their targets in a sweep.
    assert_eq!(of_lines_of(DType::F16, &[1 << 17], &[1 << 15], 2), Pattern::Lines);
    assert_eq!(of_lines_of(DType::F16, &[(1 << 17) + 4], &[1 << 15], 2), Pattern::Sweep);
    assert_eq!(of_lines_of(DType::F16, &[2, 1 << 19], &[2, 1 << 14], 2), Pattern::Lines);
    // Each of several threads may keep 2^20 slots, and a single one 2^22.
    assert_eq!(of_lines_of(DType::F16, &[2, 1 << 20], &[2, 1 << 15], 2), Pattern::Lines);
    assert_eq!(of_lines_of(DType::F16, &[2, (1 << 20) + 32], &[2, 1 << 15], 2), Pattern::Sweep);
    assert_eq!(of_lines_of(DType::F16, &[1 << 22], &[1 << 17], 1), Pattern::Lines);
    assert_eq!(of_lines_of(DType::F16, &[(1 << 22) + 4], &[1 << 22], 1), Pattern::Sweep);
}

/// What a forced pattern can't do is swept.
#[test]
fn a_forced_pattern_is_taken_where_its_loops_can_do_the_call() {
    let pattern_of = |problem: &Problem, pattern| {
        let limits = Limits { tasks: Some(2), pattern: Some(pattern), ..Limits::default() };
        outline(problem, Machine::with_threads(2), &limits).unwrap().pattern
    };
    let lines = problem(Op::ScatterAdd { dim: 1 }, DType::I32, &[1, 100], &[1, 200]);
    let columns = problem(Op::ScatterAdd { dim: 0 }, DType::I32, &[100, 8], &[200, 8]);
    for pattern in Pattern::ALL {
        let of_lines = match pattern {
            Pattern::Rows | Pattern::RowRanges | Pattern::RowBuckets | Pattern::Tiles => Pattern::Sweep,
            // A copy of a line of 100 slots is worth less than 200 updates are.
            Pattern::LineCopies => Pattern::LineCopy,
            pattern => pattern,
        };
        assert_eq!(pattern_of(&lines, pattern), of_lines, "lines, {pattern:?}");
        // A few columns are lines, too.
        let of_columns = if pattern == Pattern::Tiles { Pattern::Tiles } else { of_lines };
        assert_eq!(pattern_of(&columns, pattern), of_columns, "columns, {pattern:?}");
    }
}
