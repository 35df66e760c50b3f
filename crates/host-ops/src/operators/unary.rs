//! Operators of one tensor, element by element.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;

use super::{REAL, check_category, check_out};
use crate::call::{Call, Work};
use crate::dtype::{Class, DType};
use crate::failure::{Failure, bug, ensure};
use crate::values::{Values, Wide};

/// `out = |self|`; of complex numbers a real one.
pub(crate) fn abs(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    let result = match self_.dtype {
        DType::C64 => DType::F32,
        DType::C128 => DType::F64,
        other => other,
    };
    check_out(out, &self_.shape, result)?;
    Ok(Work::new(move |held| {
        held.put(
            result,
            match held.values(0)? {
                Values::Int(array) => Values::Int(array.mapv_into(i128::wrapping_abs)),
                Values::Single(array) => Values::Single(array.mapv_into(f32::abs)),
                Values::Double(array) => Values::Double(array.mapv_into(f64::abs)),
                Values::ComplexSingle(array) => Values::Single(array.mapv(num_complex::Complex::norm)),
                Values::ComplexDouble(array) => Values::Double(array.mapv(num_complex::Complex::norm)),
            },
        )
    }))
}

/// `out` = the smallest integer that is not below self.
pub(crate) fn ceil(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    check_category(self_, "real numbers", &REAL)?;
    let dtype = self_.dtype;
    check_out(out, &self_.shape, dtype)?;
    Ok(Work::new(move |held| {
        held.put(
            dtype,
            match held.values(0)? {
                Values::Single(array) => Values::Single(array.mapv_into(f32::ceil)),
                Values::Double(array) => Values::Double(array.mapv_into(f64::ceil)),
                whole => whole,
            },
        )
    }))
}

/// Whether self is neither infinite nor NaN.
pub(crate) fn is_finite(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    check_out(out, &self_.shape, DType::Bool)?;
    Ok(Work::new(|held| {
        held.put(
            DType::Bool,
            Values::truths(&match held.values(0)? {
                Values::Int(array) => array.mapv(|_| true),
                Values::Single(array) => array.mapv(f32::is_finite),
                Values::Double(array) => array.mapv(f64::is_finite),
                Values::ComplexSingle(array) => array.mapv(num_complex::Complex::is_finite),
                Values::ComplexDouble(array) => array.mapv(num_complex::Complex::is_finite),
            }),
        )
    }))
}

/// `out = -self`.
pub(crate) fn neg(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    ensure!(
        self_.dtype != DType::Bool,
        ACLNN_ERR_PARAM_INVALID,
        "{}: a dtype of numbers expected, got bool",
        self_.name
    );
    let dtype = self_.dtype;
    check_out(out, &self_.shape, dtype)?;
    Ok(Work::new(move |held| {
        held.put(
            dtype,
            match held.values(0)? {
                Values::Int(array) => Wide::wrap(array.mapv_into(i128::wrapping_neg)),
                Values::Single(array) => Wide::wrap(-array),
                Values::Double(array) => Wide::wrap(-array),
                Values::ComplexSingle(array) => Wide::wrap(-array),
                Values::ComplexDouble(array) => Wide::wrap(-array),
            },
        )
    }))
}

/// `out = e ** self`; of integers and bool as `f32`. `f32` is computed in `f64` and rounded.
pub(crate) fn exp(call: &Call) -> Result<Work, Failure> {
    let tensors = call.all_tensors();
    let (Some(self_), Some(out)) = (tensors.first(), tensors.last()) else { return Err(bug("no tensors")) };
    let dtype = if self_.dtype.class() == Class::Int { DType::F32 } else { self_.dtype };
    check_out(out, &self_.shape, dtype)?;
    Ok(Work::new(move |held| {
        held.put(
            dtype,
            match held.values(0)?.convert(dtype) {
                Values::Int(_) => return Err(bug("integers")),
                Values::Single(array) => {
                    Values::Single(array.mapv_into(|value| f64::from(value).exp() as f32))
                }
                Values::Double(array) => Values::Double(array.mapv_into(f64::exp)),
                Values::ComplexSingle(array) => Wide::wrap(array.mapv_into(num_complex::Complex::exp)),
                Values::ComplexDouble(array) => Wide::wrap(array.mapv_into(num_complex::Complex::exp)),
            },
        )
    }))
}
