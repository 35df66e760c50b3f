//! What every library of operators on CANN's C ABI needs, whatever its operators compute: the
//! [`Failure`] of a call, the [guard](caught) around the body of a C function, and host-cann's
//! [`Extension`], through which operators run on host-cann.
//!
//! `aclnn-scatter` and `host-ops` are such libraries.

mod extension;
mod failure;
mod guard;

use core::ffi::CStr;

use aclnn_sys::{Cann, HOSTCANN_TENSOR_ANY, HOSTCANN_TENSOR_INPUT, HOSTCANN_TENSOR_OUTPUT};

pub use extension::Extension;
pub use failure::{Failure, c_string, present};
pub use guard::caught;

/// The process has a CANN already: one was installed before, or an operator has been called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadyInstalled;

impl core::fmt::Display for AlreadyInstalled {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the process has a CANN already; install one before the first call of an operator")
    }
}

impl core::error::Error for AlreadyInstalled {}

/// The function of CANN's by which a caller changes the address of a tensor of this kind, which is
/// one of the `HOSTCANN_TENSOR_` numbers.
#[must_use]
pub const fn address_setter(kind: u32) -> &'static str {
    match kind {
        HOSTCANN_TENSOR_INPUT => "aclSetInputTensorAddr",
        HOSTCANN_TENSOR_OUTPUT => "aclSetOutputTensorAddr",
        HOSTCANN_TENSOR_ANY => "aclSetTensorAddr",
        // Both pass the same kind.
        _ => "aclSetDynamicInputTensorAddr or aclSetDynamicTensorAddr",
    }
}

/// The first line, which is the newest, of CANN's messages for this thread. Asking clears them.
#[must_use]
pub fn recent_message(cann: &Cann) -> String {
    // SAFETY: the function takes no argument and has no precondition.
    let messages = unsafe { cann.aclGetRecentErrMsg() }.unwrap_or(core::ptr::null());
    if messages.is_null() {
        return "CANN says nothing".to_owned();
    }
    // SAFETY: CANN returns a NUL-terminated text that is valid until this thread asks again; it is
    // copied here.
    let messages = unsafe { CStr::from_ptr(messages) }.to_string_lossy();
    messages.lines().next().unwrap_or_default().to_owned()
}
