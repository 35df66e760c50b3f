//! Phase two: from an executor to work on a stream.

use core::ffi::c_void;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus, aclOpExecutor, aclrtStream};

use crate::check;
use crate::executor::{self, Found};
use crate::failure::{Failure, ensure, failure};
use crate::function::Function;
use crate::job;
use crate::kernel;
use crate::session::session;
use crate::settings;
use crate::work::Work;

/// What a phase two is called with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) workspace: *mut c_void,
    pub(crate) workspace_size: u64,
    pub(crate) executor: *mut aclOpExecutor,
    pub(crate) stream: aclrtStream,
}

/// Phase two of a function; `forward` is the same call to CANN's own.
pub(crate) fn run(
    function: Function,
    launch: &Launch,
    forward: impl FnOnce() -> Result<AclnnStatus, Failure>,
) -> Result<AclnnStatus, Failure> {
    let Launch { workspace, workspace_size, executor, stream } = *launch;
    check::present("executor", executor)?;
    let check = settings::check()?;
    let session = session();
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
    if live.plan.settle()?
        && let Some(kernel) = live.kernel.take()
    {
        live.kernel = Some(kernel.again(&live.plan)?);
    }
    match live.kernel.take() {
        Some(kernel) => {
            let fill = live.fill.take();
            kernel::launch(kernel, fill, &live, launch, check)?;
        }
        None if live.plan.work().is_some() => job::launch(live.session, Work::Scatter(live), stream, check)?,
        None => {}
    }
    Ok(AclnnStatus::SUCCESS)
}
