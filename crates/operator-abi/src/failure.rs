//! The failure of a call: a code of CANN's, and a message.

use std::ffi::CString;

use aclnn_sys::{ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR, AclnnStatus, LoadError, fork::Forked};

/// The code and the message of a failed call.
#[derive(Debug)]
pub struct Failure {
    /// What the call returns.
    pub code: AclnnStatus,
    /// Which argument, what was expected and what was given.
    pub message: String,
}

/// A [`Failure`] with a code and a formatted message.
#[macro_export]
macro_rules! failure {
    ($code:expr, $($words:tt)+) => {
        $crate::Failure { code: $code, message: format!($($words)+) }
    };
}

/// Returns a [`Failure`] unless a condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $code:expr, $($words:tt)+) => {
        if !$condition {
            return Err($crate::failure!($code, $($words)+));
        }
    };
}

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

/// Refuses an argument that is null.
///
/// # Errors
/// 161001, with the argument's name.
pub fn present<T>(name: &str, argument: *const T) -> Result<(), Failure> {
    ensure!(!argument.is_null(), ACLNN_ERR_PARAM_NULLPTR, "{name} is null");
    Ok(())
}

/// A text as a C string. A NUL, which can only come from a text of the caller's, becomes a blank.
#[must_use]
pub fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}
