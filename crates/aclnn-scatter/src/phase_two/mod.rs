//! Phase two: from an executor to work on a stream.

mod bad_index;
mod cpu;
mod host_function;
mod kernels;
mod launch;
mod ranges;
mod status_words;
pub(crate) mod stream_errors;
mod work;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus, aclrtStream};
use scatter::{Operand, SrcGrad};

use crate::executor::{self, Found};
use crate::failure::{Failure, ensure, failure, present};
use crate::function::Function;
use crate::process::current;
use crate::process::session::Session;

pub(crate) use launch::Launch;
use work::Work;

/// Phase two of a function; `forward` is the same call to CANN's own.
pub(crate) fn run(
    function: Function,
    launch: &Launch,
    forward: impl FnOnce() -> Result<AclnnStatus, Failure>,
) -> Result<AclnnStatus, Failure> {
    let Launch { workspace, workspace_size, executor, stream } = *launch;
    present("executor", executor)?;
    let check = current::check()?;
    let session = current::session();
    let refused = |words: &str| Err(failure!(ACLNN_ERR_PARAM_INVALID, "executor: {words}"));
    let mut live = match executor::start(executor, function.name()) {
        Found::Live(live) => live,
        Found::Other(name) => return refused(&format!("one of {name}GetWorkspaceSize")),
        Found::Ended => return refused("it has run and is not repeatable, or it was destroyed"),
        Found::Unknown if session.host().is_some() => return refused("no phase one made it"),
        // CANN's own phase one made it, or nobody did; CANN tells.
        Found::Unknown => return forward(),
    };
    ensure!(
        workspace_size == 0 || !workspace.is_null(),
        ACLNN_ERR_PARAM_NULLPTR,
        "workspace is null, and workspaceSize {workspace_size}"
    );
    if live.call.settle()?
        && let Some(kernels) = live.kernels.take()
    {
        live.kernels = Some(kernels.again(&live.call)?);
    }
    match live.kernels.take() {
        Some(kernels) => {
            let fill = live.fill.take();
            kernels::launch(kernels, fill, &live, launch, check)?;
        }
        None if live.call.work().is_some() => {
            host_function::launch(live.session, Work::Scatter(live), stream, check)?;
        }
        None => {}
    }
    Ok(AclnnStatus::SUCCESS)
}

/// Gives a gradient, bound to the addresses of its operands, to a stream of host-cann.
pub(crate) fn launch_src_grad(
    session: &'static Session,
    problem: SrcGrad,
    operands: [Operand; 3],
    stream: aclrtStream,
) -> Result<(), Failure> {
    let work = Work::SrcGrad(Box::new((problem, operands)));
    host_function::launch(session, work, stream, current::check()?)
}
