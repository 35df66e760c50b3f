//! The guard around the body of every C function.

use std::panic::{AssertUnwindSafe, catch_unwind};

use aclnn_sys::{AclnnStatus, fork};

use crate::failure::{Failure, bug};
use crate::host::note_error;

/// Runs the body of a C function. Refuses to in a fork, turns a panic into a failure, and keeps the
/// message of a failure for the thread's `aclGetRecentErrMsg`.
pub(crate) fn guarded(name: &str, body: impl FnOnce() -> Result<(), Failure>) -> AclnnStatus {
    let body = || {
        // Before anything waits for a thread that does not exist in a fork.
        fork::enter()?;
        body()
    };
    match caught(body) {
        Ok(()) => AclnnStatus::SUCCESS,
        Err(Failure { code, message }) => {
            note_error(&format!("{name}: {code}: {message}"));
            code
        }
    }
}

/// Runs a body, and turns its panic into a failure.
pub(crate) fn caught<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Unwind safety: state that a panic may leave half changed is behind locks, and each user of a
    // poisoned lock handles that.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(bug("a panic")))
}
