//! Sums, differences, products and quotients, and the bits of integers.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use num_complex::Complex;

use super::pair::{Pair, alpha};
use super::{check_category, check_inputs, check_out};
use crate::call::{Call, Work};
use crate::dtype::{Category, Class, DType};
use crate::failure::{Failure, ensure};
use crate::values::{Wide, in_class};

/// Arithmetic of a computing type. An `i128` is never rounded, and its low bits are those of
/// shorter integers that wrap around.
trait Number: Wide {
    /// `self + alpha * other`, of real floats rounded once.
    fn plus(self, alpha: Self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    fn negative(self) -> Self;
}

impl Number for i128 {
    fn plus(self, alpha: Self, other: Self) -> Self {
        self.wrapping_add(alpha.wrapping_mul(other))
    }

    fn times(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }

    /// Integers are divided as floats.
    fn over(self, other: Self) -> Self {
        self.checked_div(other).unwrap_or_default()
    }

    fn negative(self) -> Self {
        self.wrapping_neg()
    }
}

macro_rules! reals {
    ($($kind:ty)*) => {$(
        impl Number for $kind {
            fn plus(self, alpha: Self, other: Self) -> Self {
                alpha.mul_add(other, self)
            }

            fn times(self, other: Self) -> Self {
                self * other
            }

            fn over(self, other: Self) -> Self {
                self / other
            }

            fn negative(self) -> Self {
                -self
            }
        }
    )*};
}
reals! { f32 f64 }

macro_rules! complexes {
    ($($part:ty)*) => {$(
        impl Number for Complex<$part> {
            fn plus(self, alpha: Self, other: Self) -> Self {
                self + alpha * other
            }

            fn times(self, other: Self) -> Self {
                self * other
            }

            /// By Smith's method, whose steps overflow only where the quotient does.
            fn over(self, other: Self) -> Self {
                if other.re.abs() >= other.im.abs() {
                    let ratio = other.im / other.re;
                    let whole = other.re + other.im * ratio;
                    Self::new((self.re + self.im * ratio) / whole, (self.im - self.re * ratio) / whole)
                } else {
                    let ratio = other.re / other.im;
                    let whole = other.re * ratio + other.im;
                    Self::new((self.re * ratio + self.im) / whole, (self.im * ratio - self.re) / whole)
                }
            }

            fn negative(self) -> Self {
                -self
            }
        }
    )*};
}
complexes! { f32 f64 }

/// `out = self + alpha * other`.
pub(crate) fn add(call: &Call) -> Result<Work, Failure> {
    sum(call, false)
}

/// `out = self - alpha * other`.
pub(crate) fn sub(call: &Call) -> Result<Work, Failure> {
    let (pair, _) = Pair::of(call)?;
    ensure!(
        pair.dtype != DType::Bool,
        ACLNN_ERR_PARAM_INVALID,
        "{}: a dtype of numbers expected, got bool, of which there are no differences",
        call.all_tensors().first().map_or("self", |tensor| &tensor.name)
    );
    sum(call, true)
}

fn sum(call: &Call, subtracts: bool) -> Result<Work, Failure> {
    let (pair, out) = Pair::of(call)?;
    check_out(out, &pair.shape, pair.dtype)?;
    let alpha = alpha(call, pair.dtype)?;
    Ok(Work::new(move |held| {
        held.put(
            pair.dtype,
            in_class!(pair.dtype.class(), W => {
                let alpha = alpha.to::<W>();
                let alpha = if subtracts { alpha.negative() } else { alpha };
                Wide::wrap(pair.zip::<W, W>(&pair.values(held)?, &|left, right| left.plus(alpha, right))?)
            }),
        )
    }))
}

/// `out = self * other`.
pub(crate) fn mul(call: &Call) -> Result<Work, Failure> {
    let (pair, out) = Pair::of(call)?;
    check_out(out, &pair.shape, pair.dtype)?;
    Ok(Work::new(move |held| {
        held.put(
            pair.dtype,
            in_class!(pair.dtype.class(), W => {
                Wide::wrap(pair.zip::<W, W>(&pair.values(held)?, &Number::times)?)
            }),
        )
    }))
}

/// `out = self / other`; integers are divided as `f32`.
pub(crate) fn div(call: &Call) -> Result<Work, Failure> {
    let (mut pair, out) = Pair::of(call)?;
    if pair.dtype.class() == Class::Int {
        pair.dtype = DType::F32;
    }
    check_out(out, &pair.shape, pair.dtype)?;
    Ok(Work::new(move |held| {
        held.put(
            pair.dtype,
            in_class!(pair.dtype.class(), W => {
                Wide::wrap(pair.zip::<W, W>(&pair.values(held)?, &Number::over)?)
            }),
        )
    }))
}

/// `out = self & other`, of integers and of truth values.
pub(crate) fn bitwise_and(call: &Call) -> Result<Work, Failure> {
    let (expected, whole) = ("integers or bool", [Category::Bool, Category::Integer]);
    check_inputs(call, expected, &whole)?;
    let (pair, out) = Pair::of(call)?;
    check_category(out, expected, &whole)?;
    check_out(out, &pair.shape, pair.dtype)?;
    Ok(Work::new(move |held| {
        held.put(
            pair.dtype,
            Wide::wrap(pair.zip::<i128, i128>(&pair.values(held)?, &|left, right| left & right)?),
        )
    }))
}
