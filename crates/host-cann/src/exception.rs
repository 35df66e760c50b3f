//! The exceptions that are reported to a program when a task has failed.

use std::sync::Mutex;

use aclnn_sys::{AclError, aclrtExceptionInfo, aclrtExceptionInfoCallback};

use crate::failure::{Fallible, ensure, failure};
use crate::handle::{Kind, Table};
use crate::stream::Stream;
use crate::sync::lock;

/// What is known of a task that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exception {
    pub(crate) task: u32,
    pub(crate) stream: u32,
    pub(crate) thread: u32,
    pub(crate) device: u32,
    pub(crate) code: u32,
}

/// They exist while the program's function runs.
static EXCEPTIONS: Table<Exception> = Table::new(Kind::Exception);
static CALLBACK: Mutex<aclrtExceptionInfoCallback> = Mutex::new(None);

/// Sets the function that is called when a task has failed; null for none. A program
/// may begin with it.
pub(crate) fn set_callback(callback: aclrtExceptionInfoCallback) -> Fallible {
    crate::process::start()?;
    *lock(&CALLBACK) = callback;
    Ok(())
}

/// Calls the program's function.
pub(crate) fn report(task: u64, stream: &Stream, thread: u32, code: AclError) {
    let Some(callback) = *lock(&CALLBACK) else { return };
    let exception = Exception {
        task: (task & u64::from(u32::MAX)) as u32,
        stream: u32::try_from(stream.handle() & 0xFFF_FFFF).unwrap_or(u32::MAX),
        thread,
        device: stream.device().unsigned_abs(),
        code: code.0.unsigned_abs(),
    };
    if let Some(handle) = EXCEPTIONS.insert(exception) {
        // SAFETY: the program registered this function to be called so; the handle is valid until
        // it returns.
        unsafe { callback(core::ptr::without_provenance_mut(handle)) };
        EXCEPTIONS.remove(handle);
    }
}

/// One field of an exception.
pub(crate) fn part(info: *const aclrtExceptionInfo, part: impl Fn(&Exception) -> u32) -> Fallible<u32> {
    ensure!(!info.is_null(), aclnn_sys::ACL_ERROR_INVALID_PARAM, "info is null");
    EXCEPTIONS.with(info.addr(), part).ok_or_else(|| {
        failure!(
            aclnn_sys::ACL_ERROR_RT_INVALID_HANDLE,
            "exception {info:?} does not exist: it lives only while the callback runs"
        )
    })
}

pub(crate) fn clear() {
    *lock(&CALLBACK) = None;
}
