//! Callbacks on threads of the program.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use aclnn_sys::*;
use common::{Session, acl, fails, ok, stream};

#[test]
fn callbacks_run_on_the_thread_that_asks_for_them() {
    let _session = Session::new();
    let stream = stream();
    unsafe extern "C" fn count(argument: *mut std::ffi::c_void) {
        // SAFETY: the argument is a counter that outlives the stream's work.
        unsafe { &*argument.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
    }
    let counter = AtomicU32::new(0);
    let argument = (&raw const counter).cast_mut().cast();
    let (block, no_block) = (ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK);
    fails!(
        aclrtLaunchCallback(Some(count), argument, block, stream),
        ACL_ERROR_RT_STREAM_NO_CB_REG,
        "subscribed"
    );
    fails!(aclrtProcessReport(10), ACL_ERROR_RT_THREAD_SUBSCRIBE, "not subscribed");
    let (sender, receiver) = channel();
    let worker = thread::spawn(move || {
        // SAFETY: asks for a number.
        sender.send(unsafe { libc::pthread_self() } as u64).unwrap();
        let mut calls = 0;
        loop {
            match acl!(aclrtProcessReport(100)) {
                ACL_SUCCESS => calls += 1,
                ACL_ERROR_RT_THREAD_SUBSCRIBE if calls == 0 => thread::yield_now(),
                ACL_ERROR_RT_REPORT_TIMEOUT => {}
                _ => return calls,
            }
        }
    });
    let worker_id = receiver.recv().unwrap();
    ok!(aclrtSubscribeReport(worker_id, stream));
    fails!(aclrtSubscribeReport(worker_id, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "already");
    ok!(aclrtLaunchCallback(Some(count), argument, block, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(counter.load(Ordering::SeqCst), 1);
    ok!(aclrtLaunchCallback(Some(count), argument, no_block, stream));
    ok!(aclrtLaunchCallback(Some(count), argument, block, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(counter.load(Ordering::SeqCst), 3);
    fails!(
        aclrtLaunchCallback(Some(count), argument, aclrtCallbackBlockType(5), stream),
        ACL_ERROR_RT_PARAM_INVALID,
        "5"
    );
    ok!(aclrtUnSubscribeReport(worker_id, stream));
    fails!(aclrtUnSubscribeReport(worker_id, stream), ACL_ERROR_RT_THREAD_SUBSCRIBE, "not subscribed");
    assert_eq!(worker.join().unwrap(), 3);
    ok!(aclrtDestroyStream(stream));
}

/// The number of this thread.
fn this_thread() -> u64 {
    // SAFETY: asks for a number.
    unsafe { libc::pthread_self() as u64 }
}

static CALLED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn note(_: *mut std::ffi::c_void) {
    CALLED.fetch_add(1, Ordering::SeqCst);
}

/// Its argument may have been freed with the stream.
#[test]
fn a_function_is_not_called_after_its_stream_was_aborted() {
    let _session = Session::new();
    let stream = stream();
    ok!(aclrtSubscribeReport(this_thread(), stream));
    for force in [false, true] {
        for _ in 0..2 {
            ok!(aclrtLaunchCallback(Some(note), std::ptr::null_mut(), ACL_CALLBACK_BLOCK, stream));
        }
        // Then this thread has the first function.
        common::wait_for_waiting(1);
        if force {
            ok!(aclrtDestroyStreamForce(stream));
        } else {
            ok!(aclrtStreamAbort(stream));
        }
        fails!(aclrtProcessReport(20), ACL_ERROR_RT_REPORT_TIMEOUT, "20 ms");
        assert_eq!(CALLED.load(Ordering::SeqCst), 0);
    }
}

/// As any other task that runs, it isn't interrupted.
#[test]
fn a_stream_that_was_aborted_waits_for_a_function_that_has_begun() {
    static WAITED: AtomicI32 = AtomicI32::new(0);
    unsafe extern "C" fn call(stream: *mut std::ffi::c_void) {
        let of_stream = stream.addr();
        ok!(aclrtStreamAbort(stream.cast()));
        let waiter = thread::spawn(move || {
            ok!(aclrtSetDevice(0));
            let stream = std::ptr::without_provenance_mut(of_stream);
            acl!(aclrtSynchronizeStreamWithTimeout(stream, 100))
        });
        WAITED.store(waiter.join().unwrap().0, Ordering::SeqCst);
    }
    let _session = Session::new();
    let stream = stream();
    ok!(aclrtSubscribeReport(this_thread(), stream));
    ok!(aclrtLaunchCallback(Some(call), stream.cast(), ACL_CALLBACK_BLOCK, stream));
    ok!(aclrtProcessReport(-1));
    assert_eq!(AclError(WAITED.load(Ordering::SeqCst)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtUnSubscribeReport(this_thread(), stream));
    ok!(aclrtDestroyStream(stream));
}

/// The stream waits for the thread that calls the function, so that the function can't wait for the
/// stream.
#[test]
fn a_function_on_another_thread_is_its_stream_s_all_the_same() {
    unsafe extern "C" fn call(stream: *mut std::ffi::c_void) {
        fails!(aclrtSynchronizeStream(stream.cast()), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "runs it");
        fails!(aclFinalize(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclFinalize");
        common::fail(ACL_ERROR_RT_AICPU_EXCEPTION, c"told");
    }
    let _session = Session::new();
    let stream = stream();
    ok!(aclrtSubscribeReport(this_thread(), stream));
    ok!(aclrtLaunchCallback(Some(call), stream.cast(), ACL_CALLBACK_BLOCK, stream));
    ok!(aclrtProcessReport(-1));
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICPU_EXCEPTION, "told");
    ok!(aclrtUnSubscribeReport(this_thread(), stream));
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn a_function_that_no_thread_asks_for_any_more_is_dropped() {
    unsafe extern "C" fn never(_: *mut std::ffi::c_void) {
        panic!("nobody is subscribed");
    }
    let _session = Session::new();
    let stream = stream();
    ok!(aclrtSubscribeReport(this_thread(), stream));
    ok!(aclrtLaunchCallback(Some(never), std::ptr::null_mut(), ACL_CALLBACK_BLOCK, stream));
    ok!(aclrtUnSubscribeReport(this_thread(), stream));
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_ABORT, "");
    ok!(aclrtDestroyStream(stream));
}
