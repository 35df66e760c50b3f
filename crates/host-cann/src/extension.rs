//! What host-cann can do for an operator library beyond CANN.
//!
//! A library looks `hostcann_extension` up by name; where it is missing, the CANN of the process is not this one.

use core::ffi::{CStr, c_char, c_void};

use aclnn_sys::{AclError, AclnnStatus, aclDataType, aclOpExecutor, aclScalar, aclTensor, aclrtStream};

use crate::entry::{self, Out};
use crate::failure::failure;
use crate::meta::{executor, scalar};
use crate::stream;

/// The version of [`Extension`]; a later one only adds functions at its end.
pub const EXTENSION_VERSION: u32 = 1;

/// Which address of an executor changes: one of the `ADDRESS_` numbers.
pub type AddressKind = u32;
/// Of an input, by its place among them.
pub const ADDRESS_INPUT: AddressKind = 0;
/// Of an output, by its place among them.
pub const ADDRESS_OUTPUT: AddressKind = 1;
/// Of an input or output, inputs counted before outputs.
pub const ADDRESS_TENSOR: AddressKind = 2;
/// Of a tensor of an input list.
pub const ADDRESS_DYNAMIC_INPUT: AddressKind = 3;
/// Of a tensor of an output list.
pub const ADDRESS_DYNAMIC_OUTPUT: AddressKind = 4;
/// Of a tensor of a list, inputs counted before outputs.
pub const ADDRESS_DYNAMIC_TENSOR: AddressKind = 5;

/// What a library does when one of CANN's calls means an executor of its. Every callback may come on any thread; null says
/// that the library can't do it. What fails should say why in words by [`Extension::note`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ExecutorCallbacks {
    /// `aclSetAclOpExecutorRepeatable`.
    pub set_repeatable:
        Option<unsafe extern "C" fn(executor: *mut aclOpExecutor, context: *mut c_void) -> AclnnStatus>,
    /// The functions that set addresses; the tensor has the address already. `relative` counts in a list.
    pub set_address: Option<
        unsafe extern "C" fn(
            executor: *mut aclOpExecutor,
            context: *mut c_void,
            kind: AddressKind,
            index: usize,
            relative: usize,
            tensor: *mut aclTensor,
            address: *mut c_void,
        ) -> AclnnStatus,
    >,
    /// `aclDestroyAclOpExecutor`; the executor is not served any more.
    pub destroy:
        Option<unsafe extern "C" fn(executor: *mut aclOpExecutor, context: *mut c_void) -> AclnnStatus>,
}

/// The functions, of which a later version has more.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// [`EXTENSION_VERSION`].
    pub version: u32,
    /// Bytes of this struct.
    pub size: u32,
    /// Serves an executor until it is taken out or destroyed. The callbacks are copied.
    pub register_executor: unsafe extern "C" fn(
        executor: *mut aclOpExecutor,
        callbacks: *const ExecutorCallbacks,
        context: *mut c_void,
    ) -> AclnnStatus,
    /// Takes an executor out, without a callback; before the library frees it.
    pub unregister_executor: unsafe extern "C" fn(executor: *mut aclOpExecutor) -> AclnnStatus,
    /// Fails a stream, or for null the one that runs the host function that calls this: its next synchronisation returns
    /// the code once, and has the message.
    pub fail_stream:
        unsafe extern "C" fn(stream: aclrtStream, code: AclError, message: *const c_char) -> AclError,
    /// Tells a scalar's dtype, and its value in 16 bytes of which the dtype's are used.
    pub read_scalar: unsafe extern "C" fn(
        scalar: *const aclScalar,
        dtype: *mut aclDataType,
        value: *mut [u8; 16],
    ) -> AclnnStatus,
    /// Adds a message to what the thread's `aclGetRecentErrMsg` tells.
    pub note: unsafe extern "C" fn(message: *const c_char),
}

static EXTENSION: Extension = Extension {
    version: EXTENSION_VERSION,
    size: size_of::<Extension>() as u32,
    register_executor,
    unregister_executor,
    fail_stream,
    read_scalar,
    note,
};

/// The extension; never null.
pub extern "C" fn hostcann_extension() -> *const Extension {
    &raw const EXTENSION
}

unsafe extern "C" fn register_executor(
    executor: *mut aclOpExecutor,
    callbacks: *const ExecutorCallbacks,
    context: *mut c_void,
) -> AclnnStatus {
    // SAFETY: the library answers for callbacks and context, as the extension says.
    entry::call("registerExecutor", || unsafe { executor::register(executor, callbacks, context) })
}

unsafe extern "C" fn unregister_executor(executor: *mut aclOpExecutor) -> AclnnStatus {
    entry::call("unregisterExecutor", || executor::unregister(executor))
}

unsafe extern "C" fn fail_stream(stream: aclrtStream, code: AclError, message: *const c_char) -> AclError {
    entry::call("failStream", || {
        // SAFETY: the library gives null or a text with a NUL behind it.
        let message = unsafe { words(message) }
            .ok_or_else(|| failure!(aclnn_sys::ACL_ERROR_INVALID_PARAM, "message is null"))?;
        stream::state::fail(stream, code, &message)
    })
}

unsafe extern "C" fn read_scalar(
    scalar: *const aclScalar,
    dtype: *mut aclDataType,
    value: *mut [u8; 16],
) -> AclnnStatus {
    entry::call("readScalar", || {
        // SAFETY: the library gives null or room for these.
        let (dtype, value) = unsafe { (Out::new(dtype, "dtype"), Out::new(value, "value")) };
        scalar::read(scalar, dtype, value)
    })
}

unsafe extern "C" fn note(message: *const c_char) {
    let _: AclError = entry::call("note", || {
        // SAFETY: the library gives null or a text with a NUL behind it.
        if let Some(message) = unsafe { words(message) } {
            crate::errors::note(message, None);
        }
        Ok(())
    });
}

/// # Safety
/// The text is null, or has a NUL behind it.
unsafe fn words(text: *const c_char) -> Option<String> {
    // SAFETY: the caller says that a NUL is behind it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
