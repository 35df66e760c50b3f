//! Compares the operator with candle's own, and tests inputs that candle's own refuses.

use aclnn::Runtime;
use candle_core::{DType, Device, Result, Tensor};

use crate::scatter_add::ScatterAdd;

fn scatter_add(dim: usize) -> ScatterAdd {
    let stream = Runtime::host().unwrap().device(0).unwrap().stream().unwrap();
    ScatterAdd { dim, stream }
}

/// Small integers, which every dtype can represent, and which are all valid indices into an axis of
/// size 5.
fn integers(shape: &[usize], dtype: DType) -> Result<Tensor> {
    let values: Vec<i64> = (0..shape.iter().product::<usize>() as i64).map(|i| i * 7 % 5).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)
}

fn values(tensor: &Tensor) -> Result<Vec<f64>> {
    tensor.flatten_all()?.to_dtype(DType::F64)?.to_vec1()
}

#[test]
fn every_dtype_and_axis_is_as_candle_has_it() -> Result<()> {
    let (floats, integral) = ([DType::BF16, DType::F16, DType::F32, DType::F64], [DType::I64, DType::U8]);
    for dtype in floats.into_iter().chain(integral) {
        for (index, dim) in [(DType::I64, 0), (DType::I64, 1), (DType::U32, 2)] {
            let (self_, src) = (integers(&[5, 5, 5], dtype)?, integers(&[5, 5, 5], dtype)?);
            let index = integers(&[5, 5, 5], index)?;
            let own = self_.scatter_add(&index, &src, dim)?;
            let out = self_.apply_op3_no_bwd(&index, &src, &scatter_add(dim))?;
            assert_eq!(
                (out.dtype(), out.dims(), values(&out)?),
                (dtype, own.dims(), values(&own)?),
                "{dtype:?}, {dim}"
            );
            assert_ne!(values(&out)?, values(&self_)?);
            self_.inplace_op3(&index, &src, &scatter_add(dim))?;
            assert_eq!(values(&self_)?, values(&own)?);
        }
    }
    Ok(())
}

#[test]
fn strides_may_be_any() -> Result<()> {
    let self_ = integers(&[4, 5], DType::F32)?.t()?; // [5, 4]
    let src = integers(&[4, 3], DType::F32)?.t()?; // [3, 4]
    let index = integers(&[7], DType::I64)?.narrow(0, 2, 3)?.unsqueeze(1)?.broadcast_as((3, 4))?;
    assert!(self_.scatter_add(&index, &src, 0).is_err(), "candle's own wants copies");
    let own = self_.contiguous()?.scatter_add(&index.contiguous()?, &src.contiguous()?, 0)?;
    let out = self_.apply_op3_no_bwd(&index, &src, &scatter_add(0))?;
    assert_eq!(values(&out)?, values(&own)?);

    // In place, on a view in the middle of a storage.
    let table = integers(&[9, 4], DType::F32)?;
    let (before, rows) = (values(&table)?, table.narrow(0, 2, 5)?);
    let own = rows.contiguous()?.scatter_add(&index.contiguous()?, &src.contiguous()?, 0)?;
    rows.inplace_op3(&index, &src, &scatter_add(0))?;
    assert_eq!(values(&rows)?, values(&own)?);
    let after = values(&table)?;
    assert_eq!((&after[..8], &after[28..]), (&before[..8], &before[28..]));

    let nothing = integers(&[0, 4], DType::I64)?;
    let out = table.apply_op3_no_bwd(&nothing, &nothing.to_dtype(DType::F32)?, &scatter_add(0))?;
    assert_eq!(values(&out)?, after);
    Ok(())
}

#[test]
fn what_is_refused_is_an_error_and_changes_nothing() -> Result<()> {
    let table = integers(&[5, 4], DType::F32)?;
    let (index, src) = (integers(&[5, 4], DType::I64)?, integers(&[5, 4], DType::F32)?);
    let refused = |table: &Tensor, index: &Tensor, src: &Tensor| {
        table.inplace_op3(index, src, &scatter_add(0)).unwrap_err().to_string()
    };
    let outside = (&index + 1.0)?;
    let said = refused(&table, &outside, &src);
    assert!(said.contains("index") && said.contains("got 5"), "{said}");
    let said = refused(&table, &index, &src.to_dtype(DType::F64)?);
    assert!(said.contains("dtype"), "{said}");
    let said = refused(&table, &src, &src);
    assert!(said.contains("index of i64, i32 or u32 expected, got F32"), "{said}");
    assert_eq!(values(&table)?, values(&src)?);

    let transposed = table.t()?;
    let error = transposed.inplace_op3(&index.t()?, &src.t()?, &scatter_add(1)).unwrap_err();
    assert!(error.to_string().contains("contiguous"), "{error}");
    let boxed = integers(&[5, 4], DType::U32)?;
    let error = boxed.apply_op3_no_bwd(&index, &boxed, &scatter_add(0)).unwrap_err();
    assert!(error.to_string().contains("got U32"), "{error}");
    Ok(())
}
