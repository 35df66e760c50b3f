//! candle-core, on the CPU.

use candle_core::{DType, Device, Tensor};

use crate::Loaded;
use crate::workload::{Call, Workload};

struct Candle {
    start: Tensor,
    /// Of a gather the result.
    self_: Tensor,
    index: Tensor,
    /// Of a gather self again, which is only read.
    src: Tensor,
    call: Call,
}

pub fn load(workload: &Workload) -> Result<Box<dyn Loaded>, String> {
    let call = workload.call()?;
    if matches!(call, Call::Multiply(_) | Call::AddPairs) {
        return Err("candle has no such scatter".to_owned());
    }
    let dtype = dtype(&workload.self_.dtype)?;
    let tensor = |bytes: &[u8], dtype, shape: &[usize]| {
        Tensor::from_raw_buffer(bytes, dtype, shape, &Device::Cpu).map_err(|error| error.to_string())
    };
    let start = tensor(&workload.self_.bytes()?, dtype, &workload.self_.shape)?;
    let index_dtype = self::dtype(&workload.index.dtype)?;
    let index = tensor(&workload.index.bytes()?, index_dtype, &workload.index_shape())?;
    let reads = matches!(call, Call::Read(_) | Call::ReadRows);
    let src = workload.src.as_ref().or(reads.then_some(&workload.self_));
    let src = src.ok_or("candle takes no scalar for src")?;
    let src = tensor(&src.bytes()?, dtype, &src.shape)?;
    let self_ = start.copy().map_err(|error| error.to_string())?;
    Ok(Box::new(Candle { start, self_, index, src, call }))
}

fn dtype(name: &str) -> Result<DType, String> {
    Ok(match name {
        "f32" => DType::F32,
        "f16" => DType::F16,
        "bf16" => DType::BF16,
        "i64" => DType::I64,
        "i32" => DType::I32,
        other => return Err(format!("candle has no {other}")),
    })
}

impl Loaded for Candle {
    fn reset(&mut self) -> Result<(), String> {
        self.self_ = self.start.copy().map_err(|error| error.to_string())?;
        Ok(())
    }

    fn call(&mut self) -> Result<(), String> {
        let Self { self_, index, src, .. } = self;
        let done = match self.call {
            Call::Add(dim) => self_.scatter_add_set(index, src, dim),
            Call::Replace(dim) => self_.scatter_set(index, src, dim),
            Call::Read(dim) => src.gather(index, dim).map(|out| *self_ = out),
            Call::ReadRows => src.index_select(index, 0).map(|out| *self_ = out),
            Call::AddRowsToZeros => {
                self_.zeros_like().and_then(|zeros| zeros.index_add(index, src, 0)).map(|sum| *self_ = sum)
            }
            // candle-core has no in-place index_add.
            _ => self_.index_add(index, src, 0).map(|sum| *self_ = sum),
        };
        done.map_err(|error| error.to_string())
    }

    fn result(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.self_.write_bytes(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}
