//! Calls to CANN, and errors made of what they return.

use core::ffi::CStr;
use core::fmt::Display;
use core::ptr::NonNull;

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, AclError, AclnnStatus, Cann, LoadError, fork};

use crate::error::{Error, Result};

/// Calls a function of CANN's runtime. A code other than success, and a missing function, become an
/// [`Error`].
///
/// The caller writes the `unsafe` block around it.
macro_rules! acl {
    ($cann:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let cann: &::aclnn_sys::Cann = $cann;
        $crate::call::of_acl(cann, stringify!($name), cann.$name($($argument),*))
    }};
}
pub(crate) use acl;

/// The same as [`acl`] for a function that returns an `aclnnStatus`.
macro_rules! aclnn {
    ($cann:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let cann: &::aclnn_sys::Cann = $cann;
        cann.$name($($argument),*)
            .map_err($crate::error::Error::MissingSymbol)
            .and_then(|status| $crate::call::of_aclnn(cann, stringify!($name), status))
    }};
}
pub(crate) use aclnn;

/// The result of a function of the runtime, from what it returned.
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

/// The result of a phase of an operator, from the status that it returned.
#[inline]
pub(crate) fn of_aclnn(cann: &Cann, call: &'static str, status: AclnnStatus) -> Result<()> {
    if status.is_success() { Ok(()) } else { Err(aclnn_error(cann, call, status)) }
}

/// The error for a failed phase.
pub(crate) fn aclnn_error(cann: &Cann, call: &'static str, status: AclnnStatus) -> Error {
    // CANN's message is taken in any case; otherwise the thread's next error would come with it.
    let recent = recent_message(cann);
    let message = match aclnn_scatter::take_error_message() {
        Some(own) if after_name(call, &own).is_some() => own,
        // An earlier call has left it, past this crate. host-cann has it, too, behind newer ones.
        Some(earlier) => recent.split(&earlier).next().unwrap_or_default().trim_end().to_owned(),
        None => recent,
    };
    Error::Aclnn { call, code: status, message: without_repeats(call, status, message) }
}

/// The object that a `Create` function returned; null becomes an [`Error`].
pub(crate) fn of_made<T>(call: &'static str, made: *mut T) -> Result<NonNull<T>> {
    NonNull::new(made).ok_or_else(|| match fork::check() {
        Ok(()) => Error::Aclnn { call, code: ACLNN_ERR_INNER_NULLPTR, message: "it made nothing".to_owned() },
        Err(forked) => forked.into(),
    })
}

/// A message without the name of the function (or of its phase one) and the code at its beginning,
/// which [`Error`] prints itself. Messages of host-cann and of this project's operators begin with
/// them.
fn without_repeats(call: &str, code: impl Display, message: String) -> String {
    let words = after_name(call, &message).map(|words| {
        let after_code = words.strip_prefix(&code.to_string()).and_then(|words| words.strip_prefix(": "));
        after_code.unwrap_or(words).to_owned()
    });
    words.unwrap_or(message)
}

/// What follows the name of the function (or of its phase one) in a message that begins with it.
fn after_name<'m>(call: &str, message: &'m str) -> Option<&'m str> {
    let words = message.strip_prefix(call)?;
    words.strip_prefix("GetWorkspaceSize").unwrap_or(words).strip_prefix(": ")
}

/// CANN's message about the thread's latest failure; empty where there is none.
#[cold]
fn recent_message(cann: &Cann) -> String {
    // SAFETY: the function takes no argument and has no precondition.
    match unsafe { cann.aclGetRecentErrMsg() } {
        Ok(words) if !words.is_null() => {
            // SAFETY: CANN returns a NUL-terminated text, which stays valid until the thread's next
            // call; it is copied here.
            unsafe { CStr::from_ptr(words) }.to_string_lossy().trim().to_owned()
        }
        _ => String::new(),
    }
}
