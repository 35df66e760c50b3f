//! `scatter_copy`.

use scatter::{DType, Layout, Op, Operand, Problem};
use scatter_kernels::Soc;
use scatter_kernels::plan::{Kernel, Step, plan};
use scatter_kernels::tiling::CopyTiling;

use crate::boxes::{addresses, check_box, check_cut, used};
use crate::problem;

pub(crate) fn copy_of(step: &Step) -> Option<CopyTiling> {
    if let Kernel::Copy(tiling) = step.kernel { Some(tiling) } else { None }
}

pub(crate) fn check_copy(problem: &Problem, tiling: &CopyTiling, soc: &Soc) {
    assert!(2 * tiling.self_box.bytes <= soc.ub);
    assert_eq!((tiling.self_box.ub, tiling.self_box.bytes), (tiling.out_box.ub, tiling.out_box.bytes));
    check_box(&tiling.self_box, tiling.tile);
    let axes = [used(&tiling.outer, tiling.outer_axes), &tiling.step].concat();
    let mut written =
        addresses(&axes.iter().map(|axis| (axis.size, axis.out)).collect::<Vec<_>>(), tiling.out_offset);
    let (out, size) = (problem.out_layout(), problem.dtype().size() as i64);
    let mut expected: Vec<_> = out.shape().coordinates().map(|at| out.address(&at) as i64 * size).collect();
    written.sort_unstable();
    expected.sort_unstable();
    assert_eq!(written, expected);
    check_cut(tiling.out_box.element, tiling.step[1].out, tiling.tile[1], tiling.tiles[1]);
    for axis in 0..2 {
        assert_eq!(tiling.tiles[axis], tiling.step[axis].size.div_ceil(tiling.tile[axis]));
    }
}

#[test]
fn large_copies_move_16_kib_at_a_time() {
    let all = problem(Op::ScatterAdd { dim: 0 }, DType::F32, &[4096, 1024], &[100, 1024], 0, false);
    let plan = plan(&all, &Soc::default()).unwrap();
    let copy = plan.steps.iter().find_map(copy_of).unwrap();
    assert!(copy.self_box.bytes >= 16 * 1024 && copy.tasks >= 48, "{copy:?}");
}

/// self is read before out is written, and of several elements of out at one address only the last
/// is written, or it is written last.
#[test]
fn entangled_copies_go_through_the_workspace() {
    let of = |shape: &[usize], strides: &[isize], offset| {
        let layout = |strides, offset| Layout::new(shape, strides, offset, 100).unwrap();
        let operand = |layout| Operand::new(DType::F32, layout, 1 << 44);
        let index = Operand::new(DType::I64, Layout::contiguous(&[0], 0).unwrap(), 2 << 44);
        let own = Layout::contiguous(shape, 100).unwrap();
        let (self_, out) = (operand(own), operand(layout(strides, offset)));
        let op = Op::ScatterAdd { dim: 0 };
        let problem = Problem::new(op, &self_, &index, Some(&self_), &out).unwrap();
        let plan = plan(&problem, &Soc::default()).unwrap();
        let [first, second] = &plan.steps[..] else { panic!("{plan:?}") };
        let (Kernel::CopyOutOfSelf(_), Kernel::CopyIntoOut(into_out)) = (&first.kernel, &second.kernel)
        else {
            panic!("{plan:?}")
        };
        assert_eq!((plan.statuses(), plan.algorithm), (0, None));
        assert!(into_out.in_order == 0 || second.blocks == 1, "{plan:?}");
        (plan.workspace_bytes(), into_out.in_order)
    };
    assert_eq!(of(&[8], &[1], 4), (8 * 4, 0));
    // The last of four rows only.
    assert_eq!(of(&[4, 8], &[0, 1], 4), (8 * 4, 0));
    assert_eq!(of(&[4, 8], &[2, 1], 4), (4 * 8 * 4, 1));
}
