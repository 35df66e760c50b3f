//! An index out of range follows the data: reading what the failed work wrote returns the error, on
//! any stream, until the error is taken from the stream that failed or the data is completely
//! overwritten.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use aclnn::{DeviceBuffer, Error, Event, PinnedBuffer, Reduce, Result, Stream, Tensor};
use common::{Gate, alone, bad_index, stand_in, stream};

/// Two streams of one device.
fn two() -> Result<(Stream, Stream)> {
    let work = stream()?;
    let read = work.device().stream()?;
    Ok((work, read))
}

/// Enqueues `tensor[bad] = 1`, which fails unless `bad` is below the tensor's length.
fn fail(tensor: &mut Tensor<f32>, bad: i64, stream: &Stream) -> Result<()> {
    let index = Tensor::<i64>::new([bad], stream)?;
    tensor.scatter_(0, &index, 1.0, Reduce::None, stream).map(drop)
}

/// Overwrites all of a tensor of two elements.
type Write<'a> = &'a dyn Fn(&mut Tensor<f32>, &Stream) -> Result<()>;

/// The index value that the error reports.
#[track_caller]
fn value<T: core::fmt::Debug>(outcome: Result<T>) -> i64 {
    bad_index(outcome.unwrap_err()).2
}

#[test]
fn every_reader_is_told_until_the_error_is_taken() -> Result<()> {
    let (work, read) = two()?;
    let mut x = Tensor::<f32>::new([1.0, 2.0], &work)?;
    fail(&mut x, 7, &work)?;
    // Every way to read returns the error, each time.
    for _ in 0..2 {
        assert_eq!(value(x.to_vec(&read)), 7);
        assert_eq!(value(x.view().narrow(0, 0..1)?.to_vec(&read)), 7);
        assert_eq!(value(x.share().copy_to_slice(&mut [0.0; 2], &read)), 7);
        assert_eq!(value(x.buffer().read(0, &mut [0; 4], &read)), 7);
        let pinned = x.copy_to_pinned(PinnedBuffer::new(&read, 2)?, &read)?;
        assert_eq!(value(pinned.wait()), 7);
        #[cfg(feature = "ndarray-0_17")]
        assert_eq!(value(x.to_ndarray(&read)), 7);
        #[cfg(feature = "dlpark-0_10")]
        assert_eq!(value(x.to_dlpack(&read).map(drop)), 7);
    }
    // Returning the error on another stream has not taken it from this one.
    assert_eq!(value(work.synchronize()), 7);
    work.synchronize()?;
    assert_eq!(x.to_vec(&read)?, [1.0, 2.0]);
    assert_eq!(*x.copy_to_pinned(PinnedBuffer::new(&read, 2)?, &read)?.wait()?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn reads_on_the_stream_itself_take_it() -> Result<()> {
    let (work, read) = two()?;
    let mut x = Tensor::<f32>::new([1.0, 2.0], &work)?;
    fail(&mut x, 7, &work)?;
    assert_eq!(value(x.to_vec(&read)), 7);
    assert_eq!(value(x.to_vec(&work)), 7);
    assert_eq!(x.to_vec(&work)?, [1.0, 2.0]);
    assert_eq!(x.to_vec(&read)?, [1.0, 2.0]);
    work.synchronize()
}

#[test]
fn other_data_of_the_stream_can_be_read() -> Result<()> {
    let (work, read) = two()?;
    let mut x = Tensor::<f32>::new([1.0, 2.0], &work)?;
    let (mut before, mut behind) = (Tensor::<f32>::zeros([2], &work)?, Tensor::<f32>::zeros([2], &work)?);
    fail(&mut before, 0, &work)?;
    fail(&mut x, 7, &work)?;
    fail(&mut behind, 1, &work)?;
    assert_eq!(before.to_vec(&read)?, [1.0, 0.0]);
    assert_eq!(behind.to_vec(&read)?, [0.0, 1.0]);
    assert_eq!(value(x.to_vec(&read)), 7);
    // Each tensor has its own error.
    fail(&mut behind, 8, &work)?;
    assert_eq!((value(behind.to_vec(&read)), value(x.to_vec(&read))), (8, 7));
    // The stream returns the first of both.
    assert_eq!(value(work.synchronize()), 7);
    work.synchronize()
}

#[test]
fn what_is_written_whole_is_good_again() -> Result<()> {
    let (work, read) = two()?;
    let good = Tensor::<f32>::new([3.0, 4.0], &work)?;
    let index = Tensor::<i64>::new([0], &work)?;
    let mut x = Tensor::<f32>::new([1.0, 2.0], &work)?;
    let whole: [Write; 5] = [
        &|x, on| x.copy_from_slice(&[3.0, 4.0], on),
        &|x, on| x.copy_from(&good, on),
        &|x, on| x.copy_from_pinned(PinnedBuffer::from_slice(on, &[3.0, 4.0])?, on)?.wait().map(drop),
        &|x, on| good.scatter_into(0, &index, 3.0, Reduce::None, x, on),
        &|x, on| x.copy_from(&good.view().slice(0, 0..2, 1)?, on),
    ];
    for (number, write) in whole.iter().enumerate() {
        fail(&mut x, 7, &work)?;
        assert_eq!(value(x.to_vec(&read)), 7, "{number}");
        write(&mut x, &read)?;
        assert_eq!(x.to_vec(&read)?, [3.0, 4.0], "{number}");
        assert_eq!(value(work.synchronize()), 7, "{number}");
    }
    // Also if the stream that failed overwrites it.
    fail(&mut x, 7, &work)?;
    x.copy_from(&good, &work)?;
    assert_eq!(x.to_vec(&read)?, [3.0, 4.0]);
    assert_eq!(value(work.synchronize()), 7);

    // Overwriting a part is not enough, nor is work that reads the old data.
    fail(&mut x, 7, &work)?;
    x.view_mut().narrow(0, 0..1)?.copy_from_slice(&[5.0], &read)?;
    assert_eq!(value(x.to_vec(&read)), 7);
    x.view_mut().narrow(0, 1..2)?.copy_from(&good.view().narrow(0, 0..1)?, &read)?;
    assert_eq!(value(x.to_vec(&read)), 7);
    fail(&mut x, 0, &read)?;
    assert_eq!(value(x.to_vec(&read)), 7);
    let mut half = Tensor::<f32>::from_buffer(x.buffer().clone(), [1], [1], 1)?;
    half.copy_from_slice(&[9.0], &read)?;
    assert_eq!(value(half.to_vec(&read)), 7);
    // Nor is overwriting every other element.
    let mut gaps = Tensor::<f32>::from_buffer(x.buffer().clone(), [1], [2], 0)?;
    gaps.copy_from(&Tensor::<f32>::new([9.0], &read)?, &read)?;
    assert_eq!(value(gaps.to_vec(&read)), 7);
    assert_eq!(value(work.synchronize()), 7);
    assert_eq!(x.to_vec(&read)?, [9.0, 9.0]);
    Ok(())
}

#[test]
fn what_is_computed_from_it_fails_too() -> Result<()> {
    let (work, read) = two()?;
    let third = work.device().stream()?;
    let mut x = Tensor::<f32>::new([1.0, 2.0], &work)?;
    // Before the failure is known: the stream is held up until everything is enqueued.
    let gate = Gate::new(&work);
    fail(&mut x, 7, &work)?;
    let index = Tensor::<i64>::new([1], &read)?;
    let copy = x.contiguous(&read)?;
    let sum = Tensor::<f32>::zeros([2], &third)?.scatter_add(0, &index, &copy, &third)?;
    let mut doubled = Tensor::<f32>::zeros([2], &read)?;
    stand_in::prepare(&sum, &mut doubled, 8, &read)?.launch(&read)?;
    gate.open();
    for tensor in [&copy, &sum, &doubled] {
        for stream in [&read, &third] {
            assert_eq!(value(tensor.to_vec(stream)), 7);
        }
    }
    // And after the failure is known.
    let late = doubled.scatter_add(0, &index, &copy, &third)?;
    assert_eq!(value(late.to_vec(&third)), 7);
    // The failed data as an index: the data computed with it is invalid, too.
    let mut places = Tensor::<i64>::new([0], &work)?;
    places.scatter_(0, &Tensor::<i64>::new([9], &work)?, 1, Reduce::None, &work)?;
    let mut y = Tensor::<f32>::zeros([2], &read)?;
    y.scatter_(0, &places, 1.0, Reduce::None, &read)?;
    assert_eq!(value(y.to_vec(&read)), 9);
    // The streams that only read the data have not failed.
    read.synchronize()?;
    third.synchronize()?;
    assert_eq!(value(work.synchronize()), 7);
    assert_eq!(copy.to_vec(&third)?, [1.0, 2.0]);
    assert_eq!(doubled.to_vec(&third)?, [0.0, 2.0]);
    Ok(())
}

#[test]
fn a_gradient_fails_as_well() -> Result<()> {
    let (work, read) = two()?;
    let grad = Tensor::<f32>::new([1.0, 2.0], &work)?;
    let out = grad.scatter_src_grad(0, &Tensor::<i64>::new([1, 2], &work)?, &work)?;
    assert_eq!(value(out.to_vec(&read)), 2);
    assert_eq!(value(work.synchronize()), 2);
    Ok(())
}

#[test]
fn events_behind_it_tell() -> Result<()> {
    let (work, read) = two()?;
    let mut x = Tensor::<f32>::new([1.0, 2.0], &work)?;
    let (mut before, mut behind, mut last) = (Event::new(&work)?, Event::new(&work)?, Event::new(&work)?);
    assert!(!before.is_complete()?, "it was not recorded");
    work.record(&mut before)?;
    fail(&mut x, 7, &work)?;
    work.record(&mut behind)?;
    before.synchronize()?;
    for _ in 0..2 {
        assert_eq!(value(behind.synchronize()), 7);
    }
    assert!(behind.is_complete()?);
    // A stream that waits for the event returns the error once, like an error of its own.
    read.wait(&before)?;
    read.synchronize()?;
    read.wait(&behind)?;
    read.record(&mut last)?;
    assert_eq!(value(last.synchronize()), 7);
    assert_eq!(value(read.synchronize()), 7);
    read.synchronize()?;
    // Recorded again, the event is at another point.
    assert_eq!(value(work.synchronize()), 7);
    behind.synchronize()?;
    last.synchronize()?;
    work.record(&mut behind)?;
    behind.close()
}

#[test]
fn a_stream_that_is_dropped_leaves_it_with_the_data() -> Result<()> {
    let _alone = alone();
    let (work, read) = two()?;
    let mut x = Tensor::<f32>::new([1.0, 2.0], &work)?;
    fail(&mut x, 7, &work)?;
    drop(work);
    // The next call of any kind to the runtime returns the error, and so does every read of the
    // data.
    let Err(Error::Dropped(cause)) = read.synchronize() else { panic!("nobody was told") };
    assert_eq!(bad_index(*cause).2, 7);
    for _ in 0..2 {
        assert_eq!(value(x.to_vec(&read)), 7);
    }
    x.copy_from_slice(&[3.0, 4.0], &read)?;
    assert_eq!(x.to_vec(&read)?, [3.0, 4.0]);
    // `close` returns the error, and so takes it.
    let work = read.device().stream()?;
    fail(&mut x, 8, &work)?;
    assert_eq!(value(work.close()), 8);
    assert_eq!(x.to_vec(&read)?, [3.0, 4.0]);
    // Unless `close` had to return another error.
    let (first, second) = (read.device().stream()?, read.device().stream()?);
    let mut y = Tensor::<f32>::new([1.0], &read)?;
    fail(&mut y, 1, &first)?;
    fail(&mut x, 9, &second)?;
    drop(first);
    let Err(Error::Dropped(cause)) = second.close() else { panic!("the first stream failed") };
    assert_eq!(bad_index(*cause).2, 1);
    let Err(Error::Dropped(cause)) = read.synchronize() else { panic!("the second stream failed") };
    assert_eq!(bad_index(*cause).2, 9);
    assert_eq!((value(x.to_vec(&read)), value(y.to_vec(&read))), (9, 1));
    Ok(())
}

#[test]
fn many_failures_are_all_told_of() -> Result<()> {
    let (work, read) = two()?;
    // More failures than a stream keeps individually.
    let mut tensors = Vec::new();
    for number in 0..200 {
        let mut x = Tensor::<f32>::new([1.0], &work)?;
        fail(&mut x, 7 + number, &work)?;
        tensors.push(x);
    }
    for (number, tensor) in tensors.iter().enumerate() {
        let told = value(tensor.to_vec(&read));
        assert!((7..=7 + number as i64).contains(&told), "{number}: {told}");
        assert!(number >= 64 || told == 7 + number as i64, "{number}: {told}");
    }
    assert_eq!(value(work.synchronize()), 7);
    for tensor in &tensors {
        assert_eq!(tensor.to_vec(&read)?, [1.0]);
    }
    Ok(())
}

#[test]
fn a_part_of_a_buffer_is_a_part_of_its_failure() -> Result<()> {
    let (work, read) = two()?;
    let buffer = DeviceBuffer::new(&work, 16)?;
    let mut low = Tensor::<f32>::from_buffer(buffer.clone(), [2], [1], 0)?;
    let mut high = Tensor::<f32>::from_buffer(buffer.clone(), [2], [1], 2)?;
    low.copy_from_slice(&[1.0, 2.0], &work)?;
    high.copy_from_slice(&[3.0, 4.0], &work)?;
    fail(&mut low, 7, &work)?;
    assert_eq!(value(high.to_vec(&read)), 7);
    buffer.write(0, &[0; 16], &read)?;
    assert_eq!(high.to_vec(&read)?, [0.0; 2]);
    assert_eq!(value(work.synchronize()), 7);
    Ok(())
}
