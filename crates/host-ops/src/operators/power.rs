//! Powers.

use core::ops::{Div, Mul};

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;

use super::pair::Pair;
use super::{REAL, check_inputs, check_out};
use crate::call::{Call, Work};
use crate::dtype::Class;
use crate::failure::{Failure, bug, ensure};
use crate::values::{Values, Wide};

/// `out = self` to the power of a scalar. Integers wrap around, and have no negative powers.
///
/// Floats are multiplied for the exponents 2 and 3, and roots and reciprocals are taken for 0.5,
/// -0.5, -1 and -2, as in PyTorch. Other powers are those of the machine's library.
pub(crate) fn pow(call: &Call) -> Result<Work, Failure> {
    check_inputs(call, "real numbers", &REAL)?;
    let (pair, out) = Pair::of(call)?;
    check_out(out, &pair.shape, pair.dtype)?;
    let (name, exponent) = *call.scalars().first().ok_or_else(|| bug("a scalar that isn't there"))?;
    let natural = u32::try_from(exponent.to::<i128>());
    ensure!(
        pair.dtype.class() != Class::Int || natural.is_ok(),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a power of integers from 0 to {} expected, got {}",
        u32::MAX,
        exponent.number
    );
    let (dtype, whole) = (pair.dtype, natural.unwrap_or_default());
    Ok(Work::new(move |held| {
        held.put(
            dtype,
            match held.values(0)?.convert(dtype) {
                Values::Int(array) => Values::Int(array.mapv_into(|base| base.wrapping_pow(whole))),
                Values::Single(array) => {
                    Values::Single(array.mapv_into(power(exponent.to(), f32::sqrt, f32::powf)))
                }
                Values::Double(array) => {
                    Values::Double(array.mapv_into(power(exponent.to(), f64::sqrt, f64::powf)))
                }
                Values::ComplexSingle(_) | Values::ComplexDouble(_) => return Err(bug("complex numbers")),
            },
        )
    }))
}

/// The power of a float.
fn power<F: Wide + Mul<Output = F> + Div<Output = F>>(
    exponent: F,
    root: fn(F) -> F,
    general: fn(F, F) -> F,
) -> impl Fn(F) -> F {
    let [one, two, three] = [1, 2, 3].map(F::from_int);
    let half = one / two;
    let [minus_one, minus_two] = [-1, -2].map(F::from_int);
    let minus_half = minus_one / two;
    move |base| match exponent {
        exponent if exponent == half => root(base),
        exponent if exponent == two => base * base,
        exponent if exponent == three => base * base * base,
        exponent if exponent == minus_half => one / root(base),
        exponent if exponent == minus_one => one / base,
        exponent if exponent == minus_two => one / (base * base),
        exponent => general(base, exponent),
    }
}
