//! Events by themselves. `EVENT_ROUNDS` sets how often threads race for the same event.

mod common;

use std::ptr;

use aclnn_sys::*;
use common::{Session, acl, event, fails, hold, launch, ok, setting, stream, wild};

fn with_flag(flag: u32, extended: bool) -> aclrtEvent {
    let mut event = ptr::null_mut();
    if extended {
        ok!(aclrtCreateEventExWithFlag(&mut event, flag));
    } else {
        ok!(aclrtCreateEventWithFlag(&mut event, flag));
    }
    event
}

fn recorded(event: aclrtEvent) -> aclrtEventRecordedStatus {
    let mut status = aclrtEventRecordedStatus(99);
    ok!(aclrtQueryEventStatus(event, &mut status));
    status
}

#[test]
fn events_tell_the_time_between_them() {
    let _session = Session::new();
    let stream = stream();
    let (start, end) = (event(), event());
    let mut elapsed = -1.0;
    fails!(
        aclrtEventElapsedTime(&mut elapsed, start, end),
        ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
        "startEvent"
    );
    ok!(aclrtRecordEvent(start, stream));
    launch(stream, || common::work_for(20));
    ok!(aclrtRecordEvent(end, stream));
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtEventElapsedTime(&mut elapsed, start, end));
    assert!((20.0..5000.0).contains(&elapsed), "{elapsed} ms");
    fails!(aclrtEventElapsedTime(&mut elapsed, end, start), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "before");
    let (mut first, mut second) = (0, 0);
    ok!(aclrtEventGetTimestamp(start, &mut first));
    ok!(aclrtEventGetTimestamp(end, &mut second));
    assert!(second >= first + 20_000);
    let without = with_flag(ACL_EVENT_SYNC, false);
    ok!(aclrtRecordEvent(without, stream));
    ok!(aclrtSynchronizeEvent(without));
    fails!(
        aclrtEventGetTimestamp(without, &mut first),
        ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
        "ACL_EVENT_TIME_LINE"
    );
    for event in [start, end, without] {
        ok!(aclrtDestroyEvent(event));
    }
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn an_event_that_was_not_recorded_is_nothing_to_wait_for() {
    let _session = Session::new();
    let stream = stream();
    for (extended, unrecorded) in
        [(false, ACL_EVENT_RECORDED_STATUS_NOT_READY), (true, ACL_EVENT_RECORDED_STATUS_COMPLETE)]
    {
        let event = with_flag(ACL_EVENT_SYNC, extended);
        assert_eq!(recorded(event), unrecorded);
        ok!(aclrtSynchronizeEvent(event));
        ok!(aclrtStreamWaitEvent(stream, event));
        ok!(aclrtSynchronizeStream(stream));
        ok!(aclrtRecordEvent(event, stream));
        ok!(aclrtSynchronizeEvent(event));
        assert_eq!(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
        ok!(aclrtDestroyEvent(event));
    }
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn a_reset_undoes_a_record() {
    let _session = Session::new();
    let none = ptr::null_mut();
    let event = with_flag(ACL_EVENT_SYNC, false);
    for _ in 0..3 {
        ok!(aclrtRecordEvent(event, none));
        ok!(aclrtSynchronizeStream(none));
        let mut status = ACL_EVENT_STATUS_NOT_READY;
        ok!(aclrtQueryEvent(event, &mut status));
        assert_eq!(status, ACL_EVENT_STATUS_COMPLETE);
        ok!(aclrtResetEvent(event, none));
        ok!(aclrtSynchronizeStream(none));
        ok!(aclrtQueryEvent(event, &mut status));
        assert_eq!(status, ACL_EVENT_STATUS_NOT_READY);
    }
    ok!(aclrtDestroyEvent(event));
}

#[test]
fn each_kind_of_event_refuses_what_it_can_t() {
    let _session = Session::new();
    let none = ptr::null_mut();
    let (extended, timed) = (with_flag(ACL_EVENT_SYNC, true), with_flag(ACL_EVENT_TIME_LINE, false));
    let (mut status, mut waits) = (ACL_EVENT_STATUS_RESERVED, ACL_EVENT_WAIT_STATUS_RESERVED);
    let code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(aclrtResetEvent(extended, none), code, "aclrtCreateEventExWithFlag");
    fails!(aclrtQueryEvent(extended, &mut status), code, "aclrtCreateEventExWithFlag");
    fails!(aclrtQueryEventWaitStatus(extended, &mut waits), code, "aclrtCreateEventExWithFlag");
    fails!(aclrtStreamWaitEvent(none, timed), code, "ACL_EVENT_SYNC");
    fails!(aclrtResetEvent(timed, none), code, "ACL_EVENT_SYNC");
    // Clients take this code for a warning: it must not stand for what fails later.
    assert_eq!(acl!(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)), AclError::SUCCESS);
    let mut event = ptr::null_mut();
    for flag in [0, ACL_EVENT_EXTERNAL, ACL_EVENT_IPC | ACL_EVENT_SYNC, 0x8000_0000] {
        fails!(aclrtCreateEventWithFlag(&mut event, flag), ACL_ERROR_RT_PARAM_INVALID, "flag");
    }
    ok!(aclrtDestroyEvent(extended));
    ok!(aclrtDestroyEvent(timed));
}

#[test]
fn an_event_for_other_processes_is_one_for_this() {
    let _session = Session::new();
    let (event, stream, other) = (with_flag(ACL_EVENT_IPC, true), stream(), stream());
    ok!(aclrtRecordEvent(event, stream));
    ok!(aclrtStreamWaitEvent(other, event));
    ok!(aclrtSynchronizeStream(other));
    ok!(aclrtSynchronizeEvent(event));
    let mut handle = std::mem::MaybeUninit::uninit();
    fails!(
        aclrtIpcGetEventHandle(event, handle.as_mut_ptr()),
        ACL_ERROR_API_NOT_SUPPORT,
        "does not implement"
    );
    ok!(aclrtDestroyEvent(event));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtDestroyStream(other));
}

#[test]
fn wrong_events_are_refused_everywhere() {
    let _session = Session::new();
    let (gone, other, none) = (event(), stream(), ptr::null_mut());
    ok!(aclrtDestroyEvent(gone));
    let code = ACL_ERROR_RT_INVALID_HANDLE;
    for wrong in [gone, wild(), other.cast()] {
        let mut recorded = ACL_EVENT_RECORDED_STATUS_COMPLETE;
        fails!(aclrtDestroyEvent(wrong), code, "does not exist, or was destroyed");
        fails!(aclrtRecordEvent(wrong, none), code, "destroyed");
        fails!(aclrtSynchronizeEvent(wrong), code, "destroyed");
        fails!(aclrtStreamWaitEvent(none, wrong), code, "destroyed");
        fails!(aclrtQueryEventStatus(wrong, &mut recorded), code, "destroyed");
    }
    fails!(aclrtDestroyEvent(ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "null");
    let living = event();
    fails!(aclrtSynchronizeEventWithTimeout(living, 0), ACL_ERROR_RT_PARAM_INVALID, "timeout 0");
    ok!(aclrtDestroyEvent(living));
    ok!(aclrtDestroyStream(other));
}

#[test]
fn a_stream_waits_no_longer_than_it_may() {
    let _session = Session::new();
    let (first, second, mark) = (stream(), stream(), event());
    let (go, held) = std::sync::mpsc::channel::<()>();
    launch(first, move || held.recv().unwrap_or(()));
    ok!(aclrtRecordEvent(mark, first));
    ok!(aclrtSetOpWaitTimeout(1));
    ok!(aclrtStreamWaitEvent(second, mark));
    fails!(aclrtSynchronizeStream(second), ACL_ERROR_RT_WAIT_TIMEOUT, "too long");
    ok!(aclrtSetOpWaitTimeout(0));
    // An event that is destroyed meanwhile still ends the wait.
    ok!(aclrtStreamWaitEvent(second, mark));
    ok!(aclrtDestroyEvent(mark));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(second, 20)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    go.send(()).unwrap();
    ok!(aclrtSynchronizeStream(second));
    ok!(aclrtDestroyStream(first));
    ok!(aclrtDestroyStream(second));
}

/// A wait for an event is for the record that was the latest when the wait was requested, whatever
/// other streams record later.
#[test]
fn a_later_record_in_another_stream_does_not_end_the_wait_for_an_earlier_one() {
    let _session = Session::new();
    let (slow, fast, after, mark) = (stream(), stream(), stream(), event());
    let held = hold(slow);
    ok!(aclrtRecordEvent(mark, slow));
    ok!(aclrtStreamWaitEvent(after, mark));
    ok!(aclrtRecordEvent(mark, fast));
    ok!(aclrtSynchronizeStream(fast));
    ok!(aclrtSynchronizeEvent(mark));
    assert_eq!(recorded(mark), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(after, 30)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    let (mut before, mut now) = (0, 0);
    ok!(aclrtEventGetTimestamp(mark, &mut before));
    drop(held);
    ok!(aclrtSynchronizeStream(after));
    // The time is that of the latest record, although an earlier one was reached later.
    ok!(aclrtEventGetTimestamp(mark, &mut now));
    assert_eq!(before, now);
    for stream in [slow, fast, after] {
        ok!(aclrtDestroyStream(stream));
    }
    ok!(aclrtDestroyEvent(mark));
}

#[test]
fn an_event_whose_record_was_dropped_has_no_time() {
    let _session = Session::new();
    let (stream, mark) = (stream(), event());
    ok!(aclrtRecordEvent(mark, stream));
    ok!(aclrtSynchronizeStream(stream));
    let mut time = 0;
    ok!(aclrtEventGetTimestamp(mark, &mut time));
    let held = hold(stream);
    ok!(aclrtRecordEvent(mark, stream));
    ok!(aclrtStreamAbort(stream));
    drop(held);
    fails!(aclrtSynchronizeEvent(mark), ACL_ERROR_RT_STREAM_ABORT, "dropped");
    fails!(aclrtEventGetTimestamp(mark, &mut time), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "has no time");
    ok!(aclrtRecordEvent(mark, stream));
    ok!(aclrtSynchronizeEvent(mark));
    ok!(aclrtEventGetTimestamp(mark, &mut time));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtDestroyEvent(mark));
}

/// Whoever sees the event complete may free the memory that the running task still uses.
#[test]
fn a_dropped_record_comes_no_sooner_than_the_task_that_runs_has_ended() {
    let _session = Session::new();
    let drops: [fn(aclrtStream); 3] = [
        |stream| ok!(aclrtStreamAbort(stream)),
        |stream| ok!(aclrtDestroyStreamForce(stream)),
        |_| {
            let failing = stream();
            ok!(aclrtSetStreamFailureMode(failing, u64::from(ACL_STOP_ON_FAILURE)));
            launch(failing, || common::fail(ACL_ERROR_RT_AICPU_EXCEPTION, c"stop"));
            fails!(aclrtSynchronizeStream(failing), ACL_ERROR_RT_AICPU_EXCEPTION, "stop");
        },
    ];
    let mut of_waits = ptr::null_mut();
    ok!(aclrtGetCurrentContext(&mut of_waits));
    let waits = stream();
    for drop_tasks in drops {
        let mut of_work = ptr::null_mut();
        ok!(aclrtCreateContext(&mut of_work, 0));
        let (works, mark) = (stream(), event());
        let (begun, has_begun) = std::sync::mpsc::channel();
        let (end, may_end) = std::sync::mpsc::channel::<()>();
        launch(works, move || {
            begun.send(()).unwrap();
            may_end.recv().unwrap_or(());
        });
        has_begun.recv().unwrap();
        ok!(aclrtRecordEvent(mark, works));
        ok!(aclrtSetCurrentContext(of_waits));
        ok!(aclrtStreamWaitEvent(waits, mark));
        ok!(aclrtSetCurrentContext(of_work));
        drop_tasks(works);
        assert_eq!(recorded(mark), ACL_EVENT_RECORDED_STATUS_NOT_READY);
        let mut status = ACL_EVENT_STATUS_COMPLETE;
        ok!(aclrtQueryEvent(mark, &mut status));
        assert_eq!(status, ACL_EVENT_STATUS_NOT_READY);
        // A host that waits is told at once.
        assert!(!acl!(aclrtSynchronizeEvent(mark)).is_success());
        ok!(aclrtSetCurrentContext(of_waits));
        let waited = acl!(aclrtSynchronizeStreamWithTimeout(waits, 20));
        assert_eq!(waited, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        drop(end);
        ok!(aclrtSynchronizeStream(waits));
        assert_eq!(recorded(mark), ACL_EVENT_RECORDED_STATUS_COMPLETE);
        ok!(aclrtDestroyEvent(mark));
        ok!(aclrtDestroyContext(of_work));
    }
    ok!(aclrtDestroyStream(waits));
}

#[test]
fn a_wait_for_a_record_that_was_dropped_tells_so_whatever_is_dropped_after_it() {
    let _session = Session::new();
    let (first, second, mark) = (stream(), stream(), event());
    let of_mark = mark.addr();
    for _ in 0..20 {
        let held = [hold(first), hold(second)];
        ok!(aclrtRecordEvent(mark, first));
        let waiter =
            std::thread::spawn(move || acl!(aclrtSynchronizeEvent(ptr::without_provenance_mut(of_mark))));
        common::wait_for_waiting(1);
        ok!(aclrtRecordEvent(mark, second));
        ok!(aclrtStreamAbort(first));
        ok!(aclrtStreamAbort(second));
        assert_eq!(waiter.join().unwrap(), ACL_ERROR_RT_STREAM_ABORT);
        fails!(aclrtSynchronizeEvent(mark), ACL_ERROR_RT_STREAM_ABORT, "dropped");
        drop(held);
        ok!(aclrtSynchronizeStream(first));
        ok!(aclrtSynchronizeStream(second));
        ok!(aclrtRecordEvent(mark, first));
        ok!(aclrtSynchronizeEvent(mark));
    }
    ok!(aclrtDestroyStream(first));
    ok!(aclrtDestroyStream(second));
    ok!(aclrtDestroyEvent(mark));
}

#[test]
fn of_two_threads_one_destroys_an_event() {
    let _session = Session::new();
    let events: Vec<_> = (0..20_000).map(|_| event().addr()).collect();
    let destroy_all = || {
        let mut destroyed = 0;
        for &of_event in &events {
            let code = acl!(aclrtDestroyEvent(ptr::without_provenance_mut(of_event)));
            assert!(code.is_success() || code == ACL_ERROR_RT_INVALID_HANDLE, "{code}");
            destroyed += usize::from(code.is_success());
        }
        destroyed
    };
    let destroyed = std::thread::scope(|scope| {
        let threads = [scope.spawn(destroy_all), scope.spawn(destroy_all)];
        threads.map(|thread| thread.join().unwrap())
    });
    assert_eq!(destroyed.iter().sum::<usize>(), events.len(), "{destroyed:?}");
}

#[test]
fn a_host_function_can_t_wait_for_an_event_behind_it() {
    let _session = Session::new();
    let (stream, mark) = (stream(), event());
    let (go, held) = std::sync::mpsc::channel::<()>();
    let handle = mark.addr();
    launch(stream, move || {
        held.recv().unwrap_or(());
        let mark: aclrtEvent = ptr::without_provenance_mut(handle);
        fails!(aclrtSynchronizeEvent(mark), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "runs it");
    });
    ok!(aclrtRecordEvent(mark, stream));
    drop(go);
    ok!(aclrtSynchronizeEvent(mark));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtDestroyEvent(mark));
}

#[test]
fn a_wait_in_the_stream_of_a_record_comes_behind_it_whoever_is_faster() {
    let _session = Session::new();
    let (stream, mark) = (stream(), event());
    let (to, of) = (stream.addr(), mark.addr());
    let rounds = setting("EVENT_ROUNDS", 100_000);
    std::thread::scope(|scope| {
        for records in [true, false, true, false] {
            scope.spawn(move || {
                ok!(aclrtSetDevice(0));
                for _ in 0..rounds {
                    let (stream, mark) = (ptr::without_provenance_mut(to), ptr::without_provenance_mut(of));
                    match records {
                        true => ok!(aclrtRecordEvent(mark, stream)),
                        false => ok!(aclrtStreamWaitEvent(stream, mark)),
                    }
                }
            });
        }
    });
    let waited = acl!(aclrtSynchronizeStreamWithTimeout(stream, 60_000));
    ok!(aclrtStreamAbort(stream));
    assert!(waited.is_success(), "{waited}: the stream waits for a record that is behind the wait");
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtDestroyEvent(mark));
}
