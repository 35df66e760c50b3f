//! CANN's older operator calls: descriptions, buffers and attributes can be made, and no operator
//! can be called.
//!
//! Clients make all of these before they call an operator, and some end the process if that fails.
//! So these are real, and the call of the operator is what fails, with the operator's name.

pub(crate) mod attribute;
pub(crate) mod buffer;
pub(crate) mod compile;
pub(crate) mod description;

use core::ffi::{CStr, c_char};

use aclnn_sys::{ACL_ERROR_BAD_ALLOC, ACL_ERROR_INVALID_PARAM, AclError};

use crate::failure::{Failure, Fallible, ensure, failure};

/// The failure for a handle of an object that does not exist.
fn unknown<T>(what: &str, handle: *const T) -> Failure<AclError> {
    failure!(ACL_ERROR_INVALID_PARAM, "{what} {handle:?} does not exist, or was destroyed")
}

/// The pointer for a handle, if there was one left.
fn pointer<T>(what: &str, handle: Option<usize>) -> Fallible<*mut T> {
    let handle = handle.ok_or_else(|| failure!(ACL_ERROR_BAD_ALLOC, "no more {what} can be made"))?;
    Ok(core::ptr::without_provenance_mut(handle))
}

/// A text that must not be null.
///
/// # Safety
/// The text is null or has a NUL behind it, for as long as the result is used.
unsafe fn text<'a>(text: *const c_char, name: &str) -> Fallible<&'a CStr> {
    ensure!(!text.is_null(), ACL_ERROR_INVALID_PARAM, "{name} is null");
    // SAFETY: the text is not null, and has a NUL behind it.
    Ok(unsafe { CStr::from_ptr(text) })
}
