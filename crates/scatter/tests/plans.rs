//! Which strategy the CPU engine plans for lines, just below and above each threshold; the other
//! thresholds are held by the workloads of `bench` (`workload/plans.rs`). Not among the unit
//! tests, because planning refers to the loops of every dtype, which would be compiled once more.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

use scatter::cpu::internals::{Limits, Machine, Pattern, outline};
use scatter::{DType, Layout, Op, Operand, Problem};

/// A call in place on contiguous tensors, along `dim`.
fn problem(op: Op, dtype: DType, self_: &[usize], index: &[usize]) -> Problem {
    let operand = |dtype, shape: &[usize], address| {
        Operand::new(dtype, Layout::contiguous(shape, shape.iter().product()).unwrap(), address)
    };
    let (out, src) = (operand(dtype, self_, 1 << 40), operand(dtype, index, 1 << 60));
    Problem::new(op, &out, &operand(DType::I64, index, 1 << 50), Some(&src), &out).unwrap()
}

/// The pattern of a sum of f32 along the last axis.
fn of_lines(self_: &[usize], index: &[usize], threads: usize) -> Pattern {
    let dim = self_.len() as i64 - 1;
    let problem = problem(Op::ScatterAdd { dim }, DType::F32, self_, index);
    outline(&problem, Machine::with_threads(threads), &Limits::default()).unwrap().pattern
}

#[test]
fn each_threshold_of_lines_is_where_it_is_said_to_be() {
    // A copy of no more bytes than there are updates, of which there are enough.
    assert_eq!(of_lines(&[1 << 14], &[1 << 16], 1), Pattern::LineCopy);
    assert_eq!(of_lines(&[1 << 14], &[(1 << 16) - 1], 1), Pattern::Lines);
    assert_eq!(of_lines(&[(1 << 14) + 1], &[1 << 16], 1), Pattern::Lines);
    // Not of lines that don't stay in a near cache.
    assert_eq!(of_lines(&[1 << 20], &[1 << 22], 1), Pattern::Lines);
    // Few threads own ranges of a long line, and many partition its updates.
    let long = [(1 << 23), (1 << 24)];
    for (threads, pattern) in
        [(1, Pattern::Lines), (2, Pattern::LineRanges), (4, Pattern::LineRanges), (5, Pattern::LineBuckets)]
    {
        assert_eq!(of_lines(&long[..1], &long[1..], threads), pattern, "{threads} threads");
    }
    assert_eq!(of_lines(&[1 << 17], &[(1 << 18) - 1], 2), Pattern::Lines);
    assert_eq!(of_lines(&[1 << 17], &[1 << 18], 2), Pattern::LineRanges);
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
        let of_columns = if pattern == Pattern::Tiles { Pattern::Tiles } else { Pattern::Sweep };
        assert_eq!(pattern_of(&columns, pattern), of_columns, "columns, {pattern:?}");
    }
}
