//! The executors that phase one makes for phase two, and the handles that callers get for them.

pub(crate) mod call;
mod host_calls;
pub(crate) mod planned_kernels;
pub(crate) mod positions;
mod registry;
pub(crate) mod scalar_fill;

use aclnn_sys::{ACLNN_ERR_INNER_CREATE_EXECUTOR, aclOpExecutor};

use crate::failure::{Failure, ensure};

pub(crate) use registry::{Executor, Found, find};
pub use registry::{discard, live_executors};

/// Stores an executor, and returns its handle. On host-cann, CANN's own executor functions work
/// with the handle.
pub(crate) fn create(executor: Box<Executor>) -> Result<*mut aclOpExecutor, Failure> {
    let session = executor.session;
    let handle = registry::insert(executor);
    if let Some(host) = session.host() {
        // SAFETY: the registry has the executor, and unregisters it when it ends.
        let status = unsafe { host.register(handle, &host_calls::CALLS) };
        if !status.is_success() {
            discard(handle);
        }
        ensure!(
            status.is_success(),
            ACLNN_ERR_INNER_CREATE_EXECUTOR,
            "host-cann doesn't take the executor: {status}"
        );
    }
    Ok(handle)
}
