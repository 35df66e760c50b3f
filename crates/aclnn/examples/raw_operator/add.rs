//! aclnnAdd for a machine without CANN's operators: two C functions that add on the CPU, when the
//! stream comes to it.
//!
//! As small as it can be: contiguous f32 tensors of one shape, a double for alpha, and executors
//! that are launched once.

use core::ffi::{CStr, c_void};
use core::ptr;

use aclnn::PhaseTwo;
use aclnn::sys::{
    ACL_DOUBLE, ACL_FLOAT, ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_SUCCESS, AclnnStatus, aclDataType,
    aclOpExecutor, aclScalar, aclTensor, aclrtStream,
};
use host_cann::c;

use crate::AddGetWorkspaceSize;

/// Both functions by their names.
pub(crate) fn table() -> [(&'static CStr, *const c_void); 2] {
    [
        (c"aclnnAddGetWorkspaceSize", get_workspace_size as AddGetWorkspaceSize as *const c_void),
        (c"aclnnAdd", launch as PhaseTwo as *const c_void),
    ]
}

/// What is behind an executor's handle.
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
    // SAFETY: the caller gives tensors and a scalar of host-cann's, which looks every handle up.
    let read = unsafe { (contiguous(self_), contiguous(other), contiguous(out), number(alpha)) };
    let (Some(self_), Some(other), Some(out), Some(alpha)) = read else { return ACLNN_ERR_PARAM_INVALID };
    if self_.shape != out.shape || other.shape != out.shape {
        return ACLNN_ERR_PARAM_INVALID;
    }
    let len = out.shape.iter().product::<i64>() as usize;
    let add = Add { self_: self_.first, other: other.first, alpha, out: out.first, len };
    // SAFETY: the caller gives places for both results.
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
    // SAFETY: the stream calls `run` once with what phase one made, which nobody else has any more.
    let launched = unsafe { c::aclrtLaunchHostFunc(stream, Some(run), executor.cast()) };
    if launched.is_success() { ACLNN_SUCCESS } else { ACLNN_ERR_INNER }
}

/// What the stream calls.
unsafe extern "C" fn run(executor: *mut c_void) {
    // SAFETY: phase one made it, and this is the only call with it.
    let add = unsafe { Box::from_raw(executor.cast::<Add>()) };
    for i in 0..add.len {
        // SAFETY: the tensors have as many elements, and stay until the stream has passed this; out
        // may be one of the others.
        unsafe { *add.out.add(i) = *add.self_.add(i) + add.alpha * *add.other.add(i) }
    }
}

/// A contiguous tensor of f32.
struct Contiguous {
    shape: Vec<i64>,
    first: *mut f32,
}

/// Reads a tensor; `None` for one of another kind.
unsafe fn contiguous(tensor: *const aclTensor) -> Option<Contiguous> {
    let (mut dtype, mut offset, mut address) = (aclDataType(-1), 0_i64, ptr::null_mut());
    // SAFETY: by the caller's word the tensor may be asked; there are places for the answers.
    let told = unsafe {
        c::aclGetDataType(tensor, &mut dtype).is_success()
            && c::aclGetViewOffset(tensor, &mut offset).is_success()
            && c::aclGetRawTensorAddr(tensor, &mut address).is_success()
    };
    // SAFETY: as above.
    let (shape, strides) = unsafe {
        (numbers(|first, len| c::aclGetViewShape(tensor, first, len))?, {
            numbers(|first, len| c::aclGetViewStrides(tensor, first, len))?
        })
    };
    let row_major = (1..=shape.len()).map(|axis| shape[axis..].iter().product::<i64>());
    let is_contiguous = strides.iter().copied().eq(row_major);
    (told && dtype == ACL_FLOAT && is_contiguous)
        .then(|| Contiguous { shape, first: address.cast::<f32>().wrapping_offset(offset as isize) })
}

/// Calls one of the functions that tell an array, which is the caller's to free.
fn numbers(tell: impl FnOnce(*mut *mut i64, *mut u64) -> AclnnStatus) -> Option<Vec<i64>> {
    let (mut first, mut len) = (ptr::null_mut(), 0);
    let told = tell(&mut first, &mut len).is_success() && !first.is_null();
    // SAFETY: an array of that length, of the C library's allocator, which nobody else frees.
    told.then(|| unsafe {
        let numbers = core::slice::from_raw_parts(first, len as usize).to_vec();
        libc::free(first.cast());
        numbers
    })
}

/// Reads a scalar, which CANN's ABI can't tell, but host-cann can.
unsafe fn number(scalar: *const aclScalar) -> Option<f32> {
    let (mut dtype, mut value) = (aclDataType(-1), 0.0_f64);
    // SAFETY: the extension is there for good; it looks the scalar up, and there are places for the
    // answers.
    let status = unsafe {
        let read = (*host_cann::hostcann_extension()).readScalar?;
        read(scalar, &mut dtype, (&raw mut value).cast(), size_of::<f64>())
    };
    (status.is_success() && dtype == ACL_DOUBLE).then_some(value as f32)
}
