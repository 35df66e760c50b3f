//! The failure of a call: a code of CANN's, and a message.

use core::ffi::CStr;
use std::ffi::CString;

use aclnn_sys::{
    ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR,
    AclnnStatus, LoadError, fork::Forked,
};

/// The code and the message of a failed call.
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
    /// No CANN was found, or it lacks a function.
    fn from(error: LoadError) -> Self {
        failure!(ACLNN_ERR_RUNTIME_ERROR, "{error}")
    }
}

impl From<Forked> for Failure {
    /// The process is a fork, in which CANN does not work.
    fn from(forked: Forked) -> Self {
        failure!(ACLNN_ERR_RUNTIME_ERROR, "{forked}")
    }
}

impl From<scatter::Error> for Failure {
    /// The code for a broken rule: 561103 where a tensor does not lie inside its storage, 161002
    /// for every other rule.
    fn from(error: scatter::Error) -> Self {
        let code = match error {
            scatter::Error::Layout { .. } => ACLNN_ERR_INNER_NULLPTR,
            _ => ACLNN_ERR_PARAM_INVALID,
        };
        failure!(code, "{error}")
    }
}

/// Refuses an argument that is null.
pub(crate) fn present<T>(name: &str, argument: *const T) -> Result<(), Failure> {
    ensure!(!argument.is_null(), ACLNN_ERR_PARAM_NULLPTR, "{name} is null");
    Ok(())
}

/// A message as a C string. A NUL, which can only come from a text of the caller's, becomes a
/// blank.
pub(crate) fn c_string(message: &str) -> CString {
    CString::new(message.replace('\0', " ")).unwrap_or_default()
}

/// A C name as a Rust string.
pub(crate) fn text(name: &CStr) -> &str {
    name.to_str().unwrap_or_default()
}
