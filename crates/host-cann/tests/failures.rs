//! How tasks fail, and how failures are reported.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use aclnn_sys::*;
use common::{Session, acl, event, extension, fails, hold, launch, malloc, message, ok, stream, wild};

/// A host function that fails its stream.
fn fail(code: AclError, words: &'static std::ffi::CStr) -> impl FnOnce() + Send {
    move || common::fail(code, words)
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
    let fail_stream = extension().failStream.unwrap();
    // SAFETY: the words end with a NUL.
    let outside = unsafe { fail_stream(ptr::null_mut(), code, c"nowhere".as_ptr()) };
    assert_eq!(outside, ACL_ERROR_INVALID_PARAM);
    assert!(message().contains("no stream's host function"));
    ok!(aclrtDestroyStream(stream));
}

/// According to CANN's documents for A2 and A3, a failure of one stream stops all streams of its
/// context.
#[test]
fn streams_that_stop_on_failure_drop_what_is_left() {
    let _session = Session::new();
    let (first, second) = (stream(), stream());
    let (stop, go_on) = (u64::from(ACL_STOP_ON_FAILURE), u64::from(ACL_CONTINUE_ON_FAILURE));
    ok!(aclrtSetStreamFailureMode(first, go_on));
    ok!(aclrtSetStreamFailureMode(first, stop));
    ok!(aclrtSetStreamFailureMode(first, stop));
    fails!(aclrtSetStreamFailureMode(first, go_on), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "go on");
    fails!(aclrtSetStreamFailureMode(ptr::null_mut(), 9), ACL_ERROR_RT_PARAM_INVALID, "9");
    let later = stream();
    let held = [hold(first), hold(second), hold(later)];
    let ran = Arc::new(AtomicU32::new(0));
    let code = ACL_ERROR_RT_AICPU_EXCEPTION;
    // Although the mode of this stream itself was never set.
    launch(second, fail(code, c"stop here"));
    for each in [first, second, later] {
        let after = Arc::clone(&ran);
        launch(each, move || {
            after.fetch_add(1, Ordering::SeqCst);
        });
    }
    let mark = event();
    ok!(aclrtRecordEvent(mark, first));
    held[1].send(()).unwrap();
    fails!(aclrtSynchronizeEvent(mark), code, "dropped");
    drop(held);
    fails!(aclrtSynchronizeStream(second), code, "stop here");
    for stream in [first, second, later, ptr::null_mut()] {
        fails!(aclrtSynchronizeStream(stream), code, "stopped", "stop here");
        fails!(aclrtRecordEvent(mark, stream), code, "take no more");
    }
    fails!(aclrtSynchronizeDevice(), code, "stopped", "stop here");
    assert_eq!(ran.load(Ordering::SeqCst), 0);
    for stream in [first, second, later] {
        ok!(aclrtDestroyStream(stream));
    }
    // A stream that is created now belongs to the same context.
    let now = stream();
    fails!(aclrtRecordEvent(mark, now), code, "take no more");
    ok!(aclrtDestroyStream(now));
    ok!(aclrtDestroyEvent(mark));
    // Another context is not affected.
    let mut context = ptr::null_mut();
    ok!(aclrtCreateContext(&mut context, 0));
    launch(ptr::null_mut(), || {});
    ok!(aclrtSynchronizeStream(ptr::null_mut()));
    ok!(aclrtDestroyContext(context));
    ok!(aclrtSetDevice(0));
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

/// The task that failed has ended then.
#[test]
fn who_is_told_of_a_failure_may_wait_for_what_was_behind_it() {
    static OTHER: Mutex<[usize; 2]> = Mutex::new([0; 2]);
    static WAITED: Mutex<Option<AclError>> = Mutex::new(None);
    unsafe extern "C" fn failed(_: *mut aclrtExceptionInfo) {
        let [context, stream] = *OTHER.lock().unwrap();
        ok!(aclrtSetCurrentContext(ptr::without_provenance_mut(context)));
        let waited = acl!(aclrtSynchronizeStreamWithTimeout(ptr::without_provenance_mut(stream), 10_000));
        *WAITED.lock().unwrap() = Some(waited);
    }
    let _session = Session::new();
    let (mut taken, mark) = (0, event());
    ok!(aclrtSetOpExecuteTimeOutV2(5_000, &mut taken));
    ok!(aclrtSetExceptionInfoCallback(Some(failed)));
    let (mut stops, mut waits) = (ptr::null_mut(), ptr::null_mut());
    ok!(aclrtCreateContext(&mut stops, 0));
    let failing = stream();
    ok!(aclrtSetStreamFailureMode(failing, u64::from(ACL_STOP_ON_FAILURE)));
    let held = hold(failing);
    launch(failing, || common::work_for(6));
    ok!(aclrtRecordEvent(mark, failing));
    ok!(aclrtCreateContext(&mut waits, 0));
    let other = stream();
    ok!(aclrtStreamWaitEvent(other, mark));
    *OTHER.lock().unwrap() = [waits.addr(), other.addr()];
    drop(held);
    ok!(aclrtSynchronizeStream(other));
    ok!(aclrtSetCurrentContext(stops));
    fails!(aclrtSynchronizeStream(failing), ACL_ERROR_RT_AICPU_TIMEOUT, "may take 5ms");
    assert_eq!(*WAITED.lock().unwrap(), Some(ACL_SUCCESS));
    ok!(aclrtDestroyContext(stops));
    ok!(aclrtDestroyContext(waits));
    ok!(aclrtDestroyEvent(mark));
}

#[test]
fn a_host_function_that_takes_too_long_fails_its_stream() {
    let _session = Session::new();
    let mut taken = 0;
    ok!(aclrtSetOpExecuteTimeOutV2(5_000, &mut taken));
    assert_eq!(taken, 5_000);
    launch(ptr::null_mut(), || common::work_for(6));
    fails!(aclrtSynchronizeStream(ptr::null_mut()), ACL_ERROR_RT_AICPU_TIMEOUT, "may take 5ms");
    launch(ptr::null_mut(), || {});
    ok!(aclrtSynchronizeStream(ptr::null_mut()));
}

#[test]
fn memory_freed_under_a_stream_fails_the_stream() {
    let _session = Session::new();
    let stream = stream();
    let kept = malloc(64);
    ok!(aclrtMemset(kept, 64, 7, 64));
    let fill = |freed| acl!(aclrtMemsetAsync(freed, 64, 1, 64, stream));
    let read = |freed: *mut c_void| acl!(aclrtMemcpyAsync(kept, 64, freed, 64, common::D2D, stream));
    let write = |freed| acl!(aclrtMemcpyAsync(freed, 64, kept, 64, common::D2D, stream));
    let uses: [(&dyn Fn(*mut c_void) -> AclError, &str); 3] =
        [(&fill, "devPtr: "), (&read, "src: "), (&write, "dst: ")];
    for (use_memory, name) in uses {
        let memory = malloc(64);
        ok!(aclrtMemset(memory, 64, 9, 64));
        let held = hold(stream);
        assert!(use_memory(memory).is_success());
        ok!(aclrtFree(memory));
        held.send(()).unwrap();
        let code = ACL_ERROR_RT_SYS_DMA;
        fails!(aclrtSynchronizeStream(stream), code, name, "was freed before the stream");
        ok!(aclrtSynchronizeStream(stream));
    }
    let mut bytes = [0_u8; 64];
    ok!(aclrtMemcpy(common::bytes(&mut bytes), 64, kept, 64, common::D2H));
    assert_eq!(bytes, [7; 64], "a copy from freed memory was made");
    ok!(aclrtFree(kept));
    ok!(aclrtDestroyStream(stream));
}
