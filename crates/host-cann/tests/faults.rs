//! Faults that a test asks for.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use aclnn_sys::*;
use common::{D2H, H2D, Session, bytes, extension, fails, launch, malloc, malloc_host, message, ok, stream};

/// Asks for a fault, and returns whether the last one has happened.
fn inject(kind: u32, nth: u64) -> bool {
    let mut struck = false;
    // SAFETY: `struck` is valid for a write.
    let done = unsafe { extension().injectFault.unwrap()(kind, nth, &raw mut struck) };
    assert!(done.is_success(), "{}", message());
    struck
}

#[test]
fn the_chosen_allocation_fails_once() {
    let _session = Session::new();
    assert!(!inject(HOSTCANN_FAULT_ALLOCATION, 3));
    let (first, second) = (malloc(64), malloc_host(64));
    let mut memory: *mut c_void = ptr::null_mut();
    let code = ACL_ERROR_RT_MEMORY_ALLOCATION;
    fails!(aclrtMalloc(&mut memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), code, "allocation 3", "injectFault");
    assert!(memory.is_null());
    let third = malloc(64);
    assert!(inject(HOSTCANN_FAULT_ALLOCATION, 1));
    fails!(aclrtMallocHost(&mut memory, 64), code, "allocation 1");
    // One that was asked for and taken back doesn't happen, and has not.
    assert!(inject(HOSTCANN_FAULT_ALLOCATION, 1));
    assert!(!inject(HOSTCANN_FAULT_ALLOCATION, 0));
    assert!(!inject(HOSTCANN_FAULT_ALLOCATION, 0));
    // Nor does it on another thread.
    inject(HOSTCANN_FAULT_ALLOCATION, 1);
    std::thread::spawn(|| {
        ok!(aclrtSetDevice(0));
        ok!(aclrtFree(malloc(64)));
        ok!(aclrtResetDevice(0));
    })
    .join()
    .unwrap();
    assert!(!inject(HOSTCANN_FAULT_ALLOCATION, 0));
    ok!(aclrtFree(first));
    ok!(aclrtFree(third));
    ok!(aclrtFreeHost(second));
}

#[test]
fn a_copy_that_fails_copies_nothing() {
    let _session = Session::new();
    let (stream, memory) = (stream(), malloc(4));
    let mut there = [1, 2, 3, 4];
    let code = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    ok!(aclrtMemcpy(memory, 4, bytes(&mut there), 4, H2D));
    let mut other = [9; 4];
    inject(HOSTCANN_FAULT_COPY, 1);
    fails!(aclrtMemcpy(memory, 4, bytes(&mut other), 4, H2D), code, "copy 1");
    inject(HOSTCANN_FAULT_COPY, 1);
    fails!(aclrtMemcpyAsync(memory, 4, bytes(&mut other), 4, H2D, stream), code, "copy 1");
    ok!(aclrtSynchronizeStream(stream));
    inject(HOSTCANN_FAULT_COPY, 2);
    ok!(aclrtMemcpyAsync(bytes(&mut other), 4, memory, 4, D2H, stream));
    assert_eq!(other, there);
    fails!(aclrtMemcpy(bytes(&mut there), 4, memory, 4, D2H), code, "copy 2");
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtFree(memory));
}

#[test]
fn a_task_that_fails_is_not_called_but_given_back() {
    static CALLED: AtomicU32 = AtomicU32::new(0);
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn called(_: *mut c_void) {
        CALLED.fetch_add(1, Ordering::SeqCst);
    }
    unsafe extern "C" fn dropped(_: *mut c_void) {
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
    let _session = Session::new();
    let stream = stream();
    inject(HOSTCANN_FAULT_TASK, 2);
    let launch_own = || {
        // SAFETY: the functions ignore their argument.
        let launched = unsafe {
            extension().launchHostFunc.unwrap()(stream, Some(called), Some(dropped), ptr::null_mut())
        };
        assert!(launched.is_success());
    };
    (0..3).for_each(|_| launch_own());
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, "host function 2");
    assert_eq!((CALLED.load(Ordering::SeqCst), DROPPED.load(Ordering::SeqCst)), (2, 1));
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn a_stream_without_a_thread_gets_one_later() {
    let _session = Session::new();
    let stream = stream();
    let ran = Arc::new(AtomicU32::new(0));
    inject(HOSTCANN_FAULT_THREAD, 1);
    let mark = common::event();
    fails!(aclrtRecordEvent(mark, stream), ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "thread of a stream 1");
    let later = Arc::clone(&ran);
    launch(stream, move || {
        later.fetch_add(1, Ordering::SeqCst);
    });
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    ok!(aclrtDestroyEvent(mark));
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn a_device_that_is_reset_can_be_used_again() {
    let _session = Session::new();
    let (first, stream) = (malloc(64), stream());
    inject(HOSTCANN_FAULT_RESET, 1);
    let mut memory: *mut c_void = ptr::null_mut();
    fails!(
        aclrtMalloc(&mut memory, 64, ACL_MEM_MALLOC_HUGE_FIRST),
        ACL_ERROR_RT_CONTEXT_NULL,
        "the thread has no context"
    );
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_CONTEXT_NULL, "context");
    ok!(aclrtSetDevice(0));
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    ok!(aclrtFree(malloc(64)));
    ok!(aclrtFree(first));
}

#[test]
fn unknown_faults_are_refused() {
    let _session = Session::new();
    // SAFETY: null is no place for the answer.
    let code = unsafe { extension().injectFault.unwrap()(99, 1, ptr::null_mut()) };
    assert_eq!(code, ACL_ERROR_INVALID_PARAM);
    assert!(message().contains("kind 99"));
}
