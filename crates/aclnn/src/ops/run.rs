//! The way of a scatter from its method to an engine.

use aclnn_scatter::{Operands, Planned, PreparedScatter, function_name};
use scatter::{IndexList, Op, Problem};

use super::tensors::Tensors;
use super::vendor;
use crate::call::{aclnn_error, of_aclnn};
use crate::error::Result;
use crate::stream::On;
use crate::stream::core::Place;
use crate::stream::uses::Locked;
use crate::trace::span;

/// Checks everything that can be checked without the data.
fn check(
    op: Op,
    tensors: Tensors<'_>,
    operands: &Operands,
    list: Option<&IndexList>,
    on: On<'_>,
) -> Result<Problem> {
    let Operands { self_, index, src, out } = operands;
    let problem = Problem::new(op, self_, index, src.as_ref(), out);
    let problem = match list {
        Some(list) => list.apart_from(out, problem),
        None => problem,
    }?;
    for tensor in tensors.read().chain([tensors.out]) {
        on.stream.device().expect_same(op.operator().name(), tensor.buffer.device())?;
    }
    Ok(problem)
}

/// Checks a scatter, and enqueues it.
pub(super) fn run(op: Op, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let _span = span!(
        "scatter",
        op = op,
        dtype = tensors.out.dtype,
        out = tensors.out.layout.shape(),
        index = tensors.index,
        src = tensors.src.map(|src| src.layout.shape()),
    );
    let (operands, list) = tensors.operands()?;
    let problem = check(op, tensors, &operands, list.as_deref(), on)?;
    if !problem.has_work() {
        return Ok(());
    }
    match plan(&problem, &operands, list, on)? {
        Planned::Here(prepared) => launch(prepared, function_name(&op), tensors, on),
        Planned::Vendor(pair) => vendor::run(&pair, &problem, tensors, on),
    }
}

/// Chooses the engine for a scatter, and plans the scatter if the engine is one of this project.
fn plan(problem: &Problem, operands: &Operands, list: Option<Box<IndexList>>, on: On<'_>) -> Result<Planned> {
    let (device, name) = (on.stream.device(), function_name(problem.op()));
    let _span = span!("plan", operator = name);
    // Planning may search for kernels, which must not happen in a forked process and needs a
    // current context.
    device.bind()?;
    aclnn_scatter::plan(device.runtime().session(), on.engine(), problem, operands, list)
        .map_err(|code| aclnn_error(device.cann(), name, code))
}

/// Enqueues a scatter that was planned for these tensors.
fn launch(prepared: PreparedScatter, name: &'static str, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let workspace = prepared.workspace_bytes();
    let _span = span!("launch", operator = name, workspace = workspace);
    let launch = |place: Place| {
        // SAFETY: the stream belongs to the CANN whose session made the plan. The problem was made
        // from these tensors, which are on the stream's device, and their addresses are exposed.
        // Their layouts lie inside their buffers, which are locked for this work and outlive it.
        // The workspace has the size that the plan asks for, and the stream keeps it until the work
        // is done.
        let status = unsafe { prepared.launch(place.workspace, place.stream, place.ticket) };
        of_aclnn(on.stream.device().cann(), name, status)
    };
    on.stream.core().enqueue(&mut Locked::new(&mut tensors.uses()), workspace, launch).map(drop)
}
