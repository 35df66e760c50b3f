//! Phase one of `scatter_nd_add` into another tensor, which CANN does not have.

use aclnn_sys::{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, AclnnStatus, aclOpExecutor, aclTensor};
use scatter::Reduce;

use crate::failure::failure;
use crate::function::Function;
use crate::phase_one::{self, Arguments};
use crate::process::guard::guarded;

/// Phase one of `out = self; out[indices] += updates`, for a Rust program: in a [`Scope`](crate::Scope) it is that of
/// `aclnnTfScatterAdd` with an out of its own, which CANN does not have; phase two is that function's. CANN's own operators can't
/// compute it unless `out` is `self` ([`is_vendor`](crate::is_vendor) tells).
///
/// # Safety
/// As that of the C functions.
pub unsafe fn scatter_nd_add_get_workspace_size(
    self_: *const aclTensor,
    indices: *const aclTensor,
    updates: *const aclTensor,
    out: *mut aclTensor,
    workspace_size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    let arguments = Arguments {
        self_,
        dim: 0,
        index: indices,
        src: updates,
        value: core::ptr::null(),
        reduce: Reduce::Add.code(),
        include_self: true,
        out,
        workspace_size,
        executor,
    };
    let in_place = || {
        Err(failure!(
            ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
            "no operator of CANN's own to compute this: it has one in place"
        ))
    };
    guarded("scatter_nd_add", || {
        // SAFETY: the caller's word.
        unsafe { phase_one::run(Function::TfScatterAdd, &arguments, in_place) }
    })
}
