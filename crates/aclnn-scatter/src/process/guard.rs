//! The guard around the body of every C function, and the report of its failure.

use core::cell::RefCell;

use aclnn_sys::AclnnStatus;
use operator_abi::Extension;

use crate::failure::{Failure, c_string};
use crate::process::session::Session;
use crate::process::{current, log};

/// Runs the body of a C function. Refuses to in a fork, turns a panic into a failure, and keeps the
/// message of a failure for the thread.
pub(crate) fn guarded(name: &str, body: impl FnOnce() -> Result<AclnnStatus, Failure>) -> AclnnStatus {
    // `known_host` is called after the body, which may be what makes the session.
    caught(body).unwrap_or_else(|failure| report(name, current::known_host(), failure))
}

/// [`guarded`] for a call that names its session, regardless of the thread's.
pub(crate) fn guarded_in<T>(
    session: &Session,
    name: &str,
    body: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, AclnnStatus> {
    caught(body).map_err(|failure| report(name, session.host(), failure))
}

/// Runs a body, unless the process is a fork, and turns its panic into a failure.
fn caught<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    operator_abi::caught("aclnn-scatter", body)
}

thread_local! {
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The message of this thread's latest failed call; each message is returned once.
///
/// On host-cann `aclGetRecentErrMsg` returns the same; a real CANN's does not know the failures of
/// this library.
#[must_use]
pub fn take_error_message() -> Option<String> {
    MESSAGE.try_with(|message| message.try_borrow_mut().ok()?.take()).ok().flatten()
}

/// Reports a failure to the caller: through host-cann's `aclGetRecentErrMsg`,
/// [`take_error_message`], and with `ACLNN_SCATTER_LOG=1` the standard error. Returns its code.
fn report(function: &str, host: Option<&Extension>, failure: Failure) -> AclnnStatus {
    let Failure { code, message } = failure;
    let message = format!("{function}: {code}: {message}");
    if let Some(host) = host {
        host.note_error(&c_string(&message));
    }
    log::write(format_args!("{message}"));
    // Fails in a thread that is ending, which can't ask for the message any more.
    let _ = MESSAGE.try_with(|place| place.try_borrow_mut().map(|mut place| *place = Some(message)));
    code
}

#[cfg(test)]
mod tests {
    use aclnn_sys::ACLNN_ERR_INNER;

    use super::*;

    #[test]
    fn a_panic_comes_back_as_an_error() {
        let status = guarded("aclnnScatterAdd", || panic!("a bug"));
        assert_eq!(status, ACLNN_ERR_INNER);
        let message = take_error_message().unwrap();
        assert!(message.starts_with("aclnnScatterAdd: ") && message.contains("panicked"), "{message}");
    }
}
