//! The functions for operator libraries that host-cann has beyond CANN; `host_cann/extension.h`
//! declares them.
//!
//! A library looks `hostcann_extension` up by name; where it is missing, the process uses another
//! CANN than this one.

use core::ffi::{CStr, c_char, c_void};

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, AclError, AclnnStatus, HOSTCANN_EXTENSION_VERSION, aclDataType, aclIntArray,
    aclOpExecutor, aclScalar, aclTensor, aclTensorList, aclrtHostFunc, aclrtStream, hostcannExecutorCalls,
    hostcannExtension, hostcannGetExtension, hostcannRange,
};

use crate::config;
use crate::entry::{self, Out};
use crate::errors;
use crate::failure::{Fallible, ensure, failure};
use crate::fault;
use crate::memory::hold::Range;
use crate::meta::{array, executor, list, scalar};
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
    holdMemory: Some(hostcann_hold_memory),
    readTensorList: Some(read_tensor_list),
    readIntArray: Some(read_int_array),
    injectFault: Some(inject_fault),
};

/// The extension, which is valid to the end of the process; null where `HOST_CANN_EXTENSION=0`
/// hides it.
///
/// # Safety
/// May be called at any time.
pub unsafe extern "C" fn hostcann_extension() -> *const hostcannExtension {
    if config::has_extension() { &raw const EXTENSION } else { core::ptr::null() }
}
const _: hostcannGetExtension = Some(hostcann_extension);

unsafe extern "C" fn register_executor(
    executor: *mut aclOpExecutor,
    calls: *const hostcannExecutorCalls,
) -> AclnnStatus {
    // SAFETY: the library passes calls that are null or valid until it unregisters the executor
    // (`host_cann/extension.h`).
    entry::call("registerExecutor", || unsafe { executor::register(executor, calls) })
}

unsafe extern "C" fn unregister_executor(executor: *mut aclOpExecutor) -> AclnnStatus {
    entry::call("unregisterExecutor", || executor::unregister(executor))
}

unsafe extern "C" fn fail_stream(stream: aclrtStream, code: AclError, message: *const c_char) -> AclError {
    entry::call("failStream", || {
        // SAFETY: the library passes null or a text with a NUL behind it.
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
        // SAFETY: the library passes null or room for a dtype.
        let dtype = unsafe { Out::new(dtype, "dataType") };
        // SAFETY: the library passes null or room for `size` bytes.
        unsafe { scalar::read(scalar, dtype, value.cast(), size) }
    })
}

unsafe extern "C" fn read_tensor_list(
    list: *const aclTensorList,
    index: u64,
    tensor: *mut *const aclTensor,
) -> AclnnStatus {
    entry::call("readTensorList", || {
        // SAFETY: the library passes null or room for a handle.
        let tensor = unsafe { Out::new(tensor, "tensor") };
        list::read(list, index, tensor)
    })
}

unsafe extern "C" fn read_int_array(array: *const aclIntArray, index: u64, value: *mut i64) -> AclnnStatus {
    entry::call("readIntArray", || {
        // SAFETY: the library passes null or room for a number.
        let value = unsafe { Out::new(value, "value") };
        array::INTEGERS.read(array, index, value)
    })
}

unsafe extern "C" fn inject_fault(kind: u32, nth: u64, struck: *mut bool) -> AclError {
    entry::call("injectFault", || {
        // SAFETY: the caller passes null or room for a truth value.
        let struck = unsafe { Out::new(struck, "struck") };
        fault::inject(kind, nth, struck)
    })
}

unsafe extern "C" fn note_error(message: *const c_char) {
    entry::call_stateless::<()>("noteError", || {
        // SAFETY: the library passes null or a text with a NUL behind it.
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

/// The extension's `holdMemory`, for a library that stands in for a device's own: it finds this
/// also where `HOST_CANN_EXTENSION=0` hides the extension from operators.
///
/// # Safety
/// `operator` and the ranges' arguments are null or texts with a NUL behind them, and there are
/// `count` ranges, which nobody else uses meanwhile.
pub unsafe extern "C" fn hostcann_hold_memory(
    stream: aclrtStream,
    operator: *const c_char,
    ranges: *mut hostcannRange,
    count: usize,
) -> AclError {
    entry::call("holdMemory", || {
        // SAFETY: the library passes null or a text with a NUL behind it.
        let operator = unsafe { name("operatorName", operator) }?;
        ensure!(!ranges.is_null() || count == 0, ACL_ERROR_INVALID_PARAM, "ranges is null");
        let ranges = if count == 0 {
            &mut []
        } else {
            // SAFETY: the library passes `count` ranges, which nobody else uses meanwhile.
            unsafe { core::slice::from_raw_parts_mut(ranges, count) }
        };
        for range in &*ranges {
            ensure!(!range.argument.is_null(), ACL_ERROR_INVALID_PARAM, "a range's argument is null");
        }
        let ranges = ranges.iter_mut().map(|range| Range {
            // SAFETY: it is not null, and the library passes a text with a NUL behind it.
            argument: unsafe { CStr::from_ptr(range.argument) },
            start: range.address.expose_provenance(),
            len: range.bytes,
            is_written: range.isWritten,
            memory: &mut range.memory,
        });
        stream::state::hold(stream, operator, ranges)
    })
}

/// A text that must not be null.
///
/// # Safety
/// The text is null, or has a NUL behind it while this is used.
unsafe fn name<'a>(argument: &str, text: *const c_char) -> Fallible<&'a CStr> {
    ensure!(!text.is_null(), ACL_ERROR_INVALID_PARAM, "{argument} is null");
    // SAFETY: the text is not null, and has a NUL behind it.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// # Safety
/// The text is null, or has a NUL behind it.
unsafe fn words(text: *const c_char) -> Option<String> {
    // SAFETY: the text is not null, and has a NUL behind it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
