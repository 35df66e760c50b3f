//! Host functions of operator libraries, whose arguments go to one of two functions.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use aclnn_sys::*;
use common::{Session, acl, event, extension, hold, launch, message, ok, stream, wild};

/// How often a function that was launched with this counter was called, and how often dropped.
#[derive(Default)]
struct Counter {
    called: AtomicU32,
    dropped: AtomicU32,
}

impl Counter {
    unsafe extern "C" fn call(counter: *mut c_void) {
        // SAFETY: the test's counter outlives the work that it launches.
        unsafe { &*counter.cast::<Self>() }.called.fetch_add(1, Ordering::SeqCst);
    }

    /// Uses the runtime, which must hold no lock.
    unsafe extern "C" fn drop(counter: *mut c_void) {
        ok!(aclrtDestroyEvent(event_of_any_thread()));
        // SAFETY: as in `call`.
        unsafe { &*counter.cast::<Self>() }.dropped.fetch_add(1, Ordering::SeqCst);
    }

    /// Launches it `times` times, and returns the last result.
    fn launch(&self, stream: aclrtStream, times: u32) -> AclError {
        let launch = extension().launchHostFunc.unwrap();
        let argument = ptr::from_ref(self).cast_mut().cast();
        let mut code = ACL_SUCCESS;
        for _ in 0..times {
            // SAFETY: the functions take a counter.
            code = unsafe { launch(stream, Some(Self::call), Some(Self::drop), argument) };
        }
        code
    }

    /// Calls and drops so far.
    fn both(&self) -> (u32, u32) {
        (self.called.load(Ordering::SeqCst), self.dropped.load(Ordering::SeqCst))
    }
}

/// Fails the stream whose host function is calling.
fn fail() {
    common::fail(ACL_ERROR_RT_AICPU_EXCEPTION, c"stop");
}

fn event_of_any_thread() -> aclrtEvent {
    ok!(aclrtSetDevice(0));
    event()
}

#[test]
fn what_runs_is_called_and_not_dropped() {
    let _session = Session::new();
    let (counter, stream) = (Counter::default(), stream());
    assert!(counter.launch(stream, 10).is_success());
    assert!(counter.launch(ptr::null_mut(), 5).is_success());
    ok!(aclrtSynchronizeDevice());
    assert_eq!(counter.both(), (15, 0));
    ok!(aclrtDestroyStream(stream));
    assert_eq!(counter.both(), (15, 0));
}

#[test]
fn what_a_stream_drops_is_dropped_once() {
    let _session = Session::new();
    let drops: [fn(aclrtStream); 3] = [
        |stream| ok!(aclrtStreamAbort(stream)),
        |_| ok!(aclrtDeviceTaskAbort(0, 0)),
        |stream| ok!(aclrtDestroyStreamForce(stream)),
    ];
    for (number, drop_tasks) in drops.iter().enumerate() {
        let (counter, stream) = (Counter::default(), stream());
        let held = hold(stream);
        assert!(counter.launch(stream, 7).is_success());
        drop_tasks(stream);
        assert_eq!(counter.both(), (0, 7), "{number}");
        held.send(()).unwrap();
        if number < 2 {
            assert!(counter.launch(stream, 2).is_success());
            ok!(aclrtDestroyStream(stream));
            assert_eq!(counter.both(), (2, 7), "{number}");
        }
    }
}

#[test]
fn what_a_stopped_stream_drops_or_refuses_is_dropped() {
    let _session = Session::new();
    let (counter, stream) = (Counter::default(), stream());
    ok!(aclrtSetStreamFailureMode(stream, u64::from(ACL_STOP_ON_FAILURE)));
    let held = hold(stream);
    launch(stream, fail);
    assert!(counter.launch(stream, 3).is_success());
    held.send(()).unwrap();
    assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_eq!(counter.both(), (0, 3));
    assert_eq!(counter.launch(stream, 1), ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_eq!(counter.both(), (0, 4));
    ok!(aclrtDestroyStream(stream));
}

/// Work of one of two held streams. If it is dropped, it lets the other stream continue, and waits
/// for its outcome.
struct Pair {
    counter: Counter,
    other: Mutex<Option<(Sender<()>, Receiver<()>)>>,
    ended: Sender<()>,
}

impl Pair {
    unsafe extern "C" fn call(pair: *mut c_void) {
        // SAFETY: the test's pair outlives the work that it launches.
        let pair = unsafe { &*pair.cast::<Self>() };
        pair.counter.called.fetch_add(1, Ordering::SeqCst);
        pair.ended.send(()).unwrap_or(());
    }

    unsafe extern "C" fn drop(pair: *mut c_void) {
        // SAFETY: as in `call`.
        let pair = unsafe { &*pair.cast::<Self>() };
        pair.counter.dropped.fetch_add(1, Ordering::SeqCst);
        pair.ended.send(()).unwrap_or(());
        let other = pair.other.lock().unwrap().take();
        if let Some((held, other_ended)) = other {
            held.send(()).unwrap_or(());
            other_ended.recv().unwrap();
        }
    }
}

#[test]
fn a_stopped_stream_begins_nothing_while_others_are_dropped() {
    let _session = Session::new();
    let (failing, streams) = (stream(), [stream(), stream()]);
    ok!(aclrtSetStreamFailureMode(failing, u64::from(ACL_STOP_ON_FAILURE)));
    let ([first, second], [first_ended, second_ended]) = (streams.map(hold), [channel(), channel()]);
    let pair = |ended, other| Pair { counter: Counter::default(), other: Mutex::new(Some(other)), ended };
    let pairs = [pair(first_ended.0, (second, second_ended.1)), pair(second_ended.0, (first, first_ended.1))];
    let launch_host_func = extension().launchHostFunc.unwrap();
    for (stream, pair) in streams.iter().zip(&pairs) {
        let argument = ptr::from_ref(pair).cast_mut().cast();
        // SAFETY: the functions take a pair.
        let code = unsafe { launch_host_func(*stream, Some(Pair::call), Some(Pair::drop), argument) };
        assert!(code.is_success());
    }
    launch(failing, fail);
    assert_eq!(acl!(aclrtSynchronizeStream(failing)), ACL_ERROR_RT_AICPU_EXCEPTION);
    // No stream stays held, even if a function was called.
    pairs.iter().for_each(|pair| drop(pair.other.lock().unwrap().take()));
    for stream in streams.into_iter().chain([failing]) {
        ok!(aclrtDestroyStream(stream));
    }
    assert_eq!(pairs.map(|pair| pair.counter.both()), [(0, 1); 2]);
}

#[test]
fn what_is_refused_is_dropped() {
    let _session = Session::new();
    let counter = Counter::default();
    assert_eq!(counter.launch(wild(), 1), ACL_ERROR_RT_INVALID_HANDLE);
    assert!(message().contains("launchHostFunc"));
    assert_eq!(counter.both(), (0, 1));
    let launch = extension().launchHostFunc.unwrap();
    let argument = (&raw const counter).cast_mut().cast();
    // SAFETY: the function takes a counter.
    let none = unsafe { launch(ptr::null_mut(), None, Some(Counter::drop), argument) };
    assert_eq!(none, ACL_ERROR_INVALID_PARAM);
    assert_eq!(counter.both(), (0, 2));
    // SAFETY: the function takes a counter.
    let kept = unsafe { launch(wild(), Some(Counter::call), None, argument) };
    assert_eq!(kept, ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(counter.both(), (0, 2));
}
