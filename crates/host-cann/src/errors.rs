//! The failures of each thread: their messages (`aclGetRecentErrMsg`) and the last code
//! (`aclrtGetLastError`). A program can have the messages of all threads in one place.

use core::ffi::{CStr, c_char};
use core::ptr;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::CString;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn_sys::{ACL_ERROR_INVALID_PARAM, ACL_RT_THREAD_LEVEL, AclError, aclrtLastErrLevel, fork};

use crate::failure::{Fallible, ensure};
use crate::sync::lock;

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

/// Whether messages are kept for the process and not for each thread.
static IS_OF_PROCESS: AtomicBool = AtomicBool::new(false);
static OF_PROCESS: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

thread_local! {
    static ERRORS: RefCell<Errors> = RefCell::default();
}

/// Keeps messages for the process from now on, or for each thread; those of the process are
/// forgotten.
pub(crate) fn set_of_process(whole: bool) {
    IS_OF_PROCESS.store(whole, Ordering::Relaxed);
    lock(&OF_PROCESS).clear();
}

/// Does something with the messages that this thread adds to and takes.
fn with_messages<R>(own: &mut VecDeque<String>, work: impl FnOnce(&mut VecDeque<String>) -> R) -> R {
    // In a fork another thread's lock is never released.
    if IS_OF_PROCESS.load(Ordering::Relaxed) && fork::check().is_ok() {
        work(&mut lock(&OF_PROCESS))
    } else {
        work(own)
    }
}

/// Notes a failure of this thread, and the code for `aclrtGetLastError`, if it has one.
pub(crate) fn note(message: String, code: Option<AclError>) {
    // On a thread that is ending nobody can ask any more.
    let _ = ERRORS.try_with(|errors| {
        if let Ok(mut errors) = errors.try_borrow_mut() {
            with_messages(&mut errors.messages, |messages| {
                messages.push_front(message);
                messages.truncate(KEPT);
            });
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
        let messages = with_messages(&mut errors.messages, core::mem::take);
        if messages.is_empty() {
            return None;
        }
        let text = Vec::from(messages).join("\n");
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
