//! The failure of a call: a code of CANN's, and a message.

use aclnn_sys::{
    ACLNN_ERR_INNER, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR, AclnnStatus, LoadError, fork::Forked,
};

/// The code and the message of a failed call.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: AclnnStatus,
    pub(crate) message: String,
}

/// A [`Failure`] with a formatted message.
macro_rules! failure {
    ($code:expr, $($words:tt)+) => {
        $crate::failure::Failure { code: $code, message: format!($($words)+) }
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

/// Refuses an argument that is null.
pub(crate) fn present<T>(name: &str, argument: *const T) -> Result<(), Failure> {
    ensure!(!argument.is_null(), ACLNN_ERR_PARAM_NULLPTR, "{name} is null");
    Ok(())
}

/// The failure of something that only a bug of this crate can bring about.
pub(crate) fn bug(words: &str) -> Failure {
    failure!(ACLNN_ERR_INNER, "{words}, which is a bug of host-ops")
}
