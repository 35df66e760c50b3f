//! Everything may be dropped at any time, even while work uses it.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn::{DeviceBuffer, Error, Event, PinnedBuffer, Reduce, Result, Runtime, Stream, Tensor};
use common::{Gate, alone, bad_index, stream};
use host_cann::Counters;

/// Enqueues a scatter_add, and drops its tensors before the stream does it. Returns the sums, of
/// which one will be 1000.
fn in_flight(stream: &Stream) -> Result<Tensor<f32>> {
    let mut sums = Tensor::<f32>::zeros([4], stream)?;
    let index = Tensor::<i64>::full([1000], 2, stream)?;
    let src = Tensor::<f32>::full([1000], 1.0, stream)?;
    sums.scatter_add_(0, &index, &src, stream)?;
    Ok(sums)
}

#[test]
fn tensors_stay_until_their_work_is_done() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let gate = Gate::new(&stream);
    let sums = in_flight(&stream)?;
    assert_eq!(Counters::now().device_allocations, 3);
    gate.open();
    assert_eq!(sums.to_vec(&stream)?, [0.0, 0.0, 1000.0, 0.0]);
    assert_eq!(Counters::now().device_allocations, 1);
    // A tensor that no work uses is freed at once.
    drop(sums);
    assert_eq!(Counters::now().device_allocations, 0);
    stream.close()?;
    assert_eq!(Counters::now(), Counters::default());
    Ok(())
}

#[test]
fn memory_is_given_back_while_work_goes_on() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let mut peak = 0;
    for _ in 0..200 {
        in_flight(&stream)?;
        peak = peak.max(Counters::now().device_allocations);
        // Without `synchronize`: the stream itself notices that its work is done.
        while !stream.is_idle()? {
            std::thread::yield_now();
        }
    }
    assert!(peak < 30, "{peak} blocks at once");
    stream.close()?;
    assert_eq!(Counters::now(), Counters::default());
    Ok(())
}

#[test]
fn many_are_kept_without_a_look_at_each() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let gate = Gate::new(&stream);
    let mut sums = Tensor::<i64>::zeros([1], &stream)?;
    let index = Tensor::<i64>::zeros([1], &stream)?;
    for number in 0..5_000 {
        let one = Tensor::<i64>::new([number], &stream)?;
        sums.scatter_add_(0, &index, &one, &stream)?;
    }
    assert!(Counters::now().device_allocations > 5_000);
    gate.open();
    assert_eq!(sums.to_vec(&stream)?, [4_999 * 5_000 / 2]);
    assert_eq!(Counters::now().device_allocations, 2);
    Ok(())
}

#[test]
fn streams_devices_and_runtimes_go_before_what_is_of_them() -> Result<()> {
    let _alone = alone();
    let sums = {
        let stream = stream()?;
        in_flight(&stream)?
    };
    // Dropping the stream has waited for its work; the tensor keeps the device alive.
    assert_eq!(Counters::now().streams, 0);
    let other = sums.device().stream()?;
    assert_eq!(sums.to_vec(&other)?, [0.0, 0.0, 1000.0, 0.0]);
    drop(other);
    drop(sums);
    assert_eq!(Counters::now(), Counters::default());
    // CANN has been finalised, and can be initialised again.
    assert_eq!(Counters::leftovers(), Some(Counters::default()));
    let again = stream()?;
    let sums = in_flight(&again)?;
    again.close()?;
    drop(sums);
    assert_eq!(Counters::now(), Counters::default());
    Ok(())
}

#[test]
fn a_tensor_of_two_streams_waits_for_both() -> Result<()> {
    let _alone = alone();
    let (first, second) = {
        let stream = stream()?;
        (stream.device().stream()?, stream)
    };
    let index = Tensor::<i64>::zeros([3], &first)?;
    let (mut a, mut b) = (Tensor::<f32>::zeros([1], &first)?, Tensor::<f32>::zeros([1], &first)?);
    let src = Tensor::<f32>::new([1.0, 2.0, 3.0], &first)?;
    let gates = (Gate::new(&first), Gate::new(&second));
    a.scatter_add_(0, &index, &src, &first)?;
    b.scatter_add_(0, &index, &src, &second)?;
    drop((src, index));
    gates.0.open();
    assert_eq!(a.to_vec(&first)?, [6.0]);
    assert_eq!(Counters::now().device_allocations, 4, "the second stream has yet to read two of them");
    gates.1.open();
    assert_eq!(b.to_vec(&second)?, [6.0]);
    first.synchronize()?;
    assert_eq!(Counters::now().device_allocations, 2);
    // After the first stream is closed, its tensor can be used with the second.
    first.close()?;
    let index = Tensor::<i64>::zeros([1], &second)?;
    a.scatter_(0, &index, 5.0, Reduce::Mul, &second)?;
    assert_eq!(a.to_vec(&second)?, [30.0]);
    Ok(())
}

#[test]
fn a_stream_that_is_closed_early_finishes_its_work() -> Result<()> {
    let _alone = alone();
    let kept = stream()?;
    let stream = kept.device().stream()?;
    let gate = Gate::new(&stream);
    let sums = in_flight(&stream)?;
    std::thread::scope(|scope| -> Result<()> {
        let closed = scope.spawn(|| stream.close());
        gate.open();
        closed.join().unwrap()
    })?;
    assert_eq!(sums.to_vec(&kept)?, [0.0, 0.0, 1000.0, 0.0]);
    Ok(())
}

#[test]
fn pinned_memory_belongs_to_the_copy_until_it_is_done() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let mut tensor = Tensor::<i32>::zeros([3], &stream)?;
    let gate = Gate::new(&stream);
    let sent = tensor.copy_from_pinned(PinnedBuffer::from_slice(&stream, &[1, 2, 3])?, &stream)?;
    let back = tensor.copy_to_pinned(PinnedBuffer::new(&stream, 3)?, &stream)?;
    // Two transfers that are dropped before their copies are done.
    drop(tensor.copy_to_pinned(PinnedBuffer::new(&stream, 3)?, &stream)?);
    drop(sent);
    assert_eq!(Counters::now().host_allocations, 3);
    gate.open();
    assert_eq!(*back.wait()?, [1, 2, 3]);
    stream.synchronize()?;
    assert_eq!(Counters::now().host_allocations, 0);
    // A stream that is closed has done its copies.
    let other = stream.device().stream()?;
    let back = tensor.copy_to_pinned(PinnedBuffer::new(&stream, 3)?, &other)?;
    other.close()?;
    assert_eq!(*back.wait()?, [1, 2, 3]);
    // The error of a refused copy contains the buffer.
    let refused = tensor.copy_to_pinned(PinnedBuffer::from_slice(&stream, &[9; 4])?, &stream).unwrap_err();
    assert_eq!(refused.to_string(), "copy_to_pinned: 3 elements expected, got 4");
    assert_eq!(*refused.buffer.unwrap(), [9; 4]);
    let transposed = Tensor::<i32>::zeros([2, 2], &stream)?.transpose(0, 1)?;
    let refused: Error =
        transposed.copy_to_pinned(PinnedBuffer::new(&stream, 4)?, &stream).unwrap_err().into();
    assert!(matches!(refused, Error::NotContiguous { call: "copy_to_pinned", .. }));
    Ok(())
}

#[test]
fn a_copy_behind_a_failure_comes_back() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let mut tensor = Tensor::<i32>::new([7], &stream)?;
    tensor.scatter_(0, &Tensor::<i64>::new([5], &stream)?, 1, Reduce::None, &stream)?;
    let back = tensor.copy_to_pinned(PinnedBuffer::new(&stream, 1)?, &stream)?;
    assert_eq!(bad_index(back.wait().unwrap_err()).2, 5);
    // Data that the failure does not concern can be read.
    let other = Tensor::<i32>::new([8], &stream)?;
    assert_eq!(*other.copy_to_pinned(PinnedBuffer::new(&stream, 1)?, &stream)?.wait()?, [8]);
    // The failure has not been taken yet.
    assert_eq!(bad_index(stream.synchronize().unwrap_err()).2, 5);
    stream.synchronize()
}

#[test]
fn foreign_memory_is_released_behind_the_work() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let released = Arc::new(AtomicBool::new(false));
    let owner = DeviceBuffer::new(&stream, 16)?;
    let note = {
        // The `release` function may use the crate, and even the memory that the releasing call
        // uses.
        let (released, owner, stream) = (Arc::clone(&released), owner.clone(), stream.device().stream()?);
        move || {
            owner.read(0, &mut [0; 16], &stream).unwrap();
            released.store(true, Ordering::SeqCst);
        }
    };
    // SAFETY: the memory belongs to `owner`, which the closure keeps alive until it is called.
    let foreign = unsafe { DeviceBuffer::from_raw(&stream, owner.as_raw(), 16, note) };
    let tensor = Tensor::<f32>::from_buffer(foreign, [4], [1], 0)?;
    let mut own = Tensor::<f32>::from_buffer(owner, [4], [1], 0)?;
    own.copy_from_slice(&[1.0, 2.0, 3.0, 4.0], &stream)?;
    let mut copy = Tensor::<f32>::zeros([4], &stream)?;
    let gate = Gate::new(&stream);
    copy.copy_from(&tensor, &stream)?;
    drop(tensor);
    assert!(!released.load(Ordering::SeqCst));
    gate.open();
    // The memory is released in a call that has locked the owner's memory.
    while !released.load(Ordering::SeqCst) {
        own.scatter_add_(0, &Tensor::<i64>::new([0], &stream)?, &Tensor::new([0.0], &stream)?, &stream)?;
    }
    assert_eq!(copy.to_vec(&stream)?, [1.0, 2.0, 3.0, 4.0]);
    Ok(())
}

#[test]
fn events_and_devices_cross() -> Result<()> {
    let _alone = alone();
    let runtime = Runtime::host()?;
    let (here, there) = (runtime.device(0)?.stream()?, runtime.device(1)?.stream()?);
    let (mut first, mut done) = (Event::new(&there)?, Event::new(&there)?);
    there.record(&mut first)?;
    let gate = Gate::new(&there);
    there.record(&mut done)?;
    here.wait(&done)?;
    let mut sums = Tensor::<f32>::zeros([1], &here)?;
    sums.scatter_(0, &Tensor::<i64>::new([0], &here)?, 3.0, Reduce::Add, &here)?;
    assert!(!here.is_idle()? && !done.is_complete()?);
    gate.open();
    done.synchronize()?;
    assert!(done.elapsed_since(&first)? >= std::time::Duration::ZERO);
    // The event is dropped while a stream of another device may not have passed it; that stream's
    // calls free it.
    drop(done);
    assert_eq!(sums.to_vec(&here)?, [3.0]);
    sums.copy_from_slice(&[4.0], &here)?;
    assert_eq!(sums.to_vec(&here)?, [4.0]);
    let wrong = there.record(&mut Event::new(&here)?);
    assert!(matches!(wrong, Err(Error::Device { call: "record", expected: 1, got: 0 })));
    first.close()?;
    drop((sums, here, there));
    runtime.close()?;
    assert_eq!(Counters::now(), Counters::default());
    Ok(())
}
