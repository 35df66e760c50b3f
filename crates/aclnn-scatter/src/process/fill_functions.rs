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
    /// Those of a CANN, if it has them.
    pub(crate) fn of(cann: &Cann) -> Option<Self> {
        // SAFETY: whoever installed this CANN, or set the variables by which it is found, answers
        // for its libraries.
        let (phase_one, phase_two) = unsafe {
            (
                cann.symbol(c"aclnnInplaceFillScalarGetWorkspaceSize").ok()?,
                cann.symbol(c"aclnnInplaceFillScalar").ok()?,
            )
        };
        // SAFETY: in CANN the functions of these names have these types.
        Some(unsafe {
            Self {
                phase_one: mem::transmute::<*mut c_void, PhaseOne>(phase_one.as_ptr()),
                phase_two: mem::transmute::<*mut c_void, PhaseTwo>(phase_two.as_ptr()),
            }
        })
    }
}
