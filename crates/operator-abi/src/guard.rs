//! The guard around the body of every C function.

use std::panic::{AssertUnwindSafe, catch_unwind};

use aclnn_sys::{ACLNN_ERR_INNER, fork};

use crate::{Failure, failure};

/// Runs the body of a C function of a library, unless the process is a fork in which CANN does not
/// work, and turns a panic into a failure.
///
/// # Errors
/// The body's, 361001 in a fork, and 561000 for a panic, which is a bug of the library.
pub fn caught<T>(library: &str, body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let body = || {
        // Before anything waits for a thread that does not exist in a fork.
        fork::enter()?;
        body()
    };
    // Unwind safety: state that a panic may leave half changed is behind locks, and each user of a
    // poisoned lock handles that.
    catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|_| Err(failure!(ACLNN_ERR_INNER, "{library} panicked, which is a bug of its own")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_comes_back_as_a_failure_that_names_the_library() {
        let failure = caught("host-ops", || -> Result<(), Failure> { panic!("a bug") }).unwrap_err();
        assert_eq!(failure.code, ACLNN_ERR_INNER);
        assert_eq!(failure.message, "host-ops panicked, which is a bug of its own");
    }
}
