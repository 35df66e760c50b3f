//! Powers.

use core::ops::Mul;

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;

use super::check_out;
use super::pair::Pair;
use crate::call::{Call, Work};
use crate::dtype::{Category, Class};
use crate::failure::{Failure, bug, ensure};
use crate::values::{Scalar, Values, Wide};

/// `out = self` to the power of a scalar. Integers wrap around, and have no negative powers. Floats
/// are multiplied for the powers 2 and 3; others are those of the machine's library.
pub(crate) fn pow(call: &Call) -> Result<Work, Failure> {
    let (pair, out) = Pair::of(call)?;
    check_out(out, &pair.shape, pair.dtype)?;
    let (name, exponent) = *call.scalars().first().ok_or_else(|| bug("a scalar that isn't there"))?;
    let natural = u32::try_from(exponent.to::<i128>());
    ensure!(
        pair.dtype.class() != Class::Int || natural.is_ok(),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a power of integers from 0 to {} expected, got {:?}",
        u32::MAX,
        exponent.number
    );
    ensure!(
        pair.dtype.category() < Category::Complex,
        ACLNN_ERR_PARAM_INVALID,
        "self: real numbers to a real power expected, got {}",
        pair.dtype
    );
    let (dtype, whole) = (pair.dtype, natural.unwrap_or_default());
    Ok(Work::new(move |held| {
        held.put(match held.values(0)?.convert(dtype) {
            Values::Int(array) => Values::Int(array.mapv_into(|base| base.wrapping_pow(whole))),
            Values::Single(array) => Values::Single(array.mapv_into(power(exponent, f32::powf))),
            Values::Double(array) => Values::Double(array.mapv_into(power(exponent, f64::powf))),
            Values::ComplexSingle(_) | Values::ComplexDouble(_) => return Err(bug("complex numbers")),
        })
    }))
}

/// The power of a float.
fn power<F: Wide + Mul<Output = F>>(exponent: Scalar, of: fn(F, F) -> F) -> impl Fn(F) -> F {
    let exponent = exponent.to::<F>();
    let [two, three] = [2, 3].map(F::from_int);
    move |base| match exponent {
        exponent if exponent == two => base * base,
        exponent if exponent == three => base * base * base,
        exponent => of(base, exponent),
    }
}
