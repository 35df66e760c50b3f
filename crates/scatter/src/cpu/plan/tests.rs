use super::machine::Machine;
use super::{Plan, Planner, Scatter, Strategy};
use crate::cpu::limits::{Limits, MAX_SLOTS, PREFERRED_SLOTS, Pattern};
use crate::cpu::slot::{self, Counted};
use crate::cpu::walk::Walk;
use crate::{DType, Layout, Op, Operand, Problem, Reduce};

/// A call in place on contiguous tensors, whose reduction is a mean, of 9 updates of each column of
/// `[size, columns]`.
fn mean(size: usize, columns: usize) -> Problem {
    let operand = |dtype, shape: &[usize], address| {
        Operand::new(dtype, Layout::contiguous(shape, shape.iter().product()).unwrap(), address)
    };
    let (out, src) =
        (operand(DType::F32, &[size, columns], 1 << 40), operand(DType::F32, &[9, columns], 1 << 60));
    let op = Op::ScatterReduce { dim: 0, reduce: Reduce::Mean, include_self: true };
    Problem::new(op, &out, &operand(DType::I64, &[9, columns], 1 << 50), Some(&src), &out).unwrap()
}

#[test]
fn no_segment_has_more_slots_than_a_thread_may_keep() {
    for (size, columns) in [(3 * MAX_SLOTS, 1), (3 * MAX_SLOTS, 5), (MAX_SLOTS + 1, 1)] {
        for (slots, slots_at_most) in [(1, 1000), (PREFERRED_SLOTS, MAX_SLOTS), (usize::MAX, usize::MAX)] {
            let pattern = Some(Pattern::Sweep);
            let limits = Limits { slots, slots_at_most, pattern, ..Limits::default() };
            let problem = mean(size, columns);
            let walk = Walk::scatter(problem.updates().unwrap(), problem.out_layout());
            let slot = slot::Kind::of::<f32, Counted<f32>>(Reduce::Mean);
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
