//! Writes a workload to files that peers read.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use engines::case::Case;
use engines::tensor::Tensor;
use engines::usage::UsageError;
use scatter::Scalar;
use serde::Serialize;

use crate::workload::Workload;

/// The description of a call, for a peer.
#[derive(Debug, Serialize)]
pub(super) struct Description {
    name: &'static str,
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dim: Option<i64>,
    reduce: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha: Option<f64>,
    #[serde(rename = "self")]
    self_: TensorFile,
    index: TensorFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    src: Option<TensorFile>,
}

/// A tensor whose storage is a file, in the machine's byte order.
#[derive(Debug, Serialize)]
struct TensorFile {
    file: PathBuf,
    dtype: &'static str,
    shape: Vec<usize>,
    /// The strides in elements; 0 along an expanded axis.
    strides: Vec<isize>,
}

/// A folder that is removed on drop.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A temporary folder for this process.
    pub(super) fn new() -> Result<Self, UsageError> {
        let folder = std::env::temp_dir().join(format!("conformance-bench-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| UsageError::File { file: folder.clone(), error })?;
        Ok(Self(folder))
    }

    /// The file to which a peer writes its result, without what another has written there.
    pub(super) fn result(&self) -> Result<PathBuf, UsageError> {
        let file = self.0.join("result");
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(UsageError::File { file, error }),
            _ => Ok(file),
        }
    }

    /// Writes a workload's tensors, over those of the previous workload.
    pub(super) fn write(&self, workload: &Workload, case: &Case) -> Result<Description, UsageError> {
        let op = workload.op();
        Ok(Description {
            name: workload.name(),
            op: op.operator().name(),
            dim: op.dim(),
            reduce: op.reduce().to_string(),
            value: op.value().and_then(number),
            alpha: op.alpha().and_then(number),
            self_: self.tensor("self", &case.self_)?,
            index: self.tensor("index", &case.index)?,
            src: case.src.as_ref().map(|src| self.tensor("src", src)).transpose()?,
        })
    }

    fn tensor(&self, name: &str, tensor: &Tensor) -> Result<TensorFile, UsageError> {
        let file = self.0.join(name);
        let written = fs::write(&file, tensor.storage.bytes());
        written.map_err(|error| UsageError::File { file: file.clone(), error })?;
        Ok(TensorFile {
            file,
            dtype: tensor.storage.dtype().name(),
            shape: tensor.shape.clone(),
            strides: tensor.strides.clone(),
        })
    }
}

/// A scalar as a number of JSON; `None` for one that isn't real.
const fn number(scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::Float(value) => Some(value),
        Scalar::Int(value) => Some(value as f64),
        _ => None,
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A failure is ignored: it only leaves temporary files behind.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The bytes of the result that a peer wrote; `None` where it wrote none.
pub(super) fn read(file: &Path) -> Result<Option<Vec<u8>>, UsageError> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(UsageError::File { file: file.to_owned(), error }),
    }
}
