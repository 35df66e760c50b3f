//! The format of `manifest.json`; `tests/oracle/README.md` describes it.

use engines::operator::{self, Parameters};
use engines::usage::Reason;
use scatter::{Complex, DType, Op, Operator, Reduce, Scalar};
use serde::Deserialize;

use crate::axes;

/// The whole file.
#[derive(Debug, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: u64,
    pub(super) cases: Vec<Line>,
}

/// A case; each is one line of the file.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) name: String,
    /// The file with the tensors.
    pub(super) file: String,
    op: String,
    dtype: String,
    index_dtype: String,
    dim: Option<i64>,
    reduce: Option<String>,
    include_self: Option<bool>,
    value: Option<ValueLine>,
    alpha: Option<ValueLine>,
    axes: Option<Vec<usize>>,
    accumulate: Option<bool>,
    padding: Option<usize>,
    scale: Option<bool>,
    #[serde(rename = "self")]
    pub(super) self_: ViewLine,
    pub(super) index: ViewLine,
    pub(super) src: Option<ViewLine>,
    pub(super) expected: ElementsLine,
    pub(super) compare: Compare,
}

/// A strided tensor in a flat storage.
#[derive(Debug, Deserialize)]
pub(super) struct ViewLine {
    pub(super) tensor: String,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<isize>,
    pub(super) offset: usize,
}

/// A contiguous tensor.
#[derive(Debug, Deserialize)]
pub(super) struct ElementsLine {
    pub(super) tensor: String,
    pub(super) shape: Vec<usize>,
}

/// How a result is compared with the expected one.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Compare {
    Bits,
    Bound { tensor: String },
}

/// The scalar of `scatter_value` or `index_fill`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ValueLine {
    Bool(bool),
    Int(i64),
    Float(Real),
    Complex(Real, Real),
}

/// A float. JSON has no infinities and no NaN, so these are strings.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Real {
    Finite(f64),
    Other(String),
}

impl Line {
    /// The dtypes of self and of index.
    pub(super) fn dtypes(&self) -> Result<(DType, DType), Reason> {
        let parse = |name, text: &str| {
            text.parse::<DType>().map_err(|_| Reason::Field {
                name,
                got: text.to_owned(),
                expected: "a dtype",
            })
        };
        Ok((parse("dtype", &self.dtype)?, parse("index_dtype", &self.index_dtype)?))
    }

    /// The operator with its parameters.
    pub(super) fn op(&self) -> Result<Op, Reason> {
        let operator: Operator = operator::operator(&self.op)?;
        let reduce = self.reduce.as_deref().map(|text| {
            let unknown = |_| Reason::Field { name: "reduce", got: text.to_owned(), expected: "a reduction" };
            text.parse::<Reduce>().map_err(unknown)
        });
        let axes = self.axes.as_deref().map(|list| {
            let unknown =
                || Reason::Field { name: "axes", got: format!("{list:?}"), expected: axes::EXPECTED };
            axes::ascending(list).ok_or_else(unknown)
        });
        let value = self.value.as_ref().map(ValueLine::scalar);
        let alpha = self.alpha.as_ref().map(ValueLine::scalar);
        Parameters {
            dim: self.dim,
            reduce: reduce.transpose()?,
            include_self: self.include_self,
            value: value.transpose()?,
            alpha: alpha.transpose()?,
            axes: axes.transpose()?,
            accumulate: self.accumulate,
            padding: self.padding,
            scale: self.scale,
        }
        .op(operator)
    }
}

impl ValueLine {
    fn scalar(&self) -> Result<Scalar, Reason> {
        Ok(match self {
            Self::Bool(value) => Scalar::Bool(*value),
            Self::Int(value) => Scalar::from(*value),
            Self::Float(value) => Scalar::Float(value.value()?),
            Self::Complex(re, im) => Scalar::Complex(Complex::new(re.value()?, im.value()?)),
        })
    }
}

impl Real {
    fn value(&self) -> Result<f64, Reason> {
        match self {
            Self::Finite(value) => Ok(*value),
            Self::Other(text) => match text.as_str() {
                "nan" => Ok(f64::NAN),
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                _ => Err(Reason::Field {
                    name: "value",
                    got: text.clone(),
                    expected: "a number, \"nan\", \"inf\" or \"-inf\"",
                }),
            },
        }
    }
}
