//! Every error, caused as a program would cause it.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::path::Path;

use aclnn::scatter::{self, Operator};
use aclnn::sys::Cann;
use aclnn::{
    AnyTensor, DType, DeviceBuffer, Engine, Error, Event, LayoutError, PinnedBuffer, Reduce, Result, Runtime,
    Tensor,
};
use common::{alone, bad_index, stand_in, stream};

#[test]
fn a_rule_is_told_before_anything_is_called() -> Result<()> {
    let stream = stream()?;
    let mut sums = Tensor::<f32>::zeros([2, 3], &stream)?;
    let index = Tensor::<i64>::zeros([2, 3], &stream)?;
    let error = sums.scatter_add_(0, &index, &Tensor::<f32>::zeros([2, 2], &stream)?, &stream).unwrap_err();
    assert_eq!(error.to_string(), "scatter_add: index: size 2 of src at most expected on axis 1, got 3");
    assert!(
        matches!(&error, Error::Scatter(error) if matches!(**error, scatter::Error::IndexExceedsSrc { .. }))
    );
    // A number that the dtype can't represent, and a dtype that an index can't have.
    let error = sums.scatter_(0, &index, scatter::Complex::new(0.0, 1.0), Reduce::None, &stream).unwrap_err();
    assert!(
        matches!(&error, Error::Scatter(error) if matches!(**error, scatter::Error::Value { .. })),
        "{error}"
    );
    let wrong = AnyTensor::zeros(DType::F32, [2, 3], &stream)?;
    let error = sums.scatter_(0, &wrong, 1.0, Reduce::None, &stream).unwrap_err();
    assert!(matches!(&error, Error::Scatter(error) if matches!(**error, scatter::Error::IndexDType { .. })));
    assert_eq!(sums.to_vec(&stream)?, [0.0; 6]);
    Ok(())
}

#[test]
fn a_bad_index_comes_from_whatever_waits() -> Result<()> {
    let stream = stream()?;
    let mut sums = Tensor::<f32>::full([2, 3], 1.0, &stream)?;
    let index = Tensor::<i32>::new([[0, 1, -2], [0, -3, 1]], &stream)?;
    let src = Tensor::<f32>::full([2, 3], 1.0, &stream)?;
    let wanted = |operator| (operator, vec![1, 1], -3, 2);

    sums.scatter_add_(0, &index, &src, &stream)?;
    assert_eq!(bad_index(stream.synchronize().unwrap_err()), wanted(Operator::ScatterAdd));
    sums.scatter_(0, &index, &src, Reduce::None, &stream)?;
    assert_eq!(bad_index(sums.to_vec(&stream).unwrap_err()), wanted(Operator::Scatter));
    sums.scatter_(0, &index, 3.0, Reduce::Mul, &stream)?;
    assert_eq!(
        bad_index(stream.device().stream().and_then(|_| stream.close()).unwrap_err()),
        wanted(Operator::ScatterValue)
    );

    // Of several failures the first is returned, once, and no failed call has written a part of its
    // result.
    let stream = sums.device().stream()?;
    sums.scatter_reduce_(0, &index, &src, Reduce::Mean, false, &stream)?;
    sums.scatter_add_(0, &index, &src, &stream)?;
    let error = stream.synchronize().unwrap_err();
    assert_eq!(
        error.to_string(),
        "scatter_reduce: index: value at [1, 1] expected in -2 to below 2 (axis 0 of self), got -3"
    );
    stream.synchronize()?;
    assert_eq!(sums.to_vec(&stream)?, [1.0; 6]);
    // A failure of another stream is returned by that stream, and by reading the data of the failed
    // work.
    let other = stream.device().stream()?;
    sums.scatter_add_(0, &index, &src, &other)?;
    assert_eq!(src.to_vec(&stream)?, [1.0; 6]);
    assert_eq!(bad_index(sums.to_vec(&stream).unwrap_err()), wanted(Operator::ScatterAdd));
    stream.synchronize()?;
    assert_eq!(bad_index(other.synchronize().unwrap_err()), wanted(Operator::ScatterAdd));
    assert_eq!(sums.to_vec(&stream)?, [1.0; 6]);

    let indices = Tensor::<i64>::new([[0, 2], [1, 3]], &stream)?;
    sums.scatter_nd_add_(&indices, &Tensor::new([1.0, 1.0], &stream)?, &stream)?;
    assert_eq!(bad_index(stream.synchronize().unwrap_err()), (Operator::ScatterNdAdd, vec![1, 1], 3, 3));
    assert_eq!(sums.to_vec(&stream)?, [1.0; 6]);
    Ok(())
}

#[test]
fn layouts_and_shapes_are_told_apart() -> Result<()> {
    let stream = stream()?;
    let buffer = DeviceBuffer::new(&stream, 24)?;
    let outside = Tensor::<f32>::from_buffer(buffer.clone(), [2, 3], [3, 1], 1);
    assert!(matches!(outside, Err(Error::Layout(LayoutError::Outside { .. }))), "{outside:?}");
    assert!(matches!(Tensor::<f32>::zeros([1; 9], &stream), Err(Error::Layout(LayoutError::Rank { .. }))));
    assert!(matches!(Tensor::<f64>::zeros([1 << 62, 1 << 62], &stream), Err(Error::Layout(_))));
    let huge = Tensor::<f64>::empty([1 << 61], &stream);
    let told = |error: Error| error.to_string();
    assert_eq!(
        told(huge.unwrap_err()),
        "a new tensor: 1152921504606846975 elements at most expected, got 2305843009213693952"
    );
    assert_eq!(
        told(PinnedBuffer::<f32>::new(&stream, 1 << 62).unwrap_err()),
        "PinnedBuffer::new: 2305843009213693951 elements at most expected, got 4611686018427387904"
    );

    let mut tensor = Tensor::<f32>::from_buffer(buffer, [2, 3], [3, 1], 0)?;
    assert_eq!(
        told(tensor.copy_from_slice(&[0.0; 5], &stream).unwrap_err()),
        "copy_from_slice: 6 elements expected, got 5"
    );
    assert_eq!(
        told(Tensor::<f32>::from_slice(&[0.0; 5], [6], &stream).unwrap_err()),
        "from_slice: 6 elements expected, got 5"
    );
    assert_eq!(told(tensor.view().transpose(0, 2).unwrap_err()), "transpose: axis below 2 expected, got 2");
    assert_eq!(
        told(tensor.view().narrow(1, 2..4).unwrap_err()),
        "narrow: a range within 0..3 expected on axis 1, got 2..4"
    );
    assert_eq!(told(tensor.view().slice(1, 0..3, 0).unwrap_err()), "slice: step 1 or more expected, got 0");
    assert_eq!(
        told(tensor.view().expand([3]).unwrap_err()),
        "expand: the new shape has fewer axes; the tensor has shape [2, 3], got [3]"
    );
    assert_eq!(
        told(tensor.view().expand([4, 2, 6]).unwrap_err()),
        "expand: size 3 expected on axis 2 of the new shape, got 6: only axes of size 1 can grow"
    );
    assert_eq!(
        told(tensor.view().reshape([4]).unwrap_err()),
        "reshape: another number of elements; the tensor has shape [2, 3], got [4]"
    );
    assert_eq!(
        told(tensor.view_mut().transpose(0, 1)?.copy_from_slice(&[0.0; 6], &stream).unwrap_err()),
        "copy_from_slice: a contiguous tensor expected, got shape [3, 2] with strides [1, 3]"
    );
    let dynamic = tensor.into_any();
    assert_eq!(told(dynamic.typed::<i32>().unwrap_err()), "typed: dtype i32 expected, got f32");
    Ok(())
}

#[test]
fn a_copy_is_told_by_the_method_that_makes_it() -> Result<()> {
    let stream = stream()?;
    let there = stream.device().runtime().device(1)?.stream()?;
    let mut tensor = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &stream)?;
    let other = Tensor::<f32>::zeros([3, 2], &stream)?;
    let told = |error: Error| error.to_string();
    assert_eq!(
        told(tensor.copy_from(&other, &stream).unwrap_err()),
        "copy_from: another shape; the tensor has shape [2, 3], got [3, 2]"
    );
    assert_eq!(
        told(tensor.copy_from(&other.view().transpose(0, 1)?, &there).unwrap_err()),
        "copy_from: device 1 expected, got 0"
    );
    assert_eq!(
        told(tensor.view().transpose(0, 1)?.contiguous(&there).unwrap_err()),
        "contiguous: device 1 expected, got 0"
    );
    assert_eq!(told(tensor.contiguous(&there).unwrap_err()), "contiguous: device 1 expected, got 0");
    assert_eq!(told(tensor.fill_(7, &there).map(drop).unwrap_err()), "fill_: device 1 expected, got 0");
    let mut dynamic = tensor.into_any();
    let numbers = Tensor::<i32>::zeros([2, 3], &stream)?.into_any();
    assert_eq!(
        told(dynamic.copy_from(&numbers, &stream).unwrap_err()),
        "copy_from: dtype f32 expected, got i32"
    );
    // A tensor without axes counts as one with one element.
    let mut one = Tensor::<f32>::zeros([], &stream)?;
    one.copy_from(&dynamic.typed::<f32>()?.narrow(0, 1..2)?.narrow(1, 0..1)?.reshape([1])?, &stream)?;
    assert_eq!(one.item(&stream)?, 4.0);
    Ok(())
}

#[test]
fn what_the_host_or_a_device_can_not_hold_is_an_error() -> Result<()> {
    let stream = stream()?;
    let one = Tensor::<f64>::new([1.0], &stream)?;
    for size in [1 << 46, 1 << 60, (1 << 63) - 1] {
        let read = one.view().expand([size])?.to_vec(&stream);
        assert!(matches!(read, Err(Error::HostMemory { call: "to_vec", .. })), "{size}");
    }
    assert!(
        matches!(Tensor::full([1 << 46], 1.0, &stream), Err(Error::HostMemory { call: "full", bytes }) if bytes == 1 << 49)
    );
    let device = Tensor::<f32>::zeros([1 << 50], &stream).unwrap_err();
    assert!(
        matches!(&device, Error::Acl { call: "aclrtMalloc", message, .. } if !message.is_empty()),
        "{device}"
    );
    assert!(
        PinnedBuffer::<f32>::new(&stream, 1 << 62).is_err()
            && PinnedBuffer::<f32>::new(&stream, 1 << 50).is_err()
    );
    stream.synchronize()
}

#[test]
fn a_runtime_that_is_not_there_says_what_was_looked_for() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-such-folder");
    // SAFETY: there is no library to open.
    let load = |paths: &[&Path]| unsafe { Runtime::load_from(paths) };
    let error = load(&[&folder]).unwrap_err();
    let Error::MissingLibrary(missing) = &error else { panic!("{error}") };
    assert_eq!(missing.symbol(), "aclInit");
    assert!(!missing.searched().is_empty());
    assert!(
        missing.searched().iter().all(|place| place.library().starts_with(folder.to_str().unwrap())),
        "{error}"
    );
    let words = error.to_string();
    assert!(words.starts_with("no CANN: ") && words.contains("no-such-folder"), "{words}");
    // No paths at all.
    assert!(matches!(load(&[]), Err(Error::MissingLibrary(_))));
}

#[test]
fn a_function_that_is_not_there_is_an_error_of_its_calls() -> Result<()> {
    let _alone = alone();
    let without = |name| host_cann::table().filter(move |(known, _)| *known != name);
    // SAFETY: the table has only functions of host-cann.
    let runtime = unsafe { Runtime::from_cann(Cann::from_table(without(c"aclrtCreateEventWithFlag"))) }?;
    let stream = runtime.device(0)?.stream()?;
    let error = Event::new(&stream).unwrap_err();
    let Error::MissingSymbol(missing) = &error else { panic!("{error}") };
    assert_eq!(missing.symbol(), "aclrtCreateEventWithFlag");
    // Calls that need no event still work.
    let tensor = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    assert_eq!(tensor.to_vec(&stream)?, [1.0, 2.0]);
    stream.close()?;
    // SAFETY: no function has this name.
    let absent = unsafe { runtime.function::<extern "C" fn()>(c"aclnnNoSuchOperator") };
    assert!(
        matches!(absent, Err(Error::MissingSymbol(missing)) if missing.symbol() == "aclnnNoSuchOperator")
    );
    Ok(())
}

#[test]
fn codes_come_with_their_names_and_words() -> Result<()> {
    let stream = stream()?;
    let error = stream.device().runtime().device(99).unwrap_err();
    let Error::Acl { call: "aclrtSetDevice", message, .. } = &error else { panic!("{error}") };
    assert!(message.contains("99"), "{error}");
    assert!(
        error.to_string().contains("ACL_ERROR") && error.to_string().starts_with("aclrtSetDevice returned "),
        "{error}"
    );

    let mut sums = Tensor::<f32>::zeros([2], &stream)?;
    let index = Tensor::<i64>::new([0], &stream)?;
    let src = Tensor::<f32>::new([1.0], &stream)?;
    let error = sums.scatter_add_(0, &index, &src, stream.on(Engine::Vendor)).unwrap_err();
    let Error::Aclnn { call: "aclnnScatterAdd", code, message } = &error else { panic!("{error}") };
    assert!(!code.is_success() && message.contains("vendor"), "{error}");
    // The failed call does not affect the next one.
    sums.scatter_add_(0, &index, &src, stream.on(Engine::Cpu))?;
    sums.scatter_add_(0, &index, &src, &stream)?;
    assert_eq!(sums.to_vec(&stream)?, [2.0, 0.0]);
    // The runtime's engine holds unless a call chooses another.
    let vendor = stream.device().runtime().clone().with_engine(Engine::Vendor);
    assert_eq!(vendor.engine(), Engine::Vendor);
    let other = vendor.device(0)?.stream()?;
    assert!(matches!(sums.scatter_add_(0, &index, &src, &other), Err(Error::Aclnn { .. })));
    sums.scatter_add_(0, &index, &src, other.on(Engine::Auto))?;
    assert_eq!(sums.to_vec(&other)?, [3.0, 0.0]);
    Ok(())
}

#[test]
fn tensors_of_another_device_are_refused_and_nothing_is_written() -> Result<()> {
    let here = stream()?;
    let there = here.device().runtime().device(1)?.stream()?;
    let input = Tensor::<f32>::new([1.0, 2.0], &here)?;
    let mut out = Tensor::<f32>::full([2], 7.0, &here)?;
    let (indices, updates) = (Tensor::<i64>::new([[0]], &there)?, Tensor::<f32>::new([1.0], &there)?);
    let wanted = Error::Device { call: "scatter_nd_add", expected: 0, got: 1 };
    assert_eq!(input.scatter_nd_add_into(&indices, &updates, &mut out, &here), Err(wanted.clone()));
    assert_eq!(wanted.to_string(), "scatter_nd_add: device 0 expected, got 1");
    assert_eq!(out.to_vec(&here)?, [7.0; 2]);
    assert!(matches!(out.to_vec(&there), Err(Error::Device { call: "read", expected: 1, got: 0 })));
    assert!(matches!(out.copy_from_slice(&[0.0; 2], &there), Err(Error::Device { .. })));
    assert!(matches!(out.copy_from(&Tensor::<f32>::zeros([2], &there)?, &here), Err(Error::Device { .. })));
    assert_eq!(out.to_vec(&here)?, [7.0; 2]);
    Ok(())
}

#[test]
fn a_second_runtime_leaves_no_words_to_later_errors() -> Result<()> {
    let _alone = alone();
    let first = Runtime::host()?;
    let second = Runtime::host()?;
    let told = |runtime: &Runtime| runtime.device(99).unwrap_err().to_string();
    assert_eq!(told(&second), told(&first));
    assert!(told(&first).contains("99") && !told(&first).contains("aclInit"), "{}", told(&first));
    Ok(())
}

#[test]
fn what_is_in_use_is_not_closed() -> Result<()> {
    let _alone = alone();
    let runtime = Runtime::host()?;
    let device = runtime.device(0)?;
    let stream = device.stream()?;
    let tensor = Tensor::<f32>::new([1.0], &stream)?;
    let error = device.clone().close().unwrap_err();
    assert!(matches!(error, Error::InUse { what: "the device", users } if users >= 2), "{error}");
    let used = |users| Error::InUse { what: "the device", users }.to_string();
    assert_eq!(used(1), "the device is in use: 1 other holds it");
    assert_eq!(used(2), "the device is in use: 2 others hold it");
    assert!(matches!(runtime.clone().close(), Err(Error::InUse { what: "the runtime", .. })));
    // Neither refused call has changed anything.
    assert_eq!(tensor.to_vec(&stream)?, [1.0]);
    drop(tensor);
    stream.close()?;
    device.close()?;
    runtime.close()
}

#[test]
fn an_error_of_a_drop_comes_from_the_next_call() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let tensor = Tensor::<f32>::new([1.0], &stream)?;
    let broken = || stand_in::prepare_broken(&tensor, &stream).map(drop);
    let expect = |error: Error| {
        let Error::Dropped(cause) = &error else { panic!("{error}") };
        assert!(matches!(**cause, Error::Aclnn { call: "aclSetAclOpExecutorRepeatable", .. }), "{error}");
        assert!(
            error
                .to_string()
                .starts_with("a drop before this call failed: aclSetAclOpExecutorRepeatable returned ")
        );
    };
    // The error of a drop is returned once, by the next call of any kind.
    broken()?;
    expect(stream.synchronize().unwrap_err());
    broken()?;
    expect(tensor.to_vec(&stream).unwrap_err());
    broken()?;
    expect(Tensor::<f32>::zeros([1], &stream).unwrap_err());
    broken()?;
    expect(stream.device().runtime().device_count().unwrap_err());
    assert_eq!(tensor.to_vec(&stream)?, [1.0]);

    // A stream that is dropped before anybody has taken its error.
    let other = stream.device().stream()?;
    let mut sums = Tensor::<f32>::zeros([1], &stream)?;
    sums.scatter_(0, &Tensor::<i64>::new([3], &stream)?, 1.0, Reduce::None, &other)?;
    drop(other);
    let Err(Error::Dropped(cause)) = stream.synchronize() else { panic!("the index was out of range") };
    assert_eq!(bad_index(*cause).2, 3);

    // Two errors at once: `close` returns one, the next call the other.
    let other = stream.device().stream()?;
    sums.scatter_(0, &Tensor::<i64>::new([4], &stream)?, 1.0, Reduce::None, &other)?;
    broken()?;
    expect(other.close().unwrap_err());
    let Err(Error::Dropped(cause)) = stream.synchronize() else { panic!("the index was out of range") };
    assert_eq!(bad_index(*cause).2, 4);
    stream.synchronize()
}
