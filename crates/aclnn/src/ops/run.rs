//! One way from an operator's method to its C functions.

use aclnn_scatter::{Check, Scope, c, is_vendor, scatter_nd_add_get_workspace_size};
use aclnn_sys::{AclnnStatus, aclOpExecutor, aclTensor};
use scatter::{DType, Layout, Op, Problem};
use smallvec::SmallVec;

use crate::error::Result;
use crate::executor::{PhaseTwo, Prepared};
use crate::memory::DeviceBuffer;
use crate::scalar::AclScalar;
use crate::stream::On;
use crate::stream::uses::{Access, Locked, Used};
use crate::tensor::{Descriptor, RawTensor};
use crate::trace::span;

/// The tensors of a scatter; in place, `out` is self.
#[derive(Clone, Copy)]
pub(super) struct Tensors<'a> {
    pub(super) self_: &'a RawTensor,
    pub(super) index: &'a RawTensor,
    /// `None` where a scalar stands for it.
    pub(super) src: Option<&'a RawTensor>,
    pub(super) out: &'a RawTensor,
}

/// All that can be told without the data.
fn check(op: Op, tensors: Tensors<'_>, on: On<'_>) -> Result<Problem> {
    let Tensors { self_, index, src, out } = tensors;
    let [self_operand, index_operand, out_operand] = [self_, index, out].map(RawTensor::operand);
    let src_operand = src.map(RawTensor::operand);
    let problem = Problem::new(op, &self_operand, &index_operand, src_operand.as_ref(), &out_operand)?;
    for tensor in [self_, index, out].into_iter().chain(src) {
        on.stream.device().expect_same(op.operator().name(), tensor.buffer.device())?;
    }
    Ok(problem)
}

/// Checks a scatter, and gives it to a stream.
pub(super) fn run(op: Op, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let _span = span!(
        "scatter",
        op = op,
        dtype = tensors.out.dtype,
        out = tensors.out.layout.shape(),
        index = tensors.index.layout.shape(),
        src = tensors.src.map(|src| src.layout.shape()),
    );
    let problem = check(op, tensors, on)?;
    if problem.is_copy() && problem.in_place() {
        return Ok(());
    }
    let session = on.stream.device().runtime().session();
    let scope = Scope::new(session).engine(on.engine()).check(Check::Flag);
    let scope = op.value().map_or(scope, |value| scope.value(value));
    scope.run(|| launch(&op, tensors, on))
}

/// Both phases of a scatter that has been checked.
fn launch(op: &Op, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let Tensors { self_, index, src, out } = tensors;
    let raw = |tensor: &RawTensor| tensor.descriptor().map(Descriptor::handle);
    let (self_handle, index_handle, out_handle) = (raw(self_)?, raw(index)?, raw(out)?);
    let src_handle = src.map_or(Ok(core::ptr::null_mut()), raw)?;
    let value = op.value().map(|value| AclScalar::new(value, on.stream)).transpose()?;
    let (operator, second) = function(op);
    let handles = Handles { self_: self_handle, index: index_handle, src: src_handle, out: out_handle };
    let first = |bytes: *mut u64, executor: *mut *mut aclOpExecutor| {
        // SAFETY: the handles are those of tensors, and of a scalar, that are alive; their memory is as large as they say.
        unsafe { phase_one(op, handles, value.as_ref(), bytes, executor) }
    };
    // SAFETY: `second` is phase two of the function that `first` calls.
    let prepared = unsafe { Prepared::new(operator, on.stream.device(), second, first) }?;
    let mut used: SmallVec<[Used<'_>; 4]> = SmallVec::new();
    used.push((out.buffer.tracked().uses(), out.write()));
    used.extend(
        [self_, index].into_iter().chain(src).map(|read| (read.buffer.tracked().uses(), Access::Read)),
    );
    prepared.launch(on.stream, &mut Locked::new(&mut used))
}

/// The tensors as phase one takes them.
#[derive(Clone, Copy)]
struct Handles {
    self_: *mut aclTensor,
    index: *mut aclTensor,
    src: *mut aclTensor,
    out: *mut aclTensor,
}

/// The name and phase two of an operator.
fn function(op: &Op) -> (&'static str, PhaseTwo) {
    match op {
        Op::ScatterAdd { .. } => ("aclnnScatterAdd", c::aclnnScatterAdd),
        Op::ScatterValue { .. } => ("aclnnScatterValue", c::aclnnScatterValue),
        Op::ScatterReduce { .. } => ("aclnnScatterReduce", c::aclnnScatterReduce),
        Op::ScatterNdAdd => ("aclnnTfScatterAdd", c::aclnnTfScatterAdd),
        _ => ("aclnnScatter", c::aclnnScatter),
    }
}

/// Phase one of [`function`].
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
            Op::ScatterNdAdd if self_ == out => {
                c::aclnnTfScatterAddGetWorkspaceSize(out, index, src, bytes, executor)
            }
            Op::ScatterNdAdd => scatter_nd_add_get_workspace_size(self_, index, src, out, bytes, executor),
            ref other => {
                let dim = other.dim().unwrap_or_default();
                c::aclnnScatterGetWorkspaceSize(self_, dim, index, src, reduce, out, bytes, executor)
            }
        }
    }
}

/// `scatter_nd_add` into another tensor. CANN's own operator is in place alone: there out becomes self, and is updated then.
pub(super) fn nd_add(tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    if !is_vendor(on.stream.device().runtime().session(), on.engine()) {
        return run(Op::ScatterNdAdd, tensors, on);
    }
    let Tensors { self_, out, .. } = tensors;
    // Before anything is copied.
    check(Op::ScatterNdAdd, tensors, on)?;
    copy(self_, out, on)?;
    run(Op::ScatterNdAdd, Tensors { self_: out, ..tensors }, on)
}

/// Makes one tensor equal to another, whatever their strides: the scatter of nothing.
pub(crate) fn copy(from: &RawTensor, to: &RawTensor, on: On<'_>) -> Result<()> {
    let nothing = DeviceBuffer::new(on.stream, 0)?;
    let index = RawTensor::new(nothing, DType::I64, Layout::contiguous(&[0], 0)?);
    run(Op::ScatterAdd { dim: 0 }, Tensors { self_: from, index: &index, src: Some(from), out: to }, on)
}
