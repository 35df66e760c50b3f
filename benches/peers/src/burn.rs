//! burn-flex, burn's backend for CPUs.

use burn_backend::ops::{FloatTensorOps, IntTensorOps};
use burn_backend::tensor::IndexingUpdateOp;
use burn_backend::{DType, TensorData};
use burn_flex::{Flex, FlexTensor};

use crate::Loaded;
use crate::workload::{Call, Tensor, Workload};

struct Burn {
    start: FlexTensor,
    /// Owned by this alone, so that it is written in place.
    self_: Option<FlexTensor>,
    index: FlexTensor,
    src: FlexTensor,
    call: Call,
    is_float: bool,
}

pub fn load(workload: &Workload) -> Result<Box<dyn Loaded>, String> {
    let (call, dtype) = (workload.call()?, dtype(&workload.self_.dtype)?);
    let tensor = |of: &Tensor, shape: &[usize], dtype| {
        Ok::<_, String>(FlexTensor::from_data(TensorData::from_bytes_vec(of.bytes()?, shape.to_vec(), dtype)))
    };
    let src = workload.src.as_ref().ok_or("burn takes no scalar for src")?;
    Ok(Box::new(Burn {
        start: tensor(&workload.self_, &workload.self_.shape, dtype)?,
        self_: None,
        index: tensor(&workload.index, &workload.index_shape(), self::dtype(&workload.index.dtype)?)?,
        src: tensor(src, &src.shape, dtype)?,
        call,
        is_float: matches!(dtype, DType::F32 | DType::F16 | DType::BF16),
    }))
}

fn dtype(name: &str) -> Result<DType, String> {
    Ok(match name {
        "f32" => DType::F32,
        "f16" => DType::F16,
        "bf16" => DType::BF16,
        "i64" => DType::I64,
        "i32" => DType::I32,
        "i8" => DType::I8,
        other => return Err(format!("no {other} in burn-flex's scatter")),
    })
}

impl Loaded for Burn {
    fn reset(&mut self) -> Result<(), String> {
        let bytes = self.start.bytes().to_vec();
        let data =
            TensorData::from_bytes_vec(bytes, self.start.layout().shape().to_vec(), self.start.dtype());
        self.self_ = Some(FlexTensor::from_data(data));
        Ok(())
    }

    fn call(&mut self) -> Result<(), String> {
        use IndexingUpdateOp::{Add, Assign, Mul};
        let self_ = self.self_.take().ok_or("self is lost")?;
        let (index, src) = (self.index.clone(), self.src.clone());
        let update = match self.call {
            Call::Replace(_) => Assign,
            Call::Multiply(_) => Mul,
            _ => Add,
        };
        self.self_ = Some(match (self.call, self.is_float) {
            (Call::Add(dim) | Call::Replace(dim) | Call::Multiply(dim), true) => {
                Flex::float_scatter(dim, self_, index, src, update)
            }
            (Call::Add(dim) | Call::Replace(dim) | Call::Multiply(dim), false) => {
                Flex::int_scatter(dim, self_, index, src, update)
            }
            (Call::AddRows, true) => Flex::float_select_assign(self_, 0, index, src, update),
            (Call::AddRows, false) => Flex::int_select_assign(self_, 0, index, src, update),
            (Call::AddPairs, true) => Flex::float_scatter_nd(self_, index, src, update),
            (Call::AddPairs, false) => Flex::int_scatter_nd(self_, index, src, update),
        });
        Ok(())
    }

    fn result(&self) -> Result<Vec<u8>, String> {
        Ok(self.self_.as_ref().ok_or("self is lost")?.bytes().to_vec())
    }
}
