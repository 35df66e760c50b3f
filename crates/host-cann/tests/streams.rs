//! Streams: order, failures, callbacks, and what can be asked.

#![allow(clippy::unwrap_used)]

mod common;

use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use aclnn_sys::*;
use common::{Session, acl, event, fails, launch, message, ok, stream, wild};

/// Stops a stream until something is sent, or the sender goes.
fn hold(stream: aclrtStream) -> Sender<()> {
    let (sender, receiver): (_, Receiver<()>) = channel();
    launch(stream, move || receiver.recv().unwrap_or(()));
    sender
}

fn status(stream: aclrtStream) -> aclrtStreamStatus {
    let mut status = ACL_STREAM_STATUS_RESERVED;
    ok!(aclrtStreamQuery(stream, &mut status));
    status
}

fn fail(code: AclError, words: &'static std::ffi::CStr) -> impl FnOnce() + Send {
    move || {
        // SAFETY: the extension is there for the whole process.
        let extension = unsafe { *host_cann::hostcann_extension() };
        // SAFETY: the words end with a NUL.
        let code = unsafe { extension.failStream.unwrap()(ptr::null_mut(), code, words.as_ptr()) };
        assert!(code.is_success());
    }
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
fn a_host_function_fails_its_stream_once_and_with_words() {
    let _session = Session::new();
    let stream = stream();
    let code = ACL_ERROR_RT_AICPU_EXCEPTION;
    let ran = Arc::new(AtomicU32::new(0));
    launch(stream, fail(code, c"index 7 is out of range"));
    let after = Arc::clone(&ran);
    launch(stream, move || {
        after.fetch_add(1, Ordering::SeqCst);
    });
    launch(stream, fail(ACL_ERROR_RT_AICORE_EXCEPTION, c"a later one"));
    fails!(aclrtSynchronizeStream(stream), code, "index 7 is out of range");
    assert_eq!(ran.load(Ordering::SeqCst), 1, "by default later tasks run");
    ok!(aclrtSynchronizeStream(stream));
    launch(stream, fail(code, c"again"));
    fails!(aclrtSynchronizeDevice(), code, "again");
    ok!(aclrtSynchronizeDevice());
    // From outside of a host function a stream must be named.
    // SAFETY: the extension is there for the whole process.
    let fail_stream = unsafe { *host_cann::hostcann_extension() }.failStream.unwrap();
    // SAFETY: the words end with a NUL.
    let outside = unsafe { fail_stream(ptr::null_mut(), code, c"nowhere".as_ptr()) };
    assert_eq!(outside, ACL_ERROR_INVALID_PARAM);
    assert!(message().contains("no stream's host function"));
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn a_stream_that_stops_on_failure_drops_what_is_left() {
    let _session = Session::new();
    let (first, second) = (stream(), stream());
    ok!(aclrtSetStreamFailureMode(first, u64::from(ACL_STOP_ON_FAILURE)));
    let stop = u64::from(ACL_STOP_ON_FAILURE);
    fails!(aclrtSetStreamFailureMode(second, stop), ACL_ERROR_RT_PARAM_INVALID, "only once");
    fails!(aclrtSetStreamFailureMode(ptr::null_mut(), 9), ACL_ERROR_RT_PARAM_INVALID, "9");
    let held = hold(first);
    let ran = Arc::new(AtomicU32::new(0));
    launch(first, fail(ACL_ERROR_RT_AICPU_EXCEPTION, c"stop here"));
    let after = Arc::clone(&ran);
    launch(first, move || {
        after.fetch_add(1, Ordering::SeqCst);
    });
    let mark = event();
    ok!(aclrtRecordEvent(mark, first));
    held.send(()).unwrap();
    fails!(aclrtSynchronizeEvent(mark), ACL_ERROR_RT_AICPU_EXCEPTION, "dropped");
    fails!(aclrtSynchronizeStream(first), ACL_ERROR_RT_AICPU_EXCEPTION, "stop here");
    assert_eq!(ran.load(Ordering::SeqCst), 0);
    fails!(aclrtRecordEvent(mark, first), ACL_ERROR_RT_AICPU_EXCEPTION, "takes no more");
    ok!(aclrtDestroyEvent(mark));
    ok!(aclrtDestroyStream(first));
    ok!(aclrtDestroyStream(second));
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
        fails!(aclFinalize(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclFinalize");
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
    thread::sleep(std::time::Duration::from_millis(50));
    ok!(aclrtStreamAbort(stream));
    assert_eq!(waiter.join().unwrap(), ACL_ERROR_RT_STREAM_ABORT);
    assert_eq!(of_mark.join().unwrap(), ACL_ERROR_RT_STREAM_ABORT);
    held.send(()).unwrap();
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtDeviceTaskAbort(0, 0));
    ok!(aclrtDestroyEvent(mark));
    ok!(aclrtDestroyStream(stream));
}

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
    let (tell, told) = channel();
    let worker = thread::spawn(move || {
        // SAFETY: asks for a number.
        tell.send(unsafe { libc::pthread_self() } as u64).unwrap();
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
    let worker_id = told.recv().unwrap();
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

#[test]
fn a_program_is_told_of_failed_tasks() {
    static SEEN: Mutex<Option<[u32; 3]>> = Mutex::new(None);
    unsafe extern "C" fn failed(info: *mut aclrtExceptionInfo) {
        *SEEN.lock().unwrap() = Some([
            acl!(aclrtGetErrorCodeFromExceptionInfo(info)),
            acl!(aclrtGetDeviceIdFromExceptionInfo(info)),
            acl!(aclrtGetStreamIdFromExceptionInfo(info)),
        ]);
        assert_ne!(acl!(aclrtGetTaskIdFromExceptionInfo(info)), u32::MAX);
    }
    let _session = Session::new();
    let stream = stream();
    let mut id = -1;
    ok!(aclrtStreamGetId(stream, &mut id));
    ok!(aclrtSetExceptionInfoCallback(Some(failed)));
    launch(stream, fail(ACL_ERROR_RT_AICPU_EXCEPTION, c"told"));
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICPU_EXCEPTION, "told");
    assert_eq!(*SEEN.lock().unwrap(), Some([507_018, 0, id.unsigned_abs()]));
    assert_eq!(acl!(aclrtGetTaskIdFromExceptionInfo(wild())), u32::MAX);
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn streams_have_attributes_and_configurations() {
    let _session = Session::new();
    let mut made = ptr::null_mut();
    let flags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
    ok!(aclrtCreateStreamWithConfig(&mut made, 3, flags));
    let (mut priority, mut told) = (0, 0);
    ok!(aclrtStreamGetPriority(made, &mut priority));
    ok!(aclrtStreamGetFlags(made, &mut told));
    assert_eq!((priority, told), (3, flags));
    ok!(aclrtDestroyStream(made));
    fails!(aclrtCreateStreamWithConfig(&mut made, 8, 0), ACL_ERROR_RT_PARAM_INVALID, "priority 8");
    let persistent = ACL_STREAM_PERSISTENT;
    fails!(aclrtCreateStreamWithConfig(&mut made, 0, persistent), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "graph");
    let config = acl!(aclrtCreateStreamConfigHandle());
    let five = 5_u32;
    let value = (&raw const five).cast();
    ok!(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, value, 4));
    fails!(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, value, 4), ACL_ERROR_INVALID_PARAM, "not 8");
    ok!(aclrtCreateStreamV2(&mut made, config));
    ok!(aclrtStreamGetPriority(made, &mut priority));
    assert_eq!(priority, 5);
    ok!(aclrtDestroyStreamConfigHandle(config));
    fails!(aclrtDestroyStreamConfigHandle(config), ACL_ERROR_INVALID_PARAM, "destroyed");
    let mut attribute = aclrtStreamAttrValue { userCustomTag: 42 };
    ok!(aclrtSetStreamAttribute(made, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &mut attribute));
    attribute = aclrtStreamAttrValue { userCustomTag: 0 };
    ok!(aclrtGetStreamAttribute(made, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &mut attribute));
    // SAFETY: the field that was asked for.
    assert_eq!(unsafe { attribute.userCustomTag }, 42);
    fails!(aclrtSetStreamOverflowSwitch(made, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "overflows");
    let mut left = 0;
    ok!(aclrtGetStreamAvailableNum(&mut left));
    assert_eq!(left, 1022);
    ok!(aclrtDestroyStream(made));
}

#[test]
fn a_host_function_that_takes_too_long_fails_its_stream() {
    let _session = Session::new();
    let mut milliseconds = 1;
    ok!(aclrtGetOpExecuteTimeout(&mut milliseconds));
    assert_eq!(milliseconds, 0);
    ok!(aclrtSetOpExecuteTimeOutWithMs(5));
    launch(ptr::null_mut(), || thread::sleep(std::time::Duration::from_millis(30)));
    fails!(aclrtSynchronizeStream(ptr::null_mut()), ACL_ERROR_RT_AICPU_TIMEOUT, "may take 5ms");
    launch(ptr::null_mut(), || {});
    ok!(aclrtSynchronizeStream(ptr::null_mut()));
}
