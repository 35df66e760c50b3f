//! Calls that users of other tensor libraries write without looking them up.

#![allow(clippy::unwrap_used)]

mod common;

use aclnn::{AnyTensor, Bool, DType, Error, Reduce, Result, Shape, Tensor};
use common::stream;

#[test]
fn shapes_are_given_as_anything_that_lists_sizes() -> Result<()> {
    let stream = stream()?;
    let tensor = Tensor::<f32>::zeros((2, 3, 4), &stream)?;
    assert_eq!(tensor.shape(), [2, 3, 4]);
    assert_eq!(Tensor::<f32>::zeros((), &stream)?.rank(), 0);
    assert_eq!(Tensor::<f32>::zeros([], &stream)?.rank(), 0);
    assert_eq!(Tensor::<f32>::zeros((5,), &stream)?.shape(), [5]);
    assert_eq!(Tensor::<f32>::zeros(5, &stream)?.shape(), [5]);
    assert_eq!(Tensor::<f32>::zeros((1, 2, 1, 2, 1, 2, 1, 2), &stream)?.shape(), [1, 2, 1, 2, 1, 2, 1, 2]);
    assert_eq!(Tensor::<f32>::zeros(vec![2, 3], &stream)?.shape(), [2, 3]);
    let sizes = vec![2, 3];
    assert_eq!(Tensor::<f32>::zeros(&sizes, &stream)?.shape(), sizes);
    assert_eq!(Tensor::<f32>::zeros(&[2, 3][..], &stream)?.shape(), [2, 3]);
    assert_eq!(Tensor::<f32>::zeros(Shape::new(&[2, 3]).unwrap(), &stream)?.shape(), [2, 3]);
    assert_eq!(Tensor::<f32>::zeros(tensor.shape(), &stream)?.shape(), tensor.shape());
    assert_eq!(AnyTensor::empty(DType::I8, (2, 3), &stream)?.shape(), [2, 3]);
    assert_eq!(tensor.view().reshape((6, 4))?.shape(), [6, 4]);
    assert_eq!(tensor.view().reshape(24)?.expand((2, 24))?.shape(), [2, 24]);
    assert!(matches!(Tensor::<f32>::zeros([1; 9], &stream), Err(Error::Layout(_))));
    Ok(())
}

#[test]
fn data_is_anything_that_nests() -> Result<()> {
    let stream = stream()?;
    let rows = vec![vec![1.0_f32, 2.0, 3.0], vec![4.0, 5.0, 6.0]];
    let check = |tensor: Tensor<f32>| {
        assert_eq!(tensor.shape(), [2, 3]);
        assert_eq!(tensor.to_vec(&stream).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    };
    check(Tensor::new(&rows, &stream)?);
    check(Tensor::new(&rows[..], &stream)?);
    check(Tensor::new([&rows[0][..], &rows[1]], &stream)?);
    check(Tensor::new([rows[0].clone(), rows[1].clone()], &stream)?);
    check(Tensor::new(vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &stream)?);
    check(Tensor::new(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]][..], &stream)?);
    check(Tensor::new(rows.clone(), &stream)?);
    check(Tensor::from_vec(rows.concat(), (2, 3), &stream)?);
    check(Tensor::from_slice(&rows.concat(), (2, 3), &stream)?);
    let deep = Tensor::<i64>::new(vec![vec![vec![1, 2]; 3]; 4], &stream)?;
    assert_eq!((deep.shape(), deep.to_vec(&stream)?), (&[4, 3, 2][..], [1, 2].repeat(12)));
    assert_eq!(Tensor::<f32>::new(vec![Vec::<f32>::new(); 3], &stream)?.shape(), [3, 0]);
    assert_eq!(Tensor::new(vec![true, false], &stream)?.to_vec(&stream)?, [Bool(1), Bool(0)]);
    Ok(())
}

#[test]
fn ragged_data_is_told_with_axis_and_sizes() -> Result<()> {
    let stream = stream()?;
    let told = |tensor: Result<Tensor<f32>>| tensor.unwrap_err().to_string();
    assert_eq!(
        told(Tensor::new(vec![vec![1.0, 2.0], vec![3.0], vec![4.0, 5.0, 6.0]], &stream)),
        "new: ragged data: size 2 expected on axis 1, got 1 at [1]"
    );
    let deep = [vec![vec![1.0; 2]; 3], vec![vec![1.0; 2], vec![1.0; 2], vec![1.0; 4]]];
    assert_eq!(
        told(Tensor::new(deep, &stream)),
        "new: ragged data: size 2 expected on axis 2, got 4 at [1, 2]"
    );
    let first = [vec![vec![1.0; 2]; 3], vec![vec![1.0; 2]; 2]];
    assert_eq!(
        told(Tensor::new(&first, &stream)),
        "new: ragged data: size 3 expected on axis 1, got 2 at [1]"
    );
    // The right number of elements, in rows of different lengths.
    assert_eq!(
        told(Tensor::new([vec![1.0, 2.0], vec![3.0], vec![4.0, 5.0, 6.0]], &stream)),
        "new: ragged data: size 2 expected on axis 1, got 1 at [1]"
    );
    assert_eq!(told(Tensor::from_vec(vec![1.0; 5], (2, 3), &stream)), "from_vec: 6 elements expected, got 5");
    assert_eq!(
        told(Tensor::from_slice(&[1.0; 5], (2, 3), &stream)),
        "from_slice: 6 elements expected, got 5"
    );
    Ok(())
}

#[test]
fn ones_are_ones_of_every_dtype() -> Result<()> {
    let stream = stream()?;
    assert_eq!(Tensor::<f32>::ones((2, 2), &stream)?.to_vec(&stream)?, [1.0; 4]);
    for dtype in DType::ALL {
        let ones = AnyTensor::ones(dtype, [3], &stream)?;
        assert_eq!((ones.dtype(), ones.shape()), (dtype, &[3][..]));
        let mut same = AnyTensor::zeros(dtype, [3], &stream)?;
        let index = Tensor::<i64>::new([0, 1, 2], &stream)?;
        same.scatter_(0, &index, 1, Reduce::None, &stream)?;
        let bytes = |tensor: &AnyTensor| {
            let mut bytes = vec![0; tensor.buffer().bytes()];
            tensor.buffer().read(0, &mut bytes, &stream).map(|()| bytes)
        };
        assert_eq!(bytes(&ones)?, bytes(&same)?, "{dtype}");
    }
    Ok(())
}

#[test]
fn axes_come_and_go() -> Result<()> {
    let stream = stream()?;
    let table = Tensor::<i32>::new([[1, 2, 3], [4, 5, 6]], &stream)?;
    for (axis, shape, strides) in
        [(0, [1, 2, 3], [6, 3, 1]), (1, [2, 1, 3], [3, 3, 1]), (2, [2, 3, 1], [3, 1, 1])]
    {
        let more = table.view().unsqueeze(axis)?;
        assert_eq!((more.shape(), more.strides()), (&shape[..], &strides[..]));
        assert_eq!(more.to_vec(&stream)?, [1, 2, 3, 4, 5, 6]);
        assert_eq!(more.squeeze(axis)?.strides(), [3, 1]);
    }
    let told = |view: Result<aclnn::TensorView<'_, i32>>| view.map(drop).unwrap_err().to_string();
    assert_eq!(told(table.view().unsqueeze(3)), "unsqueeze: axis below 3 expected, got 3");
    assert_eq!(told(table.view().squeeze(1)), "squeeze: size 1 expected on axis 1, got 3");
    assert_eq!(told(table.view().squeeze(2)), "squeeze: axis below 2 expected, got 2");
    let eight = Tensor::<i32>::zeros([1; 8], &stream)?;
    assert!(matches!(eight.view().unsqueeze(0), Err(Error::Layout(_))));
    assert_eq!(eight.view().squeeze(7)?.rank(), 7);

    assert_eq!(table.view().t()?.to_vec(&stream)?, [1, 4, 2, 5, 3, 6]);
    assert_eq!(table.view().t()?.t()?.strides(), table.strides());
    assert_eq!(table.view().narrow(0, 1..2)?.squeeze(0)?.t()?.to_vec(&stream)?, [4, 5, 6]);
    assert_eq!(told(table.view().unsqueeze(0)?.t()), "t: rank 2 at most expected, got 3");
    // A tensor without elements whose strides may have any value.
    let none = Tensor::<i32>::from_buffer(table.buffer().clone(), [0, 3], [isize::MAX, 1], 0)?;
    assert_eq!(
        none.view().unsqueeze(0)?.t().map(drop).unwrap_err().to_string(),
        "t: rank 2 at most expected, got 3"
    );
    assert_eq!(none.view().unsqueeze(1)?.squeeze(1)?.to_vec(&stream)?, [0; 0]);
    Ok(())
}

#[test]
fn one_element_is_an_item() -> Result<()> {
    let stream = stream()?;
    let table = Tensor::<f64>::new([[1.0, 2.0], [3.0, 4.0]], &stream)?;
    assert_eq!(table.view().narrow(0, 1..2)?.narrow(1, 0..1)?.item(&stream)?, 3.0);
    assert_eq!(Tensor::<f64>::new(2.5, &stream)?.item(&stream)?, 2.5);
    assert_eq!(table.item(&stream).unwrap_err().to_string(), "item: 1 element expected, got 4");
    let none = Tensor::<f64>::zeros([0], &stream)?;
    assert_eq!(none.item(&stream).unwrap_err().to_string(), "item: 1 element expected, got 0");
    Ok(())
}

#[test]
fn fill_writes_everywhere_and_nowhere_else() -> Result<()> {
    let stream = stream()?;
    // Ranks 0 to 8, contiguous.
    for rank in 0..=8 {
        let mut tensor = Tensor::<f32>::zeros(vec![2; rank], &stream)?;
        tensor.fill_(3, &stream)?.fill_(2.5, &stream)?;
        assert_eq!(tensor.to_vec(&stream)?, vec![2.5; 1 << rank], "rank {rank}");
    }
    // Parts of tensors of rank 2 and 8.
    let mut table = Tensor::<i32>::zeros((2, 4), &stream)?;
    table.view_mut().slice(1, 1..4, 2)?.fill_(7, &stream)?;
    assert_eq!(table.to_vec(&stream)?, [0, 7, 0, 7, 0, 7, 0, 7]);
    let mut deep = Tensor::<i32>::zeros((2, 2, 1, 1, 1, 1, 1, 4), &stream)?;
    deep.view_mut().transpose(0, 7)?.narrow(0, 0..3)?.fill_(1, &stream)?;
    assert_eq!(deep.to_vec(&stream)?, [1, 1, 1, 0].repeat(4));
    // Every dtype, a number that the dtype can't represent, and a tensor without elements.
    for dtype in DType::ALL {
        let mut tensor = AnyTensor::zeros(dtype, [3], &stream)?;
        tensor.fill_(true, &stream)?;
        assert_eq!(tensor.to_string(), AnyTensor::ones(dtype, [3], &stream)?.to_string());
    }
    let error = Tensor::<i8>::zeros([3], &stream)?.fill_(128, &stream).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "fill_: a number that i8 can represent expected, got 128");
    Tensor::<f32>::zeros((0, 3), &stream)?.fill_(1, &stream)?;
    // A tensor that is completely overwritten does not depend on work that failed.
    let mut sums = Tensor::<f32>::zeros([2], &stream)?;
    let other = stream.device().stream()?;
    sums.scatter_(0, &Tensor::<i64>::new([9], &stream)?, 1, Reduce::None, &other)?;
    assert!(sums.to_vec(&stream).is_err());
    sums.fill_(4, &stream)?;
    assert_eq!(sums.to_vec(&stream)?, [4.0; 2]);
    assert!(matches!(other.synchronize(), Err(Error::Scatter(_))));
    Ok(())
}
