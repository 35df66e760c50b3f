//! Gathers, among them the gradient with respect to src, on host-cann.

#![allow(clippy::unwrap_used, clippy::panic)]

use aclnn::scatter::{self, Operator};
use aclnn::{AnyTensor, DType, Engine, Error, Runtime, Tensor};

fn stream() -> Result<aclnn::Stream, Error> {
    Runtime::host()?.device(0)?.stream()
}

#[test]
fn it_is_the_gather_with_the_same_index() -> Result<(), Error> {
    let stream = stream()?;
    let grad = Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], &stream)?;
    let index = Tensor::<i32>::new([[2, -3], [0, 1]], &stream)?;
    let out = grad.scatter_src_grad(0, &index, &stream)?;
    assert_eq!(out.to_vec(&stream)?, [5.0, 2.0, 1.0, 4.0]);
    assert_eq!(grad.gather(0, &index, &stream)?.to_vec(&stream)?, [5.0, 2.0, 1.0, 4.0]);
    // With strides: from the transpose of grad into the transpose of a tensor, with dtypes known at
    // run time.
    let grad = grad.into_any();
    let mut out = AnyTensor::zeros(DType::F32, [2, 2], &stream)?;
    let index = index.into_any();
    grad.view().transpose(0, 1)?.scatter_src_grad_into(
        1,
        &index.view().transpose(0, 1)?,
        &mut out.view_mut().transpose(0, 1)?,
        &stream,
    )?;
    assert_eq!(out.typed::<f32>()?.to_vec(&stream)?, [5.0, 2.0, 1.0, 4.0]);
    Ok(())
}

#[test]
fn rules_are_told_at_once_and_indices_by_the_stream() -> Result<(), Error> {
    let stream = stream()?;
    let grad = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    let error = grad.scatter_src_grad(1, &Tensor::<i64>::new([0], &stream)?, &stream).unwrap_err();
    assert_eq!(error.to_string(), "scatter_src_grad: dim: -1 to below 1 expected, got 1");

    let mut out = Tensor::<f32>::full([3], 7.0, &stream)?;
    grad.scatter_src_grad_into(0, &Tensor::<i64>::new([0, 2, 1], &stream)?, &mut out, &stream)?;
    let Err(Error::Scatter(error)) = stream.synchronize() else { panic!("a bad index") };
    let scatter::Error::IndexOutOfRange { operator, axis, position, value, size } = *error else {
        panic!("{error}")
    };
    assert_eq!((operator, axis, &*position, value, size), (Operator::ScatterSrcGrad, 0, &[1][..], 2, 2));
    // The failed call has written nothing.
    assert_eq!(out.to_vec(&stream)?, [7.0; 3]);
    Ok(())
}

#[test]
fn it_takes_an_engine_as_its_siblings_do() -> Result<(), Error> {
    let stream = stream()?;
    let grad = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    let index = Tensor::<i64>::new([1, 1, 0], &stream)?;
    let out = grad.scatter_src_grad(0, &index, stream.on(Engine::Cpu))?;
    assert_eq!(out.to_vec(&stream)?, [2.0, 2.0, 1.0]);
    // No engine silently takes the place of another.
    let mut out = Tensor::<f32>::full([3], 7.0, &stream)?;
    let error = grad.scatter_src_grad_into(0, &index, &mut out, stream.on(Engine::Vendor)).unwrap_err();
    let words = "host-cann is a CANN without operators of its own";
    let is_told = |code, message: &str| code == 561_003 && message.contains(words);
    assert!(matches!(&error, Error::Aclnn { code, message, .. } if is_told(code.0, message)), "{error}");
    assert_eq!(out.to_vec(&stream)?, [7.0; 3]);
    Ok(())
}

/// An index without elements: nothing is launched, and out, which has none either, stays.
#[test]
fn an_empty_index_gathers_nothing() -> Result<(), Error> {
    let stream = stream()?;
    let x = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    let out = x.gather(0, &Tensor::<i64>::zeros([0], &stream)?, stream.on(Engine::Cpu))?;
    assert_eq!(out.shape(), [0]);
    assert_eq!(out.to_vec(&stream)?, [0.0; 0]);
    stream.synchronize()
}
