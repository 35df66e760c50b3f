//! What host-cann can do for an operator library beyond CANN: the functions that `host_cann/extension.h` declares.
//!
//! A library looks `hostcann_extension` up by name; where it is missing, the CANN of the process is not this one.

use core::ffi::{CStr, c_char, c_void};

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, AclError, AclnnStatus, HOSTCANN_EXTENSION_VERSION, aclDataType, aclOpExecutor,
    aclScalar, aclrtHostFunc, aclrtStream, hostcannExecutorCalls, hostcannExtension, hostcannGetExtension,
};

use crate::entry::{self, Out};
use crate::errors;
use crate::failure::failure;
use crate::meta::{executor, scalar};
use crate::stream::{self, HostFunction};

static EXTENSION: hostcannExtension = hostcannExtension {
    version: HOSTCANN_EXTENSION_VERSION,
    size: size_of::<hostcannExtension>() as u32,
    registerExecutor: Some(register_executor),
    unregisterExecutor: Some(unregister_executor),
    failStream: Some(fail_stream),
    readScalar: Some(read_scalar),
    noteError: Some(note_error),
    launchHostFunc: Some(launch_host_func),
};

/// The extension; never null, and valid to the end of the process.
///
/// # Safety
/// May be called at any time.
pub unsafe extern "C" fn hostcann_extension() -> *const hostcannExtension {
    &raw const EXTENSION
}
const _: hostcannGetExtension = Some(hostcann_extension);

unsafe extern "C" fn register_executor(
    executor: *mut aclOpExecutor,
    calls: *const hostcannExecutorCalls,
) -> AclnnStatus {
    // SAFETY: the library answers for its calls, as the extension says.
    entry::call("registerExecutor", || unsafe { executor::register(executor, calls) })
}

unsafe extern "C" fn unregister_executor(executor: *mut aclOpExecutor) -> AclnnStatus {
    entry::call("unregisterExecutor", || executor::unregister(executor))
}

unsafe extern "C" fn fail_stream(stream: aclrtStream, code: AclError, message: *const c_char) -> AclError {
    entry::call("failStream", || {
        // SAFETY: the library gives null or a text with a NUL behind it.
        let message =
            unsafe { words(message) }.ok_or_else(|| failure!(ACL_ERROR_INVALID_PARAM, "message is null"))?;
        stream::state::fail(stream, code, &message)
    })
}

unsafe extern "C" fn read_scalar(
    scalar: *const aclScalar,
    dtype: *mut aclDataType,
    value: *mut c_void,
    size: usize,
) -> AclnnStatus {
    entry::call("readScalar", || {
        // SAFETY: the library gives null or room for a dtype.
        let dtype = unsafe { Out::new(dtype, "dataType") };
        // SAFETY: the library gives null or room for so many bytes.
        unsafe { scalar::read(scalar, dtype, value.cast(), size) }
    })
}

unsafe extern "C" fn note_error(message: *const c_char) {
    entry::call::<()>("noteError", || {
        // SAFETY: the library gives null or a text with a NUL behind it.
        if let Some(message) = unsafe { words(message) } {
            errors::note(message, None);
        }
        Ok(())
    });
}

unsafe extern "C" fn launch_host_func(
    stream: aclrtStream,
    function: aclrtHostFunc,
    dropped: aclrtHostFunc,
    args: *mut c_void,
) -> AclError {
    entry::call("launchHostFunc", || {
        stream::state::launch(stream, HostFunction::new(function, dropped, args)?)
    })
}

/// # Safety
/// The text is null, or has a NUL behind it.
unsafe fn words(text: *const c_char) -> Option<String> {
    // SAFETY: the caller says that a NUL is behind it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
