//! Engine `Kernel`, the Ascend C kernels on the strict host model of Ascend C, through the methods
//! of tensors: the results have the bits of engine `Cpu`, which other tests compare with the
//! reference.

#![cfg(feature = "model")]
// clippy.toml allows `unwrap` in test functions, but not in helpers.
#![allow(clippy::unwrap_used)]

mod common;

use aclnn::scatter::Operator;
use aclnn::{Bool, Complex, Element, Engine, On, Reduce, Result, Stream, Tensor, bf16, f16};
use common::{bad_index, stream};

/// A tensor of `[rows, 24]` small numbers, which `element` converts.
fn tensor<T: Element>(rows: usize, element: fn(u8) -> T, stream: &Stream) -> Result<Tensor<T>> {
    let elements: Vec<T> = (0..rows * 24).map(|at| element((at * 37 % 23) as u8)).collect();
    Tensor::from_slice(&elements, [rows, 24], stream)
}

/// The results of the methods for `T` with the engine of `on`.
fn results<T: Element>(
    element: fn(u8) -> T,
    reduce: Reduce,
    stream: &Stream,
    on: On<'_>,
) -> Result<Vec<Vec<T>>> {
    let (self_, src) = (tensor(7, element, stream)?, tensor(12, element, stream)?);
    let rows = Tensor::<i64>::new([[3], [0], [3], [-1], [6], [0], [3], [5], [-7], [3], [3], [1]], stream)?;
    let values: Vec<i32> = (0..12 * 24).map(|at| at * 5 % 7 - 3).collect();
    let elements = Tensor::<i32>::from_slice(&values, [12, 24], stream)?;
    let mut results = Vec::new();
    let mut keep = |tensor: &Tensor<T>| -> Result<()> {
        results.push(tensor.to_vec(stream)?);
        Ok(())
    };
    // One index for each row, and one for each element.
    keep(&self_.scatter_add(0, &rows.view().expand([12, 24])?, &src, on)?)?;
    keep(&self_.scatter_add(0, &elements, &src, on)?)?;
    keep(&self_.scatter_reduce(0, &elements, &src, reduce, false, on)?)?;
    keep(&self_.scatter_nd_add(&rows, &src, on)?)?;
    keep(&self_.gather(0, &rows.view().expand([12, 24])?, on)?)?;
    keep(&self_.scatter_src_grad(0, &elements, on)?)?;
    let nowhere: [Option<&Tensor<i64>>; 2] = [None, None];
    keep(&self_.index_put(&nowhere, &src.view().narrow(0, 3..4)?, true, on)?)?;
    // Rows by one tensor, elements by two of different dtypes, and axes that aren't the first.
    let (row, column) = (rows.view().squeeze(1)?, elements.view().narrow(1, 0..1)?.squeeze(1)?);
    let numbers = src.view().narrow(1, 0..1)?.squeeze(1)?;
    keep(&self_.index_put(&[Some(&row)], &src, true, on)?)?;
    let (row, column) = (row.into_any(), column.into_any());
    keep(&self_.index_put(&[Some(&row), Some(&column)], &numbers, true, on)?)?;
    let parts = self_.view().reshape([7, 6, 4])?;
    let values = src.view().transpose(0, 1)?.narrow(0, 0..7)?;
    keep(&parts.index_put(&[None, Some(&column), Some(&column)], &values, false, on)?)?;
    let mut out = tensor(7, element, stream)?;
    out.scatter_(0, &elements, &src, Reduce::Mul, on)?;
    out.scatter_(0, &rows.view().expand([12, 24])?, 3, Reduce::None, on)?;
    keep(&out)?;
    Ok(results)
}

#[test]
fn every_dtype_has_the_bits_of_the_cpu() -> Result<()> {
    let stream = stream()?;
    macro_rules! check {
        ($($element:expr, $reduce:ident;)*) => {$(
            let of = |engine| results($element, Reduce::$reduce, &stream, stream.on(engine));
            let (got, expected) = (of(Engine::Kernel)?, of(Engine::Cpu)?);
            assert_eq!(got, expected, stringify!($element));
        )*};
    }
    check! {
        |n| bf16::from_f32(f32::from(n) - 9.5), Mean;
        |n| f16::from_f32(f32::from(n) - 9.5), Mean;
        |n| f32::from(n) / 7.0, Mean;
        |n| f64::from(n) / 7.0, Mean;
        |n| i64::from(n) - 11, Max;
        |n| i32::from(n) - 11, Min;
        |n| i16::from(n) - 11, Mean;
        |n| n as i8 - 11, Max;
        |n| n, Min;
        |n| Bool(n % 3), Max;
        |n| Complex::new(f32::from(n), 0.5), Mean;
        |n| Complex::new(f64::from(n), 0.5), Mean;
    }
    Ok(())
}

/// No other engine skips a bad index and does the rest, so this engine ran.
#[test]
fn a_bad_index_is_skipped_and_told() -> Result<()> {
    let stream = stream()?;
    let mut sums = Tensor::<f32>::zeros([4], &stream)?;
    let index = Tensor::<i64>::new([1, 7, -1], &stream)?;
    let src = Tensor::<f32>::new([1.0, 2.0, 4.0], &stream)?;
    sums.scatter_add_(0, &index, &src, stream.on(Engine::Kernel))?;
    assert_eq!(bad_index(stream.synchronize().unwrap_err()), (Operator::ScatterAdd, vec![1], 7, 4));
    assert_eq!(sums.to_vec(&stream)?, [0.0, 1.0, 0.0, 4.0]);
    Ok(())
}

#[test]
fn a_bad_index_of_a_list_is_skipped_and_told() -> Result<()> {
    let stream = stream()?;
    let mut x = Tensor::<f32>::zeros([2, 3], &stream)?;
    let rows = Tensor::<i64>::new([[0], [-1]], &stream)?;
    let columns = Tensor::<i64>::new([1, 3], &stream)?;
    let values = Tensor::<f32>::new([1.0], &stream)?;
    x.index_put_(&[Some(&rows), Some(&columns)], &values, true, stream.on(Engine::Kernel))?;
    // In the shape of the tensors together.
    assert_eq!(bad_index(stream.synchronize().unwrap_err()), (Operator::IndexPut, vec![0, 1], 3, 3));
    assert_eq!(x.to_vec(&stream)?, [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    Ok(())
}

/// Three launches gather rows from a table that no core can hold a column of, two of them by a list
/// in the workspace. Of a row of bad values the first one is told.
#[test]
fn an_index_that_is_stored_whole() -> Result<()> {
    const TABLE: usize = 100_000;
    let stream = stream()?;
    let elements: Vec<i16> = (0..TABLE * 32).map(|at| (at % 30_011) as i16).collect();
    let table = Tensor::from_slice(&elements, [TABLE, 32], &stream)?;
    let rows: Vec<i64> = (0..768 * 32).map(|at| (at / 32 * 7919 % TABLE) as i64).collect();
    for changed in [None, Some((767, 31, 5)), Some((9, 0, TABLE as i64))] {
        let mut index = rows.clone();
        if let Some((row, column, value)) = changed {
            index[row * 32 + column..row * 32 + 32].fill(value);
        }
        let index = Tensor::from_slice(&index, [768, 32], &stream)?;
        let of = |engine| table.gather(0, &index, stream.on(engine))?.to_vec(&stream);
        if changed.is_some_and(|(.., value)| value == TABLE as i64) {
            let wanted = (Operator::Gather, vec![9, 0], TABLE as i64, TABLE);
            assert_eq!(bad_index(of(Engine::Kernel).unwrap_err()), wanted);
        } else {
            assert_eq!(of(Engine::Kernel)?, of(Engine::Cpu)?);
        }
    }
    Ok(())
}

/// A bad index that the kernels find is told to whoever reads the data, or what was made of it.
#[test]
fn a_bad_index_follows_the_data() -> Result<()> {
    let stream = stream()?;
    let (read, dropped) = (stream.device().stream()?, stream.device().stream()?);
    let src = Tensor::<f32>::new([1.0, 2.0, 4.0], &stream)?;
    let scatter = |value, stream: &Stream| -> Result<Tensor<f32>> {
        let index = Tensor::<i64>::new([1, value, -1], stream)?;
        Tensor::<f32>::zeros([4], stream)?.scatter_add(0, &index, &src, stream.on(Engine::Kernel))
    };
    let wanted = |value| (Operator::ScatterAdd, vec![1], value, 4);
    let (good, bad, behind) = (scatter(2, &stream)?, scatter(7, &stream)?, scatter(2, &stream)?);
    let copy = bad.contiguous(&read)?;
    for tensor in [&bad, &copy, &bad] {
        assert_eq!(bad_index(tensor.to_vec(&read).unwrap_err()), wanted(7));
    }
    assert_eq!(good.to_vec(&read)?, [0.0, 1.0, 2.0, 4.0]);
    assert_eq!(behind.to_vec(&read)?, [0.0, 1.0, 2.0, 4.0]);
    // Two engines on one stream: the failure of the earlier call is returned, whichever becomes
    // known first.
    let index = Tensor::<i64>::new([9], &stream)?;
    let mut by_cpu = Tensor::<f32>::zeros([4], &stream)?;
    by_cpu.scatter_(0, &index, 1.0, Reduce::None, stream.on(Engine::Cpu))?;
    assert_eq!(bad_index(by_cpu.to_vec(&read).unwrap_err()).2, 9);
    assert_eq!(bad_index(stream.synchronize().unwrap_err()), wanted(7));
    assert_eq!(copy.to_vec(&read)?, [0.0, 1.0, 0.0, 4.0]);
    assert_eq!(by_cpu.to_vec(&read)?, [0.0; 4]);
    // A stream that has been dropped.
    let left = scatter(8, &dropped)?;
    drop(dropped);
    assert!(matches!(read.synchronize(), Err(aclnn::Error::Dropped(_))));
    assert_eq!(bad_index(left.to_vec(&read).unwrap_err()), wanted(8));
    Ok(())
}
