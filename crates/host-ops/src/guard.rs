//! The guard around the body of every C function.

use aclnn_sys::AclnnStatus;

use crate::failure::Failure;
use crate::host::note_error;

/// Runs the body of a C function. Refuses to in a fork, turns a panic into a failure, and keeps the
/// message of a failure for the thread's `aclGetRecentErrMsg`.
pub(crate) fn guarded(name: &str, body: impl FnOnce() -> Result<(), Failure>) -> AclnnStatus {
    match caught(body) {
        Ok(()) => AclnnStatus::SUCCESS,
        Err(Failure { code, message }) => {
            note_error(&format!("{name}: {code}: {message}"));
            code
        }
    }
}

/// Runs a body, unless the process is a fork, and turns its panic into a failure.
pub(crate) fn caught<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    operator_abi::caught("host-ops", body)
}
