//! The failure of a call, and what becomes one.

use aclnn_sys::ACLNN_ERR_INNER;

pub(crate) use operator_abi::{Failure, ensure, failure, present};

/// The failure of something that only a bug of this crate can bring about.
pub(crate) fn bug(words: &str) -> Failure {
    failure!(ACLNN_ERR_INNER, "{words}, which is a bug of host-ops")
}
