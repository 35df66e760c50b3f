//! Phase two: from an executor to work on a stream.

mod arguments;
mod bad_index;
mod cpu;
mod host_function;
mod kernels;
mod ranges;
mod status_words;
pub(crate) mod stream_errors;
mod work;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus};

use crate::executor::{self, Executor, Found};
use crate::failure::{Failure, ensure, failure, present};
use crate::function::Function;
use crate::process::{current, scope};

pub(crate) use arguments::{Arguments, Launch};
use work::Work;

/// Runs phase two of a function. `forward` makes the same call to CANN's own operator.
///
/// # Safety
/// The contract of the C functions, which `entry!` documents.
pub(crate) unsafe fn run(
    function: Function,
    arguments: &Arguments,
    forward: impl FnOnce() -> Result<AclnnStatus, Failure>,
) -> Result<AclnnStatus, Failure> {
    let Arguments { workspace, workspace_size, executor, stream } = *arguments;
    present("executor", executor)?;
    let (check, ticket) = (current::check()?, scope::ticket());
    let session = current::session();
    let refused = |words: &str| Err(failure!(ACLNN_ERR_PARAM_INVALID, "executor: {words}"));
    let live = match executor::find(executor, function.name()) {
        Found::Live(live) => live,
        Found::Other(other) => {
            let name = function.name();
            return refused(&format!(
                "one of {name}GetWorkspaceSize expected, got one of {other}GetWorkspaceSize"
            ));
        }
        Found::Ended => return refused("it has run and is not repeatable, or it was destroyed"),
        Found::Unknown if session.host().is_some() => return refused("no phase one made it"),
        // CANN's own phase one made it, or it is not an executor, which CANN finds out.
        Found::Unknown => return forward(),
    };
    // SAFETY: the caller of phase one guaranteed what the tensors say of their memory; the caller
    // of phase two guarantees the stream and the workspace.
    unsafe { enqueue(live, &Launch { workspace, workspace_size, stream, check, ticket }) }?;
    Ok(AclnnStatus::SUCCESS)
}

/// Enqueues an executor's work to a stream.
///
/// # Safety
/// The stream is one of the executor's CANN, or null for the default stream of the thread's context
/// of that CANN. At the addresses of the executor's operands there are storages in memory of the
/// stream's device, of the size that their layouts say and with exposed provenance. Until the work
/// is done, only work that is ordered with it writes them, or reads out. The workspace is memory of
/// the same device with `workspace_size` bytes, and nothing else uses it until then.
pub(crate) unsafe fn enqueue(mut executor: Box<Executor>, launch: &Launch) -> Result<(), Failure> {
    let Launch { workspace, workspace_size, .. } = *launch;
    ensure!(
        workspace_size == 0 || !workspace.is_null(),
        ACLNN_ERR_PARAM_NULLPTR,
        "workspace is null, and workspaceSize {workspace_size}"
    );
    executor.settle()?;
    match executor.kernels.take() {
        Some(kernels) => {
            let fill = executor.fill.take();
            // SAFETY: the caller guarantees the stream, the executor's storages and the workspace,
            // and who uses them; kernels and scalar were taken from this executor.
            unsafe { kernels::enqueue(kernels, fill, &executor, launch) }
        }
        None if executor.call.work().is_some() => {
            // SAFETY: the caller guarantees the stream and the storages, and who uses them. The
            // addresses are aligned: whoever made the executor (phase one or `prepared::plan`) has
            // checked that, and so has `set_address` for an address that was changed since.
            unsafe { host_function::enqueue(executor.session, Work::Scatter(executor), launch) }
        }
        None => Ok(()),
    }
}
