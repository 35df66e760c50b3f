//! A workload as the bench describes it.

use std::path::PathBuf;

use serde::Deserialize;

#[derive(Deserialize)]
pub struct Workload {
    pub op: String,
    pub dim: Option<usize>,
    pub reduce: String,
    pub alpha: Option<f64>,
    #[serde(rename = "self")]
    pub self_: Tensor,
    pub index: Tensor,
    pub src: Option<Tensor>,
}

/// A tensor whose storage is a file.
#[derive(Deserialize)]
pub struct Tensor {
    pub file: PathBuf,
    pub dtype: String,
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
}

/// The calls that these implementations have.
#[derive(Clone, Copy)]
pub enum Call {
    /// Adds src to elements along an axis; the next two replace or multiply them.
    Add(usize),
    Replace(usize),
    Multiply(usize),
    /// Adds rows of src to rows that one number each names.
    AddRows,
    /// The same into a tensor of zeros, which the call makes: the gradient of an embedding.
    AddRowsToZeros,
    /// Adds rows of src to rows that a pair of numbers each names.
    AddPairs,
    /// Reads elements along an axis.
    Read(usize),
    /// Reads rows that one number each names.
    ReadRows,
}

impl Workload {
    /// The call for this workload.
    pub fn call(&self) -> Result<Call, String> {
        let dim = self.dim.unwrap_or(0);
        match (self.op.as_str(), self.reduce.as_str()) {
            ("scatter_add", _) if self.is_expanded() => Ok(Call::AddRows),
            ("scatter_add", _) => Ok(Call::Add(dim)),
            ("scatter", "none") => Ok(Call::Replace(dim)),
            ("scatter", "multiply" | "mul") => Ok(Call::Multiply(dim)),
            ("scatter_nd_add", _) | ("index_put", "add") => Ok(Call::AddPairs),
            ("index_add", _) if self.alpha.is_none_or(|alpha| alpha == 1.0) => Ok(Call::AddRows),
            ("index_add", _) => Err("no call with an alpha".to_owned()),
            // The workloads have neither padding nor a scale.
            ("embedding_backward", _) => Ok(Call::AddRowsToZeros),
            ("gather", _) if self.is_expanded() => Ok(Call::ReadRows),
            ("gather", _) => Ok(Call::Read(dim)),
            (op, reduce) => Err(format!("no call for {op} with {reduce}")),
        }
    }

    /// Whether index is one number per row.
    fn is_expanded(&self) -> bool {
        self.index.strides.last() == Some(&0)
    }

    /// The shape of what is stored of index.
    pub fn index_shape(&self) -> Vec<usize> {
        if self.is_expanded() { vec![self.index.shape[0]] } else { self.index.shape.clone() }
    }
}

impl Tensor {
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.file).map_err(|error| format!("{}: {error}", self.file.display()))
    }
}
