//! `index_put` on host-cann: the list of index tensors on its way to the engine.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use aclnn::scatter::Operator;
use aclnn::{AnyTensor, Bool, DType, DeviceBuffer, Engine, Error, Result, Tensor};
use common::{Gate, bad_index, stream};

#[test]
fn it_replaces_and_accumulates_in_place_and_out_of_place() -> Result<()> {
    let stream = stream()?;
    let x = Tensor::<f32>::full([2, 3], 1.0, &stream)?;
    let (rows, columns) = (Tensor::<i64>::new([0, 1, 0], &stream)?, Tensor::new([2, -3, -1], &stream)?);
    let values = Tensor::<f32>::new([10.0, 20.0, 30.0], &stream)?;
    let indices = [Some(&rows), Some(&columns)];
    for (accumulate, expected) in
        [(false, [1.0, 1.0, 30.0, 20.0, 1.0, 1.0]), (true, [1.0, 1.0, 41.0, 21.0, 1.0, 1.0])]
    {
        assert_eq!(x.index_put(&indices, &values, accumulate, &stream)?.to_vec(&stream)?, expected);
        let mut out = Tensor::<f32>::zeros([2, 3], &stream)?;
        x.index_put_into(&indices, &values, accumulate, &mut out, &stream)?;
        assert_eq!(out.to_vec(&stream)?, expected);
        let mut place = x.contiguous(&stream)?;
        place.index_put_(&indices, &values, accumulate, stream.on(Engine::Cpu))?;
        assert_eq!(place.to_vec(&stream)?, expected);
    }
    assert_eq!(x.to_vec(&stream)?, [1.0; 6]);
    Ok(())
}

#[test]
fn tensors_of_a_list_are_broadcast_with_their_strides_and_dtypes() -> Result<()> {
    let stream = stream()?;
    // The rows are every second element of a tensor, backwards and as a column; the columns are in
    // another dtype.
    let rows = DeviceBuffer::new(&stream, 4 * 8)?;
    rows.write(0, &[0_i64, 9, 1, 9].map(i64::to_ne_bytes).concat(), &stream)?;
    let rows = Tensor::<i64>::from_buffer(rows, [2, 1], [-2, 1], 2)?.into_any();
    let columns = Tensor::<i32>::new([0, 3], &stream)?.into_any();
    let mut x = AnyTensor::zeros(DType::I16, [4, 2], &stream)?;
    let values = Tensor::<i16>::new([[1, 2], [3, 4]], &stream)?.into_any();
    // Into the transpose of a tensor.
    let mut transposed = x.view_mut().transpose(0, 1)?;
    transposed.index_put_(&[Some(&rows), Some(&columns)], &values, false, &stream)?;
    assert_eq!(x.typed::<i16>()?.to_vec(&stream)?, [3, 1, 0, 0, 0, 0, 4, 2]);
    Ok(())
}

#[test]
fn axes_without_index_are_taken_whole() -> Result<()> {
    let stream = stream()?;
    let mut x = Tensor::<Bool>::new([[[Bool(0); 2]; 3]; 2], &stream)?;
    let index = Tensor::<i32>::new([1], &stream)?;
    let yes = Tensor::<Bool>::new([Bool(1)], &stream)?;
    x.index_put_(&[None, Some(&index), None, None], &yes, false, &stream)?;
    let block = [0, 0, 1, 1, 0, 0].map(Bool);
    assert_eq!(x.to_vec(&stream)?, [block, block].concat());
    // Without any index, values go to the whole of self.
    let counts = Tensor::<i32>::new([[1, 2], [3, 4]], &stream)?;
    let values = Tensor::<i32>::new([10, 20], &stream)?;
    let nowhere: [Option<&Tensor<i64>>; 1] = [None];
    for indices in [&nowhere[..], &[]] {
        let replaced = counts.index_put(indices, &values, false, &stream)?;
        assert_eq!(replaced.to_vec(&stream)?, [10, 20, 10, 20]);
        assert_eq!(counts.index_put(indices, &values, true, &stream)?.to_vec(&stream)?, [11, 22, 13, 24]);
    }
    Ok(())
}

#[test]
fn an_empty_index_changes_nothing() -> Result<()> {
    let stream = stream()?;
    let mut x = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    let (nothing, values) = (Tensor::<i64>::zeros([0], &stream)?, Tensor::<f32>::new([9.0], &stream)?);
    assert_eq!(x.index_put(&[Some(&nothing)], &values, false, &stream)?.to_vec(&stream)?, [1.0, 2.0]);
    x.index_put_(&[Some(&nothing)], &values, true, &stream)?;
    assert_eq!(x.to_vec(&stream)?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() -> Result<()> {
    let stream = stream()?;
    let x = AnyTensor::zeros(DType::F32, [2, 3], &stream)?;
    let (two, three) = (Tensor::<i64>::new([0, 1], &stream)?, Tensor::<i64>::new([0, 1, 2], &stream)?);
    let floats = Tensor::<f32>::new([0.0, 1.0], &stream)?.into_any();
    let halves = AnyTensor::zeros(DType::F16, [1], &stream)?;
    let (one, four) =
        (AnyTensor::zeros(DType::F32, [1], &stream)?, AnyTensor::zeros(DType::F32, [4], &stream)?);
    let mut other = AnyTensor::zeros(DType::F32, [3, 2], &stream)?;
    let told = |done: Result<()>| done.unwrap_err().to_string();

    let (apart, beyond) = ([Some(&two), Some(&three)], [None, None, Some(&two)]);
    let of_floats = [Some(&floats), Some(&floats)];
    // A dtype of values comes before the list, the list's dtypes before out's shape, and that
    // before everything else about the list.
    let words = told(x.index_put(&of_floats, &halves, false, &stream).map(drop));
    assert!(words.starts_with("index_put: values: dtype f32"), "{words}");
    let words = told(x.index_put_into(&of_floats, &one, false, &mut other, &stream));
    assert_eq!(words, "index_put: indices: dtype i32 or i64 expected, got f32");
    let words = told(x.index_put_into(&apart, &one, false, &mut other, &stream));
    assert!(words.starts_with("index_put: out: "), "{words}");
    let words = told(x.index_put(&apart, &one, false, &stream).map(drop));
    let expected = "index_put: indices: size 2 or 1 expected on axis 0 of the one for axis 1 of self, got 3";
    assert_eq!(words, expected);
    let words = told(x.index_put(&beyond, &one, false, &stream).map(drop));
    assert!(words.starts_with("index_put: indices: an axis below 2, self's rank, expected"), "{words}");
    let words = told(x.index_put(&[Some(&two)], &four, false, &stream).map(drop));
    assert!(words.starts_with("index_put: values: "), "{words}");
    Ok(())
}

#[test]
fn out_is_apart_from_the_list() -> Result<()> {
    let stream = stream()?;
    let mut x = Tensor::<i64>::new([0, 1, 2], &stream)?;
    let (inside, values) = (x.share(), Tensor::<i64>::new([7], &stream)?);
    let error = x.index_put_(&[Some(&inside.view().narrow(0, 2..3)?)], &values, false, &stream).unwrap_err();
    assert!(error.to_string().starts_with("index_put: out: memory apart from indices"), "{error}");
    Ok(())
}

#[test]
fn a_bad_index_is_told_by_the_stream() -> Result<()> {
    let stream = stream()?;
    let mut x = Tensor::<f32>::zeros([2, 3], &stream)?;
    let rows = Tensor::<i64>::new([[0], [1]], &stream)?;
    let columns = Tensor::<i64>::new([1, 3], &stream)?;
    let values = Tensor::<f32>::new([1.0], &stream)?;
    x.index_put_(&[Some(&rows), Some(&columns)], &values, true, &stream)?;
    // In the shape of the tensors together.
    let told = bad_index(stream.synchronize().unwrap_err());
    assert_eq!(told, (Operator::IndexPut, vec![0, 1], 3, 3));
    assert_eq!(x.to_vec(&stream)?, [0.0; 6]);
    Ok(())
}

/// The memory of each tensor of a list is known to be used: work waits for what writes it on other
/// streams, it may be dropped, and what its data comes from counts.
#[test]
fn the_stream_knows_each_tensor_of_the_list() -> Result<()> {
    let (stream, other) = (stream()?, stream()?.device().stream()?);
    let values = Tensor::<f32>::new([1.0], &stream)?;
    let mut x = Tensor::<f32>::zeros([2, 2], &stream)?;
    for late in 0..2 {
        let new = Tensor::<i64>::new([1], &stream)?;
        let mut tensors = [Tensor::<i64>::new([0], &stream)?, Tensor::<i64>::new([0], &stream)?];
        let gate = Gate::new(&other);
        tensors[late].copy_from(&new, &other)?;
        x.index_put_(&tensors.each_ref().map(Some), &values, true, &stream)?;
        drop((tensors, new));
        gate.open();
    }
    assert_eq!(x.to_vec(&stream)?, [0.0, 1.0, 1.0, 0.0]);

    let mut failed = Tensor::<i64>::zeros([1], &other)?;
    failed.scatter_(0, &Tensor::<i64>::new([5], &other)?, 1, aclnn::Reduce::None, &other)?;
    let good = Tensor::<i64>::new([0], &stream)?;
    let out = x.index_put(&[Some(&good), Some(&failed)], &values, false, &stream)?;
    assert_eq!(bad_index(out.to_vec(&stream).unwrap_err()).0, Operator::ScatterValue);
    Ok(())
}

#[test]
fn tensors_of_another_device_are_refused() -> Result<()> {
    let stream = stream()?;
    let elsewhere = stream.device().runtime().device(1)?.stream()?;
    let mut x = Tensor::<f32>::zeros([2], &stream)?;
    let (index, values) = (Tensor::<i64>::new([0], &elsewhere)?, Tensor::<f32>::new([1.0], &stream)?);
    let error = x.index_put_(&[Some(&index)], &values, false, &stream).unwrap_err();
    assert!(matches!(error, Error::Device { .. }), "{error}");
    Ok(())
}

#[test]
fn no_other_engine_takes_the_place_of_one_that_is_missing() -> Result<()> {
    let stream = stream()?;
    let mut x = Tensor::<f32>::zeros([2], &stream)?;
    let (index, values) = (Tensor::<i64>::new([0], &stream)?, Tensor::<f32>::new([1.0], &stream)?);
    let error = x.index_put_(&[Some(&index)], &values, false, stream.on(Engine::Vendor)).unwrap_err();
    let words = "host-cann is a CANN without operators of its own";
    let is_told = |code, message: &str| code == 561_003 && message.contains(words);
    assert!(matches!(&error, Error::Aclnn { code, message, .. } if is_told(code.0, message)), "{error}");
    assert_eq!(x.to_vec(&stream)?, [0.0; 2]);
    Ok(())
}
