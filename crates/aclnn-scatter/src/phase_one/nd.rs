//! Functions whose index has coordinates along its last axis, and the two forms of
//! `aclnnTfScatterAdd`.
//!
//! The nd form is that of all: `updates.shape == indices.shape[:-1] + self.shape[k:]` with
//! `k = indices.shape[-1]`. The row form, `updates.shape == indices.shape + self.shape[1:]`, is the
//! same as the nd form of indices with one more axis of size 1 at the end.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use scatter::{Argument, Error, Layout, LayoutError, MAX_RANK, Op, Operand, Operator};

use crate::executor::call::Call;
use crate::executor::positions::Positions;
use crate::failure::{Failure, broken, failure};
use crate::function::Function;
use crate::phase_one::tensors::Tensors;

/// The call of a function that computes `op`.
pub(super) fn call(
    function: Function,
    op: Op,
    tensors: &Tensors,
) -> Result<Result<Box<Call>, Error>, Failure> {
    let operator = op.operator();
    let depth = tensors.index.operand.layout.ok().and_then(|indices| indices.shape().last().copied());
    // CANN treats k == 0 as an empty index, so the C functions here do, too.
    let given = match depth {
        Some(0) => tensors.copy(function, op),
        _ => tensors.call(function, op),
    };
    if let Err(error) = &given
        && comes_before_ranks(error)
    {
        return Ok(Err(*error));
    }
    ranks(function, operator, tensors)?;
    let has_rows = function == Function::TfScatterAdd;
    if let Some(rows) = has_rows.then(|| Rows::of(tensors)).flatten() {
        let Some((points, merged)) = rows.as_points(tensors) else {
            return Err(failure!(
                ACLNN_ERR_PARAM_INVALID,
                "{operator}: of {MAX_RANK} axes two neighbours that lie behind one another expected, or one of size 1, in the row form"
            ));
        };
        return Ok(points.call(function, op).map(|mut call| {
            call.positions = Positions { rank: rows.indices.rank(), merged };
            call
        }));
    }
    Ok(match given {
        Err(error @ (Error::UpdatesShape { .. } | Error::IndexDepth { .. })) if has_rows => {
            return Err(failure!(
                ACLNN_ERR_PARAM_INVALID,
                "{error} (nor is it the row form, indices.shape + varRef.shape[1:])"
            ));
        }
        other => other,
    })
}

/// Whether the error is of a rule that comes before those about the ranks of indices and updates.
pub(super) fn comes_before_ranks(error: &Error) -> bool {
    matches!(
        error,
        Error::Operand { .. }
            | Error::UnsupportedDType { .. }
            | Error::DTypeMismatch { .. }
            | Error::IndexDType { .. }
            | Error::Layout { .. }
            | Error::OutShape { .. }
    )
}

/// Checks that each of the three tensors has 1 to 8 axes, as the C ABI demands.
fn ranks(function: Function, operator: Operator, tensors: &Tensors) -> Result<(), Failure> {
    for (argument, tensor) in [
        (Argument::SelfTensor, Some(&tensors.self_)),
        (Argument::Index, Some(&tensors.index)),
        (Argument::Src, tensors.src.as_ref()),
    ] {
        match tensor.map(|tensor| tensor.operand.layout) {
            Some(Err(LayoutError::Rank { expected, got, .. })) => {
                return Err(broken(Error::Rank { operator, argument, expected, got }));
            }
            Some(Ok(layout)) if layout.rank() == 0 => {
                let name = function.parameter(argument);
                return Err(failure!(
                    ACLNN_ERR_PARAM_INVALID,
                    "{operator}: {name}: rank 1 to {MAX_RANK} expected, got 0"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// indices and updates of the row form.
struct Rows {
    indices: Layout,
    updates: Layout,
}

impl Rows {
    /// indices and updates, if the shapes are those of the row form and not also those of the nd
    /// form.
    fn of(tensors: &Tensors) -> Option<Self> {
        let layout = |operand: &Operand| operand.layout.ok();
        let var = layout(&tensors.self_.operand)?;
        let indices = layout(&tensors.index.operand)?;
        let updates = layout(&tensors.src.as_ref()?.operand)?;
        let (_, slice) = var.shape().split_first()?;
        let (&depth, points) = indices.shape().split_last()?;
        let is = |rows: &[usize], slice: &[usize]| updates.shape().iter().eq(rows.iter().chain(slice));
        let is_nd = var.shape().get(depth..).is_some_and(|slice| is(points, slice));
        (!is_nd && is(indices.shape(), slice)).then_some(Self { indices, updates })
    }

    /// The tensors with another axis at the end of indices. If indices has eight axes already, two
    /// neighbouring ones of indices and updates are first merged; their position, and the size of
    /// the second, are returned too.
    fn as_points(&self, tensors: &Tensors) -> Option<(Tensors, Option<(usize, usize)>)> {
        let mut tensors = *tensors;
        let (mut indices, mut merged) = (self.indices, None);
        if indices.rank() == MAX_RANK {
            let both = |axis: &usize| merge(&self.indices, *axis).zip(merge(&self.updates, *axis));
            let axis = (0..MAX_RANK - 1).find(|axis| both(axis).is_some())?;
            let (fewer, updates) = both(&axis)?;
            merged = Some((axis, self.indices.shape().get(axis + 1).copied()?));
            indices = fewer;
            tensors.src.as_mut()?.operand.layout = Ok(updates);
        }
        let (mut sizes, mut strides) = (indices.shape().to_vec(), indices.strides().to_vec());
        sizes.push(1);
        strides.push(1);
        let indices = Layout::new(&sizes, &strides, indices.offset(), indices.storage_len());
        tensors.index.operand.layout = Ok(indices.ok()?);
        Some((tensors, merged))
    }
}

/// The layout with an axis and the next one merged, if a single stride steps through both.
fn merge(layout: &Layout, axis: usize) -> Option<Layout> {
    let (mut sizes, mut strides) = (layout.shape().to_vec(), layout.strides().to_vec());
    let (size, stride) = (sizes.get(axis).copied()?, strides.get(axis).copied()?);
    let (inner, step) = (sizes.get(axis + 1).copied()?, strides.get(axis + 1).copied()?);
    let stride = if inner == 1 {
        stride
    } else if size == 1 || isize::try_from(inner).ok()?.checked_mul(step)? == stride {
        step
    } else {
        return None;
    };
    *sizes.get_mut(axis)? = size.checked_mul(inner)?;
    *strides.get_mut(axis)? = stride;
    sizes.remove(axis + 1);
    strides.remove(axis + 1);
    Layout::new(&sizes, &strides, layout.offset(), layout.storage_len()).ok()
}
