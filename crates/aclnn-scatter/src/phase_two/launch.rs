//! The arguments of phase two.

use core::ffi::c_void;

use aclnn_sys::{aclOpExecutor, aclrtStream};

/// What a phase two is called with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) workspace: *mut c_void,
    pub(crate) workspace_size: u64,
    pub(crate) executor: *mut aclOpExecutor,
    pub(crate) stream: aclrtStream,
}
