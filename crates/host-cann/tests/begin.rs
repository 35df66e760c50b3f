//! Programs that begin with another function than `aclInit`, as CANN's runtime library lets them.

mod common;

use std::ptr;

use aclnn_sys::*;
use common::{Session, fails, malloc, ok, stream};

/// With a runtime that was ended, and at the end one for the session's end.
fn without_init(work: impl FnOnce()) {
    let session = Session::with(&[]);
    ok!(aclFinalize());
    let mut memory = ptr::null_mut();
    fails!(aclrtMalloc(&mut memory, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_UNINITIALIZE, "aclrtSetDevice");
    work();
    drop(session);
}

#[test]
fn a_device_can_be_set_and_used_before_init_and_init_keeps_it() {
    without_init(|| {
        ok!(aclrtSetDevice(1));
        let (stream, memory) = (stream(), malloc(64));
        // No `aclInit` was called, so none is undone.
        fails!(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclInit never was");
        ok!(aclInit(ptr::null()));
        fails!(aclInit(ptr::null()), ACL_ERROR_REPEAT_INITIALIZE, "call 2");
        let mut device = -1;
        ok!(aclrtGetDevice(&mut device));
        assert_eq!(device, 1);
        ok!(aclrtSynchronizeStream(stream));
        ok!(aclrtFree(memory));
        ok!(aclrtDestroyStream(stream));
    });
}

#[test]
fn other_functions_begin_without_a_device() {
    unsafe extern "C" fn nothing(_: *mut aclrtExceptionInfo) {}
    without_init(|| {
        ok!(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
        let mut mode = aclrtFloatOverflowMode(u32::MAX);
        ok!(aclrtGetDeviceSatMode(&mut mode));
        assert_eq!(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
        fails!(
            aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "mode"
        );
        let mut device = -1;
        fails!(aclrtGetDevice(&mut device), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
        ok!(aclInit(ptr::null()));
    });
    without_init(|| {
        ok!(aclrtSetExceptionInfoCallback(Some(nothing)));
        ok!(aclInit(ptr::null()));
    });
}

#[test]
fn a_wrong_environment_is_said_there_too() {
    without_init(|| {
        // SAFETY: the session's lock is held.
        unsafe { std::env::set_var("HOST_CANN_DEVICES", "none") };
        fails!(aclrtSetDevice(0), ACL_ERROR_INVALID_PARAM, "HOST_CANN_DEVICES", "none");
        // SAFETY: the session's lock is held.
        unsafe { std::env::remove_var("HOST_CANN_DEVICES") };
        ok!(aclInit(ptr::null()));
    });
}
