//! Sums, means and truth values along axes, and the smallest and the largest element of all.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, Axis};

use super::{REAL, axis, check_category, check_out, check_shape};
use crate::call::{Call, Work};
use crate::dtype::{Category, Class, DType};
use crate::failure::{Failure, bug, ensure};
use crate::tensor::Tensor;
use crate::values::{Values, Wide, in_class};

/// `out` = the sums of self, cast to `dtype`, along the axes `dims`, or along all without any.
///
/// Halves and `f32` are summed as `f64`, and their complex numbers likewise; sums are made along
/// one axis after the other, the last one first, from the first element to the last.
pub(crate) fn sum(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    let dtype = call.dtype_of(out)?;
    ensure!(
        self_.dtype.casts_to(dtype) || dtype == DType::Bool,
        ACLNN_ERR_PARAM_INVALID,
        "dtype: one that {} can be cast to expected, got {dtype}",
        self_.dtype
    );
    let axes = Axes::of(call, self_, out)?;
    Ok(Work::new(move |held| held.put_reshaped(dtype, sums(held.values(0)?.convert(dtype), &axes))))
}

/// `out` = the means of self, cast to `dtype`, a float: each sum is rounded to the type in which
/// dtype is computed, and then divided.
pub(crate) fn mean(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    let dtype = call.dtype_of(out)?;
    ensure!(
        dtype.category() >= Category::Float.max(self_.dtype.category()),
        ACLNN_ERR_PARAM_INVALID,
        "dtype: one of floats that {} can be cast to expected, got {dtype}",
        self_.dtype
    );
    let axes = Axes::of(call, self_, out)?;
    let count = axes.count as f64;
    Ok(Work::new(move |held| {
        held.put_reshaped(
            dtype,
            match sums(held.values(0)?.convert(dtype), &axes) {
                Values::Int(_) => return Err(bug("a mean of integers")),
                Values::Single(array) => Wide::wrap(array / count as f32),
                Values::Double(array) => Wide::wrap(array / count),
                Values::ComplexSingle(array) => Wide::wrap(array.mapv(|sum| sum / count as f32)),
                Values::ComplexDouble(array) => Wide::wrap(array.mapv(|sum| sum / count)),
            },
        )
    }))
}

/// `out` = whether all elements of self along the axes `dims` are true.
pub(crate) fn all(call: &Call) -> Result<Work, Failure> {
    truths(call, |found, element| found && element, true)
}

/// `out` = whether any element of self along the axes `dims` is true.
pub(crate) fn any(call: &Call) -> Result<Work, Failure> {
    truths(call, |found, element| found || element, false)
}

fn truths(call: &Call, fold: fn(bool, bool) -> bool, start: bool) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    check_out(out, &out.shape, DType::Bool)?;
    let axes = Axes::of(call, self_, out)?;
    Ok(Work::new(move |held| {
        let elements = i128::of(held.values(0)?.convert(DType::Bool)).mapv(|value| value != 0);
        held.put_reshaped(DType::Bool, Values::truths(&axes.fold(elements, start, fold)))
    }))
}

/// The axes along which a tensor is reduced.
#[derive(Clone, Debug)]
struct Axes {
    is_reduced: Vec<bool>,
    /// How many elements become one.
    count: usize,
}

impl Axes {
    /// The axes `dims`, or all without any, in the order of the tensor's. Refuses an out of another
    /// shape than they leave.
    fn of(call: &Call, self_: &Tensor, out: &Tensor) -> Result<Self, Failure> {
        let (rank, keeps) = (self_.shape.len(), call.flag()?);
        let (name, dims) = call.dims();
        let mut is_reduced = vec![dims.is_empty(); rank];
        for &dim in dims {
            let axis = axis(name, dim, rank)?;
            // A tensor of rank 0 has nothing to reduce.
            let Some(place) = is_reduced.get_mut(axis) else { continue };
            let is_again = core::mem::replace(place, true);
            ensure!(!is_again, ACLNN_ERR_PARAM_INVALID, "{name}: each axis once expected, got {axis} again");
        }
        let sizes = || self_.shape.iter().zip(&is_reduced);
        let left = sizes().filter(|(_, reduced)| keeps || !**reduced);
        let shape: Vec<usize> = left.map(|(size, reduced)| if *reduced { 1 } else { *size }).collect();
        check_shape(out, &shape)?;
        let count = sizes().filter(|(_, reduced)| **reduced).map(|(size, _)| size).product();
        Ok(Self { is_reduced, count })
    }

    /// Folds an array along the axes, the last one first.
    fn fold<T: Copy>(&self, mut array: ArrayD<T>, start: T, fold: fn(T, T) -> T) -> ArrayD<T> {
        for (axis, _) in self.is_reduced.iter().enumerate().rev().filter(|(_, is_reduced)| **is_reduced) {
            array = array.fold_axis(Axis(axis), start, |found, element| fold(*found, *element));
        }
        array
    }
}

/// The sums along axes, rounded to the computing type of the values.
fn sums(values: Values, axes: &Axes) -> Values {
    fn of<W: Wide>(values: Values, axes: &Axes, add: fn(W, W) -> W) -> Values {
        W::wrap(axes.fold(W::of(values), W::from_int(0), add))
    }
    let class = values.class();
    let exact = match class {
        Class::Int => of::<i128>(values, axes, i128::wrapping_add),
        Class::Single | Class::Double => of::<f64>(values, axes, |sum, value| sum + value),
        Class::ComplexSingle | Class::ComplexDouble => {
            of::<num_complex::Complex<f64>>(values, axes, |sum, value| sum + value)
        }
    };
    in_class!(class, W => W::wrap(W::of(exact)))
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
                // A NaN differs from itself, and no number takes its place.
                self != self || if smallest { self < found } else { self > found }
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
    let (name, dtype) = (&self_.name, self_.dtype);
    check_category(self_, "numbers with an order", &REAL)?;
    ensure!(
        !self_.is_empty(),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: an element at least expected, got shape {:?}",
        self_.shape
    );
    ensure!(out.len() == 1, ACLNN_ERR_PARAM_INVALID, "{}: one element expected, got {}", out.name, out.len());
    check_out(out, &out.shape, dtype)?;
    Ok(Work::new(move |held| {
        held.put(dtype, in_class!(dtype.class(), W => {
            let array = W::of(held.values(0)?);
            let better = |found: W, element: W| if element.comes_before(found, smallest) { element } else { found };
            Values::one(array.iter().copied().reduce(better).ok_or_else(|| bug("no element"))?)
        }))
    }))
}
