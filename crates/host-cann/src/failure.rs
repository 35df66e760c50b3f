//! Why a call fails: a code of CANN's, and a message for `aclGetRecentErrMsg`.

use aclnn_sys::{AclError, AclnnStatus};

/// What a call returns instead of its result.
#[derive(Debug)]
pub(crate) struct Failure<C> {
    pub(crate) code: C,
    pub(crate) message: String,
    /// CANN detects this failure in the layer above its runtime library, so it does not become the
    /// thread's last error.
    pub(crate) is_above_runtime: bool,
}

/// The outcome of a runtime function.
pub(crate) type Fallible<T = ()> = Result<T, Failure<AclError>>;
/// The outcome of a function of the tensor API.
pub(crate) type NnFallible<T = ()> = Result<T, Failure<AclnnStatus>>;

impl<C> Failure<C> {
    pub(crate) fn new(code: C, message: String) -> Self {
        Self { code, message, is_above_runtime: false }
    }

    /// The same failure, detected above the runtime library.
    pub(crate) fn above_runtime(self) -> Self {
        Self { is_above_runtime: true, ..self }
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
