//! What the operators check and compute, one function for a family of C functions.
//!
//! A function gets the tensors of its call in the order of the prototype, with the one that it
//! writes at the end: in place, that is also the first.

pub(crate) mod arithmetic;
pub(crate) mod comparison;
pub(crate) mod copy;
pub(crate) mod fill;
pub(crate) mod pair;
pub(crate) mod reduction;
pub(crate) mod select;
pub(crate) mod unary;

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;

use crate::dtype::{Category, DType};
use crate::failure::{Failure, ensure, failure};
use crate::tensor::Tensor;

/// Refuses an out that has not this shape, or whose dtype can't take results of this one.
fn check_out(out: &Tensor, shape: &[usize], dtype: DType) -> Result<(), Failure> {
    let name = out.name;
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

/// The shape to which two tensors are broadcast.
fn broadcast(left: &Tensor, right: &Tensor) -> Result<Vec<usize>, Failure> {
    let (long, short) = if left.shape.len() >= right.shape.len() { (left, right) } else { (right, left) };
    let more = long.shape.len() - short.shape.len();
    let mut shape = long.shape.clone();
    for (size, &other) in shape.iter_mut().skip(more).zip(&short.shape) {
        *size = match (*size, other) {
            (size, other) if size == other => size,
            (1, other) => other,
            (size, 1) => size,
            _ => {
                let (name, got) = (right.name, &right.shape);
                return Err(failure!(
                    ACLNN_ERR_PARAM_INVALID,
                    "{name}: a shape that can be broadcast with {:?} of {} expected, got {got:?}",
                    left.shape,
                    left.name
                ));
            }
        };
    }
    Ok(shape)
}

/// The dtype in which two tensors meet.
fn promoted(left: &Tensor, right: &Tensor) -> Result<DType, Failure> {
    left.dtype.promote(right.dtype).ok_or_else(|| {
        failure!(
            ACLNN_ERR_PARAM_INVALID,
            "{}: a dtype that meets {} of {} expected, got {}",
            right.name,
            left.dtype,
            left.name,
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
