//! Streams: order, ends, and queries.

#![allow(clippy::unwrap_used)]

mod common;

use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use aclnn_sys::*;
use common::{Session, acl, event, fails, hold, launch, malloc, ok, stream, wait_for_waiting, wild};

fn status(stream: aclrtStream) -> aclrtStreamStatus {
    let mut status = ACL_STREAM_STATUS_RESERVED;
    ok!(aclrtStreamQuery(stream, &mut status));
    status
}

#[test]
fn work_is_done_in_order_and_on_one_thread() {
    let _session = Session::new();
    for stream in [ptr::null_mut(), stream()] {
        let done = Arc::new(Mutex::new(Vec::new()));
        for number in 0..1000 {
            let done = Arc::clone(&done);
            launch(stream, move || done.lock().unwrap().push((number, thread::current().id())));
        }
        ok!(aclrtSynchronizeStream(stream));
        let done = done.lock().unwrap();
        assert!(done.iter().enumerate().all(|(place, (number, _))| place == *number));
        assert!(done.iter().all(|(_, thread)| *thread == done[0].1 && *thread != thread::current().id()));
        if !stream.is_null() {
            ok!(aclrtDestroyStream(stream));
        }
    }
}

#[test]
fn streams_run_beside_each_other_and_events_order_them() {
    let _session = Session::new();
    let (first, second) = (stream(), stream());
    let (mark, done) = (event(), Arc::new(AtomicU32::new(0)));
    let held = hold(first);
    let of_first = Arc::clone(&done);
    launch(first, move || of_first.store(1, Ordering::SeqCst));
    ok!(aclrtRecordEvent(mark, first));
    ok!(aclrtStreamWaitEvent(second, mark));
    let seen = Arc::new(AtomicU32::new(99));
    let (of_second, saw) = (Arc::clone(&done), Arc::clone(&seen));
    launch(second, move || saw.store(of_second.load(Ordering::SeqCst), Ordering::SeqCst));
    assert_eq!((status(first), status(second)), (ACL_STREAM_STATUS_NOT_READY, ACL_STREAM_STATUS_NOT_READY));
    let mut waits = ACL_EVENT_WAIT_STATUS_COMPLETE;
    ok!(aclrtQueryEventWaitStatus(mark, &mut waits));
    assert_eq!(waits, ACL_EVENT_WAIT_STATUS_NOT_READY);
    fails!(aclrtSynchronizeStreamWithTimeout(second, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "in time");
    fails!(aclrtSynchronizeEventWithTimeout(mark, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "20 ms");
    fails!(aclrtSynchronizeDeviceWithTimeout(20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "in time");
    held.send(()).unwrap();
    ok!(aclrtSynchronizeStream(second));
    assert_eq!(seen.load(Ordering::SeqCst), 1);
    ok!(aclrtSynchronizeEvent(mark));
    ok!(aclrtSynchronizeDevice());
    assert_eq!((status(first), status(second)), (ACL_STREAM_STATUS_COMPLETE, ACL_STREAM_STATUS_COMPLETE));
    ok!(aclrtQueryEventWaitStatus(mark, &mut waits));
    assert_eq!(waits, ACL_EVENT_WAIT_STATUS_COMPLETE);
    ok!(aclrtDestroyStream(first));
    ok!(aclrtDestroyStream(second));
    ok!(aclrtDestroyEvent(mark));
}

#[test]
fn wrong_streams_are_refused_everywhere() {
    let _session = Session::new();
    let gone = stream();
    ok!(aclrtDestroyStream(gone));
    let new = stream();
    assert_ne!(gone, new);
    let mark = event();
    for wrong in [gone, wild(), mark.cast()] {
        let code = ACL_ERROR_RT_INVALID_HANDLE;
        let (mut status, mut number) = (ACL_STREAM_STATUS_RESERVED, 0);
        fails!(aclrtSynchronizeStream(wrong), code, "does not exist, or was destroyed");
        fails!(aclrtDestroyStream(wrong), code, "destroyed");
        fails!(aclrtDestroyStreamForce(wrong), code, "destroyed");
        fails!(aclrtStreamQuery(wrong, &mut status), code, "destroyed");
        fails!(aclrtRecordEvent(mark, wrong), code, "destroyed");
        fails!(aclrtStreamWaitEvent(wrong, mark), code, "destroyed");
        fails!(aclrtStreamGetId(wrong, &mut number), code, "destroyed");
        fails!(aclrtStreamAbort(wrong), code, "destroyed");
        fails!(aclrtMemsetAsync(wild(), 1, 0, 1, wrong), code, "destroyed");
        unsafe extern "C" fn nothing(_: *mut std::ffi::c_void) {}
        fails!(aclrtLaunchHostFunc(wrong, Some(nothing), ptr::null_mut()), code, "destroyed");
    }
    fails!(aclrtLaunchHostFunc(new, None, ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "fn is null");
    fails!(aclrtDestroyStream(ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtCreateStream(ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtSynchronizeStreamWithTimeout(new, 0), ACL_ERROR_RT_PARAM_INVALID, "timeout 0");
    fails!(aclrtSynchronizeStreamWithTimeout(new, -2), ACL_ERROR_RT_PARAM_INVALID, "timeout -2");
    ok!(aclrtDestroyEvent(mark));
    ok!(aclrtDestroyStream(new));
}

#[test]
fn a_host_function_can_t_wait_for_its_own_stream() {
    let _session = Session::new();
    let stream = stream();
    let address = stream.addr();
    launch(stream, move || {
        let own: aclrtStream = ptr::without_provenance_mut(address);
        fails!(aclrtSynchronizeStream(own), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "runs it");
        fails!(aclrtSynchronizeDevice(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "runs it");
        fails!(aclrtDestroyStream(own), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "runs it");
        fails!(aclrtResetDevice(0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "runs it");
        fails!(aclFinalize(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclFinalize");
        // Calls that don't wait for the stream work as on any other thread.
        let memory = malloc(64);
        ok!(aclrtMemset(memory, 64, 0, 64));
        ok!(aclrtFree(memory));
    });
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn work_is_finished_before_a_stream_ends_and_dropped_by_force() {
    let _session = Session::new();
    for (force, expected) in [(false, 10), (true, 0)] {
        let stream = stream();
        let ran = Arc::new(AtomicU32::new(0));
        let held = hold(stream);
        for _ in 0..10 {
            let ran = Arc::clone(&ran);
            launch(stream, move || {
                ran.fetch_add(1, Ordering::SeqCst);
            });
        }
        if force {
            ok!(aclrtDestroyStreamForce(stream));
            held.send(()).unwrap();
        } else {
            held.send(()).unwrap();
            ok!(aclrtDestroyStream(stream));
        }
        assert_eq!(ran.load(Ordering::SeqCst), expected);
    }
}

#[test]
fn an_abort_ends_waits() {
    let _session = Session::new();
    let stream = stream();
    let mark = event();
    let held = hold(stream);
    ok!(aclrtRecordEvent(mark, stream));
    let (of_stream, of_event) = (stream.addr(), mark.addr());
    let waiter = thread::spawn(move || {
        ok!(aclrtSetDevice(0));
        acl!(aclrtSynchronizeStream(ptr::without_provenance_mut(of_stream)))
    });
    let of_mark = thread::spawn(move || acl!(aclrtSynchronizeEvent(ptr::without_provenance_mut(of_event))));
    wait_for_waiting(2);
    ok!(aclrtStreamAbort(stream));
    assert_eq!(waiter.join().unwrap(), ACL_ERROR_RT_STREAM_ABORT);
    assert_eq!(of_mark.join().unwrap(), ACL_ERROR_RT_STREAM_ABORT);
    held.send(()).unwrap();
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtDeviceTaskAbort(0, 0));
    ok!(aclrtDestroyEvent(mark));
    ok!(aclrtDestroyStream(stream));
}

/// The call that waited has returned the abort; the stream then works as a new one.
#[test]
fn an_abort_of_a_wait_for_an_event_fails_nothing_after_it() {
    let _session = Session::new();
    let (first, second, mark) = (stream(), stream(), event());
    let held = hold(first);
    ok!(aclrtRecordEvent(mark, first));
    let reached = hold(second);
    ok!(aclrtStreamWaitEvent(second, mark));
    drop(reached);
    wait_for_waiting(1);
    ok!(aclrtStreamAbort(second));
    let ran = Arc::new(AtomicU32::new(0));
    let after = Arc::clone(&ran);
    launch(second, move || after.store(1, Ordering::SeqCst));
    ok!(aclrtSynchronizeStream(second));
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    drop(held);
    ok!(aclrtDestroyStream(first));
    ok!(aclrtDestroyStream(second));
    ok!(aclrtDestroyEvent(mark));
}

#[test]
fn streams_have_attributes() {
    let _session = Session::new();
    let mut made = ptr::null_mut();
    let flags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
    ok!(aclrtCreateStreamWithConfig(&mut made, 3, flags));
    let mut attribute = aclrtStreamAttrValue { reserve: [9; 4] };
    ok!(aclrtGetStreamAttribute(made, ACL_STREAM_ATTR_PRIORITY, &mut attribute));
    // SAFETY: the whole union was written.
    assert_eq!((unsafe { attribute.streamPriority }, unsafe { attribute.reserve[1] }), (3, 0));
    fails!(aclrtCreateStreamWithConfig(&mut made, 8, 0), ACL_ERROR_RT_PARAM_INVALID, "priority 8");
    let (mut lowest, mut highest) = (-1, -1);
    ok!(aclrtDeviceGetStreamPriorityRange(&mut lowest, &mut highest));
    ok!(aclrtDeviceGetStreamPriorityRange(ptr::null_mut(), ptr::null_mut()));
    assert_eq!((lowest, highest), (7, 0));
    let persistent = ACL_STREAM_PERSISTENT;
    fails!(aclrtCreateStreamWithConfig(&mut made, 0, persistent), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "graph");
    attribute = aclrtStreamAttrValue { userCustomTag: 42 };
    ok!(aclrtSetStreamAttribute(made, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &mut attribute));
    attribute = aclrtStreamAttrValue { userCustomTag: 0 };
    ok!(aclrtGetStreamAttribute(made, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &mut attribute));
    // SAFETY: this is the field of the attribute that was queried.
    assert_eq!(unsafe { attribute.userCustomTag }, 42);
    fails!(aclrtSetStreamOverflowSwitch(made, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "overflows");
    ok!(aclrtDestroyStream(made));
}
