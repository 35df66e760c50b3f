//! How an index out of range is reported with each [`Check`].

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ptr::{null_mut, without_provenance_mut};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;

use aclnn_scatter::sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_ERROR_RT_INVALID_HANDLE, ACL_FLOAT, ACL_INT32, ACL_RT_THREAD_LEVEL,
    ACL_STOP_ON_FAILURE, ACL_SUCCESS, aclrtStream,
};
use aclnn_scatter::{Check, c, set_check};
use common::tensors::{Owned, Scalar};
use common::{Gate, Stream, assert_clear, assert_told, cann, messages, status};

/// Sets the check of the process, and lets no other test change it meanwhile.
fn mode(check: Check) -> MutexGuard<'static, ()> {
    static MODE: Mutex<()> = Mutex::new(());
    let guard = MODE.lock().unwrap_or_else(PoisonError::into_inner);
    set_check(check);
    guard
}

/// `out[i][index[i][j]] += src[i][j]` with an index of `[2, 3]` and an out of `[2, 4]`.
struct Call {
    out: Owned,
    index: Owned,
    src: Owned,
}

impl Call {
    fn new(index: [i32; 6]) -> Self {
        Self {
            out: Owned::new(ACL_FLOAT, &[2, 4], &[1_f32; 8]),
            index: Owned::new(ACL_INT32, &[2, 3], &index),
            src: Owned::new(ACL_FLOAT, &[2, 3], &[1_f32; 6]),
        }
    }

    fn run(&self, stream: aclrtStream) -> i32 {
        let (mut size, mut executor) = (0, null_mut());
        let (out, index, src) = (self.out.raw(), self.index.raw(), self.src.raw());
        // SAFETY: the handles live, and the storages have the size that the tensors say.
        unsafe {
            let first = c::aclnnScatterAddGetWorkspaceSize(out, 1, index, src, out, &mut size, &mut executor);
            assert!(first.is_success(), "{}", messages());
            c::aclnnScatterAdd(null_mut(), 0, executor, stream).0
        }
    }

    fn is_untouched(&self) -> bool {
        self.out.memory.read::<f32>() == [1.0; 8]
    }
}

const BAD: [i32; 6] = [0, 1, 2, 3, 4, -5];

#[test]
fn flag_tells_the_first_of_each_stream_once_and_fails_the_next_synchronisation() {
    let _mode = mode(Check::Flag);
    let (stream, other) = (Stream::new(), Stream::new());
    let (bad, later, good) = (Call::new(BAD), Call::new([9; 6]), Call::new([0; 6]));
    assert_eq!(bad.run(stream.raw), 0);
    assert_eq!(later.run(stream.raw), 0);
    assert_eq!(good.run(stream.raw), 0);
    assert_eq!(good.run(other.raw), 0);
    let _ = messages();
    assert_eq!(stream.synchronize(), ACL_ERROR_RT_AICPU_EXCEPTION);
    let message = messages();
    for words in ["aclnnScatterAdd", "index: value at [1, 1]", "-4 to below 4", "got 4", "161002"] {
        assert!(message.contains(words), "{words}: {message}");
    }
    assert_told(&stream.status(), c"aclnnScatterAdd", &[1, 1], 4, 4);
    assert_clear(&stream.status());
    assert!(stream.synchronize().is_success());
    assert!(other.synchronize().is_success());
    assert_clear(&other.status());
    assert!(bad.is_untouched() && later.is_untouched() && !good.is_untouched());
    // The stream still works.
    assert_eq!(later.run(stream.raw), 0);
    assert_eq!(stream.synchronize(), ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_told(&stream.status(), c"aclnnScatterAdd", &[0, 0], 9, 4);
}

#[test]
fn sync_waits_and_returns_it() {
    let _mode = mode(Check::Sync);
    let stream = Stream::new();
    let (bad, good) = (Call::new(BAD), Call::new([0; 6]));
    assert_eq!(good.run(stream.raw), 0);
    assert!(!good.is_untouched(), "phase two has waited");
    let _ = messages();
    assert_eq!(bad.run(stream.raw), 161_002);
    let message = messages();
    for words in ["aclnnScatterAdd", "value at [1, 1]", "got 4"] {
        assert!(message.contains(words), "{words}: {message}");
    }
    assert!(bad.is_untouched());
    assert_clear(&stream.status());
    assert!(stream.synchronize().is_success());
}

/// The failure of other work is returned only if the call itself has not failed.
#[test]
fn sync_tells_the_call_s_own_error_before_the_stream_s() {
    let _mode = mode(Check::Sync);
    let stream = Stream::new();
    let (other, bad, good) = (Call::new([7; 6]), Call::new(BAD), Call::new([0; 6]));
    for (call, code, words) in [(&bad, 161_002, "got 4"), (&good, 361_001, "aclrtSynchronizeStream returned")]
    {
        set_check(Check::Off);
        assert_eq!(other.run(stream.raw), 0);
        set_check(Check::Sync);
        let _ = messages();
        assert_eq!(call.run(stream.raw), code);
        let message = messages();
        let own = message.lines().next().unwrap();
        assert!(own.starts_with("aclnnScatterAdd: ") && own.contains(words), "{message}");
        // Both calls have waited, and the stream's failure has been returned.
        assert!(stream.synchronize().is_success());
    }
    assert!(other.is_untouched() && bad.is_untouched() && !good.is_untouched());
}

/// `aclrtGetLastError` returns only errors of the runtime.
#[test]
fn the_runtime_s_last_error_is_left_by_no_operator_s_error() {
    let _mode = mode(Check::Sync);
    let stream = Stream::new();
    // SAFETY: the function takes any number.
    let last = || unsafe { cann().aclrtGetLastError(ACL_RT_THREAD_LEVEL) }.unwrap();
    let _ = last();
    let (mut size, mut executor) = (0, null_mut());
    let (bad, good) = (Call::new(BAD), Call::new([0; 6]));
    // SAFETY: null is refused, and the other handles live.
    unsafe {
        let (out, index) = (good.out.raw(), good.index.raw());
        let first =
            c::aclnnScatterAddGetWorkspaceSize(out, 1, index, null_mut(), out, &mut size, &mut executor);
        assert_eq!(first.0, 161_001);
        let first = c::aclnnScatterAddGetWorkspaceSize(out, 9, index, out, out, &mut size, &mut executor);
        assert_eq!(first.0, 161_002);
        assert_eq!(c::aclnnScatterAdd(null_mut(), 0, null_mut(), stream.raw).0, 161_001);
        assert_eq!(c::aclnnScatterStreamStatus(stream.raw, null_mut()).0, 161_001);
    }
    assert_eq!(bad.run(stream.raw), 161_002);
    assert_eq!(last(), ACL_SUCCESS);
    // A launch that the runtime refuses leaves an error of the runtime.
    assert_eq!(good.run(without_provenance_mut(0x1230)), 361_001);
    assert_eq!((last(), last()), (ACL_ERROR_RT_INVALID_HANDLE, ACL_SUCCESS));
}

#[test]
fn sync_tells_of_work_that_a_stopped_stream_dropped() {
    static GATE: Gate = Gate::new();
    /// Other threads that wait for the stream; one of them gets the error that stopped it.
    const OTHERS: usize = 8;
    let _mode = mode(Check::Off);
    for _ in 0..5 {
        let (stream, bad, dropped) = (Stream::new(), Call::new(BAD), Call::new([0; 6]));
        // SAFETY: the stream lives.
        let stop = unsafe { cann().aclrtSetStreamFailureMode(stream.raw, ACL_STOP_ON_FAILURE.into()) };
        assert_eq!(stop, Ok(ACL_SUCCESS));
        GATE.close(&stream);
        set_check(Check::Off);
        assert_eq!(bad.run(stream.raw), 0);
        set_check(Check::Sync);
        let address = stream.raw.addr();
        let barrier = Barrier::new(OTHERS + 1);
        thread::scope(|scope| {
            for _ in 0..OTHERS {
                scope.spawn(|| {
                    // SAFETY: the stream lives until the test has joined this thread.
                    unsafe {
                        assert_eq!(cann().aclrtSetDevice(0), Ok(ACL_SUCCESS));
                        barrier.wait();
                        let _ = cann().aclrtSynchronizeStream(without_provenance_mut(address));
                        assert_eq!(cann().aclrtResetDevice(0), Ok(ACL_SUCCESS));
                    }
                });
            }
            scope.spawn(|| {
                barrier.wait();
                // Until the other threads and phase two are waiting.
                while host_cann::waiting_threads() <= OTHERS {
                    thread::yield_now();
                }
                GATE.open();
            });
            // Phase two waits at the same time as the other threads.
            assert_eq!(dropped.run(stream.raw), 361_001);
        });
        assert!(bad.is_untouched() && dropped.is_untouched());
    }
}

#[test]
fn off_tells_nothing_but_by_the_stream() {
    let _mode = mode(Check::Off);
    let stream = Stream::new();
    let bad = Call::new(BAD);
    assert_eq!(bad.run(stream.raw), 0);
    assert_eq!(stream.synchronize(), ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_clear(&stream.status());
    assert!(bad.is_untouched());
}

#[test]
fn null_is_the_default_stream_of_the_thread() {
    let _mode = mode(Check::Flag);
    let _device = Stream::new();
    let bad = Call::new(BAD);
    assert_eq!(bad.run(null_mut()), 0);
    // SAFETY: null is the default stream.
    let waited = unsafe { cann().aclrtSynchronizeStream(null_mut()) };
    assert_eq!(waited, Ok(ACL_ERROR_RT_AICPU_EXCEPTION));
    let mut default = null_mut();
    // SAFETY: `default` is a live local.
    assert_eq!(unsafe { cann().aclrtCtxGetCurrentDefaultStream(&mut default) }, Ok(ACL_SUCCESS));
    let elsewhere = thread::spawn(|| {
        let _device = Stream::on(1);
        assert_clear(&status(null_mut()));
    });
    elsewhere.join().unwrap();
    assert_told(&status(default), c"aclnnScatterAdd", &[1, 1], 4, 4);
    // SAFETY: null is refused.
    assert_eq!(unsafe { c::aclnnScatterStreamStatus(default, null_mut()) }.0, 161_001);
    assert!(messages().contains("info is null"));
}

#[test]
fn every_pair_tells_its_own_name() {
    let _mode = mode(Check::Flag);
    let stream = Stream::new();
    let (call, out) = (Call::new(BAD), Owned::new(ACL_FLOAT, &[2, 4], &[0_f32; 8]));
    let value = Scalar::new(1_f32, ACL_FLOAT);
    let (self_, index, src, value, to) =
        (call.out.raw(), call.index.raw(), call.src.raw(), value.0, out.raw());
    let (mut size, mut executor) = (0, null_mut());
    let (ws, ex) = (&raw mut size, &raw mut executor);
    macro_rules! pair {
        ($name:literal, $second:ident, $first:expr) => {{
            // SAFETY: the handles live, and the storages have the size that the tensors say.
            unsafe {
                assert!($first.is_success(), "{}", messages());
                assert!(c::$second(null_mut(), 0, executor, stream.raw).is_success());
            }
            assert_eq!(stream.synchronize(), ACL_ERROR_RT_AICPU_EXCEPTION);
            assert_told(&stream.status(), $name, &[1, 1], 4, 4);
            assert_eq!(out.memory.read::<f32>(), [0.0; 8]);
            assert!(call.is_untouched());
        }};
    }
    pair!(
        c"aclnnScatter",
        aclnnScatter,
        c::aclnnScatterGetWorkspaceSize(self_, 1, index, src, 0, to, ws, ex)
    );
    pair!(
        c"aclnnInplaceScatter",
        aclnnInplaceScatter,
        c::aclnnInplaceScatterGetWorkspaceSize(self_, 1, index, src, 2, ws, ex)
    );
    pair!(
        c"aclnnScatterValue",
        aclnnScatterValue,
        c::aclnnScatterValueGetWorkspaceSize(self_, -1, index, value, 1, to, ws, ex)
    );
    pair!(
        c"aclnnInplaceScatterValue",
        aclnnInplaceScatterValue,
        c::aclnnInplaceScatterValueGetWorkspaceSize(self_, 1, index, value, 0, ws, ex)
    );
    pair!(
        c"aclnnScatterReduce",
        aclnnScatterReduce,
        c::aclnnScatterReduceGetWorkspaceSize(self_, 1, index, src, 5, false, to, ws, ex)
    );
    pair!(
        c"aclnnInplaceScatterReduce",
        aclnnInplaceScatterReduce,
        c::aclnnInplaceScatterReduceGetWorkspaceSize(self_, 1, index, src, 3, true, ws, ex)
    );
}
