//! Neither phase allocates memory in proportion to the tensors, and no call leaks memory.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64, ACL_SUCCESS, aclrtStream};
use common::tensors::Owned;
use common::{Gate, Stream, cann, messages};

/// The system's allocator, which counts allocated and live bytes.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        HELD.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// `[size, size]` tensors for an in-place call. Its allocations are counted, including those of the
/// stream's work.
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

    /// A call whose phase two the runtime refuses, because its stream does not exist.
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
        // SAFETY: the handles live, and the storages have the size that the tensors say.
        unsafe {
            let first =
                c::aclnnScatterAddGetWorkspaceSize(self_, 1, index, src, self_, &mut size, &mut executor);
            assert!(first.is_success(), "{}", messages());
            c::aclnnScatterAdd(null_mut(), size, executor, stream).0
        }
    }
}

/// Makes calls that the stream accepts and then drops.
fn run_and_abort(call: &Call, stream: &Stream, times: usize) {
    static GATE: Gate = Gate::new();
    GATE.close(stream);
    for _ in 0..times {
        assert_eq!(call.phases(stream.raw), 0, "{}", messages());
    }
    // SAFETY: the stream lives.
    assert_eq!(unsafe { cann().aclrtStreamAbort(stream.raw) }, Ok(ACL_SUCCESS));
    GATE.open();
    assert!(stream.synchronize().is_success());
}

// A single test, so that no other test allocates at the same time.
#[test]
fn a_call_allocates_the_same_whatever_the_size_and_leaves_nothing() {
    let stream = Stream::new();
    let (small, large) = (Call::new(8), Call::new(512));
    // The first calls make the engine's threads, tables and handles.
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
    // The engine allocates a little to share out its tasks. The tensors have 1 and 2 MiB.
    assert!(of_large < 64 << 10, "{of_large} bytes");
    // A call that no stream accepts leaks nothing either.
    for _ in 0..300 {
        small.run_nowhere();
    }
    let held = HELD.load(Ordering::Relaxed);
    for _ in 0..100 {
        small.run_nowhere();
    }
    let left = HELD.load(Ordering::Relaxed) - held;
    assert!(left.unsigned_abs() < 16 << 10, "{left} bytes are left of 100 refused launches");
    // Nor does a call that a stream drops.
    run_and_abort(&small, &stream, 300);
    let held = HELD.load(Ordering::Relaxed);
    run_and_abort(&small, &stream, 300);
    let left = HELD.load(Ordering::Relaxed) - held;
    assert!(left.unsigned_abs() < 16 << 10, "{left} bytes are left of 300 dropped calls");
    assert_eq!(aclnn_scatter::live_executors(), 0);
}
