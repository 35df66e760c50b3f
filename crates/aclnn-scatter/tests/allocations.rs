//! Neither phase allocates memory in proportion to the tensors, nothing is left of a call, and memory that the system doesn't
//! give fails the stream.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use core::ffi::c_void;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aclnn_scatter::c;
use aclnn_scatter::sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_FLOAT, ACL_FLOAT16, ACL_INT64, ACL_SUCCESS, ACLNN_SUCCESS, aclrtStream,
};
use common::tensors::Owned;
use common::{Stream, assert_clear, cann, messages};

/// The system's allocator, counted; it refuses what is larger than a limit.
struct Counting;

static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LIMIT.load(Ordering::Relaxed) {
            return null_mut();
        }
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        HELD.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's word.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// `[size, size]` tensors and one in-place call on them: what it allocates, the stream's work included.
struct Call {
    self_: Owned,
    index: Owned,
    src: Owned,
}

impl Call {
    fn new(size: usize) -> Self {
        let (shape, count) = ([size as i64; 2], size * size);
        let index: Vec<i64> = (0..count).map(|number| (number * 7 % size) as i64).collect();
        Self {
            self_: Owned::new(ACL_FLOAT, &shape, &vec![0_f32; count]),
            index: Owned::new(ACL_INT64, &shape, &index),
            src: Owned::new(ACL_FLOAT, &shape, &vec![1_f32; count]),
        }
    }

    /// A call whose phase two is refused by the runtime.
    fn run_nowhere(&self) {
        assert_eq!(self.phases(without_provenance_mut(0x1230)), 361_001);
    }

    fn run(&self, stream: &Stream) -> usize {
        let before = ALLOCATED.load(Ordering::Relaxed);
        assert_eq!(self.phases(stream.raw), 0, "{}", messages());
        assert!(stream.synchronize().is_success());
        ALLOCATED.load(Ordering::Relaxed) - before
    }

    fn phases(&self, stream: aclrtStream) -> i32 {
        let (mut size, mut executor) = (0, null_mut());
        let (self_, index, src) = (self.self_.raw(), self.index.raw(), self.src.raw());
        // SAFETY: handles are alive, and storages as large as they say.
        unsafe {
            let first =
                c::aclnnScatterAddGetWorkspaceSize(self_, 1, index, src, self_, &mut size, &mut executor);
            assert!(first.is_success(), "{}", messages());
            c::aclnnScatterAdd(null_mut(), size, executor, stream).0
        }
    }
}

/// Stops a stream until [`GATE`] opens.
unsafe extern "C" fn wait_for_gate(_: *mut c_void) {
    while !GATE.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
}

static GATE: AtomicBool = AtomicBool::new(false);

/// Calls that a stream takes and drops.
fn run_and_abort(call: &Call, stream: &Stream, times: usize) {
    GATE.store(false, Ordering::SeqCst);
    // SAFETY: the function needs nothing.
    let held = unsafe { cann().aclrtLaunchHostFunc(stream.raw, Some(wait_for_gate), null_mut()) };
    assert_eq!(held, Ok(ACL_SUCCESS));
    for _ in 0..times {
        assert_eq!(call.phases(stream.raw), 0, "{}", messages());
    }
    // SAFETY: the stream is alive.
    assert_eq!(unsafe { cann().aclrtStreamAbort(stream.raw) }, Ok(ACL_SUCCESS));
    GATE.store(true, Ordering::SeqCst);
    assert!(stream.synchronize().is_success());
}

/// Nobody else allocates meanwhile. The engine has two threads, whatever the machine has: with many a call does with less memory.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: who else would read the environment waits for the lock.
    unsafe { std::env::set_var("RAYON_NUM_THREADS", "2") };
    guard
}

#[test]
fn memory_that_the_system_does_not_give_fails_the_stream() {
    let _alone = alone();
    let (updates, targets) = (140_000, 100_000);
    let half = |value: f32| half::f16::from_f32(value);
    let index: Vec<i64> = (0..updates).map(|at| at * 7919 % targets).collect();
    let stream = Stream::new();
    let self_ = Owned::new(ACL_FLOAT16, &[targets], &vec![half(1.0); targets as usize]);
    let index = Owned::new(ACL_INT64, &[updates], &index);
    let src = Owned::new(ACL_FLOAT16, &[updates], &vec![half(2.0); updates as usize]);
    let first = || {
        let (mut size, mut executor) = (0, null_mut());
        let (self_, index, src, ws, ex) =
            (self_.raw(), index.raw(), src.raw(), &raw mut size, &raw mut executor);
        // SAFETY: handles are alive, and there are places for the results. 5 is the mean.
        let status =
            unsafe { c::aclnnInplaceScatterReduceGetWorkspaceSize(self_, 0, index, src, 5, true, ws, ex) };
        assert!(status.is_success(), "{}", messages());
        executor
    };
    let run = |executor| {
        // SAFETY: phase one made it, and storages are as large as they say.
        let status = unsafe { c::aclnnInplaceScatterReduce(null_mut(), 0, executor, stream.raw) };
        (status, stream.synchronize())
    };
    // The threads of the engine are made by the first call.
    assert_eq!(run(first()), (ACLNN_SUCCESS, ACL_SUCCESS), "{}", messages());
    let (before, executor) = (self_.memory.read::<half::f16>(), first());
    LIMIT.store(1 << 15, Ordering::Relaxed);
    let ran = run(executor);
    LIMIT.store(usize::MAX, Ordering::Relaxed);
    assert_eq!(ran, (ACLNN_SUCCESS, ACL_ERROR_RT_AICPU_EXCEPTION));
    let message = messages();
    let told = "aclnnInplaceScatterReduce: ACLNN_ERR_RUNTIME_ERROR (361001): scatter_reduce: ";
    assert!(message.contains(told), "{message}");
    assert!(message.contains("bytes of host memory expected, got none"), "{message}");
    // It is no index, and nothing was written.
    assert_clear(&stream.status());
    assert_eq!(self_.memory.read::<half::f16>(), before);
    assert_eq!(run(first()), (ACLNN_SUCCESS, ACL_SUCCESS), "{}", messages());
    assert_ne!(self_.memory.read::<half::f16>(), before);
}

#[test]
fn a_call_allocates_the_same_whatever_the_size_and_leaves_nothing() {
    let _alone = alone();
    let stream = Stream::new();
    let (small, large) = (Call::new(8), Call::new(1024));
    // The threads of the engine, tables and handles are made by the first calls.
    for _ in 0..600 {
        small.run(&stream);
    }
    for _ in 0..5 {
        large.run(&stream);
    }
    let held = HELD.load(Ordering::Relaxed);
    let of_small: usize = (0..100).map(|_| small.run(&stream)).sum();
    assert!(of_small / 100 < 16 << 10, "{} bytes a call", of_small / 100);
    let left = HELD.load(Ordering::Relaxed) - held;
    assert!(left.unsigned_abs() < 4 << 10, "{left} bytes are left of 100 calls");
    let of_large = (0..20).map(|_| large.run(&stream)).max().unwrap();
    // The engine's threads hand tasks round; the tensors have 4 and 8 MiB.
    assert!(of_large < 64 << 10, "{of_large} bytes");
    // Nor is anything left of what no stream takes.
    for _ in 0..300 {
        small.run_nowhere();
    }
    let held = HELD.load(Ordering::Relaxed);
    for _ in 0..100 {
        small.run_nowhere();
    }
    let left = HELD.load(Ordering::Relaxed) - held;
    assert!(left.unsigned_abs() < 16 << 10, "{left} bytes are left of 100 refused launches");
    // Nor of what a stream drops.
    run_and_abort(&small, &stream, 300);
    let held = HELD.load(Ordering::Relaxed);
    run_and_abort(&small, &stream, 300);
    let left = HELD.load(Ordering::Relaxed) - held;
    assert!(left.unsigned_abs() < 16 << 10, "{left} bytes are left of 300 dropped calls");
    assert_eq!(aclnn_scatter::live_executors(), 0);
}
