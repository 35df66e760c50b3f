//! What a thread can ask about its failures: words (`aclGetRecentErrMsg`) and the last code (`aclrtGetLastError`).

use core::ffi::{CStr, c_char};
use core::ptr;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::CString;

use aclnn_sys::{ACL_ERROR_INVALID_PARAM, ACL_RT_THREAD_LEVEL, AclError, aclrtLastErrLevel};

use crate::failure::{Fallible, ensure};

/// Messages that are kept for a thread that never asks.
const KEPT: usize = 16;

#[derive(Default)]
struct Errors {
    /// Since the thread last asked, the newest first.
    messages: VecDeque<String>,
    /// What `aclGetRecentErrMsg` returned last; valid until it is called again.
    told: CString,
    /// The latest error of the runtime library, until the thread takes it.
    last: Option<AclError>,
}

thread_local! {
    static ERRORS: RefCell<Errors> = RefCell::default();
}

/// Notes a failure of this thread, and the error that it leaves for `aclrtGetLastError`, if it is one for that.
pub(crate) fn note(message: String, code: Option<AclError>) {
    // A thread that is ending has nobody left to ask.
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
    let told = |errors: &RefCell<Errors>| {
        let mut errors = errors.try_borrow_mut().ok()?;
        if errors.messages.is_empty() {
            return None;
        }
        let text = Vec::from(core::mem::take(&mut errors.messages)).join("\n");
        errors.told = CString::new(text.replace('\0', " ")).unwrap_or_default();
        Some(CStr::as_ptr(&errors.told))
    };
    ERRORS.try_with(told).ok().flatten().unwrap_or(ptr::null())
}

/// The thread's last code, which is forgotten with `forget`.
pub(crate) fn last(level: aclrtLastErrLevel, forget: bool) -> Fallible<AclError> {
    ensure!(level == ACL_RT_THREAD_LEVEL, ACL_ERROR_INVALID_PARAM, "level {} is not the thread's", level.0);
    let last = |errors: &RefCell<Errors>| {
        let mut errors = errors.try_borrow_mut().ok()?;
        if forget { errors.last.take() } else { errors.last }
    };
    Ok(ERRORS.try_with(last).ok().flatten().unwrap_or(AclError::SUCCESS))
}
