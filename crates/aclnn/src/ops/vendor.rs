//! A scatter by CANN's own operator, through the C functions.

use aclnn_scatter::{Check, Scope, c, function_name};
use aclnn_sys::{AclnnStatus, aclOpExecutor, aclTensor};
use scatter::{Op, Problem};

use super::run::copy;
use super::tensors::Tensors;
use crate::error::Result;
use crate::executor::{PhaseTwo, Prepared};
use crate::scalar::AclScalar;
use crate::stream::On;
use crate::stream::uses::Locked;
use crate::tensor::{Descriptor, RawTensor};

/// Both phases of a scatter that has been checked. CANN's `scatter_nd_add` is in place alone: where
/// out is another tensor it becomes self, and is updated then.
pub(super) fn run(problem: &Problem, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let op = problem.op();
    if matches!(op, Op::ScatterNdAdd) && !problem.in_place() {
        copy(tensors.self_, tensors.out, on)?;
    }
    let session = on.stream.device().runtime().session();
    Scope::new(session).engine(on.engine()).check(Check::Flag).run(|| launch(op, tensors, on))
}

fn launch(op: &Op, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let Tensors { self_, index, src, out } = tensors;
    let raw = |tensor: &RawTensor| tensor.descriptor().map(Descriptor::handle);
    let handles = Handles {
        self_: raw(self_)?,
        index: raw(index)?,
        src: src.map_or(Ok(core::ptr::null_mut()), raw)?,
        out: raw(out)?,
    };
    let value = op.value().map(|value| AclScalar::new(value, on.stream)).transpose()?;
    let first = |bytes: *mut u64, executor: *mut *mut aclOpExecutor| {
        // SAFETY: the handles are those of tensors, and of a scalar, that are alive; their memory
        // is as large as they say.
        unsafe { phase_one(op, handles, value.as_ref(), bytes, executor) }
    };
    // SAFETY: `phase_two` is that of the function that `first` calls.
    let prepared = unsafe { Prepared::new(function_name(op), on.stream.device(), phase_two(op), first) }?;
    prepared.launch(on.stream, &mut Locked::new(&mut tensors.uses()))
}

/// The tensors as phase one takes them.
#[derive(Clone, Copy)]
struct Handles {
    self_: *mut aclTensor,
    index: *mut aclTensor,
    src: *mut aclTensor,
    out: *mut aclTensor,
}

/// Phase one of an operator.
///
/// # Safety
/// As the C functions say; there is a value where the operator takes one.
unsafe fn phase_one(
    op: &Op,
    Handles { self_, index, src, out }: Handles,
    value: Option<&AclScalar>,
    bytes: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    let reduce = op.reduce().code();
    // SAFETY: the caller's word.
    unsafe {
        match *op {
            Op::ScatterAdd { dim } => {
                c::aclnnScatterAddGetWorkspaceSize(self_, dim, index, src, out, bytes, executor)
            }
            Op::ScatterValue { dim, .. } => {
                let value = value.map_or(core::ptr::null_mut(), AclScalar::as_raw);
                c::aclnnScatterValueGetWorkspaceSize(self_, dim, index, value, reduce, out, bytes, executor)
            }
            Op::ScatterReduce { dim, include_self, .. } => c::aclnnScatterReduceGetWorkspaceSize(
                self_,
                dim,
                index,
                src,
                reduce,
                include_self,
                out,
                bytes,
                executor,
            ),
            // It is in place alone; `run` has made out self.
            Op::ScatterNdAdd => c::aclnnTfScatterAddGetWorkspaceSize(out, index, src, bytes, executor),
            ref other => {
                let dim = other.dim().unwrap_or_default();
                c::aclnnScatterGetWorkspaceSize(self_, dim, index, src, reduce, out, bytes, executor)
            }
        }
    }
}

/// Phase two of [`phase_one`].
fn phase_two(op: &Op) -> PhaseTwo {
    match op {
        Op::ScatterAdd { .. } => c::aclnnScatterAdd,
        Op::ScatterValue { .. } => c::aclnnScatterValue,
        Op::ScatterReduce { .. } => c::aclnnScatterReduce,
        Op::ScatterNdAdd => c::aclnnTfScatterAdd,
        _ => c::aclnnScatter,
    }
}
