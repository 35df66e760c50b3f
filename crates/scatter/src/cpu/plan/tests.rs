use super::*;
use crate::cpu::Limits;
use crate::cpu::slot::loops::HasLoops;
use crate::{Layout, Op, Operand};

/// A call in place on contiguous tensors, along `dim`.
fn problem(op: Op, dtype: DType, self_: &[usize], index: &[usize]) -> Problem {
    let operand = |dtype, shape: &[usize], address| {
        Operand::new(dtype, Layout::contiguous(shape, shape.iter().product()).unwrap(), address)
    };
    let (out, src) = (operand(dtype, self_, 1 << 40), operand(dtype, index, 1 << 60));
    Problem::new(op, &out, &operand(DType::I64, index, 1 << 50), Some(&src), &out).unwrap()
}

/// A call whose reduction is a mean, of 9 updates of each column of `[size, columns]`.
fn mean(size: usize, columns: usize) -> Problem {
    let op = Op::ScatterReduce { dim: 0, reduce: Reduce::Mean, include_self: true };
    problem(op, DType::F32, &[size, columns], &[9, columns])
}

#[test]
fn no_segment_has_more_slots_than_a_thread_may_keep() {
    for (size, columns) in [(3 * MAX_SLOTS, 1), (3 * MAX_SLOTS, 5), (MAX_SLOTS + 1, 1)] {
        for (slots, slots_at_most) in [(1, 1000), (PREFERRED_SLOTS, MAX_SLOTS), (usize::MAX, usize::MAX)] {
            let pattern = Some(Pattern::Sweep);
            let limits = Limits { slots, slots_at_most, pattern, ..Limits::default() };
            let problem = mean(size, columns);
            let walk = Walk::scatter(problem.updates().unwrap(), problem.out_layout());
            let slot = f32::loops(problem.reduce()).slot;
            let planner = Planner { machine: Machine::with_threads(1), limits: &limits };
            let plan = Plan::new(Scatter::of(&problem, &walk, slot), &planner);
            let Strategy::Sweep { grid, .. } = plan.strategy else { panic!("{plan:?}") };
            let (most, parts) = (slots_at_most.min(MAX_SLOTS), 0..grid.len());
            assert!(parts.clone().all(|part| grid.task(part).elements() <= most), "{size} {slots_at_most}");
            let all: usize = parts.map(|part| grid.task(part).elements()).sum();
            assert_eq!(all, size * columns, "{size} {slots_at_most}");
        }
    }
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
