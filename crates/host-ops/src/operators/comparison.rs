//! Comparisons, element by element and of whole tensors.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use num_complex::Complex;

use super::pair::Pair;
use super::{REAL, check_inputs, check_out};
use crate::call::{Call, Work};
use crate::dtype::{Class, DType};
use crate::failure::{Failure, bug, ensure};
use crate::values::{Values, Wide, in_class};

/// Comparisons of a computing type.
trait Compared: Wide {
    /// Always false for complex numbers, which have no order.
    fn is_less(self, other: Self) -> bool;
    /// Whether `|self - other| <= atol + |rtol * other|`, and `self - other` is finite.
    fn is_near(self, other: Self, rtol: f64, atol: f64) -> bool;
    fn is_nan(self) -> bool;
}

impl Compared for i128 {
    fn is_less(self, other: Self) -> bool {
        self < other
    }

    /// Integers are compared as floats.
    fn is_near(self, other: Self, _rtol: f64, _atol: f64) -> bool {
        self == other
    }

    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! reals {
    ($($kind:ident)*) => {$(
        impl Compared for $kind {
            fn is_less(self, other: Self) -> bool {
                self < other
            }

            fn is_near(self, other: Self, rtol: f64, atol: f64) -> bool {
                let difference = (self - other).abs();
                difference.is_finite() && difference <= atol as $kind + (rtol as $kind * other).abs()
            }

            fn is_nan(self) -> bool {
                $kind::is_nan(self)
            }
        }

        impl Compared for Complex<$kind> {
            fn is_less(self, _other: Self) -> bool {
                false
            }

            fn is_near(self, other: Self, rtol: f64, atol: f64) -> bool {
                let difference = (self - other).norm();
                difference.is_finite() && difference <= atol as $kind + rtol as $kind * other.norm()
            }

            fn is_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
        }
    )*};
}
reals! { f32 f64 }

/// How elements are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Relation {
    fn holds<W: Compared>(self, left: W, right: W) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left.is_less(right),
            Self::LessOrEqual => left.is_less(right) || left == right,
            Self::Greater => right.is_less(left),
            Self::GreaterOrEqual => right.is_less(left) || left == right,
        }
    }
}

fn compare(call: &Call, relation: Relation) -> Result<Work, Failure> {
    if !matches!(relation, Relation::Equal | Relation::NotEqual) {
        check_inputs(call, "numbers with an order", &REAL)?;
    }
    let (pair, out) = Pair::of(call)?;
    check_out(out, &pair.shape, DType::Bool)?;
    Ok(Work::new(move |held| {
        held.put(
            DType::Bool,
            in_class!(pair.dtype.class(), W => {
                let holds = |left, right| relation.holds::<W>(left, right);
                Values::truths(&pair.zip(&pair.rounded::<W>(held)?, &holds)?)
            }),
        )
    }))
}

/// `out = self == other`.
pub(crate) fn eq(call: &Call) -> Result<Work, Failure> {
    compare(call, Relation::Equal)
}

/// `out = self != other`.
pub(crate) fn ne(call: &Call) -> Result<Work, Failure> {
    compare(call, Relation::NotEqual)
}

/// `out = self < other`.
pub(crate) fn lt(call: &Call) -> Result<Work, Failure> {
    compare(call, Relation::Less)
}

/// `out = self <= other`.
pub(crate) fn le(call: &Call) -> Result<Work, Failure> {
    compare(call, Relation::LessOrEqual)
}

/// `out = self > other`.
pub(crate) fn gt(call: &Call) -> Result<Work, Failure> {
    compare(call, Relation::Greater)
}

/// `out = self >= other`.
pub(crate) fn ge(call: &Call) -> Result<Work, Failure> {
    compare(call, Relation::GreaterOrEqual)
}

/// Whether self and other have the same shape and equal elements.
pub(crate) fn equal(call: &Call) -> Result<Work, Failure> {
    let [left, right, out] = call.tensors()?;
    let dtype = super::promoted(left, right)?;
    ensure!(
        out.len() == 1 && out.dtype == DType::Bool,
        ACLNN_ERR_PARAM_INVALID,
        "{}: one element of bool expected, got {} of {}",
        out.name,
        out.len(),
        out.dtype
    );
    let has_shape = left.shape == right.shape;
    Ok(Work::new(move |held| {
        let are_equal = has_shape
            && in_class!(dtype.class(), W => {
                W::of(held.values(0)?.convert(dtype)) == W::of(held.values(1)?.convert(dtype))
            });
        held.put(DType::Bool, Values::one(i128::from(are_equal)))
    }))
}

/// `out = self == other or |self - other| <= atol + |rtol * other|`, and where both are NaN if
/// `equal_nan`. It is computed in the dtype to which they are promoted; of integers, the second
/// part in `f32`.
pub(crate) fn is_close(call: &Call) -> Result<Work, Failure> {
    let (pair, out) = Pair::of(call)?;
    let [rtol, atol] = *call.doubles() else { return Err(bug("other numbers")) };
    for (name, value) in [("rtol", rtol), ("atol", atol)] {
        let is_natural = value >= 0.0;
        ensure!(is_natural, ACLNN_ERR_PARAM_INVALID, "{name}: 0 or more expected, got {value}");
    }
    let equals_nan = call.flag()?;
    let has_floats = pair.dtype.class() == Class::Int && (rtol, atol) != (0.0, 0.0);
    check_out(out, &pair.shape, DType::Bool)?;
    Ok(Work::new(move |held| {
        held.put(
            DType::Bool,
            in_class!(pair.dtype.class(), W => {
                let is_close = |left: W, right: W| {
                    left == right
                        || left.is_near(right, rtol, atol)
                        || equals_nan && left.is_nan() && right.is_nan()
                };
                let exact = pair.zip(&pair.values::<W>(held)?, &is_close)?;
                if has_floats {
                    let is_near = |left: f32, right: f32| left.is_near(right, rtol, atol);
                    let near = pair.zip(&pair.values::<f32>(held)?, &is_near)?;
                    Values::truths(&(exact | near))
                } else {
                    Values::truths(&exact)
                }
            }),
        )
    }))
}
