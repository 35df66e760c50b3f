//! Calls to CANN, and what they return.

use core::ffi::CStr;
use core::fmt::Display;
use core::ptr::NonNull;

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, AclError, AclnnStatus, Cann, LoadError, fork};

use crate::error::{Error, Result};

/// Calls a function of CANN's runtime: a code other than success, or a function that is missing, is
/// an [`Error`].
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
        Ok(code) => {
            let message = without_repeats(call, code, recent_message(cann));
            Err(Error::Acl { call, code, message })
        }
        Err(missing) => Err(Error::MissingSymbol(missing)),
    }
}

/// What a phase of an operator has returned.
#[inline]
pub(crate) fn of_aclnn(cann: &Cann, call: &'static str, status: AclnnStatus) -> Result<()> {
    if status.is_success() { Ok(()) } else { Err(aclnn_error(cann, call, status)) }
}

/// The error of a phase that has failed.
pub(crate) fn aclnn_error(cann: &Cann, call: &'static str, status: AclnnStatus) -> Error {
    // CANN's words are taken in any case, so that the thread's next failure isn't told with them.
    let recent = recent_message(cann);
    let message = aclnn_scatter::take_error_message().unwrap_or(recent);
    Error::Aclnn { call, code: status, message: without_repeats(call, status, message) }
}

/// What a function that makes something has made: null is an [`Error`].
pub(crate) fn of_made<T>(call: &'static str, made: *mut T) -> Result<NonNull<T>> {
    NonNull::new(made).ok_or_else(|| match fork::check() {
        Ok(()) => Error::Aclnn { call, code: ACLNN_ERR_INNER_NULLPTR, message: "it made nothing".to_owned() },
        Err(forked) => forked.into(),
    })
}

/// The words of a failure without the function (or its phase one) and the code at their beginning,
/// which the error has already: host-cann's and this project's operators begin with them.
fn without_repeats(call: &str, code: impl Display, message: String) -> String {
    let words = message.strip_prefix(call).and_then(|words| {
        let words = words.strip_prefix("GetWorkspaceSize").unwrap_or(words).strip_prefix(": ")?;
        let after_code = words.strip_prefix(&code.to_string()).and_then(|words| words.strip_prefix(": "));
        Some(after_code.unwrap_or(words).to_owned())
    });
    words.unwrap_or(message)
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
