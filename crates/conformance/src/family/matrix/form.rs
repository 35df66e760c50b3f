//! The operators of the matrix, each with a reduction and with or without self.

use core::fmt;

use scatter::{DType, Numbers, Op, Operator, Parameter, Reduce, Scalar};

/// An operator with its reduction, but without dim and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) operator: Operator,
    pub(super) reduce: Option<Reduce>,
    include_self: bool,
    /// Whether a sum is divided by the number of its updates.
    scale: bool,
}

impl Form {
    /// Every form.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let plain = |operator| Self { operator, reduce: None, include_self: true, scale: false };
        let reduced = |operator, include_self| {
            Reduce::ALL.map(move |reduce| Self { operator, reduce: Some(reduce), include_self, scale: false })
        };
        let of = |parameter, taken| {
            Operator::ALL.into_iter().filter(move |operator| operator.takes(parameter) == taken)
        };
        let without = of(Parameter::IncludeSelf, true).flat_map(move |operator| reduced(operator, false));
        let accumulates = [Reduce::None, Reduce::Add];
        let put = of(Parameter::Accumulate, true).flat_map(move |operator| {
            accumulates.map(|reduce| Self { reduce: Some(reduce), ..plain(operator) })
        });
        of(Parameter::Reduce, false)
            .filter(|operator| !operator.takes(Parameter::Accumulate))
            .map(plain)
            .chain(put)
            .chain(of(Parameter::Reduce, true).flat_map(move |operator| reduced(operator, true)))
            .chain(without)
            .chain(of(Parameter::Scale, true).map(move |operator| Self { scale: true, ..plain(operator) }))
    }

    /// Why the library has no such reduction for `dtype`; `None` where it has.
    pub(super) fn missing_for(&self, dtype: DType) -> Option<&'static str> {
        let reduce = if self.scale { Some(Reduce::Mean) } else { self.reduce };
        reduce.and_then(|reduce| reduce.missing_for(dtype))
    }

    /// Whether the operator takes a tensor src.
    pub(super) fn has_src(&self) -> bool {
        self.operator.signature().has_src
    }

    /// The operator with dim, axes and padding of `numbers`, and a scalar, where it takes them.
    pub(super) fn op(&self, numbers: Numbers, scalar: impl FnOnce() -> Scalar) -> Op {
        let Self { operator, reduce, include_self, scale } = *self;
        let scalar = if operator.takes_scalar() { scalar() } else { numbers.scalar };
        let reduce = reduce.unwrap_or(numbers.reduce);
        operator.with(&Numbers { reduce, include_self, scalar, scale, ..numbers })
    }
}

/// The form as it is written in the names of cases, such as `scatter_reduce/mean-without-self`.
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operator)?;
        if let Some(reduce) = self.reduce {
            write!(f, "/{reduce}")?;
        }
        if self.scale {
            write!(f, "/scaled")?;
        }
        if self.include_self { Ok(()) } else { write!(f, "-without-self") }
    }
}
