//! Tensors from a safetensors file.

use std::collections::HashMap;

use engines::storage::Storage;
use engines::tensor::Tensor;
use engines::usage::Reason;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use scatter::DType;

/// The tensors of a file, with its name for messages.
#[derive(Debug)]
pub(crate) struct TensorsFile<'a> {
    name: String,
    tensors: SafeTensors<'a>,
    metadata: HashMap<String, String>,
}

impl<'a> TensorsFile<'a> {
    /// Reads the file's bytes.
    pub(crate) fn new(name: &str, bytes: &'a [u8]) -> Result<Self, Reason> {
        let tensors = SafeTensors::deserialize(bytes)?;
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        Ok(Self { name: name.to_owned(), tensors, metadata: header.metadata().clone().unwrap_or_default() })
    }

    /// The file's metadata of this name.
    pub(crate) fn metadata(&self, name: &str) -> Option<&str> {
        self.metadata.get(name).map(String::as_str)
    }

    /// Whether the file has this tensor.
    pub(crate) fn contains(&self, tensor: &str) -> bool {
        self.tensors.tensor(tensor).is_ok()
    }

    /// A tensor, of the dtype in the file, or of `dtype` where that is given. complex64 may be
    /// stored as such; both complex dtypes may also be stored as floats with one more axis of
    /// size 2.
    pub(crate) fn tensor(&self, name: &str, dtype: Option<DType>) -> Result<Tensor, Reason> {
        let view =
            self.tensors.tensor(name).map_err(|_| Reason::NoTensor(name.to_owned(), self.name.clone()))?;
        let of_dtype = |expected: String| Reason::TensorDType {
            name: name.to_owned(),
            expected,
            got: format!("{:?}", view.dtype()).to_lowercase(),
        };
        let dtype = match dtype.or_else(|| dtype_of(view.dtype())) {
            Some(dtype) => dtype,
            None => return Err(of_dtype("one of the twelve".to_owned())),
        };
        let shape = match component(dtype) {
            Some(component) if component == view.dtype() => pairs(name, &view)?,
            _ if dtype_of(view.dtype()) == Some(dtype) => view.shape(),
            _ => return Err(of_dtype(dtype.to_string())),
        };
        match Storage::from_bytes(dtype, view.data()) {
            Some(storage) => Ok(Tensor::contiguous(storage, shape)),
            None => Err(of_dtype(dtype.to_string())),
        }
    }

    /// The storage of a flat tensor.
    pub(crate) fn storage(&self, name: &str, dtype: DType) -> Result<Storage, Reason> {
        let Tensor { storage, shape, .. } = self.tensor(name, Some(dtype))?;
        if shape.len() == 1 {
            return Ok(storage);
        }
        Err(Reason::TensorShape { name: name.to_owned(), expected: "one axis".to_owned(), got: shape })
    }
}

/// The shape of a tensor of complex numbers that are stored as pairs of floats along the last axis.
fn pairs<'a>(name: &str, view: &'a TensorView<'_>) -> Result<&'a [usize], Reason> {
    match view.shape().split_last() {
        Some((2, shape)) => Ok(shape),
        _ => Err(Reason::TensorShape {
            name: name.to_owned(),
            expected: "two parts along its last axis".to_owned(),
            got: view.shape().to_vec(),
        }),
    }
}

/// The dtype of the two parts of a complex dtype.
const fn component(dtype: DType) -> Option<Dtype> {
    match dtype {
        DType::Complex64 => Some(Dtype::F32),
        DType::Complex128 => Some(Dtype::F64),
        _ => None,
    }
}

const fn dtype_of(dtype: Dtype) -> Option<DType> {
    Some(match dtype {
        Dtype::BF16 => DType::Bf16,
        Dtype::F16 => DType::F16,
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        Dtype::I64 => DType::I64,
        Dtype::I32 => DType::I32,
        Dtype::I16 => DType::I16,
        Dtype::I8 => DType::I8,
        Dtype::U8 => DType::U8,
        Dtype::BOOL => DType::Bool,
        Dtype::C64 => DType::Complex64,
        _ => return None,
    })
}
