//! The failures of each thread: their messages (`aclGetRecentErrMsg`) and the last code
//! (`aclrtGetLastError`).

use core::ffi::{CStr, c_char};
use core::ptr;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::CString;

use aclnn_sys::{ACL_ERROR_INVALID_PARAM, ACL_RT_THREAD_LEVEL, AclError, aclrtLastErrLevel};

use crate::failure::{Fallible, ensure};

/// The most messages that are kept for a thread.
const KEPT: usize = 16;

#[derive(Default)]
struct Errors {
    /// The messages since the thread last asked for them, the newest first.
    messages: VecDeque<String>,
    /// What `aclGetRecentErrMsg` returned last; valid until it is called again.
    returned: CString,
    /// The latest error of the runtime library, until the thread takes it.
    last: Option<AclError>,
}

thread_local! {
    static ERRORS: RefCell<Errors> = RefCell::default();
}

/// Notes a failure of this thread, and the code for `aclrtGetLastError`, if it has one.
pub(crate) fn note(message: String, code: Option<AclError>) {
    // On a thread that is ending nobody can ask any more.
    let _ = ERRORS.try_with(|errors| {
        if let Ok(mut errors) = errors.try_borrow_mut() {
            errors.messages.push_front(message);
            errors.messages.truncate(KEPT);
            if code.is_some() {
                errors.last = code;
            }
        }
    });
}

/// The messages since the last call, the newest first, or null without any.
pub(crate) fn take_messages() -> *const c_char {
    let take = |errors: &RefCell<Errors>| {
        let mut errors = errors.try_borrow_mut().ok()?;
        if errors.messages.is_empty() {
            return None;
        }
        let text = Vec::from(core::mem::take(&mut errors.messages)).join("\n");
        errors.returned = CString::new(text.replace('\0', " ")).unwrap_or_default();
        Some(CStr::as_ptr(&errors.returned))
    };
    ERRORS.try_with(take).ok().flatten().unwrap_or(ptr::null())
}

/// The thread's last code, which is cleared with `forget`.
pub(crate) fn last(level: aclrtLastErrLevel, forget: bool) -> Fallible<AclError> {
    ensure!(level == ACL_RT_THREAD_LEVEL, ACL_ERROR_INVALID_PARAM, "level {} is not the thread's", level.0);
    let last = |errors: &RefCell<Errors>| {
        let mut errors = errors.try_borrow_mut().ok()?;
        if forget { errors.last.take() } else { errors.last }
    };
    Ok(ERRORS.try_with(last).ok().flatten().unwrap_or(AclError::SUCCESS))
}
