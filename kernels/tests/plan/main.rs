//! Properties of plans for any problem and processor.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod boxes;
mod copies;
mod general;
mod rows;
mod windows;

use proptest::prelude::*;
use scatter::{DType, Layout, Op, Operand, Problem, Reduce};
use scatter_kernels::Soc;
use scatter_kernels::plan::{Algorithm, Kernel, Unsupported, plan, plan_with};
use scatter_kernels::tiling::STATUS_BYTES;

use self::copies::{check_copy, copy_of};
use self::general::{check_update, update_of};
use self::rows::check_rows;
use self::windows::{check_windows, windows_of};

/// A problem on contiguous tensors, or on ones with gaps of `gap` elements between the rows of each
/// axis. Windows have half of their axis.
fn problem(op: Op, dtype: DType, shape: &[usize], index: &[usize], gap: usize, in_place: bool) -> Problem {
    let layout = |shape: &[usize]| {
        let (mut strides, mut step) = (vec![0; shape.len()], 1);
        for (stride, &size) in strides.iter_mut().zip(shape).rev() {
            *stride = step as isize;
            step = step * size.max(1) + gap;
        }
        Layout::new(shape, &strides, gap, step + gap).unwrap()
    };
    let operand = |dtype, shape: &[usize], address| Operand::new(dtype, layout(shape), address);
    let out = operand(dtype, shape, 1 << 44);
    let self_ = if in_place { out } else { operand(dtype, shape, 2 << 44) };
    let src = match op.dim() {
        Some(dim) if matches!(op, Op::ScatterUpdate { .. }) => {
            let mut src = shape.to_vec();
            (src[0], src[dim as usize]) = (index[0], shape[dim as usize].div_ceil(2));
            src
        }
        Some(_) => index.to_vec(),
        None => {
            let (depth, rows) = index.split_last().unwrap();
            [rows, &shape[*depth..]].concat()
        }
    };
    let (index, src) = (operand(DType::I64, index, 3 << 44), operand(dtype, &src, 5 << 44));
    let src = op.value().is_none().then_some(&src);
    Problem::new(op, &self_, &index, src, &out).unwrap()
}

prop_compose! {
    fn problems()(rank in 1_usize..5)(
        shape in prop::collection::vec(prop::sample::select(vec![1_usize, 2, 3, 7, 64, 300]), rank),
        updates in prop::sample::select(vec![1_usize, 5, 100, 3000]),
        dim in 0..rank, depth in 0..rank + 1, form in 0..5, dtype in 0_usize..12, reduce in 0_usize..6,
        include_self in any::<bool>(), gap in 0_usize..3, in_place in any::<bool>(),
    ) -> Problem {
        let dtype = DType::ALL[dtype];
        let reduce = Reduce::ALL[reduce];
        let reduce = if reduce.missing_for(dtype).is_some() { Reduce::Add } else { reduce };
        // Not more elements than a test can list.
        let mut shape = shape;
        while shape.iter().product::<usize>() > 50_000 {
            let largest = shape.iter_mut().max().unwrap();
            *largest /= 2;
        }
        if form == 0 && dim > 0 {
            let one_column = updates.min(shape[0]);
            let index = if depth % 2 == 0 { vec![one_column] } else { vec![updates, 2] };
            problem(Op::ScatterUpdate { dim: dim as i64 }, dtype, &shape, &index, gap, in_place)
        } else if form < 3 {
            problem(Op::ScatterNdAdd, dtype, &shape, &[updates, depth], gap, in_place)
        } else {
            let mut index = shape.clone();
            index[dim] = updates;
            let op = Op::ScatterReduce { dim: dim as i64, reduce, include_self };
            problem(op, dtype, &shape, &index, gap, in_place)
        }
    }
}

proptest! {
    #[test]
    fn plans_cover_every_element_once_and_fit(
        problem in problems(), cores in 1_u32..50, ub in prop::sample::select(vec![5_u32, 9, 40, 183]),
    ) {
        let soc = Soc { ub: ub * 1024, ..Soc::default().with_cores(cores) };
        let chosen = plan(&problem, &soc).unwrap();
        let copy = chosen.steps.iter().find_map(copy_of);
        prop_assert_eq!(copy.is_some(), !problem.in_place());
        if let Some(tiling) = copy {
            check_copy(&problem, &tiling, &soc);
        }
        if let Some(update) = update_of(&chosen) {
            check_update(&problem, &update, &soc);
        }
        if let Some(tiling) = windows_of(&chosen) {
            check_windows(&problem, &tiling, &soc);
            let blocks = chosen.steps.last().map_or(0, |step| step.blocks);
            prop_assert!(blocks <= soc.cores && u64::from(blocks) <= tiling.tasks);
            prop_assert_eq!(chosen.workspace_bytes(), blocks as usize * STATUS_BYTES);
        } else if chosen.algorithm == Some(Algorithm::Rows) {
            check_rows(&chosen, &soc);
        } else if let [.., list, of] = &chosen.steps[..]
            && let (Kernel::Index(list), Kernel::ElementsOfList(_)) = (&list.kernel, &of.kernel)
        {
            prop_assert_eq!(list.integers, 1);
            // Behind the list.
            let unread = of.blocks as usize * STATUS_BYTES;
            prop_assert_eq!(chosen.intermediate_bytes, list.padded as usize * 4 + unread);
            prop_assert_eq!(chosen.workspace_bytes(), chosen.intermediate_offset() + chosen.intermediate_bytes);
        } else {
            let blocks = chosen.steps.last().map_or(0, |step| step.blocks as usize);
            prop_assert_eq!(chosen.workspace_bytes(), blocks * STATUS_BYTES);
        }
        if let Some(update) = update_of(&plan_with(&problem, &soc, Some(Algorithm::General)).unwrap()) {
            check_update(&problem, &update, &soc);
        }
    }
}

/// Problems without a plan are refused, and the error says what was expected.
#[test]
fn refusals() {
    let self_ = Operand::new(DType::F32, Layout::contiguous(&[8], 8).unwrap(), 1 << 44);
    // index and src are broadcast to more updates than 32 bits can count.
    let many = [1 << 33];
    let expanded = |dtype| Operand::new(dtype, Layout::new(&many, &[0], 0, 1).unwrap(), 3 << 44);
    let problem = |reduce| {
        let op = Op::ScatterReduce { dim: 0, reduce, include_self: true };
        Problem::new(op, &self_, &expanded(DType::I64), Some(&expanded(DType::F32)), &self_).unwrap()
    };
    assert!(plan(&problem(Reduce::Add), &Soc::default()).is_ok());
    let refused = plan(&problem(Reduce::Mean), &Soc::default()).unwrap_err();
    assert!(matches!(refused, Unsupported::Updates { got: 0x2_0000_0000, .. }), "{refused:?}");

    let add = problem(Reduce::Add);
    let refused = plan_with(&add, &Soc::default(), Some(Algorithm::Rows)).unwrap_err();
    assert!(matches!(refused, Unsupported::NoRows { .. }), "{refused:?}");
    let refused = plan(&add, &Soc { ub: 300, ..Soc::default() }).unwrap_err();
    assert!(matches!(refused, Unsupported::Ub { ub: 300, .. }), "{refused:?}");
}
