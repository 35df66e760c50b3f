//! What ends the program before or beside the cases: options and files that can't be used. One line each, exit code 2.

use std::io;
use std::path::PathBuf;

use scatter::{DType, Error, LayoutError, Operator};

use crate::engine::Refusal;

/// An option or a file that can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    /// An engine that this machine doesn't have.
    #[error("unknown engine {got:?}: expected {}", known.join(" or "))]
    Engine { got: String, known: Vec<&'static str> },
    /// No pool of so many threads.
    #[error("no pool of {threads} threads: {error}")]
    Threads { threads: usize, error: rayon::ThreadPoolBuildError },
    /// A CANN that an engine needs and that can't be had.
    #[error("engine {engine}, {setting}: {problem}")]
    Libraries { engine: &'static str, setting: &'static str, problem: String },
    /// Options that leave no case.
    #[error("no case matches {filters}")]
    NoCase { filters: String },
    /// A file that can't be read or written.
    #[error("{}: {error}", file.display())]
    File { file: PathBuf, error: io::Error },
    /// A file that isn't what it should be.
    #[error("{}: {problem}", file.display())]
    Content { file: PathBuf, problem: Box<Problem> },
    /// A distribution with impossible parameters.
    #[error("workload: {0}")]
    Workload(#[from] rand_distr::ZipfError),
    /// The report can't be written.
    #[error("output: {0}")]
    Output(#[from] io::Error),
}

impl UsageError {
    /// Whether nobody reads the output any more, which is no error: `conformance --list | head`.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// What is wrong with the content of a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("{0}")]
    Safetensors(#[from] safetensors::SafeTensorError),
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("format {0} is not known, only 1 is")]
    Format(u64),
    #[error("case {case}: {problem}")]
    InCase { case: String, problem: Box<Self> },
    #[error("there are two cases of this name")]
    TwoOfAName,
    #[error("no tensor {0:?} in {1}")]
    NoTensor(String, String),
    #[error("tensor {name:?} has dtype {got}, expected {expected}")]
    TensorDType { name: String, expected: String, got: String },
    #[error("tensor {name:?} has shape {got:?}, expected {expected}")]
    TensorShape { name: String, expected: String, got: Vec<usize> },
    #[error("{argument}: {error}")]
    Layout { argument: &'static str, error: LayoutError },
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("{0} does not go with {1}")]
    Needless(&'static str, Operator),
    #[error("{name}: {got:?} is not {expected}")]
    Field { name: &'static str, got: String, expected: &'static str },
    #[error("a bound needs a float dtype, got {0}")]
    BoundDType(DType),
    #[error("expected has shape {got:?}, which is not the result's {out:?}")]
    ExpectedShape { out: Vec<usize>, got: Vec<usize> },
    #[error("refused: {0}")]
    Refused(#[from] Refusal),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Refused(error.into())
    }
}

impl Problem {
    /// The problem as that of a file.
    pub(crate) fn of(self, file: impl Into<PathBuf>) -> UsageError {
        UsageError::Content { file: file.into(), problem: Box::new(self) }
    }

    /// The problem as that of a case.
    pub(crate) fn in_case(self, case: &str) -> Self {
        Self::InCase { case: case.to_owned(), problem: Box::new(self) }
    }
}
