//! How an operator and its parameters are read from options and files.

use std::sync::LazyLock;

use scatter::{Axes, Numbers, Op, Operator, Parameter, Reduce, Scalar};

use crate::usage::Reason;

/// The names of all operators.
static NAMES: LazyLock<String> = LazyLock::new(|| Operator::ALL.map(Operator::name).join(", "));

/// The operator with this name.
///
/// # Errors
/// There is no such operator.
pub fn operator(name: &str) -> Result<Operator, Reason> {
    let known = Operator::ALL.into_iter().find(|operator| operator.name() == name);
    known.ok_or_else(|| Reason::Field { name: "op", got: name.to_owned(), expected: &NAMES })
}

/// The parameters of an operator that are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters {
    /// The axis that index points into.
    pub dim: Option<i64>,
    /// The reduction.
    pub reduce: Option<Reduce>,
    /// Whether self's values are part of the reduction.
    pub include_self: Option<bool>,
    /// The scalar that takes the place of src.
    pub value: Option<Scalar>,
    /// The scalar that src is multiplied by.
    pub alpha: Option<Scalar>,
    /// The axes of self that index has coordinates for.
    pub axes: Option<Axes>,
    /// Whether values are added.
    pub accumulate: Option<bool>,
    /// The row of out that stays zero.
    pub padding: Option<usize>,
    /// Whether a sum is divided by the number of its updates.
    pub scale: Option<bool>,
}

impl Parameters {
    /// The operator with these parameters, which must be exactly the ones that it takes. `reduce`
    /// is optional for `scatter` and `scatter_value` (default: replace, as in `Tensor.scatter_`),
    /// and so are `include_self` (default: true), `alpha` (default: 1), `accumulate` (default:
    /// false), `padding` (default: none) and `scale` (default: false).
    ///
    /// # Errors
    /// A parameter is missing, or the operator doesn't take it.
    pub fn op(self, operator: Operator) -> Result<Op, Reason> {
        let Self { dim, reduce, include_self, value, alpha, axes, accumulate, padding, scale } = self;
        for (name, given, parameter) in [
            ("dim", dim.is_some(), Parameter::Dim),
            ("reduce", reduce.is_some(), Parameter::Reduce),
            ("include_self", include_self.is_some(), Parameter::IncludeSelf),
            ("value", value.is_some(), Parameter::Value),
            ("alpha", alpha.is_some(), Parameter::Alpha),
            ("axes", axes.is_some(), Parameter::Axes),
            ("accumulate", accumulate.is_some(), Parameter::Accumulate),
            ("padding", padding.is_some(), Parameter::Padding),
            ("scale", scale.is_some(), Parameter::Scale),
        ] {
            if given && !operator.takes(parameter) {
                return Err(Reason::Needless(name, operator));
            }
        }
        for (name, given, is_needed) in [
            ("dim", dim.is_some(), operator.takes(Parameter::Dim)),
            // Only `scatter_reduce`, which may leave out self, has no default for the reduction.
            ("reduce", reduce.is_some(), operator.takes(Parameter::IncludeSelf)),
            ("value", value.is_some(), operator.takes(Parameter::Value)),
            ("axes", axes.is_some(), operator.takes(Parameter::Axes)),
        ] {
            if is_needed && !given {
                return Err(Reason::Missing(name));
            }
        }
        let default = Numbers::default();
        let added = accumulate.and_then(|accumulate| accumulate.then_some(Reduce::Add));
        Ok(operator.with(&Numbers {
            dim: dim.unwrap_or(default.dim),
            reduce: reduce.or(added).unwrap_or(default.reduce),
            include_self: include_self.unwrap_or(default.include_self),
            scalar: value.or(alpha).unwrap_or(default.scalar),
            axes: axes.unwrap_or(default.axes),
            padding,
            scale: scale.unwrap_or(default.scale),
        }))
    }
}

/// Parses the name of an operator, for options.
///
/// # Errors
/// There is no such operator.
pub fn parse_operator(text: &str) -> Result<Operator, String> {
    operator(text).map_err(|problem| problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_a_name_that_is_read_back() {
        for of in Operator::ALL {
            assert_eq!(operator(of.name()).unwrap(), of);
        }
        assert!(operator("scatter_max").is_err());
    }

    #[test]
    fn parameters_are_exactly_those_of_the_operator() {
        let all = Parameters {
            dim: Some(-1),
            reduce: Some(Reduce::Mean),
            include_self: Some(false),
            value: Some(Scalar::Int(2)),
            ..Parameters::default()
        };
        let none = Parameters::default();
        let text = |operator, parameters: Parameters| match parameters.op(operator) {
            Ok(op) => op.to_string(),
            Err(problem) => problem.to_string(),
        };
        for (operator, parameters, expected) in [
            (Operator::ScatterAdd, none, "dim is missing"),
            (Operator::ScatterAdd, all, "reduce does not go with scatter_add"),
            (Operator::ScatterValue, Parameters { dim: Some(0), ..none }, "value is missing"),
            (Operator::ScatterReduce, Parameters { dim: Some(0), ..none }, "reduce is missing"),
            (Operator::ScatterNdAdd, all, "dim does not go with scatter_nd_add"),
            (Operator::ScatterNdAdd, none, "scatter_nd_add()"),
            (Operator::ScatterReduce, all, "value does not go with scatter_reduce"),
            (
                Operator::ScatterReduce,
                Parameters { value: None, ..all },
                "scatter_reduce(dim = -1, reduce = mean, include_self = false)",
            ),
            (
                Operator::ScatterValue,
                Parameters { include_self: None, reduce: None, ..all },
                "scatter_value(dim = -1, value = 2, reduce = none)",
            ),
            (Operator::EmbeddingBackward, none, "embedding_backward()"),
            (
                Operator::EmbeddingBackward,
                Parameters { padding: Some(3), scale: Some(true), ..none },
                "embedding_backward(padding = 3, scale = true)",
            ),
        ] {
            assert_eq!(text(operator, parameters), expected);
        }
    }
}
