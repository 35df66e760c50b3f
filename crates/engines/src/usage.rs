//! Errors that aren't about a case: options and files that can't be used, and that nothing can be
//! run. Each is printed as one line, and the exit code is 2.

use std::io;
use std::path::PathBuf;

use scatter::{DType, Error, LayoutError, Operator};

use crate::refusal::Refusal;

/// Why nothing was run, or no report written.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// An unknown engine.
    #[error("unknown engine {got:?}: expected {}", known.join(" or "))]
    Engine {
        /// The name that was given.
        got: String,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// An engine on host-cann and one on the installed CANN, which one process can't have.
    #[error(
        "engines {host} and {installed}: host-cann and the installed CANN can't be in one process; run one after the other"
    )]
    TwoCanns {
        /// The engine on host-cann.
        host: &'static str,
        /// The engine on the installed CANN.
        installed: &'static str,
    },
    /// A pool of this many threads can't be made.
    #[error("no pool of {threads} threads: {error}")]
    Threads {
        /// The number of threads that was asked for.
        threads: usize,
        /// Why there is no pool.
        error: rayon::ThreadPoolBuildError,
    },
    /// The CANN or library that an engine needs can't be used.
    #[error("engine {engine}, {setting}: {reason}")]
    Libraries {
        /// The engine.
        engine: &'static str,
        /// The engine's setting that needs it.
        setting: &'static str,
        /// Why it can't be used.
        reason: String,
    },
    /// A command that this program was built without.
    #[error("{command}: needs the feature {feature}: cargo run --release --features {feature} -- {command}")]
    Feature {
        /// The command.
        command: &'static str,
        /// The feature of the package `conformance` that it needs.
        feature: &'static str,
    },
    /// No case matches the options.
    #[error("no case matches {filters}")]
    NoCase {
        /// The options that select cases, as text.
        filters: String,
    },
    /// No engine can run any of the cases.
    #[error("no case can be run on {}", with_reasons(engines))]
    NotApplicable {
        /// The engines, each with the reason why it can't run the first case.
        engines: Vec<(String, String)>,
    },
    /// A file that can't be read or written.
    #[error("{}: {error}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A file with invalid content.
    #[error("{}: {reason}", file.display())]
    Content {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: Box<Reason>,
    },
    /// A distribution with invalid parameters.
    #[error("workload: {0}")]
    Workload(#[from] rand_distr::ZipfError),
    /// The report can't be written.
    #[error("output: {0}")]
    Output(#[from] io::Error),
}

/// What is wrong with the content of a file.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// It isn't a safetensors file.
    #[error("{0}")]
    Safetensors(#[from] safetensors::SafeTensorError),
    /// It isn't JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// An unknown version of the format.
    #[error("format {0} is not known, only 1 is")]
    Format(u64),
    /// What is wrong with one of its cases.
    #[error("case {case}: {reason}")]
    InCase {
        /// The case's name.
        case: String,
        /// What is wrong with it.
        reason: Box<Self>,
    },
    /// Two cases have the same name.
    #[error("there are two cases of this name")]
    TwoOfAName,
    /// The name of a missing tensor, and the file.
    #[error("no tensor {0:?} in {1}")]
    NoTensor(String, String),
    /// A tensor of another dtype.
    #[error("tensor {name:?} has dtype {got}, expected {expected}")]
    TensorDType {
        /// The tensor.
        name: String,
        /// The dtypes that it may have.
        expected: String,
        /// The dtype that it has.
        got: String,
    },
    /// A tensor of another shape.
    #[error("tensor {name:?} has shape {got:?}, expected {expected}")]
    TensorShape {
        /// The tensor.
        name: String,
        /// The shape that it must have.
        expected: String,
        /// The shape that it has.
        got: Vec<usize>,
    },
    /// A tensor that does not lie inside its storage.
    #[error("{argument}: {error}")]
    Layout {
        /// The tensor.
        argument: &'static str,
        /// What is wrong.
        error: LayoutError,
    },
    /// A field that must be there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field that the operator does not take.
    #[error("{0} does not go with {1}")]
    Needless(&'static str, Operator),
    /// A field with an invalid value.
    #[error("{name}: {got:?} is not {expected}")]
    Field {
        /// The field.
        name: &'static str,
        /// The value.
        got: String,
        /// A description of the valid values.
        expected: &'static str,
    },
    /// A bound for a dtype that takes none.
    #[error("a bound needs a float dtype, got {0}")]
    BoundDType(DType),
    /// Expected results of another shape than the call's result.
    #[error("expected has shape {got:?}, which is not the result's {out:?}")]
    ExpectedShape {
        /// The shape of the result.
        out: Vec<usize>,
        /// The shape of the tensor.
        got: Vec<usize>,
    },
    /// A call that is refused.
    #[error("refused: {0}")]
    Refused(#[from] Refusal),
}

impl From<Error> for Reason {
    fn from(error: Error) -> Self {
        Self::Refused(error.into())
    }
}

impl Reason {
    /// The reason, as one of a file.
    pub fn of(self, file: impl Into<PathBuf>) -> UsageError {
        UsageError::Content { file: file.into(), reason: Box::new(self) }
    }

    /// The reason, as one of a case.
    pub fn in_case(self, case: &str) -> Self {
        Self::InCase { case: case.to_owned(), reason: Box::new(self) }
    }
}

fn with_reasons(engines: &[(String, String)]) -> String {
    engines.iter().map(|(name, reason)| format!("{name} ({reason})")).collect::<Vec<_>>().join(" or ")
}
