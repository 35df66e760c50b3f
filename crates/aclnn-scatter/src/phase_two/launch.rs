//! What phase two is told.

use core::ffi::c_void;

use aclnn_sys::{aclOpExecutor, aclrtStream};

use crate::process::settings::Check;

/// The arguments of the C functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments {
    pub(crate) workspace: *mut c_void,
    pub(crate) workspace_size: u64,
    pub(crate) executor: *mut aclOpExecutor,
    pub(crate) stream: aclrtStream,
}

/// Where the work of an executor goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) workspace: *mut c_void,
    pub(crate) workspace_size: u64,
    pub(crate) stream: aclrtStream,
    /// How an index out of range comes back.
    pub(crate) check: Check,
    /// The number that the caller gave the call, 0 for none.
    pub(crate) ticket: u64,
}
