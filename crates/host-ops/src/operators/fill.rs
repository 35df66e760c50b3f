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
    Ok(Work::new(|held| held.put(Values::one(0_i128))))
}

/// `selfRef = 1`.
pub(crate) fn one(_call: &Call) -> Result<Work, Failure> {
    Ok(Work::new(|held| held.put(Values::one(1_i128))))
}

/// `selfRef = value`.
pub(crate) fn fill(call: &Call) -> Result<Work, Failure> {
    let [_, out] = call.tensors()?;
    let (name, scalar) = *call.scalars().first().ok_or_else(|| bug("a scalar that isn't there"))?;
    check_value(name, scalar, out.dtype)?;
    Ok(Work::new(move |held| held.put(scalar.values())))
}

/// Refuses a value that a dtype can't hold. A negative integer stands for the unsigned one with the
/// same bits.
fn check_value(name: &str, scalar: Scalar, dtype: DType) -> Result<(), Failure> {
    let Scalar { number, .. } = scalar;
    let real = match number {
        Number::Complex(value) if dtype.category() < Category::Complex => {
            ensure!(
                value.im == 0.0,
                ACLNN_ERR_PARAM_INVALID,
                "{name}: a real number expected for {dtype}, got {value}"
            );
            Number::Float(value.re)
        }
        other => other,
    };
    let Some((low, high)) = dtype.bounds().filter(|_| dtype != DType::Bool) else { return Ok(()) };
    let low = if low == 0 { -high } else { low };
    let is_within = match real {
        Number::Int(value) => (low..=high).contains(&value),
        Number::Float(value) => value.is_finite() && (low..=high).contains(&(value as i128)),
        Number::Complex(_) => true,
    };
    ensure!(
        is_within,
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a number that {dtype} can hold expected, got {number:?}"
    );
    Ok(())
}

/// `out[i] = start + i * step`, in as many steps as reach `end`, without it.
pub(crate) fn arange(call: &Call) -> Result<Work, Failure> {
    let [out] = call.tensors()?;
    let [(_, start), (_, end), (step_name, step)] = *call.scalars() else {
        return Err(bug("other scalars"));
    };
    check_category(out, "integers or real floats", &[Category::Integer, Category::Float])?;
    for (name, scalar) in call.scalars() {
        ensure!(
            scalar.category < Category::Complex,
            ACLNN_ERR_PARAM_INVALID,
            "{name}: a real number expected, got {:?}",
            scalar.number
        );
    }
    ensure!(
        step.to::<f64>() != 0.0,
        ACLNN_ERR_PARAM_INVALID,
        "{step_name}: another number than 0 expected, got {:?}",
        step.number
    );
    check_steps(out, start, end, step)?;
    let (dtype, shape) = (out.dtype, out.shape.clone());
    Ok(Work::new(move |held| {
        let counted = |place: usize| {
            let place = place as f64;
            step.to::<f64>().mul_add(place, start.to::<f64>())
        };
        let shape = IxDyn(&shape);
        let len = shape[0];
        let values = if dtype.category() == Category::Integer {
            let (start, step) = (start.to::<i128>(), step.to::<i128>());
            let numbers = (0..len).map(|place| start.wrapping_add(step.wrapping_mul(place as i128)));
            ArrayD::from_shape_vec(shape, numbers.collect()).map(Wide::wrap)
        } else {
            ArrayD::from_shape_vec(shape, (0..len).map(counted).collect()).map(Wide::wrap)
        };
        held.put(values.map_err(|_| bug("another number of steps"))?)
    }))
}

/// Refuses an out that has not as many elements as there are steps. Where floats are among the
/// scalars, which may have been rounded, one more or one less is taken, too.
fn check_steps(out: &Tensor, start: Scalar, end: Scalar, step: Scalar) -> Result<(), Failure> {
    let rank = out.shape.len();
    ensure!(rank == 1, ACLNN_ERR_PARAM_INVALID, "{}: one axis expected, got {rank}", out.name);
    let got = out.len();
    let (steps, is_right) = match [start, end, step].map(|scalar| scalar.number) {
        [Number::Int(start), Number::Int(end), Number::Int(step)] => {
            let (way, step) = if step < 0 { (start - end, -step) } else { (end - start, step) };
            let steps = way.max(0).unsigned_abs().div_ceil(step.unsigned_abs());
            (steps as f64, steps == got as u128)
        }
        _ => {
            let [start, end, step] = [start, end, step].map(Scalar::to::<f64>);
            let steps = ((end - start) / step).ceil().max(0.0);
            (steps, (steps - got as f64).abs() <= 1.0)
        }
    };
    ensure!(
        is_right,
        ACLNN_ERR_PARAM_INVALID,
        "{}: {steps} elements expected from start to end, got {got}",
        out.name
    );
    Ok(())
}
