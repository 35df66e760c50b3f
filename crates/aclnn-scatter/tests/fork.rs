//! A fork of a process that has called an operator. The test is a program of its own.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;
#[path = "../../../tests/processes/mod.rs"]
mod processes;

use std::ptr::null_mut;

use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64, ACLNN_ERR_RUNTIME_ERROR, AclnnStatus, aclOpExecutor};
use aclnn_scatter::{c, discard, live_executors, take_error_message};
use common::tensors::Owned;
use common::{Stream, messages};
use processes::{in_a_fork, is_inside};

fn first(self_: &Owned, index: &Owned, src: &Owned) -> (AclnnStatus, *mut aclOpExecutor) {
    let (mut size, mut executor, out) = (0, null_mut(), self_.raw());
    // SAFETY: the handles live, and the storages have the size that the tensors say.
    let status = unsafe {
        c::aclnnScatterAddGetWorkspaceSize(out, 0, index.raw(), src.raw(), out, &mut size, &mut executor)
    };
    (status, executor)
}

/// Asserts that the status, and the message in both places, say that the process is a fork.
fn is_fork(status: AclnnStatus) {
    let (own, hosts) = (take_error_message().unwrap_or_default(), messages());
    assert_eq!(status, ACLNN_ERR_RUNTIME_ERROR, "{own}");
    assert!(own.contains("is a fork") && hosts.contains("is a fork"), "{own}; {hosts}");
}

#[test]
fn in_a_fork_every_call_names_it() {
    if !is_inside("in_a_fork_every_call_names_it", &[]) {
        return;
    }
    let stream = Stream::new();
    let self_ = Owned::new(ACL_FLOAT, &[3], &[0_f32; 3]);
    let (index, src) = (Owned::new(ACL_INT64, &[1], &[2_i64]), Owned::new(ACL_FLOAT, &[1], &[1_f32]));
    let (status, executor) = first(&self_, &index, &src);
    assert!(status.is_success());
    in_a_fork(|| {
        is_fork(first(&self_, &index, &src).0);
        // SAFETY: the executor and its tensors are copies of the parent's, which live.
        is_fork(unsafe { c::aclnnScatterAdd(null_mut(), 0, executor, stream.raw) });
        // SAFETY: the struct has only numbers, for which zeros are valid.
        let mut info = unsafe { std::mem::zeroed() };
        // SAFETY: streams are looked up, and `info` is a live local.
        is_fork(unsafe { c::aclnnScatterStreamStatus(stream.raw, &mut info) });
        assert!(!discard(executor));
        assert_eq!(live_executors(), 0);
        std::process::exit(0);
    });
    assert_eq!(live_executors(), 1);
    // SAFETY: the executor and its tensors live.
    assert!(unsafe { c::aclnnScatterAdd(null_mut(), 0, executor, stream.raw) }.is_success());
    assert!(stream.synchronize().is_success());
}
