//! A call in place makes no more allocations than calling the C functions directly.

#![allow(clippy::unwrap_used)]

use core::cell::Cell;
use std::alloc::{GlobalAlloc, Layout, System};

use aclnn::{Reduce, Result, Runtime, Stream, Tensor};
use aclnn_scatter::c;

/// The system's allocator, which counts the allocations of each thread.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocations of this thread in 400 calls, each after the work of the one before is done.
fn count(stream: &Stream, mut call: impl FnMut() -> Result<()>) -> Result<usize> {
    let mut counted = 0;
    // The first calls make tables, handles and threads, and are not counted.
    for round in 0..1_000 {
        let before = CALLS.get();
        call()?;
        if round >= 600 {
            counted += CALLS.get() - before;
        }
        stream.synchronize()?;
    }
    Ok(counted)
}

/// Both phases of the C function, with existing tensors.
fn bare(self_: &Tensor<f32>, index: &Tensor<i64>, src: &Tensor<f32>, stream: &Stream) -> Result<()> {
    let (self_, index, src, stream) = (self_.as_raw()?, index.as_raw()?, src.as_raw()?, stream.as_raw()?);
    let (mut bytes, mut executor) = (0, core::ptr::null_mut());
    // SAFETY: the tensors live, and so does their memory until the stream is synchronised.
    unsafe {
        let first =
            c::aclnnScatterAddGetWorkspaceSize(self_, 0, index, src, self_, &mut bytes, &mut executor);
        assert!(first.is_success() && bytes == 0);
        assert!(c::aclnnScatterAdd(core::ptr::null_mut(), bytes, executor, stream).is_success());
    }
    Ok(())
}

#[test]
fn a_call_in_place_adds_none() -> Result<()> {
    // Outside of a `Scope` the C functions use the CANN that the process has installed.
    aclnn_scatter::install(aclnn::sys::Cann::from_table(host_cann::table())).unwrap();
    let stream = Runtime::host()?.device(0)?.stream()?;
    let places: Vec<i64> = (0..64 * 64).map(|number| number * 7 % 64).collect();
    let index = Tensor::from_slice(&places, [64, 64], &stream)?;
    let src = Tensor::<f32>::full([64, 64], 1.0, &stream)?;
    let mut sums = Tensor::<f32>::zeros([64, 64], &stream)?;
    let floor = count(&stream, || bare(&sums, &index, &src, &stream))?;
    let ours = count(&stream, || sums.scatter_add_(0, &index, &src, &stream).map(drop))?;
    assert!(floor > 0 && ours <= floor, "{ours} allocations in 400 calls, {floor} through C");
    let ours = count(&stream, || sums.scatter_(0, &index, &src, Reduce::None, &stream).map(drop))?;
    assert!(ours <= floor, "{ours} allocations in 400 calls of scatter_, {floor} of scatter_add through C");
    // Also through views, which need no `aclTensor`.
    let view = |sums: &mut Tensor<f32>| sums.view_mut().scatter_add_(0, &index, &src, &stream).map(drop);
    let ours = count(&stream, || view(&mut sums))?;
    assert!(ours <= floor, "{ours} allocations in 400 calls of a view, {floor} through C");
    // Alternating between two streams: the allocations for events are bounded.
    let other = stream.device().stream()?;
    let mut turn = false;
    let ours = count(&stream, || {
        turn = !turn;
        sums.scatter_add_(0, &index, &src, if turn { &other } else { &stream }).map(drop)
    })?;
    assert!(ours <= floor + 400 * 12, "{ours} allocations in 400 calls of two streams, {floor} through C");
    Ok(())
}
