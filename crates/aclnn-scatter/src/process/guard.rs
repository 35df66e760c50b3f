//! What every C function has around its body, and where the words of its failure go.

use core::cell::RefCell;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use aclnn_sys::{ACLNN_ERR_INNER, AclnnStatus, fork};

use crate::failure::{Failure, c_string, failure};
use crate::process::host_extension::Host;
use crate::process::session::Session;
use crate::process::{current, settings};

/// Runs the body of a C function: not in a fork of a process that has called one, no panic leaves
/// it, and the words of a failure are kept for the thread.
pub(crate) fn guarded(name: &str, body: impl FnOnce() -> Result<AclnnStatus, Failure>) -> AclnnStatus {
    // Asked for when the body has failed, which may be what begins the session.
    caught(body).unwrap_or_else(|failure| report(name, current::known_host(), failure))
}

/// The same for what a Rust program calls with its own session, whatever its thread's is.
pub(crate) fn guarded_in<T>(
    session: &Session,
    name: &str,
    body: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, AclnnStatus> {
    caught(body).map_err(|failure| report(name, session.host(), failure))
}

/// Runs a body, unless this is a fork, and makes a failure of its panic.
fn caught<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let body = || {
        // Before anything waits for a thread that is not here.
        fork::enter()?;
        body()
    };
    // What a panic may have left half done is guarded by locks, and they say how they take it.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Err(failure!(ACLNN_ERR_INNER, "aclnn-scatter panicked, which is a bug of its own"))
    })
}

thread_local! {
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Why the latest call of this thread failed, once.
///
/// On host-cann `aclGetRecentErrMsg` tells the same; a real CANN's tells nothing of a library that
/// is not its own.
#[must_use]
pub fn take_error_message() -> Option<String> {
    MESSAGE.try_with(|message| message.try_borrow_mut().ok()?.take()).ok().flatten()
}

/// Puts a failure where the caller can find its words: the call's host-cann
/// (`aclGetRecentErrMsg`), [`take_error_message`], and with `ACLNN_SCATTER_LOG=1` the standard
/// error. Returns its code.
fn report(function: &str, host: Option<&Host>, failure: Failure) -> AclnnStatus {
    let Failure { code, message } = failure;
    let message = format!("{function}: {code}: {message}");
    if let Some(host) = host {
        host.note_error(&c_string(&message));
    }
    if settings::logs() {
        // Nobody is left to tell that the standard error is gone.
        let _ = writeln!(std::io::stderr(), "aclnn-scatter: {message}");
    }
    // A thread that is ending has nobody left to ask.
    let _ = MESSAGE.try_with(|place| place.try_borrow_mut().map(|mut place| *place = Some(message)));
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_comes_back_as_an_error() {
        let status = guarded("aclnnScatterAdd", || panic!("a bug"));
        assert_eq!(status, ACLNN_ERR_INNER);
        let message = take_error_message().unwrap();
        assert!(message.starts_with("aclnnScatterAdd: ") && message.contains("panicked"), "{message}");
    }
}
