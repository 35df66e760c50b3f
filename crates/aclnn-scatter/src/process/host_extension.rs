//! host-cann's extension.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;

use aclnn_sys::{
    ACL_ERROR_API_NOT_SUPPORT, ACLNN_ERR_INNER_CREATE_EXECUTOR, AclError, AclnnStatus,
    HOSTCANN_EXTENSION_VERSION, aclDataType, aclOpExecutor, aclScalar, aclrtStream, hostcannExecutorCalls,
    hostcannExtension, hostcannGetExtension, hostcannRange,
};

/// A table of functions that has every one, of a version that is understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host(&'static hostcannExtension);

impl Host {
    /// # Safety
    /// `get` is host-cann's `hostcann_extension`.
    pub(crate) unsafe fn new(get: NonNull<c_void>) -> Option<Self> {
        // SAFETY: by the caller's word this is the type of what is there.
        let get: hostcannGetExtension = unsafe { core::mem::transmute(get.as_ptr()) };
        // SAFETY: the function takes nothing.
        let extension = unsafe { get?() };
        if extension.is_null() {
            return None;
        }
        // SAFETY: an extension that is not null stays valid; every version of it begins with these
        // two.
        let (version, size) = unsafe { ((*extension).version, (*extension).size) };
        if version != HOSTCANN_EXTENSION_VERSION || (size as usize) < size_of::<hostcannExtension>() {
            return None;
        }
        // SAFETY: it is at least as large as this crate knows it, and stays valid.
        let extension = unsafe { &*extension };
        let complete = extension.registerExecutor.is_some()
            && extension.unregisterExecutor.is_some()
            && extension.failStream.is_some()
            && extension.readScalar.is_some()
            && extension.noteError.is_some()
            && extension.launchHostFunc.is_some()
            && extension.holdMemory.is_some();
        complete.then_some(Self(extension))
    }

    /// Lets host-cann's executor calls serve an executor.
    pub(crate) fn register(
        &self,
        executor: *mut aclOpExecutor,
        calls: &'static hostcannExecutorCalls,
    ) -> AclnnStatus {
        self.0.registerExecutor.map_or(ACLNN_ERR_INNER_CREATE_EXECUTOR, |register| {
            // SAFETY: the handle is a live one of ours, and the table is static.
            unsafe { register(executor, calls) }
        })
    }

    /// Ends [`Host::register`].
    pub(crate) fn unregister(&self, executor: *mut aclOpExecutor) {
        if let Some(unregister) = self.0.unregisterExecutor {
            // Whether host-cann still knew the executor makes no difference: it is gone.
            // SAFETY: any handle may be given; it is looked up.
            let _ = unsafe { unregister(executor) };
        }
    }

    /// Has a stream call `run` with `argument`, or else `dropped`: one of them has been or will be
    /// called, whatever this returns.
    ///
    /// # Safety
    /// Both functions may be called once with the argument, from any thread.
    pub(crate) unsafe fn launch(
        &self,
        stream: aclrtStream,
        run: unsafe extern "C" fn(*mut c_void),
        dropped: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> AclError {
        let Some(launch) = self.0.launchHostFunc else {
            // SAFETY: nobody else has the argument.
            unsafe { dropped(argument) };
            return ACL_ERROR_API_NOT_SUPPORT;
        };
        // SAFETY: a stream may have any value; the rest is the caller's word.
        unsafe { launch(stream, Some(run), Some(dropped), argument) }
    }

    /// Holds memory until the host function that calls this returns, and says of each range where
    /// it is touched. Where a device could not touch all of it the stream has failed with
    /// `ACL_ERROR_RT_VECTOR_CORE_EXCEPTION`.
    ///
    /// # Safety
    /// The arguments' names are C strings.
    pub(crate) unsafe fn hold_memory(&self, operator: &CStr, ranges: &mut [hostcannRange]) -> AclError {
        self.0.holdMemory.map_or(ACL_ERROR_API_NOT_SUPPORT, |hold| {
            let calling = core::ptr::null_mut();
            // SAFETY: the slice holds its ranges; the names are the caller's word.
            unsafe { hold(calling, operator.as_ptr(), ranges.as_mut_ptr(), ranges.len()) }
        })
    }

    /// Fails the stream whose host function is running.
    pub(crate) fn fail_stream(&self, stream: aclrtStream, code: AclError, message: &CStr) {
        if let Some(fail) = self.0.failStream {
            // A stream that is gone has nobody left to synchronise it.
            // SAFETY: a stream may have any value, the message is a C string.
            let _ = unsafe { fail(stream, code, message.as_ptr()) };
        }
    }

    /// A scalar's dtype and bytes.
    ///
    /// # Safety
    /// The scalar is one of host-cann's (or any value that is not an address of anything).
    pub(crate) unsafe fn read_scalar(
        &self,
        scalar: *const aclScalar,
    ) -> Result<(aclDataType, [u8; 16]), AclnnStatus> {
        let (mut dtype, mut value) = (aclDataType(-1), [0_u8; 16]);
        let status = self.0.readScalar.map_or(ACLNN_ERR_INNER_CREATE_EXECUTOR, |read| {
            // SAFETY: there is room for both results, and by the caller's word the scalar may be
            // looked up.
            unsafe { read(scalar, &raw mut dtype, value.as_mut_ptr().cast(), value.len()) }
        });
        if status.is_success() { Ok((dtype, value)) } else { Err(status) }
    }

    /// Keeps a message for the thread's `aclGetRecentErrMsg`.
    pub(crate) fn note_error(&self, message: &CStr) {
        if let Some(note) = self.0.noteError {
            // SAFETY: a C string, which is copied.
            unsafe { note(message.as_ptr()) }
        }
    }
}
