//! Processes that can't create threads, or have lost them in a fork: each test runs in its own
//! process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;
#[path = "../../../tests/processes/mod.rs"]
mod processes;

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use aclnn_sys::*;
use common::{acl, event, fails, hold, launch, malloc, message, ok, stream};
use host_cann::Counters;
use processes::{forbid_threads, in_a_fork, is_inside};

const QUIET: [(&str, &str); 1] = [("HOST_CANN_QUIET", "1")];

fn start() {
    ok!(aclInit(null()));
    ok!(aclrtSetDevice(0));
}

/// Sets memory in a stream, and reads it back.
fn work() {
    let (stream, memory, mut read) = (stream(), malloc(64), [0_u8; 64]);
    ok!(aclrtMemsetAsync(memory, 64, 7, 64, stream));
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtMemcpy(read.as_mut_ptr().cast(), 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    assert_eq!(read, [7; 64]);
    ok!(aclrtFree(memory));
    ok!(aclrtDestroyStream(stream));
}

static STREAM: AtomicPtr<aclrtStreamOpaque> = AtomicPtr::new(null_mut());

/// Calls the runtime as a destructor of a C++ program's globals may.
extern "C" fn clean_up() {
    let stream = STREAM.load(Ordering::SeqCst);
    let _ = acl!(aclrtSynchronizeStream(stream));
    let _ = acl!(aclrtDestroyStream(stream));
    let _ = acl!(aclFinalize());
}

#[test]
fn in_a_fork_every_call_names_it() {
    if !is_inside("in_a_fork_every_call_names_it", &QUIET) {
        return;
    }
    start();
    let (held, idle, mark, memory) = (stream(), stream(), event(), malloc(4096));
    launch(idle, || ());
    ok!(aclrtSynchronizeStream(idle));
    STREAM.store(held, Ordering::SeqCst);
    // SAFETY: the function may run at the end of the process.
    assert_eq!(unsafe { libc::atexit(clean_up) }, 0);
    let dims = [4_i64];
    let tensor = acl!(aclCreateTensor(
        dims.as_ptr(),
        1,
        ACL_FLOAT,
        null(),
        0,
        ACL_FORMAT_ND,
        dims.as_ptr(),
        1,
        memory
    ));
    // A stream that works, and an event behind its work.
    let gate = hold(held);
    ok!(aclrtRecordEvent(mark, held));
    in_a_fork(|| {
        let code = ACL_ERROR_RT_CONTEXT_NULL;
        let mut place = null_mut();
        fails!(aclrtSynchronizeStream(held), code, "is a fork");
        fails!(aclrtSynchronizeStreamWithTimeout(held, 1), code, "is a fork");
        fails!(aclrtSynchronizeDevice(), code, "is a fork");
        fails!(aclrtSynchronizeEvent(mark), code, "is a fork");
        fails!(aclrtRecordEvent(mark, idle), code, "is a fork");
        fails!(aclrtMemsetAsync(memory, 64, 1, 64, idle), code, "is a fork");
        fails!(aclrtMemcpy(memory, 8, memory, 8, ACL_MEMCPY_DEVICE_TO_DEVICE), code, "is a fork");
        fails!(aclrtMalloc(&mut place, 64, ACL_MEM_MALLOC_HUGE_FIRST), code, "is a fork");
        fails!(aclrtFree(memory), code, "is a fork");
        fails!(aclrtProcessReport(10_000), code, "is a fork");
        fails!(aclrtDestroyEvent(mark), code, "is a fork");
        fails!(aclrtDestroyStream(held), code, "is a fork");
        fails!(aclrtSetDevice(0), code, "is a fork");
        fails!(aclrtResetDevice(0), code, "is a fork");
        fails!(aclInit(null()), code, "is a fork");
        fails!(aclFinalize(), code, "is a fork");
        assert_eq!(acl!(aclrtGetLastError(ACL_RT_THREAD_LEVEL)), code);
        assert_eq!(acl!(aclDestroyTensor(tensor)), ACLNN_ERR_RUNTIME_ERROR);
        assert!(message().contains("is a fork"));
        assert!(acl!(aclCreateIntArray(dims.as_ptr(), 1)).is_null());
        assert!(message().contains("is a fork"));
        assert_eq!(Counters::now(), Counters::default());
        assert_eq!(Counters::leftovers(), None);
        // Functions that use nothing that threads share still work.
        assert_eq!(acl!(aclDataTypeSize(ACL_FLOAT)), 4);
        let mut count = 0;
        ok!(aclrtGetDeviceCount(&mut count));
        assert_eq!(count, 2);
        in_a_fork(|| fails!(aclrtSetDevice(0), code, "is a fork"));
    });
    drop(gate);
    ok!(aclrtSynchronizeEvent(mark));
    work();
}

#[test]
fn a_fork_before_the_first_call_is_a_process_like_any_other() {
    if !is_inside("a_fork_before_the_first_call_is_a_process_like_any_other", &QUIET) {
        return;
    }
    // A parent may ask how many devices there are to share among its children.
    let mut count = 0;
    ok!(aclrtGetDeviceCount(&mut count));
    // So may torch_npu ask for a version while it is imported.
    let mut version = std::mem::MaybeUninit::uninit();
    let _ = acl!(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, version.as_mut_ptr()));
    let whole = || {
        start();
        work();
        ok!(aclFinalize());
    };
    in_a_fork(whole);
    whole();
}

#[test]
fn a_fork_that_ends_a_host_function_does_not_hang() {
    if !is_inside("a_fork_that_ends_a_host_function_does_not_hang", &QUIET) {
        return;
    }
    start();
    let stream = stream();
    launch(stream, move || {
        in_a_fork(move || {
            fails!(aclrtSynchronizeStream(null_mut()), ACL_ERROR_RT_CONTEXT_NULL, "is a fork");
        });
    });
    ok!(aclrtSynchronizeStream(stream));
}

static DROPPED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn called(_: *mut c_void) {}
unsafe extern "C" fn dropped(_: *mut c_void) {
    DROPPED.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn a_stream_without_a_thread_refuses_and_works_later() {
    if !is_inside("a_stream_without_a_thread_refuses_and_works_later", &QUIET) {
        return;
    }
    start();
    let (stream, mark, memory) = (stream(), event(), malloc(64));
    // SAFETY: it may be called at any time, and is valid to the end.
    let host_func = unsafe { (*host_cann::hostcann_extension()).launchHostFunc }.unwrap();
    let code = ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    forbid_threads(true);
    fails!(aclrtMemsetAsync(memory, 64, 1, 64, stream), code, "gets no thread");
    fails!(aclrtRecordEvent(mark, stream), code, "gets no thread");
    // SAFETY: both functions take anything.
    assert_eq!(unsafe { host_func(stream, Some(called), Some(dropped), null_mut()) }, code);
    assert_eq!(DROPPED.load(Ordering::SeqCst), 1);
    // Nothing waits in the stream, nor for it.
    let mut status = ACL_STREAM_STATUS_NOT_READY;
    ok!(aclrtStreamQuery(stream, &mut status));
    assert_eq!(status, ACL_STREAM_STATUS_COMPLETE);
    ok!(aclrtSynchronizeStream(stream));
    // The refused record has left the event as it was: there is nothing to wait for.
    ok!(aclrtSynchronizeEvent(mark));
    ok!(aclrtSynchronizeDevice());
    forbid_threads(false);
    ok!(aclrtMemsetAsync(memory, 64, 1, 64, stream));
    ok!(aclrtRecordEvent(mark, stream));
    ok!(aclrtSynchronizeEvent(mark));
    ok!(aclrtFree(memory));
    work();
    ok!(aclrtDestroyEvent(mark));
    ok!(aclrtDestroyStream(stream));
    ok!(aclFinalize());
}
