//! `libhost_cann.so`: the functions of the crate `host-cann` under CANN's names, and nothing else.
//!
//! Programs link it as the libraries of a CANN install, which `cargo xtask host-toolkit` lays out.

#[macro_use]
#[path = "../../forward.rs"]
mod forward;

use core::ffi::c_char;

use aclnn_sys::{AclError, aclrtStream, hostcannExtension, hostcannRange};
use host_cann::c as functions;

aclnn_sys::for_each_function!(forwarders);
host_cann::for_each_name!(export);

/// The extension for operator libraries, which its header declares beside CANN's functions.
///
/// # Safety
/// May be called at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hostcann_extension() -> *const hostcannExtension {
    // SAFETY: the function may be called at any time.
    unsafe { functions::hostcann_extension() }
}

/// The extension's `holdMemory`, for a library that stands in for a device's own.
///
/// # Safety
/// As of `hostcannHoldMemory` in `host_cann/extension.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hostcann_hold_memory(
    stream: aclrtStream,
    operator: *const c_char,
    ranges: *mut hostcannRange,
    count: usize,
) -> AclError {
    // SAFETY: the caller guarantees that the operator's and the arguments' names are C strings, and
    // that there are `count` ranges, which can be written to.
    unsafe { functions::hostcann_hold_memory(stream, operator, ranges, count) }
}
