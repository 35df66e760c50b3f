//! Views of tensors as operands.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use aclnn::{DeviceBuffer, Error, Reduce, Result, Tensor, scatter};
use common::stream;

#[test]
fn each_is_an_operand_as_it_is() -> Result<()> {
    let stream = stream()?;
    // Every second column of the transpose, written through a view.
    let mut table = Tensor::<i64>::zeros([4, 3], &stream)?;
    let index = Tensor::<i32>::new([2, 0], &stream)?;
    let src = Tensor::<i64>::new([[10], [20], [30]], &stream)?;
    table
        .view_mut()
        .transpose(0, 1)? // [3, 4]
        .slice(1, 1..4, 2)? // columns 1 and 3
        .scatter_add_(
            0,
            &index.view().reshape([2, 1])?.expand([2, 2])?,
            &src.view().expand([3, 2])?,
            &stream,
        )?;
    assert_eq!(table.to_vec(&stream)?, [0, 0, 0, 20, 0, 10, 0, 0, 0, 20, 0, 10]);
    assert_eq!(table.view().slice(0, 1..4, 2)?.to_vec(&stream)?, [20, 0, 10, 20, 0, 10]);
    assert_eq!(table.view().transpose(0, 1)?.narrow(0, 2..3)?.to_vec(&stream)?, [0, 10, 0, 10]);
    // The reshape of a contiguous tensor, made by copying one that is not.
    let flat = table.view().transpose(0, 1)?.contiguous(&stream)?.reshape([12])?;
    assert_eq!(flat.to_vec(&stream)?, [0, 20, 0, 20, 0, 0, 0, 0, 0, 10, 0, 10]);
    let refused = table.view().transpose(0, 1)?.reshape([12]);
    assert!(matches!(refused, Err(Error::Shape { call: "reshape", problem: "it needs a copy", .. })));
    // Elements that repeat can't be written.
    let refused = table
        .view_mut()
        .narrow(0, 0..1)?
        .expand([4, 3])?
        .scatter_(0, &index.view().reshape([1, 2])?, 1, Reduce::Add, &stream)
        .map(drop);
    let Err(Error::Scatter(rule)) = refused else { panic!("it overlaps itself") };
    assert!(matches!(*rule, scatter::Error::SelfOverlap { .. }), "{rule}");
    Ok(())
}

#[test]
fn negative_strides_and_offsets_are_read_and_written() -> Result<()> {
    let stream = stream()?;
    let forth = Tensor::<f32>::new([1.0, 2.0, 3.0, 4.0], &stream)?;
    let mut back = Tensor::<f32>::from_buffer(forth.buffer().clone(), [4], [-1], 3)?;
    assert_eq!(back.to_vec(&stream)?, [4.0, 3.0, 2.0, 1.0]);
    assert!(!back.is_contiguous());
    let index = Tensor::<i64>::new([0, 3], &stream)?;
    // CANN does not allow negative strides: it may refuse to make a descriptor with one.
    match back.scatter_add_(0, &index, &Tensor::new([10.0, 20.0], &stream)?, &stream) {
        Ok(_) => assert_eq!(forth.to_vec(&stream)?, [21.0, 2.0, 3.0, 14.0]),
        Err(error) => {
            assert!(matches!(error, Error::Aclnn { .. }), "{error}");
            assert_eq!(forth.to_vec(&stream)?, [1.0, 2.0, 3.0, 4.0]);
        }
    }
    Ok(())
}

#[test]
fn what_shares_memory_is_refused_where_it_overlaps() -> Result<()> {
    let stream = stream()?;
    let tensor = Tensor::<f32>::new([1.0, 2.0, 3.0, 4.0], &stream)?;
    let index = Tensor::<i64>::new([0, 1], &stream)?;
    let overlap = |result: Result<()>| {
        let Err(Error::Scatter(rule)) = result else { panic!("it overlaps: {result:?}") };
        assert!(matches!(*rule, scatter::Error::Overlap { .. }), "{rule}");
    };
    let (mut low, high) = (tensor.share().narrow(0, 0..3)?, tensor.share().narrow(0, 2..4)?);
    overlap(low.scatter_add_(0, &index, &high, &stream).map(drop));
    // out and self overlap partly.
    overlap(tensor.view().narrow(0, 1..4)?.scatter_add_into(
        0,
        &index,
        &Tensor::<f32>::zeros([2], &stream)?,
        &mut low,
        &stream,
    ));
    // A copy may overlap, because it reads everything first.
    low.copy_from(&tensor.view().narrow(0, 1..4)?, &stream)?;
    assert_eq!(tensor.to_vec(&stream)?, [2.0, 3.0, 4.0, 4.0]);
    // index lies in the memory of out.
    let bits = DeviceBuffer::new(&stream, 16)?;
    let mut out = Tensor::<i64>::from_buffer(bits.clone(), [2], [1], 0)?;
    let index_there = Tensor::<i32>::from_buffer(bits, [1], [1], 1)?;
    overlap(out.scatter_(0, &index_there, 1, Reduce::None, &stream).map(drop));
    // Parts of one tensor that do not overlap are allowed; if out has the layout of self, the call
    // works in place.
    let mut low = tensor.share().narrow(0, 0..2)?;
    low.scatter_add_(0, &index, &high, &stream)?;
    let mut same = tensor.share();
    tensor.scatter_add_into(0, &index, &Tensor::new([1.0, 1.0], &stream)?, &mut same, &stream)?;
    assert_eq!(tensor.to_vec(&stream)?, [7.0, 8.0, 4.0, 4.0]);
    Ok(())
}

#[test]
fn points_of_depth_0_and_rank_0() -> Result<()> {
    let stream = stream()?;
    // Depth 0: every update is added to the whole of self.
    let table = Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0]], &stream)?;
    let nowhere = Tensor::<i64>::zeros([3, 0], &stream)?;
    let updates = Tensor::<f32>::full([3, 2, 2], 10.0, &stream)?;
    assert_eq!(table.scatter_nd_add(&nowhere, &updates, &stream)?.to_vec(&stream)?, [31.0, 32.0, 33.0, 34.0]);
    // self has no axes.
    let mut number = Tensor::<f32>::new(1.5, &stream)?;
    assert_eq!((number.rank(), number.elements()), (0, 1));
    number.scatter_nd_add_(
        &Tensor::<i32>::zeros([2, 0], &stream)?,
        &Tensor::new([1.0, 2.0], &stream)?,
        &stream,
    )?;
    number.scatter_add_(0, &Tensor::<i64>::new(0, &stream)?, &Tensor::new(4.0, &stream)?, &stream)?;
    number.scatter_(-1, &Tensor::<i64>::new([0, -1], &stream)?, 2.0, Reduce::Mul, &stream)?;
    assert_eq!(number.to_vec(&stream)?, [34.0]);
    // One row of indices, which names a row of the table.
    let out = table.scatter_nd_add(
        &Tensor::<i64>::new([[1]], &stream)?,
        &Tensor::new([[1.0, 1.0]], &stream)?,
        &stream,
    )?;
    assert_eq!(out.to_vec(&stream)?, [1.0, 2.0, 4.0, 5.0]);
    Ok(())
}

#[test]
fn nothing_is_a_tensor_too() -> Result<()> {
    let stream = stream()?;
    let mut empty = Tensor::<f32>::zeros([3, 0, 2], &stream)?;
    assert!(empty.buffer().as_raw().is_null() && empty.is_contiguous());
    assert_eq!(empty.to_vec(&stream)?, [0.0; 0]);
    empty.copy_from_slice(&[], &stream)?;
    empty.scatter_add_(
        1,
        &Tensor::<i64>::zeros([3, 0, 2], &stream)?,
        &Tensor::<f32>::zeros([3, 4, 2], &stream)?,
        &stream,
    )?;
    let sent = empty.copy_from_pinned(aclnn::PinnedBuffer::new(&stream, 0)?, &stream)?;
    assert!(sent.wait()?.is_empty());
    // Views without elements, whose strides may have any value.
    let buffer = DeviceBuffer::new(&stream, 0)?;
    let wild = Tensor::<f32>::from_buffer(buffer, [3, 0], [isize::MAX / 2, 1], usize::MAX)?;
    let none = Tensor::<i64>::zeros([3, 0], &stream)?;
    assert_eq!(wild.scatter_add(0, &none, &wild, &stream)?.to_vec(&stream)?, [0.0; 0]);
    for view in
        [wild.view().narrow(0, 2..3)?, wild.view().slice(0, 0..3, usize::MAX)?, wild.view().transpose(0, 1)?]
    {
        assert_eq!(view.to_vec(&stream)?, [0.0; 0]);
    }
    assert_eq!(wild.view().reshape([0, 7])?.expand([2, 0, 7])?.shape(), [2, 0, 7]);
    // A scatter with an empty index is a copy.
    let mut full = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    let none = Tensor::<i64>::zeros([0], &stream)?;
    assert_eq!(
        full.scatter_add(0, &none, &Tensor::<f32>::zeros([0], &stream)?, &stream)?.to_vec(&stream)?,
        [1.0, 2.0]
    );
    full.scatter_(7, &none, 9.0, Reduce::None, &stream)?;
    assert_eq!(full.to_vec(&stream)?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn every_dtype_is_made_copied_and_typed() -> Result<()> {
    let stream = stream()?;
    for dtype in aclnn::DType::ALL {
        let mut sums = aclnn::AnyTensor::zeros(dtype, [3], &stream)?;
        let index = Tensor::<i32>::new([2], &stream)?;
        sums.scatter_(0, &index, true, Reduce::None, &stream)?;
        let copy = sums.contiguous(&stream)?;
        assert_eq!(copy.dtype(), dtype);
        let mut bytes = vec![0; 3 * dtype.size()];
        copy.buffer().read(0, &mut bytes, &stream)?;
        assert!(bytes[..2 * dtype.size()].iter().all(|byte| *byte == 0), "{dtype}");
        assert!(bytes[2 * dtype.size()..].iter().any(|byte| *byte != 0), "{dtype}");
    }
    Ok(())
}

#[test]
fn strides_may_be_negative() -> Result<()> {
    let stream = stream()?;
    let memory = Tensor::<i32>::new([1, 2, 3, 4, 5, 6], &stream)?;
    // Both axes reversed: element [i, j] is element 5 - 3i - j.
    let mut turned = Tensor::<i32>::from_buffer(memory.buffer().clone(), [2, 3], [-3, -1], 5)?;
    assert_eq!(turned.to_vec(&stream)?, [6, 5, 4, 3, 2, 1]);
    turned.scatter_(1, &Tensor::<i64>::new([[0], [-1]], &stream)?, 9, Reduce::None, &stream)?;
    assert_eq!(memory.to_vec(&stream)?, [9, 2, 3, 4, 5, 9]);
    assert_eq!(turned.contiguous(&stream)?.to_vec(&stream)?, [9, 5, 4, 3, 2, 9]);
    Ok(())
}

#[test]
fn scatter_nd_add_leaves_out_alone_where_an_index_is_bad() -> Result<()> {
    let stream = stream()?;
    let (self_, mut out) = (Tensor::<i32>::new([1, 2], &stream)?, Tensor::<i32>::new([7, 7], &stream)?);
    let updates = Tensor::<i32>::new([10, 20], &stream)?;
    self_.scatter_nd_add_into(&Tensor::<i64>::new([[0], [2]], &stream)?, &updates, &mut out, &stream)?;
    assert!(matches!(stream.synchronize(), Err(Error::Scatter(_))));
    assert_eq!(out.to_vec(&stream)?, [7, 7]);
    self_.scatter_nd_add_into(&Tensor::<i64>::new([[0], [0]], &stream)?, &updates, &mut out, &stream)?;
    assert_eq!((out.to_vec(&stream)?, self_.to_vec(&stream)?), (vec![31, 2], vec![1, 2]));
    Ok(())
}
