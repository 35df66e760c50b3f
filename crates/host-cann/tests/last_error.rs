//! `aclrtGetLastError` and `aclrtPeekAtLastError`: the thread's last error of the runtime library,
//! as CANN keeps it.

#![allow(clippy::unwrap_used)]

mod common;

use std::ptr;

use aclnn_sys::*;
use common::{H2D, Session, acl, extension, fails, launch, malloc, ok, stream, wild};

fn peek() -> AclError {
    acl!(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL))
}

fn get() -> AclError {
    acl!(aclrtGetLastError(ACL_RT_THREAD_LEVEL))
}

#[test]
fn the_last_error_stays_until_it_is_taken() {
    let _session = Session::new();
    assert_eq!((peek(), get()), (ACL_SUCCESS, ACL_SUCCESS));
    fails!(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID, "99");
    fails!(aclrtSynchronizeStream(wild()), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    // It is the latest error; success does not clear it, nor does reading the message.
    ok!(aclrtSetDevice(0));
    ok!(aclrtResetDevice(0));
    assert_eq!((peek(), peek()), (ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_INVALID_HANDLE));
    std::thread::spawn(|| assert_eq!((peek(), get()), (ACL_SUCCESS, ACL_SUCCESS))).join().unwrap();
    assert_eq!((get(), get(), peek()), (ACL_ERROR_RT_INVALID_HANDLE, ACL_SUCCESS, ACL_SUCCESS));
}

#[test]
fn a_level_other_than_the_thread_s_is_refused_and_leaves_nothing() {
    let _session = Session::new();
    fails!(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID, "99");
    for level in [1, 7, u32::MAX].map(aclrtLastErrLevel) {
        fails!(aclrtPeekAtLastError(level), ACL_ERROR_INVALID_PARAM, "level");
        fails!(aclrtGetLastError(level), ACL_ERROR_INVALID_PARAM, "level");
    }
    assert_eq!(get(), ACL_ERROR_RT_INVALID_DEVICEID);
}

/// CANN's `acl` functions detect these themselves, before they call the runtime library.
#[test]
fn what_never_reaches_the_runtime_library_leaves_nothing() {
    let _session = Session::new();
    let (stream, memory) = (stream(), malloc(64));
    let mark = common::event();
    let none = ptr::null_mut();
    fails!(aclInit(ptr::null()), ACL_ERROR_REPEAT_INITIALIZE, "before");
    fails!(aclrtGetRunMode(ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtMalloc(ptr::null_mut(), 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtFree(none), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtMemcpy(none, 64, memory, 64, H2D), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtMemcpy(memory, 64, memory, 64, aclrtMemcpyKind(99)), ACL_ERROR_INVALID_PARAM, "kind");
    fails!(aclrtDestroyStream(ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtLaunchHostFunc(stream, None, none), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtIpcMemClose(ptr::null()), ACL_ERROR_API_NOT_SUPPORT, "implement");
    // The layer above refuses these with a code of the runtime library.
    let code = ACL_ERROR_RT_PARAM_INVALID;
    fails!(aclrtSynchronizeStreamWithTimeout(stream, -2), code, "-2");
    fails!(aclrtSynchronizeDeviceWithTimeout(-2), code, "-2");
    fails!(aclrtSynchronizeEventWithTimeout(mark, -2), code, "-2");
    fails!(aclrtProcessReport(0), code, "0");
    // The tensor API has its own codes.
    let mut size = 0;
    assert!(!acl!(aclGetTensorListSize(wild(), &mut size)).is_success());
    assert!(!acl!(aclSetAclOpExecutorRepeatable(wild())).is_success());
    // SAFETY: null is refused.
    assert!(!unsafe { extension().registerExecutor.unwrap()(ptr::null_mut(), ptr::null()) }.is_success());
    assert_eq!((peek(), get()), (ACL_SUCCESS, ACL_SUCCESS));
    ok!(aclrtDestroyEvent(mark));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtFree(memory));
}

#[test]
fn an_error_of_the_device_is_left_to_the_thread_that_synchronises() {
    let _session = Session::new();
    let stream = stream();
    launch(stream, || common::fail(ACL_ERROR_RT_AICPU_EXCEPTION, c"told"));
    let address = stream.addr();
    let other = std::thread::spawn(move || {
        ok!(aclrtSetDevice(0));
        let stream = ptr::without_provenance_mut(address);
        fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICPU_EXCEPTION, "told");
        assert_eq!(get(), ACL_ERROR_RT_AICPU_EXCEPTION);
        ok!(aclrtResetDevice(0));
    });
    other.join().unwrap();
    assert_eq!(peek(), ACL_SUCCESS);
    // These are states of a stream, and no errors.
    for state in [
        ACL_ERROR_RT_END_OF_SEQUENCE,
        ACL_ERROR_RT_MODEL_ABORT_NORMAL,
        ACL_ERROR_RT_AICORE_OVER_FLOW,
        ACL_ERROR_RT_AIVEC_OVER_FLOW,
        ACL_ERROR_RT_OVER_FLOW,
        ACL_ERROR_RT_SOCKET_CLOSE,
    ] {
        launch(stream, move || common::fail(state, c"state"));
        fails!(aclrtSynchronizeStream(stream), state, "state");
        assert_eq!(peek(), ACL_SUCCESS);
    }
    let held = common::hold(stream);
    fails!(aclrtSynchronizeStreamWithTimeout(stream, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "in time");
    assert_eq!(get(), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    drop(held);
    ok!(aclrtDestroyStream(stream));
}
