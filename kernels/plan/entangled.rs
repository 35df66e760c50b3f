//! The plan of a copy whose out overlaps self or itself, which only an empty index allows: self is
//! copied to the workspace, and then to out, so that all of self is read before any of out is
//! written; of out's elements at one address the last in row-major order stays.

use scatter::{Layout, LayoutError, Problem, Shape};

use super::copy::{self, Tensors};
use super::{Kernel, Plan, Step, blocks};

/// The plan for `cores` cores and `ub` bytes of UB; `None` where a tile doesn't fit.
pub(super) fn plan(problem: &Problem, cores: u64, ub: u32) -> Option<Plan> {
    let element = problem.dtype().size();
    let (self_, out) = without_lost(problem.self_layout(), problem.out_layout()).ok()?;
    let (saved, between) = saved(&self_).ok()?;
    // The elements of self, each once.
    let first = Layout::new(saved.shape(), self_.strides(), self_.offset(), self_.storage_len()).ok()?;
    let out_of_self = copy::plan(&Tensors::same(&first, &saved, element), cores, ub)?;
    let (writers, into_out) = copy::last_stays(&Tensors::same(&between, &out, element), cores, ub)?;
    let steps = vec![
        Step { blocks: blocks(out_of_self.tasks, cores), kernel: Kernel::CopyOutOfSelf(out_of_self) },
        Step { blocks: writers, kernel: Kernel::CopyIntoOut(into_out) },
    ];
    Some(Plan { steps, intermediate_bytes: saved.elements().saturating_mul(element), ..Plan::default() })
}

/// Both without the elements that are overwritten anyway: along an axis on which out has stride 0,
/// only the last element stays.
fn without_lost(self_: &Layout, out: &Layout) -> Result<(Layout, Layout), LayoutError> {
    let (mut shape, mut offset) = (out.shape().to_vec(), self_.offset());
    let strides = out.strides().iter().zip(self_.strides());
    for (size, (&to, &from)) in shape.iter_mut().zip(strides).filter(|(size, _)| **size > 1) {
        if to == 0 {
            // The sum addresses an element of self, so it doesn't overflow.
            offset = offset.wrapping_add_signed((*size as isize - 1).wrapping_mul(from));
            *size = 1;
        }
    }
    let of = |layout: &Layout, offset| Layout::new(&shape, layout.strides(), offset, layout.storage_len());
    Ok((of(self_, offset)?, of(out, out.offset())?))
}

/// Two layouts of the workspace: a contiguous tensor of the elements of self, each once; and a
/// tensor of self's shape.
fn saved(self_: &Layout) -> Result<(Layout, Layout), LayoutError> {
    let is_expanded = |axis: usize| self_.strides()[axis] == 0;
    let mut shape: Vec<_> = self_.shape().to_vec();
    for (axis, size) in shape.iter_mut().enumerate() {
        if is_expanded(axis) {
            *size = (*size).min(1);
        }
    }
    let elements = Shape::new(&shape).map_or(0, |shape| shape.iter().product());
    let saved = Layout::contiguous(&shape, elements)?;
    let stride = |axis| if is_expanded(axis) { 0 } else { saved.strides()[axis] };
    let strides: Vec<_> = (0..shape.len()).map(stride).collect();
    Ok((saved, Layout::new(self_.shape(), &strides, 0, elements)?))
}
