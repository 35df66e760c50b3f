//! The plan of an `index_put` by several index tensors.

use scatter::{DType, IndexList, Layout, Operand, Problem};

use super::copy::{self, Tensors};
use super::{Algorithm, Kernel, Plan, Step, Unsupported, blocks, plan_with};
use crate::soc::Soc;

/// The plan of an `index_put` by the tensors of a list, for a processor. The problem is one of
/// [`IndexList::operand`].
///
/// The kernels take one index. So the tensors are copied to the workspace first, as i64; but a
/// single tensor is read where it is.
///
/// # Errors
/// [`Unsupported`].
pub fn plan_list(problem: &Problem, list: &IndexList, soc: &Soc) -> Result<Plan, Unsupported> {
    plan_list_with(problem, list, soc, None)
}

/// [`plan_list`] with an algorithm of the caller's choice.
///
/// # Errors
/// [`Unsupported`], also where the algorithm can't make the problem's updates.
pub fn plan_list_with(
    problem: &Problem,
    list: &IndexList,
    soc: &Soc,
    algorithm: Option<Algorithm>,
) -> Result<Plan, Unsupported> {
    if let Some(problem) = list.only().and_then(|index| problem.with_index(&index)) {
        return plan_with(&problem, soc, algorithm);
    }
    // By axis, a tensor is copied in long runs.
    let by_axis = Operand { layout: list.layout_by_axis(), ..list.operand() };
    let by_axis = problem.with_index(&by_axis);
    let Some((problem, index)) = by_axis.as_ref().and_then(|of| Some((of, of.index_layout()?))) else {
        // There are no updates.
        return plan_with(problem, soc, algorithm);
    };
    let plan = plan_with(problem, soc, algorithm)?;
    let too_small = Unsupported::Ub { operator: problem.operator(), ub: soc.ub };
    let steps = copies(list, index, soc).ok_or(too_small)?.into_iter().chain(plan.steps).collect();
    Ok(Plan { steps, index_bytes: index.storage_len().saturating_mul(size_of::<i64>()), ..plan })
}

/// A copy of each tensor of the list to its coordinates of index; `None` where a tile doesn't fit
/// UB.
fn copies(list: &IndexList, index: &Layout, soc: &Soc) -> Option<Vec<Step>> {
    let cores = u64::from(soc.cores);
    let (shape, strides, rows) = (index.shape(), index.strides(), index.rank() - 1);
    let copy = |(number, &(dtype, ref from, _)): (usize, &(DType, Layout, usize))| {
        let offset = index.offset().checked_add_signed(number as isize * strides[rows])?;
        let to = Layout::new(&shape[..rows], &strides[..rows], offset, index.storage_len()).ok()?;
        let tensors = Tensors { from, to: &to, element: dtype.size(), widened: dtype == DType::I32 };
        let tiling = copy::index(&tensors, cores, soc.ub)?;
        Some(Step { blocks: blocks(tiling.tasks, cores), kernel: Kernel::CopyIndex { number, tiling } })
    };
    list.tensors().enumerate().map(copy).collect()
}
