//! Why a call fails: a code of CANN's, and words.

use core::cell::RefCell;
use core::ffi::CStr;
use std::ffi::CString;
use std::io::Write as _;

use aclnn_sys::{
    ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR, AclnnStatus, LoadError,
    fork::Forked,
};

use crate::session;
use crate::settings;

/// What a call returns instead of success.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: AclnnStatus,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: AclnnStatus, message: String) -> Self {
        Self { code, message }
    }
}

/// A [`Failure`] with a formatted message.
macro_rules! failure {
    ($code:expr, $($words:tt)+) => {
        $crate::failure::Failure::new($code, format!($($words)+))
    };
}
pub(crate) use failure;

/// Returns a [`Failure`] unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $code:expr, $($words:tt)+) => {
        if !$condition {
            return Err($crate::failure::failure!($code, $($words)+));
        }
    };
}
pub(crate) use ensure;

impl From<LoadError> for Failure {
    /// The process has no CANN, or one that lacks a function.
    fn from(error: LoadError) -> Self {
        failure!(ACLNN_ERR_RUNTIME_ERROR, "{error}")
    }
}

impl From<Forked> for Failure {
    /// The process has no CANN that works.
    fn from(forked: Forked) -> Self {
        failure!(ACLNN_ERR_RUNTIME_ERROR, "{forked}")
    }
}

impl From<scatter::Error> for Failure {
    /// The code of a rule: 561103 where a tensor does not lie inside its storage, 161002 for every other.
    fn from(error: scatter::Error) -> Self {
        let code = match error {
            scatter::Error::Layout { .. } => ACLNN_ERR_INNER_NULLPTR,
            _ => ACLNN_ERR_PARAM_INVALID,
        };
        failure!(code, "{error}")
    }
}

thread_local! {
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Why the latest call of this thread failed, once.
///
/// On host-cann `aclGetRecentErrMsg` tells the same; a real CANN's tells nothing of a library that is not its own.
#[must_use]
pub fn take_error_message() -> Option<String> {
    MESSAGE.try_with(|message| message.try_borrow_mut().ok()?.take()).ok().flatten()
}

/// Puts a failure where the caller can find its words: host-cann's `aclGetRecentErrMsg`, [`take_error_message`], and with
/// `ACLNN_SCATTER_LOG=1` the standard error.
pub(crate) fn report(function: &str, failure: &Failure) {
    let Failure { code, message } = failure;
    let message = format!("{function}: {code}: {message}");
    if let Some(host) = session::known_host() {
        host.note_error(&c_string(&message));
    }
    if settings::logs() {
        // Nobody is left to tell that the standard error is gone.
        let _ = writeln!(std::io::stderr(), "aclnn-scatter: {message}");
    }
    // A thread that is ending has nobody left to ask.
    let _ = MESSAGE.try_with(|place| place.try_borrow_mut().map(|mut place| *place = Some(message)));
}

/// A message for C. Ours have no NUL but one that a caller's text brought along.
pub(crate) fn c_string(message: &str) -> CString {
    CString::new(message.replace('\0', " ")).unwrap_or_default()
}

/// The text of a C name.
pub(crate) fn text(name: &CStr) -> &str {
    name.to_str().unwrap_or_default()
}
