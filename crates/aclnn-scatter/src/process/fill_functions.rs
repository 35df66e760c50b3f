//! CANN's own `aclnnInplaceFillScalar`.

use core::ffi::c_void;
use core::mem;

use aclnn_sys::{AclnnStatus, Cann, aclOpExecutor, aclScalar, aclTensor, aclrtStream};

/// `aclnnInplaceFillScalarGetWorkspaceSize`, as `aclnnop/aclnn_fill_scalar.h` declares it.
pub(crate) type PhaseOne = unsafe extern "C" fn(
    self_ref: *mut aclTensor,
    value: *const aclScalar,
    workspace_size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus;

/// `aclnnInplaceFillScalar`.
pub(crate) type PhaseTwo = unsafe extern "C" fn(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> AclnnStatus;

/// Both phases of `aclnnInplaceFillScalar`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FillFunctions {
    pub(crate) phase_one: PhaseOne,
    pub(crate) phase_two: PhaseTwo,
}

impl FillFunctions {
    /// The functions of a CANN, if it has them.
    pub(crate) fn of(cann: &Cann) -> Option<Self> {
        // SAFETY: only addresses are taken; whoever installed this CANN, or set the variables with
        // which it is found, guarantees that its libraries may be opened.
        let (phase_one, phase_two) = unsafe {
            (
                cann.symbol(c"aclnnInplaceFillScalarGetWorkspaceSize").ok()?,
                cann.symbol(c"aclnnInplaceFillScalar").ok()?,
            )
        };
        // SAFETY: `aclnnop/aclnn_fill_scalar.h` declares the functions of these names with these
        // types.
        Some(unsafe {
            Self {
                phase_one: mem::transmute::<*mut c_void, PhaseOne>(phase_one.as_ptr()),
                phase_two: mem::transmute::<*mut c_void, PhaseTwo>(phase_two.as_ptr()),
            }
        })
    }
}
