//! What the operators check and compute, one function for a family of C functions.
//!
//! A function gets the tensors of its call in the order of the prototype, with the one that it
//! writes at the end: in place, that is also the first.

pub(crate) mod arithmetic;
pub(crate) mod choose;
pub(crate) mod comparison;
pub(crate) mod copy;
pub(crate) mod fill;
pub(crate) mod index;
pub(crate) mod pair;
pub(crate) mod power;
pub(crate) mod product;
pub(crate) mod reduction;
pub(crate) mod select;
pub(crate) mod unary;

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;

use crate::call::Call;
use crate::dtype::{Category, DType};
use crate::failure::{Failure, ensure, failure};
use crate::tensor::Tensor;

/// The categories of real numbers, which have an order.
const REAL: [Category; 3] = [Category::Bool, Category::Integer, Category::Float];

/// Refuses an out that has not this shape, or whose dtype can't take results of this one.
fn check_out(out: &Tensor, shape: &[usize], dtype: DType) -> Result<(), Failure> {
    let name = &out.name;
    ensure!(
        dtype.casts_to(out.dtype),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a dtype that results of {dtype} can be cast to expected, got {}",
        out.dtype
    );
    check_shape(out, shape)
}

/// Refuses a tensor that has not this shape.
fn check_shape(tensor: &Tensor, shape: &[usize]) -> Result<(), Failure> {
    let Tensor { name, shape: got, .. } = tensor;
    ensure!(got == shape, ACLNN_ERR_PARAM_INVALID, "{name}: shape {shape:?} expected, got {got:?}");
    Ok(())
}

/// Refuses a tensor whose elements don't lie one behind the other.
fn check_packed(tensor: &Tensor) -> Result<(), Failure> {
    let Tensor { name, shape, strides, .. } = tensor;
    ensure!(
        tensor.is_packed(),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: elements one behind the other expected, got shape {shape:?} with strides {strides:?}"
    );
    Ok(())
}

/// Refuses a tensor whose dtype has another category than these.
fn check_category(tensor: &Tensor, expected: &str, allowed: &[Category]) -> Result<(), Failure> {
    let Tensor { name, dtype, .. } = tensor;
    ensure!(
        allowed.contains(&dtype.category()),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a dtype of {expected} expected, got {dtype}"
    );
    Ok(())
}

/// Refuses a tensor that is read, or a scalar, whose dtype has another category than these.
fn check_inputs(call: &Call, expected: &str, allowed: &[Category]) -> Result<(), Failure> {
    let tensors = call.all_tensors();
    let inputs = tensors.split_last().map_or(&[][..], |(_, inputs)| inputs);
    inputs.iter().try_for_each(|tensor| check_category(tensor, expected, allowed))?;
    check_scalars(call, &format!("a dtype of {expected}"), allowed)
}

/// Refuses a scalar whose dtype has another category than these.
fn check_scalars(call: &Call, expected: &str, allowed: &[Category]) -> Result<(), Failure> {
    call.scalars().iter().try_for_each(|(name, scalar)| {
        ensure!(
            allowed.contains(&scalar.dtype.category()),
            ACLNN_ERR_PARAM_INVALID,
            "{name}: {expected} expected, got {}",
            scalar.dtype
        );
        Ok(())
    })
}

/// The shape to which two tensors are broadcast.
fn broadcast(left: &Tensor, right: &Tensor) -> Result<Vec<usize>, Failure> {
    common_shape(&left.shape, &right.shape).ok_or_else(|| {
        failure!(
            ACLNN_ERR_PARAM_INVALID,
            "{}: a shape that can be broadcast with {:?} of {} expected, got {:?}",
            right.name,
            left.shape,
            left.name,
            right.shape
        )
    })
}

/// The shape to which two are broadcast, if there is one.
fn common_shape(left: &[usize], right: &[usize]) -> Option<Vec<usize>> {
    let (long, short) = if left.len() >= right.len() { (left, right) } else { (right, left) };
    let mut shape = long.to_vec();
    for (size, &other) in shape.iter_mut().skip(long.len() - short.len()).zip(short) {
        *size = match (*size, other) {
            (size, other) if size == other => size,
            (1, other) => other,
            (size, 1) => size,
            _ => return None,
        };
    }
    Some(shape)
}

/// The dtype to which two tensors are promoted.
fn promoted(left: &Tensor, right: &Tensor) -> Result<DType, Failure> {
    common_dtype(left.dtype, &left.name, right)
}

/// The dtype to which one of something with a name, and a tensor behind it, are promoted.
fn common_dtype(dtype: DType, of: &str, right: &Tensor) -> Result<DType, Failure> {
    dtype.promote(right.dtype).ok_or_else(|| {
        failure!(
            ACLNN_ERR_PARAM_INVALID,
            "{}: a dtype that has a common dtype with {dtype} of {of} expected, got {}",
            right.name,
            right.dtype
        )
    })
}

/// The axis that a number names, which counts from the end if it is negative. A tensor of rank 0
/// has one.
fn axis(name: &str, number: i64, rank: usize) -> Result<usize, Failure> {
    let axes = rank.max(1) as i64;
    ensure!(
        (-axes..axes).contains(&number),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: {} to {} expected, got {number}",
        -axes,
        axes - 1
    );
    Ok(number.rem_euclid(axes) as usize)
}
