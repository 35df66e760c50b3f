//! A program that uses two CANNs, and chooses an engine for each call.

#![allow(clippy::panic)]

mod common;

use core::ptr;

use aclnn_scatter::sys::{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_RUNTIME_ERROR, AclnnStatus, Cann};
use aclnn_scatter::{Engine, Scope, c, open};

/// Calls phase one with handles that are not tensors.
fn call() -> AclnnStatus {
    let (mut bytes, mut executor) = (0, ptr::null_mut());
    let some = ptr::without_provenance_mut(64);
    // SAFETY: the call fails before a handle is read, or looks it up; pointers for results are to
    // live locals.
    unsafe { c::aclnnScatterAddGetWorkspaceSize(some, 0, some, some, some, &mut bytes, &mut executor) }
}

#[test]
fn a_scope_has_its_own_cann_and_engine_and_ends() {
    let (host, none) = (open(Cann::from_table(host_cann::table())), open(Cann::from_table([])));
    assert!(host.is_host() && !none.is_host());
    // host-cann has no operators of its own; a CANN without functions has no tensors.
    let status = Scope::new(host).engine(Engine::Vendor).run(call);
    assert_eq!(status, ACLNN_ERR_INNER_FIND_KERNEL_ERROR);
    let status = Scope::new(none).engine(Engine::Vendor).run(call);
    assert_eq!(status, ACLNN_ERR_RUNTIME_ERROR);
    // Inside, only the inner scope holds; after it, the outer one again.
    let (inner, outer) = Scope::new(host).engine(Engine::Vendor).run(|| (Scope::new(none).run(call), call()));
    assert_eq!((inner, outer), (ACLNN_ERR_RUNTIME_ERROR, ACLNN_ERR_INNER_FIND_KERNEL_ERROR));
    // Also after a panic.
    let panicked = std::panic::catch_unwind(|| Scope::new(none).run(|| panic!("on purpose")));
    assert!(panicked.is_err());
    common::cann();
    assert_ne!(call(), ACLNN_ERR_RUNTIME_ERROR);
}
