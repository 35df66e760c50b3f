//! Tensors of one value, and of numbers in steps.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, IxDyn};

use super::check_category;
use crate::call::{Call, Work};
use crate::dtype::{Category, DType};
use crate::failure::{Failure, bug, ensure};
use crate::tensor::Tensor;
use crate::values::{Number, Scalar, Values, Wide};

/// `selfRef = 0`.
pub(crate) fn zero(_call: &Call) -> Result<Work, Failure> {
    Ok(Work::new(|held| held.put(DType::I64, Values::one(0_i128))))
}

/// `selfRef = 1`.
pub(crate) fn one(_call: &Call) -> Result<Work, Failure> {
    Ok(Work::new(|held| held.put(DType::I64, Values::one(1_i128))))
}

/// `selfRef = value`.
pub(crate) fn fill(call: &Call) -> Result<Work, Failure> {
    let [_, out] = call.tensors()?;
    let (name, scalar) = *call.scalars().first().ok_or_else(|| bug("a scalar that isn't there"))?;
    check_value(name, scalar, out.dtype)?;
    Ok(Work::new(move |held| held.put(scalar.dtype, scalar.values())))
}

/// Refuses a value that a dtype can't hold.
pub(super) fn check_value(name: &str, scalar: Scalar, dtype: DType) -> Result<(), Failure> {
    let is_real = !matches!(scalar.number, Number::Complex(value) if value.im != 0.0);
    ensure!(
        is_real || dtype.category() == Category::Complex,
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a real number expected for {dtype}, got {}",
        scalar.number
    );
    ensure!(
        scalar.fits(dtype),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a number that {dtype} can hold expected, got {}",
        scalar.number
    );
    Ok(())
}

/// `out[i] = start + i * step`, in as many steps as reach `end`, without it. The scalars become
/// integers first where out has integers.
pub(crate) fn arange(call: &Call) -> Result<Work, Failure> {
    let [out] = call.tensors()?;
    check_category(out, "integers or real floats", &[Category::Integer, Category::Float])?;
    let dtype = out.dtype;
    let rank = out.shape.len();
    ensure!(rank == 1, ACLNN_ERR_PARAM_INVALID, "{}: one axis expected, got {rank}", out.name);
    let len = out.len();
    for &(name, scalar) in call.scalars() {
        check_finite(name, scalar, dtype)?;
    }
    let [(_, start), (_, end), step] = *call.scalars() else { return Err(bug("other scalars")) };
    if dtype.category() == Category::Integer {
        let [start, end, by] = [start, end, step.1].map(Scalar::to::<i128>);
        check_step(step, dtype, (end - start).signum() as f64, by.signum() as f64)?;
        let steps = (end - start).unsigned_abs().div_ceil(by.unsigned_abs());
        check_len(out, steps as f64, steps == len as u128)?;
        return Ok(Work::new(move |held| {
            let number = |at: IxDyn| start.wrapping_add(by.wrapping_mul(at[0] as i128));
            held.put(dtype, Wide::wrap(ArrayD::from_shape_fn(IxDyn(&[len]), number)))
        }));
    }
    let [start, end, by] = [start, end, step.1].map(Scalar::to::<f64>);
    check_step(step, dtype, end - start, by)?;
    let steps = ((end - start) / by).ceil();
    // Fractions may have been rounded: one element more or less is taken, too.
    let slack = if [start, end, by].iter().all(|number| number.fract() == 0.0) { 0.0 } else { 1.0 };
    check_len(out, steps, (steps - len as f64).abs() <= slack)?;
    Ok(Work::new(move |held| {
        let number = |at: IxDyn| by.mul_add(at[0] as f64, start);
        held.put(dtype, Wide::wrap(ArrayD::from_shape_fn(IxDyn(&[len]), number)))
    }))
}

/// Refuses a scalar of [`arange`] that is no number to count with.
fn check_finite(name: &str, scalar: Scalar, dtype: DType) -> Result<(), Failure> {
    let number = scalar.number;
    ensure!(
        scalar.dtype.category() < Category::Complex,
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a real number expected, got {number}"
    );
    let Number::Float(value) = number else { return Ok(()) };
    ensure!(value.is_finite(), ACLNN_ERR_PARAM_INVALID, "{name}: a finite number expected, got {number}");
    ensure!(
        dtype.category() == Category::Float || value.abs() <= u64::MAX as f64,
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a number of 64 bits expected, got {number}"
    );
    Ok(())
}

/// Refuses steps of 0, and those that lead away from the end.
fn check_step((name, step): (&str, Scalar), dtype: DType, way: f64, by: f64) -> Result<(), Failure> {
    let number = step.number;
    ensure!(
        by != 0.0,
        ACLNN_ERR_PARAM_INVALID,
        "{name}: another number than 0 expected of {dtype}, got {number}"
    );
    ensure!(
        way == 0.0 || (way > 0.0) == (by > 0.0),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: one that leads from start to end expected, got {number}"
    );
    Ok(())
}

/// Refuses an out that has not as many elements as there are steps.
fn check_len(out: &Tensor, steps: f64, is_right: bool) -> Result<(), Failure> {
    ensure!(
        is_right,
        ACLNN_ERR_PARAM_INVALID,
        "{}: {steps} elements expected from start to end, got {}",
        out.name,
        out.len()
    );
    Ok(())
}
