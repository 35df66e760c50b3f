//! burn-flex, burn's backend for CPUs.

use burn_backend::ops::{FloatTensorOps, IntTensorOps};
use burn_backend::tensor::IndexingUpdateOp;
use burn_backend::{DType, TensorData};
use burn_flex::{Flex, FlexTensor};

use crate::Loaded;
use crate::workload::{Call, Tensor, Workload};

struct Burn {
    start: FlexTensor,
    /// Owned by this alone, so that it is written in place; of a gather the result.
    self_: Option<FlexTensor>,
    index: FlexTensor,
    /// None of a gather.
    src: Option<FlexTensor>,
    call: Call,
    is_float: bool,
}

pub fn load(workload: &Workload) -> Result<Box<dyn Loaded>, String> {
    let (call, dtype) = (workload.call()?, dtype(&workload.self_.dtype)?);
    let tensor = |of: &Tensor, shape: &[usize], dtype| {
        Ok::<_, String>(FlexTensor::from_data(TensorData::from_bytes_vec(of.bytes()?, shape.to_vec(), dtype)))
    };
    if workload.src.is_none() && !matches!(call, Call::Read(_) | Call::ReadRows) {
        return Err("burn takes no scalar for src".to_owned());
    }
    Ok(Box::new(Burn {
        start: tensor(&workload.self_, &workload.self_.shape, dtype)?,
        self_: None,
        index: tensor(&workload.index, &workload.index_shape(), self::dtype(&workload.index.dtype)?)?,
        src: workload.src.as_ref().map(|src| tensor(src, &src.shape, dtype)).transpose()?,
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
        let index = self.index.clone();
        let Some(src) = self.src.clone() else {
            let self_ = self.start.clone();
            self.self_ = Some(match (self.call, self.is_float) {
                (Call::Read(dim), true) => Flex::float_gather(dim, self_, index),
                (Call::Read(dim), false) => Flex::int_gather(dim, self_, index),
                (_, true) => Flex::float_select(self_, 0, index),
                (_, false) => Flex::int_select(self_, 0, index),
            });
            return Ok(());
        };
        let self_ = self.self_.take().ok_or("self is lost")?;
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
            (Call::Read(_) | Call::ReadRows, _) => return Err("a gather takes no src".to_owned()),
            (Call::AddRows, true) => Flex::float_select_assign(self_, 0, index, src, update),
            (Call::AddRows, false) => Flex::int_select_assign(self_, 0, index, src, update),
            (Call::AddRowsToZeros, true) => {
                let zeros = Flex::float_zeros(
                    self_.layout().shape().clone(),
                    &Default::default(),
                    self_.dtype().into(),
                );
                Flex::float_select_assign(zeros, 0, index, src, update)
            }
            (Call::AddRowsToZeros, false) => return Err("the gradient of an embedding is a float".to_owned()),
            (Call::AddPairs, true) => Flex::float_scatter_nd(self_, index, src, update),
            (Call::AddPairs, false) => Flex::int_scatter_nd(self_, index, src, update),
        });
        Ok(())
    }

    fn result(&self) -> Result<Vec<u8>, String> {
        Ok(self.self_.as_ref().ok_or("self is lost")?.bytes().to_vec())
    }
}
