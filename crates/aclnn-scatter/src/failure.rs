//! The failure of a call, and what becomes one.

use core::ffi::CStr;

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID};

pub(crate) use operator_abi::{Failure, c_string, ensure, failure, present};

/// The failure for a broken rule: 561103 where a tensor does not lie inside its storage, 161002
/// for every other rule.
pub(crate) fn broken(error: scatter::Error) -> Failure {
    let code = match error {
        scatter::Error::Layout { .. } => ACLNN_ERR_INNER_NULLPTR,
        _ => ACLNN_ERR_PARAM_INVALID,
    };
    failure!(code, "{error}")
}

/// A C name as a Rust string.
pub(crate) fn text(name: &CStr) -> &str {
    name.to_str().unwrap_or_default()
}
