//! Sums along axes, and the smallest and the largest element of all.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, Axis};

use super::{axis, check_out, check_shape};
use crate::call::{Call, Work};
use crate::dtype::{Category, DType};
use crate::failure::{Failure, bug, ensure};
use crate::values::{Values, Wide, in_class};

/// `out` = the sums of self, cast to `dtype`, along the axes `dims`, or along all without any.
///
/// Halves and `f32` are summed as `f64`, and their complex numbers likewise; sums are made along
/// one axis after the other, the last one first, from the first element to the last.
pub(crate) fn sum(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    let keeps = call.flag()?;
    let dtype = call.dtype_of(out)?;
    ensure!(
        self_.dtype.casts_to(dtype) || dtype == DType::Bool,
        ACLNN_ERR_PARAM_INVALID,
        "dtype: one that {} can be cast to expected, got {dtype}",
        self_.dtype
    );
    let rank = self_.shape.len();
    let mut is_summed = vec![call.dims().is_empty(); rank];
    for &dim in call.dims() {
        let axis = axis("dims", dim, rank)?;
        // A tensor of rank 0 has nothing to sum along.
        let Some(place) = is_summed.get_mut(axis) else { continue };
        let is_again = core::mem::replace(place, true);
        ensure!(!is_again, ACLNN_ERR_PARAM_INVALID, "dims: each axis once expected, got {axis} again");
    }
    let sizes = self_.shape.iter().zip(&is_summed);
    let shape: Vec<usize> = sizes
        .filter(|(_, summed)| keeps || !**summed)
        .map(|(size, summed)| if *summed { 1 } else { *size })
        .collect();
    check_shape(out, &shape)?;
    Ok(Work::new(move |held| {
        let values = held.values(0)?.convert(dtype);
        let sums = match values {
            Values::Int(array) => Wide::wrap(along(array, &is_summed, i128::wrapping_add)),
            Values::Single(_) | Values::Double(_) => {
                Wide::wrap(along(f64::of(values), &is_summed, |sum, value| sum + value))
            }
            Values::ComplexSingle(_) | Values::ComplexDouble(_) => {
                let array = <num_complex::Complex<f64> as Wide>::of(values);
                Wide::wrap(along(array, &is_summed, |sum, value| sum + value))
            }
        };
        held.put_reshaped(sums)
    }))
}

/// Folds an array along axes, from 0.
fn along<W: Wide>(mut array: ArrayD<W>, axes: &[bool], fold: fn(W, W) -> W) -> ArrayD<W> {
    for (axis, _) in axes.iter().enumerate().rev().filter(|(_, is_folded)| **is_folded) {
        array = array.fold_axis(Axis(axis), W::from_int(0), |sum, value| fold(*sum, *value));
    }
    array
}

/// `out` = the smallest element of self; NaN if there is one.
pub(crate) fn min(call: &Call) -> Result<Work, Failure> {
    extreme(call, true)
}

/// `out` = the largest element of self; NaN if there is one.
pub(crate) fn max(call: &Call) -> Result<Work, Failure> {
    extreme(call, false)
}

/// The order of a computing type.
trait Ordered: Wide {
    /// Whether this element takes the place of the one found so far.
    fn comes_before(self, found: Self, smallest: bool) -> bool;
}

macro_rules! ordered {
    ($($kind:ty)*) => {$(
        impl Ordered for $kind {
            #[allow(clippy::eq_op)]
            fn comes_before(self, found: Self, smallest: bool) -> bool {
                // A NaN differs from itself; once found, it stays.
                found == found && (self != self || if smallest { self < found } else { self > found })
            }
        }
    )*};
}
ordered! { i128 f32 f64 }

/// Complex numbers have no order, and are refused.
macro_rules! unordered {
    ($($kind:ty)*) => {$(
        impl Ordered for $kind {
            fn comes_before(self, _found: Self, _smallest: bool) -> bool {
                false
            }
        }
    )*};
}
unordered! { num_complex::Complex<f32> num_complex::Complex<f64> }

fn extreme(call: &Call, smallest: bool) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    let (name, dtype) = (self_.name, self_.dtype);
    ensure!(
        dtype.category() < Category::Complex,
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a dtype of numbers with an order expected, got {dtype}"
    );
    ensure!(
        !self_.is_empty(),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: an element at least expected, got shape {:?}",
        self_.shape
    );
    ensure!(out.len() == 1, ACLNN_ERR_PARAM_INVALID, "{}: one element expected, got {}", out.name, out.len());
    check_out(out, &out.shape, dtype)?;
    Ok(Work::new(move |held| {
        held.put(in_class!(dtype.class(), W => {
            let array = W::of(held.values(0)?);
            let better = |found: W, element: W| if element.comes_before(found, smallest) { element } else { found };
            Values::one(array.iter().copied().reduce(better).ok_or_else(|| bug("no element"))?)
        }))
    }))
}
