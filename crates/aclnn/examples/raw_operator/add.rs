//! aclnnAdd for a machine without CANN's operators: two C functions that add on the CPU, as a host
//! function of the stream.
//!
//! It supports only what the example needs: contiguous f32 tensors of one shape, a double for
//! alpha, and executors that are launched once.

use core::ffi::{CStr, c_void};
use core::ptr;

use aclnn::PhaseTwo;
use aclnn::sys::{
    ACL_DOUBLE, ACL_FLOAT, ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_SUCCESS, AclnnStatus, aclDataType,
    aclOpExecutor, aclScalar, aclTensor, aclrtStream,
};
use host_cann::c;

use crate::AddGetWorkspaceSize;

/// Both functions with their names.
pub(crate) fn table() -> [(&'static CStr, *const c_void); 2] {
    [
        (c"aclnnAddGetWorkspaceSize", get_workspace_size as AddGetWorkspaceSize as *const c_void),
        (c"aclnnAdd", launch as PhaseTwo as *const c_void),
    ]
}

/// What an executor's handle points to.
struct Add {
    self_: *const f32,
    other: *const f32,
    alpha: f32,
    out: *mut f32,
    len: usize,
}

/// Phase one.
unsafe extern "C" fn get_workspace_size(
    self_: *const aclTensor,
    other: *const aclTensor,
    alpha: *const aclScalar,
    out: *mut aclTensor,
    workspace_size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    // SAFETY: host-cann made the tensors and the scalar, or refuses them, because it looks up every
    // handle.
    let read = unsafe { (contiguous(self_), contiguous(other), contiguous(out), number(alpha)) };
    let (Some(self_), Some(other), Some(out), Some(alpha)) = read else { return ACLNN_ERR_PARAM_INVALID };
    if self_.shape != out.shape || other.shape != out.shape {
        return ACLNN_ERR_PARAM_INVALID;
    }
    let len = out.shape.iter().product::<i64>() as usize;
    let add = Add { self_: self_.first, other: other.first, alpha, out: out.first, len };
    // SAFETY: the caller's pointers for both results can be written to.
    unsafe {
        *workspace_size = 0;
        *executor = Box::into_raw(Box::new(add)).cast();
    }
    ACLNN_SUCCESS
}

/// Phase two.
unsafe extern "C" fn launch(
    _workspace: *mut c_void,
    _workspace_size: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> AclnnStatus {
    // SAFETY: the stream calls `run` once, with the box that phase one made, which nothing else
    // uses after phase two.
    let launched = unsafe { c::aclrtLaunchHostFunc(stream, Some(run), executor.cast()) };
    if launched.is_success() { ACLNN_SUCCESS } else { ACLNN_ERR_INNER }
}

/// The host function.
unsafe extern "C" fn run(executor: *mut c_void) {
    // SAFETY: phase one made the box, and this is the only call with it.
    let add = unsafe { Box::from_raw(executor.cast::<Add>()) };
    for i in 0..add.len {
        // SAFETY: each tensor has `len` contiguous elements, and its memory lives until the stream
        // has passed this work. The accesses are through raw pointers, so out may be one of the
        // others.
        unsafe { *add.out.add(i) = *add.self_.add(i) + add.alpha * *add.other.add(i) }
    }
}

/// A contiguous tensor of f32.
struct Contiguous {
    shape: Vec<i64>,
    first: *mut f32,
}

/// Reads a tensor; `None` unless it is a contiguous tensor of f32.
unsafe fn contiguous(tensor: *const aclTensor) -> Option<Contiguous> {
    let (mut dtype, mut offset, mut address) = (aclDataType(-1), 0_i64, ptr::null_mut());
    // SAFETY: host-cann looks up the handle, and writes to live locals.
    let is_read = unsafe {
        c::aclGetDataType(tensor, &mut dtype).is_success()
            && c::aclGetViewOffset(tensor, &mut offset).is_success()
            && c::aclGetRawTensorAddr(tensor, &mut address).is_success()
    };
    // SAFETY: host-cann looks up the handle; `numbers` passes pointers to live locals.
    let (shape, strides) = unsafe {
        (numbers(|first, len| c::aclGetViewShape(tensor, first, len))?, {
            numbers(|first, len| c::aclGetViewStrides(tensor, first, len))?
        })
    };
    let row_major = (1..=shape.len()).map(|axis| shape[axis..].iter().product::<i64>());
    let is_contiguous = strides.iter().copied().eq(row_major);
    (is_read && dtype == ACL_FLOAT && is_contiguous)
        .then(|| Contiguous { shape, first: address.cast::<f32>().wrapping_offset(offset as isize) })
}

/// Calls a getter that returns an array, which the caller has to free.
fn numbers(getter: impl FnOnce(*mut *mut i64, *mut u64) -> AclnnStatus) -> Option<Vec<i64>> {
    let (mut first, mut len) = (ptr::null_mut(), 0);
    let is_read = getter(&mut first, &mut len).is_success() && !first.is_null();
    // SAFETY: the getter returned an array of `len` numbers from the C library's allocator, which
    // only this code frees.
    is_read.then(|| unsafe {
        let numbers = core::slice::from_raw_parts(first, len as usize).to_vec();
        libc::free(first.cast());
        numbers
    })
}

/// Reads a scalar. CANN's ABI has no function for that, but host-cann's extension has.
unsafe fn number(scalar: *const aclScalar) -> Option<f32> {
    let (mut dtype, mut value) = (aclDataType(-1), 0.0_f64);
    // SAFETY: the extension is static; it looks up the scalar, and writes to live locals.
    let status = unsafe {
        let read = (*host_cann::hostcann_extension()).readScalar?;
        read(scalar, &mut dtype, (&raw mut value).cast(), size_of::<f64>())
    };
    (status.is_success() && dtype == ACL_DOUBLE).then_some(value as f32)
}
