//! host-cann's extension: the functions that it has beyond CANN's.

use core::ffi::{CStr, c_void};
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use aclnn_sys::{
    ACL_ERROR_API_NOT_SUPPORT, ACLNN_ERR_INNER_CREATE_EXECUTOR, AclError, AclnnStatus, Cann,
    HOSTCANN_EXTENSION_VERSION, aclDataType, aclIntArray, aclOpExecutor, aclScalar, aclTensor, aclTensorList,
    aclrtStream, hostcannExecutorCalls, hostcannExtension, hostcannGetExtension, hostcannRange,
};

/// The extension's table of functions, checked to be of the version that this crate knows, and to
/// have all functions but `readIntArray` and `injectFault`, which an older host-cann lacks.
#[derive(Clone, Copy, Debug)]
pub struct Extension(hostcannExtension);

impl Extension {
    /// The extension of a CANN, if that is host-cann and doesn't hide it.
    #[must_use]
    pub fn find(cann: &Cann) -> Option<Self> {
        // SAFETY: only the address is taken; whoever installed this CANN, or set the variables with
        // which it is found, guarantees that its libraries may be opened.
        let get = unsafe { cann.symbol(c"hostcann_extension") }.ok()?;
        // SAFETY: only host-cann has a symbol of this name, and declares it with this type.
        unsafe { Self::of(get) }
    }

    /// # Safety
    /// `get` is host-cann's `hostcann_extension`.
    unsafe fn of(get: NonNull<c_void>) -> Option<Self> {
        // SAFETY: the caller guarantees that `get` is `hostcann_extension`, whose type this is.
        let get: hostcannGetExtension = unsafe { core::mem::transmute(get.as_ptr()) };
        // SAFETY: the function takes no argument and has no precondition.
        let extension = unsafe { get?() };
        if extension.is_null() {
            return None;
        }
        // SAFETY: host-cann returns null or a table that stays valid; the table of every version
        // begins with these two fields.
        let (version, size) = unsafe { ((*extension).version, (*extension).size) };
        if version != HOSTCANN_EXTENSION_VERSION {
            return None;
        }
        // An older host-cann has fewer functions, and a newer one more.
        let bytes = (size as usize).min(size_of::<hostcannExtension>());
        let mut known = MaybeUninit::<hostcannExtension>::zeroed();
        // SAFETY: both have these bytes. Fields of the same version are only added behind, and
        // zeros are a valid value of each: numbers, and functions that are absent.
        let extension = unsafe {
            core::ptr::copy_nonoverlapping(extension.cast::<u8>(), known.as_mut_ptr().cast(), bytes);
            known.assume_init()
        };
        let complete = extension.registerExecutor.is_some()
            && extension.unregisterExecutor.is_some()
            && extension.failStream.is_some()
            && extension.readScalar.is_some()
            && extension.noteError.is_some()
            && extension.launchHostFunc.is_some()
            && extension.holdMemory.is_some()
            && extension.readTensorList.is_some();
        complete.then_some(Self(extension))
    }

    /// Makes host-cann's executor functions work with an executor of the calling library.
    ///
    /// # Safety
    /// The handle is that of a live executor, until [`Extension::unregister`].
    pub unsafe fn register(
        &self,
        executor: *mut aclOpExecutor,
        calls: &'static hostcannExecutorCalls,
    ) -> AclnnStatus {
        self.0.registerExecutor.map_or(ACLNN_ERR_INNER_CREATE_EXECUTOR, |register| {
            // SAFETY: the caller guarantees that the executor lives; the table is static.
            unsafe { register(executor, calls) }
        })
    }

    /// Undoes [`Extension::register`].
    #[expect(clippy::not_unsafe_ptr_arg_deref, reason = "host-cann looks the handle up, and never reads it")]
    pub fn unregister(&self, executor: *mut aclOpExecutor) {
        if let Some(unregister) = self.0.unregisterExecutor {
            // The result says only whether host-cann still knew the executor.
            // SAFETY: any handle may be given: host-cann looks it up, and never dereferences it.
            let _ = unsafe { unregister(executor) };
        }
    }

    /// Lets a stream call `run` with `argument`, or `dropped` if it drops the work. Exactly one of
    /// them has been or will be called, whatever this returns.
    ///
    /// # Safety
    /// Either function may be called once with the argument, from any thread.
    pub unsafe fn launch(
        &self,
        stream: aclrtStream,
        run: unsafe extern "C" fn(*mut c_void),
        dropped: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> AclError {
        let Some(launch) = self.0.launchHostFunc else {
            // SAFETY: the caller allows one call, and `run` has not been called with the argument.
            unsafe { dropped(argument) };
            return ACL_ERROR_API_NOT_SUPPORT;
        };
        // SAFETY: host-cann looks up any value of a stream; the caller guarantees that one of the
        // functions may be called with the argument.
        unsafe { launch(stream, Some(run), Some(dropped), argument) }
    }

    /// Keeps memory from being freed until the host function that calls this returns, and stores in
    /// each range the address at which the host can access it. If a device could not access all of
    /// the memory, the stream has failed with `ACL_ERROR_RT_VECTOR_CORE_EXCEPTION`.
    ///
    /// # Safety
    /// The names of the arguments in `ranges` are C strings.
    pub unsafe fn hold_memory(&self, operator: &CStr, ranges: &mut [hostcannRange]) -> AclError {
        self.0.holdMemory.map_or(ACL_ERROR_API_NOT_SUPPORT, |hold| {
            let calling = core::ptr::null_mut();
            // SAFETY: pointer and length are those of a mutable slice; the caller guarantees that
            // the names are C strings.
            unsafe { hold(calling, operator.as_ptr(), ranges.as_mut_ptr(), ranges.len()) }
        })
    }

    /// Fails a stream; null stands for that whose host function is running.
    #[expect(clippy::not_unsafe_ptr_arg_deref, reason = "host-cann looks the handle up, and never reads it")]
    pub fn fail_stream(&self, stream: aclrtStream, code: AclError, message: &CStr) {
        if let Some(fail) = self.0.failStream {
            // A stream that has been destroyed will not be synchronised, so an error here does not
            // matter.
            // SAFETY: host-cann looks up any value of a stream; the message is a C string.
            let _ = unsafe { fail(stream, code, message.as_ptr()) };
        }
    }

    /// A scalar's dtype and bytes.
    ///
    /// # Errors
    /// host-cann's code for a handle that is no scalar's.
    ///
    /// # Safety
    /// `scalar` was made by host-cann, or is any value that is not a valid address.
    pub unsafe fn read_scalar(
        &self,
        scalar: *const aclScalar,
    ) -> Result<(aclDataType, [u8; 16]), AclnnStatus> {
        let (mut dtype, mut value) = (aclDataType(-1), [0_u8; 16]);
        let status = self.0.readScalar.map_or(ACLNN_ERR_INNER_CREATE_EXECUTOR, |read| {
            // SAFETY: both results are written to live locals, at most `value.len()` bytes to the
            // second; the caller guarantees that host-cann may look up the scalar.
            unsafe { read(scalar, &raw mut dtype, value.as_mut_ptr().cast(), value.len()) }
        });
        if status.is_success() { Ok((dtype, value)) } else { Err(status) }
    }

    /// The tensor at a place of a list, which may be null.
    ///
    /// # Errors
    /// host-cann's code for a handle that is no list's, and for a place that it doesn't have.
    ///
    /// # Safety
    /// `list` was made by host-cann, or is any value that is not a valid address.
    pub unsafe fn read_list(
        &self,
        list: *const aclTensorList,
        place: u64,
    ) -> Result<*const aclTensor, AclnnStatus> {
        let mut tensor = core::ptr::null();
        let status = self.0.readTensorList.map_or(ACLNN_ERR_INNER_CREATE_EXECUTOR, |read| {
            // SAFETY: the result is written to a live local; the caller guarantees that host-cann
            // may look up the list.
            unsafe { read(list, place, &raw mut tensor) }
        });
        if status.is_success() { Ok(tensor) } else { Err(status) }
    }

    /// The number at a place of an array.
    ///
    /// # Errors
    /// As [`Extension::read_list`]; 561101 if host-cann is too old to tell it.
    ///
    /// # Safety
    /// `array` was made by host-cann, or is any value that is not a valid address.
    pub unsafe fn read_integer(&self, array: *const aclIntArray, place: u64) -> Result<i64, AclnnStatus> {
        let mut value = 0;
        let status = self.0.readIntArray.map_or(ACLNN_ERR_INNER_CREATE_EXECUTOR, |read| {
            // SAFETY: the result is written to a live local; the caller guarantees that host-cann
            // may look up the array.
            unsafe { read(array, place, &raw mut value) }
        });
        if status.is_success() { Ok(value) } else { Err(status) }
    }

    /// Keeps a message for the thread's `aclGetRecentErrMsg`.
    pub fn note_error(&self, message: &CStr) {
        if let Some(note) = self.0.noteError {
            // SAFETY: the message is a C string, which host-cann copies.
            unsafe { note(message.as_ptr()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::mem::offset_of;

    use super::*;

    thread_local! {
        static TABLE: Cell<*const hostcannExtension> = const { Cell::new(core::ptr::null()) };
    }

    unsafe extern "C" fn get() -> *const hostcannExtension {
        TABLE.get()
    }

    /// Whether an extension is taken of which a host-cann knows only the first bytes.
    fn is_taken(size: usize) -> bool {
        // SAFETY: the function has no precondition, and returns a table that stays valid.
        let mut whole = unsafe { *host_cann::hostcann_extension() };
        whole.size = size as u32;
        // Memory of this size alone, with which Miri and sanitizers find a read beyond it.
        let mut table = vec![0_u64; size / size_of::<u64>()];
        // SAFETY: the table has `size` bytes, and the struct at least as many.
        unsafe { core::ptr::copy_nonoverlapping((&raw const whole).cast(), table.as_mut_ptr(), table.len()) };
        TABLE.set(table.as_ptr().cast());
        let function = NonNull::new(get as *mut c_void).unwrap();
        // SAFETY: this is a function of that type.
        unsafe { Extension::of(function) }.is_some()
    }

    #[test]
    fn an_older_extension_is_taken_if_it_has_the_functions_that_are_called() {
        assert!(is_taken(size_of::<hostcannExtension>()));
        assert!(is_taken(offset_of!(hostcannExtension, readIntArray)));
        assert!(!is_taken(offset_of!(hostcannExtension, readTensorList)));
    }
}
