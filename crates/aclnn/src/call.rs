//! Calls to CANN, and what they return.

use core::ffi::CStr;
use core::ptr::NonNull;

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, AclError, AclnnStatus, Cann, LoadError};

use crate::error::{Error, Result};

/// Calls a function of CANN's runtime: a code other than success, or a function that is missing, is an [`Error`].
///
/// To be used in an `unsafe` block.
macro_rules! acl {
    ($cann:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let cann: &::aclnn_sys::Cann = $cann;
        $crate::call::of_acl(cann, stringify!($name), cann.$name($($argument),*))
    }};
}
pub(crate) use acl;

/// As [`acl`], for a function that returns an aclnnStatus.
macro_rules! aclnn {
    ($cann:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let cann: &::aclnn_sys::Cann = $cann;
        cann.$name($($argument),*)
            .map_err($crate::error::Error::MissingSymbol)
            .and_then(|status| $crate::call::of_aclnn(cann, stringify!($name), status))
    }};
}
pub(crate) use aclnn;

/// What a function of the runtime has returned.
#[inline]
pub(crate) fn of_acl(
    cann: &Cann,
    call: &'static str,
    returned: core::result::Result<AclError, LoadError>,
) -> Result<()> {
    match returned {
        Ok(code) if code.is_success() => Ok(()),
        Ok(code) => Err(Error::Acl { call, code, message: recent_message(cann) }),
        Err(missing) => Err(Error::MissingSymbol(missing)),
    }
}

/// What a phase of an operator has returned.
#[inline]
pub(crate) fn of_aclnn(cann: &Cann, call: &'static str, status: AclnnStatus) -> Result<()> {
    if status.is_success() {
        return Ok(());
    }
    let message = aclnn_scatter::take_error_message().unwrap_or_else(|| recent_message(cann));
    Err(Error::Aclnn { call, code: status, message })
}

/// What a function that makes something has made: null is an [`Error`].
pub(crate) fn of_made<T>(call: &'static str, made: *mut T) -> Result<NonNull<T>> {
    let none = || Error::Aclnn { call, code: ACLNN_ERR_INNER_NULLPTR, message: "it made nothing".to_owned() };
    NonNull::new(made).ok_or_else(none)
}

/// CANN's words for the thread's latest failure.
#[cold]
fn recent_message(cann: &Cann) -> String {
    // SAFETY: it takes nothing.
    match unsafe { cann.aclGetRecentErrMsg() } {
        Ok(words) if !words.is_null() => {
            // SAFETY: CANN's text has a NUL behind it, and stays until the thread's next call.
            unsafe { CStr::from_ptr(words) }.to_string_lossy().trim().to_owned()
        }
        _ => String::new(),
    }
}
