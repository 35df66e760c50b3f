//! The arguments of phase two.

use core::ffi::c_void;

use aclnn_sys::{aclOpExecutor, aclrtStream};

use crate::process::settings::Check;

/// The arguments of the C functions of phase two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments {
    pub(crate) workspace: *mut c_void,
    pub(crate) workspace_size: u64,
    pub(crate) executor: *mut aclOpExecutor,
    pub(crate) stream: aclrtStream,
}

/// How and where the work of an executor is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) workspace: *mut c_void,
    pub(crate) workspace_size: u64,
    pub(crate) stream: aclrtStream,
    /// How an index out of range is reported.
    pub(crate) check: Check,
    /// The ticket of the call, 0 for none.
    pub(crate) ticket: u64,
}
