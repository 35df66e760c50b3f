//! `conformance run`: your own tensors on every engine.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use engines::Exit;
use engines::case::{Case, Expected};
use engines::engine;
use engines::engine::Engines;
use engines::judge::{Wanted, judge};
use engines::operator::{self, Parameters, parse_operator};
use engines::tensor::Tensor;
use engines::usage::{Reason, UsageError};
use scatter::{Axes, Complex, DType, Op, Operator, Reduce, Scalar};

use crate::axes;
use crate::suite::expect_runnable;
use crate::tensors_file::TensorsFile;

/// The name of a tensor that results are compared with in addition to the reference.
const EXPECTED: &str = "expected";

/// Runs a call with the tensors `self`, `index` and `src` of a safetensors file on every engine.
/// Compares the results with the reference, and with the tensor `expected` if the file has one.
///
/// Parameters for which no option is given are read from the file's metadata, where they have the
/// same names (but include_self = "false" for --exclude-self).
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// A safetensors file with the tensors self, index, src (where the operator takes one) and
    /// optionally expected
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The operator [default: that in the file's metadata, or else scatter_add]
    #[arg(long, value_name = "NAME", value_parser = parse_operator)]
    op: Option<Operator>,
    /// The axis of self that index points into
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    dim: Option<i64>,
    /// The reduction: none, add, multiply, max, min or mean
    #[arg(long, value_name = "NAME")]
    reduce: Option<Reduce>,
    /// Leaves self's values out of the reduction (only scatter_reduce)
    #[arg(long)]
    exclude_self: bool,
    /// The scalar of scatter_value and index_fill
    #[arg(long, value_name = "NUMBER", value_parser = parse_scalar, allow_hyphen_values = true)]
    value: Option<Scalar>,
    /// The scalar of index_add that src is multiplied by [default: 1]
    #[arg(long, value_name = "NUMBER", value_parser = parse_scalar, allow_hyphen_values = true)]
    alpha: Option<Scalar>,
    /// The axes of self for which the last axis of index has coordinates, such as 0,2 (only
    /// index_put)
    #[arg(long, value_name = "LIST", value_parser = parse_axes)]
    axes: Option<Axes>,
    /// Adds src, instead of replacing (only index_put)
    #[arg(long)]
    accumulate: bool,
    /// The row of out that stays zero, of embedding_backward [default: none]
    #[arg(long, value_name = "ROW")]
    padding: Option<usize>,
    /// Divide each row of embedding_backward by the number of its updates
    #[arg(long)]
    scale: bool,
    /// The dtype of self and src, if the file stores complex numbers as pairs of floats
    #[arg(long, value_name = "NAME")]
    dtype: Option<DType>,
    #[command(flatten)]
    engines: Engines,
}

/// Runs the call in the file.
pub(crate) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit, UsageError> {
    let file = &options.file;
    let engines = engine::chosen(&options.engines)?;
    let bytes = fs::read(file).map_err(|error| UsageError::File { file: file.clone(), error })?;
    let comparisons = options.comparisons(&bytes).map_err(|problem| problem.of(file))?;
    expect_runnable(&engines, comparisons.iter().map(|(_, case)| case))?;

    let mut exit = Exit::Same;
    for (wanted, case) in &comparisons {
        writeln!(out, "{case}\ncompared with {}:", case.name)?;
        for engine in &engines {
            if let Some(reason) = engine.not_applicable(case) {
                writeln!(out, "  {}: not applicable: {reason}", engine.name())?;
                continue;
            }
            for (setting, name) in engine.settings().iter().enumerate() {
                write!(out, "  {}, {name}: ", engine.name())?;
                match judge(case, wanted, engine.as_ref(), setting).mismatch {
                    None => writeln!(out, "the same, bit for bit")?,
                    Some(mismatch) => {
                        exit = Exit::Different;
                        writeln!(out, "{mismatch}")?;
                    }
                }
            }
        }
    }
    Ok(exit)
}

impl Options {
    /// The call in the file, once for each result that it is compared with.
    fn comparisons(&self, bytes: &[u8]) -> Result<Vec<(Wanted, Case)>, Reason> {
        let file = TensorsFile::new(&self.file.display().to_string(), bytes)?;
        let op = self.operator(&file)?;
        let signature = op.operator().signature();
        let self_ = file.tensor("self", self.dtype)?;
        let dtype = self_.storage.dtype();
        let index = file.tensor("index", None)?;
        let out_shape = if signature.gathers { &index.shape } else { &self_.shape };
        let out = Tensor::filler(dtype, out_shape);
        let mut cases = vec![Case {
            name: "the reference".to_owned(),
            op,
            src: if signature.has_src { Some(file.tensor("src", self.dtype)?) } else { None },
            self_,
            index,
            out: signature.has_self.then_some(out),
            claim: None,
            expected: Expected::Reference,
        }];
        if file.contains(EXPECTED) {
            let Tensor { storage, shape, .. } = file.tensor(EXPECTED, Some(dtype))?;
            let destination = cases[0].destination();
            if shape != destination.shape {
                return Err(Reason::ExpectedShape { out: destination.shape.clone(), got: shape });
            }
            let name = "the file's tensor expected".to_owned();
            cases.push(Case { name, expected: Expected::Elements(storage), ..cases[0].clone() });
        }
        cases.into_iter().map(|case| Ok((Wanted::of(&case)?, case))).collect()
    }

    /// The operator and its parameters from the options, or else from the file.
    fn operator(&self, file: &TensorsFile<'_>) -> Result<Op, Reason> {
        let parsed = |name, expected, text: &str| Reason::Field { name, got: text.to_owned(), expected };
        let operator = match (self.op, file.metadata("op")) {
            (Some(operator), _) => operator,
            (None, Some(text)) => operator::operator(text)?,
            (None, None) => Operator::ScatterAdd,
        };
        let dim =
            file.metadata("dim").map(|text| text.parse().map_err(|_| parsed("dim", "an integer", text)));
        let reduce = file
            .metadata("reduce")
            .map(|text| text.parse().map_err(|_| parsed("reduce", "a reduction", text)));
        let include_self = file
            .metadata("include_self")
            .map(|text| text.parse().map_err(|_| parsed("include_self", "true or false", text)));
        let accumulate = file
            .metadata("accumulate")
            .map(|text| text.parse().map_err(|_| parsed("accumulate", "true or false", text)));
        let axes = file
            .metadata("axes")
            .map(|text| parse_axes(text).map_err(|_| parsed("axes", axes::EXPECTED, text)));
        let padding =
            file.metadata("padding").map(|text| text.parse().map_err(|_| parsed("padding", "a row", text)));
        let scale = file
            .metadata("scale")
            .map(|text| text.parse().map_err(|_| parsed("scale", "true or false", text)));
        let scalar = |name| {
            let parsed = |text: &str| parse_scalar(text).map_err(|_| parsed(name, "a number", text));
            file.metadata(name).map(parsed)
        };
        Parameters {
            dim: self.dim.or(dim.transpose()?),
            reduce: self.reduce.or(reduce.transpose()?),
            include_self: self.exclude_self.then_some(false).or(include_self.transpose()?),
            value: self.value.or(scalar("value").transpose()?),
            alpha: self.alpha.or(scalar("alpha").transpose()?),
            axes: self.axes.or(axes.transpose()?),
            accumulate: self.accumulate.then_some(true).or(accumulate.transpose()?),
            padding: self.padding.or(padding.transpose()?),
            scale: self.scale.then_some(true).or(scale.transpose()?),
        }
        .op(operator)
    }
}

/// Parses axes such as `0,2`.
fn parse_axes(text: &str) -> Result<Axes, String> {
    let list: Result<Vec<usize>, _> = text.split(',').map(|axis| axis.trim().parse()).collect();
    list.ok()
        .and_then(|list| axes::ascending(&list))
        .ok_or_else(|| format!("{text:?} is not {}", axes::EXPECTED))
}

/// Parses a scalar such as `true`, `-3`, `0.5`, `inf` or `1.5-2i`.
fn parse_scalar(text: &str) -> Result<Scalar, String> {
    let bool = text.parse().map(Scalar::Bool).ok();
    let integer = || text.parse().map(Scalar::Int).ok();
    let float = || text.parse().map(Scalar::Float).ok();
    let complex = || text.parse::<Complex<f64>>().map(Scalar::Complex).ok();
    bool.or_else(integer).or_else(float).or_else(complex).ok_or_else(|| format!("{text:?} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_of_the_narrowest_kind() {
        for (text, expected) in [
            ("true", Scalar::Bool(true)),
            ("-3", Scalar::Int(-3)),
            ("0.5", Scalar::Float(0.5)),
            ("-inf", Scalar::Float(f64::NEG_INFINITY)),
            ("1.5-2i", Scalar::Complex(Complex::new(1.5, -2.0))),
        ] {
            assert_eq!(parse_scalar(text), Ok(expected));
        }
        assert!(parse_scalar("one").is_err());
    }
}
