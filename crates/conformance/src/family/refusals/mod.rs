//! Calls that must be refused. Each case names the error that is expected, and no tensor may be
//! written.

mod base;
mod indices;
mod rules;

use engines::case::{Case, Expected};
use engines::operator::Parameters;
use scatter::{DType, Error, Numbers, Operator, Parameter, Reduce, Scalar};

use self::rules::{RULES, Rule};
use super::{Cases, Entry, Family, may_be};

/// Every call that must be refused.
pub(crate) fn cases() -> Cases {
    let all = single_rules()
        .chain(two_rules())
        .chain(reductions())
        .chain(scales())
        .chain(values())
        .chain(indices::cases());
    let named = all.map(|case| Case { name: format!("{}/{}", Family::Refusals, case.name), ..case });
    Cases {
        entries: named.map(|case| Entry::of(Family::Refusals, case)).collect(),
        not_applicable: Vec::new(),
    }
}

fn valid(operator: Operator) -> Case {
    base::call(operator, rules::DTYPE, DType::I64, &base::SMALL)
}

/// Calls that break a single rule, out of place and in place.
fn single_rules() -> impl Iterator<Item = Case> {
    Operator::ALL.into_iter().flat_map(|operator| {
        RULES.iter().flat_map(move |rule| {
            [("into", false), ("in-place", true)].into_iter().filter_map(move |(place, in_place)| {
                let mut case = valid(operator);
                if !may_be(operator, in_place) {
                    return None;
                }
                if in_place {
                    case.out = None;
                }
                case.expected = Expected::Refusal((rule.break_it)(&mut case)?);
                Some(Case { name: format!("rule/{operator}/{}/{place}", rule.name), ..case })
            })
        })
    })
}

/// Calls that break two rules: the error is that of the rule that the contract checks first.
fn two_rules() -> impl Iterator<Item = Case> {
    let pairs = || {
        RULES
            .iter()
            .enumerate()
            .flat_map(|(later, rule)| RULES[..later].iter().map(move |first| (first, rule)))
    };
    Operator::ALL.into_iter().flat_map(move |operator| {
        pairs().filter_map(move |(first, later): (&Rule, &Rule)| {
            let mut case = valid(operator);
            (later.break_it)(&mut case)?;
            case.expected = Expected::Refusal((first.break_it)(&mut case)?);
            Some(Case { name: format!("order/{operator}/{}/{}", first.name, later.name), ..case })
        })
    })
}

/// Calls with a reduction that the dtype does not have.
fn reductions() -> impl Iterator<Item = Case> {
    let operators = [Operator::Scatter, Operator::ScatterValue, Operator::ScatterReduce];
    operators.into_iter().flat_map(|operator| {
        DType::ALL.into_iter().flat_map(move |dtype| {
            Reduce::ALL.into_iter().filter_map(move |reduce| {
                reduce.missing_for(dtype)?;
                let value = (operator == Operator::ScatterValue).then_some(Scalar::Int(1));
                let parameters =
                    Parameters { dim: Some(0), reduce: Some(reduce), value, ..Parameters::default() };
                let mut case = base::call(operator, dtype, DType::I32, &base::SMALL);
                case.op = parameters.op(operator).ok()?;
                case.expected = Expected::Refusal(Error::ReduceDType { operator, dtype, got: reduce });
                Some(Case { name: format!("reduce/{operator}/{dtype}/{reduce}"), ..case })
            })
        })
    })
}

/// A mean of bools, which does not exist, by `scale`.
fn scales() -> impl Iterator<Item = Case> {
    let (operator, dtype, got) = (Operator::EmbeddingBackward, DType::Bool, Reduce::Mean);
    [DType::I32, DType::I64].into_iter().map(move |index_dtype| {
        let mut case = base::call(operator, dtype, index_dtype, &base::SMALL);
        case.op = scatter::Op::EmbeddingBackward { padding: None, scale: true };
        case.expected = Expected::Refusal(Error::ReduceDType { operator, dtype, got });
        Case { name: format!("reduce/{operator}/{dtype}/{got}/{index_dtype}"), ..case }
    })
}

/// Calls with a scalar just outside the range of the dtype, or of its accumulator where src is
/// multiplied by it, or of another kind.
fn values() -> impl Iterator<Item = Case> {
    let complex = |re, im| Scalar::Complex(scatter::Complex::new(re, im));
    let values = [
        ("above-max", DType::Bf16, Scalar::Float(3.39e38 * 1.01)),
        ("above-max", DType::F16, Scalar::Float(65_505.0)),
        ("above-max", DType::F16, Scalar::Int(65_505)),
        ("above-max", DType::F32, Scalar::Float(-1e39)),
        ("above-max", DType::I64, Scalar::Int(1 << 63)),
        ("above-max", DType::I32, Scalar::Int(1 << 31)),
        ("below-min", DType::I16, Scalar::Int(-32_769)),
        ("above-max", DType::I8, Scalar::Float(127.5)),
        ("above-max", DType::U8, Scalar::Int(256)),
        ("below-minus-max", DType::U8, Scalar::Int(-256)),
        ("infinite", DType::I32, Scalar::Float(f64::INFINITY)),
        ("infinite", DType::Bool, Scalar::Float(f64::NEG_INFINITY)),
        ("complex", DType::F64, complex(1.0, 0.0)),
        ("complex", DType::Bool, complex(1.0, 1.0)),
        ("above-max", DType::Complex64, complex(0.0, 1e39)),
    ];
    Operator::ALL.into_iter().filter(|operator| operator.takes_scalar()).flat_map(move |operator| {
        DType::ALL.into_iter().flat_map(move |dtype| {
            let expected = if operator.takes(Parameter::Alpha) { dtype.accumulator() } else { dtype };
            let of_range = values.into_iter().filter(move |(_, of, _)| *of == expected);
            of_range.map(move |(what, _, got)| {
                let mut case = base::call(operator, dtype, DType::I64, &base::SMALL);
                case.op = operator.with(&Numbers { dim: -1, scalar: got, ..Numbers::default() });
                case.expected = Expected::Refusal(Error::Value { operator, expected, got });
                Case { name: format!("value/{operator}/{dtype}/{what}/{got}"), ..case }
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_calls_are_valid_until_they_are_broken() {
        for operator in Operator::ALL {
            let mut case = valid(operator);
            assert_eq!(case.call().problem().err(), None);
        }
    }

    #[test]
    fn every_kind_of_error_is_expected_somewhere() {
        let kind = |error: &Error| format!("{error:?}").split([' ', '{']).next().unwrap().to_owned();
        let kinds: HashSet<_> = cases()
            .entries
            .iter()
            .filter_map(|entry| match entry.case().expected {
                Expected::Refusal(error) => Some(kind(&error)),
                _ => None,
            })
            .collect();
        // All error variants of the library except Binding, which is for buffers that don't match
        // the problem; engines never pass such.
        assert_eq!(kinds.len(), 23, "{kinds:?}");
    }
}
