//! One way from an operator's method to an engine.

use aclnn_scatter::{Operands, Planned, PreparedScatter, function_name};
use scatter::{DType, Layout, Op, Problem};

use super::tensors::Tensors;
use super::vendor;
use crate::call::{aclnn_error, of_aclnn};
use crate::error::Result;
use crate::memory::DeviceBuffer;
use crate::stream::On;
use crate::stream::core::Place;
use crate::stream::uses::Locked;
use crate::tensor::RawTensor;
use crate::trace::span;

/// All that can be told without the data.
fn check(op: Op, tensors: Tensors<'_>, operands: &Operands, on: On<'_>) -> Result<Problem> {
    let Operands { self_, index, src, out } = operands;
    let problem = Problem::new(op, self_, index, src.as_ref(), out)?;
    let Tensors { self_, index, src, out } = tensors;
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
    let operands = tensors.operands();
    let problem = check(op, tensors, &operands, on)?;
    if problem.is_copy() && problem.in_place() {
        return Ok(());
    }
    match plan(&problem, &operands, on)? {
        Planned::Here(prepared) => launch(prepared, function_name(&op), tensors, on),
        Planned::Vendor(pair) => vendor::run(&pair, &problem, tensors, on),
    }
}

/// Chooses who computes a scatter, and plans it for an engine of this project.
fn plan(problem: &Problem, operands: &Operands, on: On<'_>) -> Result<Planned> {
    let (device, name) = (on.stream.device(), function_name(problem.op()));
    let _span = span!("plan", operator = name);
    // Also the search for kernels is nothing for a fork, or for a thread without a context.
    device.bind()?;
    aclnn_scatter::plan(device.runtime().session(), on.engine(), problem, operands)
        .map_err(|code| aclnn_error(device.cann(), name, code))
}

/// Gives a scatter to a stream that was planned for these tensors.
fn launch(prepared: PreparedScatter, name: &'static str, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let workspace = prepared.workspace_bytes();
    let _span = span!("launch", operator = name, workspace = workspace);
    let launch = |place: Place| {
        // SAFETY: the stream is one of the device's CANN, whose session planned. The problem was
        // made of the operands of these tensors, which are of the stream's device, and exposes
        // their addresses. Their layouts lie inside the tensors' buffers, which are locked for this
        // work and outlive it. The workspace is the stream's until it is done.
        let status = unsafe { prepared.launch(place.workspace, place.stream, place.ticket) };
        of_aclnn(on.stream.device().cann(), name, status)
    };
    on.stream.core().enqueue(&mut Locked::new(&mut tensors.uses()), workspace, launch).map(drop)
}

/// Makes one tensor equal to another, whatever their strides: the scatter of nothing.
pub(crate) fn copy(from: &RawTensor, to: &RawTensor, on: On<'_>) -> Result<()> {
    let nothing = DeviceBuffer::new(on.stream, 0)?;
    let index = RawTensor::new(nothing, DType::I64, Layout::contiguous(&[0], 0)?);
    run(Op::ScatterAdd { dim: 0 }, Tensors { self_: from, index: &index, src: Some(from), out: to }, on)
}
