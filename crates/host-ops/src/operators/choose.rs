//! `where`, `masked_fill` and `repeat`.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, IxDyn, Zip};

use super::fill::check_value;
use super::select::{check_dtype, check_mask};
use super::{broadcast, check_out, check_shape, common_shape, promoted};
use crate::call::{Call, Work};
use crate::element::with_bits;
use crate::failure::{Failure, bug, ensure, failure};
use crate::held::Held;
use crate::tensor::MOST_AXES;
use crate::values::{Wide, in_class};

/// `out` = self where condition is true, and other elsewhere; all three are broadcast.
pub(crate) fn choose(call: &Call) -> Result<Work, Failure> {
    let [condition, self_, other, out] = call.tensors()?;
    check_mask(condition)?;
    let (dtype, shape) = (promoted(self_, other)?, broadcast(self_, other)?);
    let shape = common_shape(&condition.shape, &shape).ok_or_else(|| {
        failure!(
            ACLNN_ERR_PARAM_INVALID,
            "{}: a shape that can be broadcast with {shape:?} expected, got {:?}",
            condition.name,
            condition.shape
        )
    })?;
    check_out(out, &shape, dtype)?;
    Ok(Work::new(move |held| {
        let mask = mask(held, 0)?;
        let [left, right] = [held.values(1)?.convert(dtype), held.values(2)?.convert(dtype)];
        held.put(
            dtype,
            in_class!(dtype.class(), W => Wide::wrap(merge::<W>(&mask, &W::of(left), &W::of(right), &shape)?)),
        )
    }))
}

/// `selfRef = value` where mask is true, which is broadcast to selfRef's shape.
pub(crate) fn masked_fill(call: &Call) -> Result<Work, Failure> {
    let tensors = call.all_tensors();
    let [self_ref, mask_of, value @ .., _] = tensors.as_slice() else { return Err(bug("other tensors")) };
    check_mask(mask_of)?;
    ensure!(
        common_shape(&mask_of.shape, &self_ref.shape).as_ref() == Some(&self_ref.shape),
        ACLNN_ERR_PARAM_INVALID,
        "{}: a shape that can be broadcast to {:?} of {} expected, got {:?}",
        mask_of.name,
        self_ref.shape,
        self_ref.name,
        mask_of.shape
    );
    let dtype = self_ref.dtype;
    let scalar = match (value, call.scalars()) {
        ([], &[(name, scalar)]) => {
            check_value(name, scalar, dtype)?;
            Some(scalar)
        }
        ([value], []) => {
            ensure!(
                value.len() == 1 && value.dtype.casts_to(dtype),
                ACLNN_ERR_PARAM_INVALID,
                "{}: one element of a dtype that can be cast to {dtype} of {} expected, got shape {:?} of {}",
                value.name,
                self_ref.name,
                value.shape,
                value.dtype
            );
            None
        }
        _ => return Err(bug("another value")),
    };
    let shape = self_ref.shape.clone();
    Ok(Work::new(move |held| {
        let mask = mask(held, 1)?;
        let value = match scalar {
            Some(scalar) => scalar.values(),
            None => held.values(2)?,
        };
        let (value, old) = (value.convert(dtype), held.values(0)?);
        held.put(
            dtype,
            in_class!(dtype.class(), W => {
                let value = W::of(value).first().copied().ok_or_else(|| bug("no value"))?;
                Wide::wrap(merge::<W>(&mask, &ArrayD::from_elem(IxDyn(&[]), value), &W::of(old), &shape)?)
            }),
        )
    }))
}

/// A tensor's truth values.
fn mask(held: &Held<'_>, place: usize) -> Result<ArrayD<bool>, Failure> {
    Ok(i128::of(held.values(place)?).mapv(|value| value != 0))
}

/// `left` where the mask is true, and `right` elsewhere, all broadcast to a shape.
fn merge<W: Wide>(
    mask: &ArrayD<bool>,
    left: &ArrayD<W>,
    right: &ArrayD<W>,
    shape: &[usize],
) -> Result<ArrayD<W>, Failure> {
    let shape = IxDyn(shape);
    let (mask, left, right) =
        (mask.broadcast(shape.clone()), left.broadcast(shape.clone()), right.broadcast(shape));
    let (Some(mask), Some(left), Some(right)) = (mask, left, right) else {
        return Err(bug("operands of other shapes"));
    };
    Ok(Zip::from(mask)
        .and(left)
        .and(right)
        .map_collect(|mask, left, right| if *mask { *left } else { *right }))
}

/// `out` = self as often along each axis as `repeats` says, which may have more axes than self:
/// those come first.
pub(crate) fn repeat(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    let (name, repeats) = call.dims();
    let rank = self_.shape.len();
    ensure!(
        (rank..=MOST_AXES).contains(&repeats.len()),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: {rank} to {MOST_AXES} numbers expected, for the axes of {}, got {repeats:?}",
        self_.name
    );
    let sizes = core::iter::repeat_n(1, repeats.len() - rank).chain(self_.shape.iter().copied());
    // Of each axis of out: how often there are how many elements.
    let mut parts = Vec::with_capacity(2 * repeats.len());
    for (&times, size) in repeats.iter().zip(sizes) {
        let times = usize::try_from(times)
            .map_err(|_| failure!(ACLNN_ERR_PARAM_INVALID, "{name}: 0 or more expected, got {repeats:?}"))?;
        parts.push([times, size]);
    }
    let shape: Vec<usize> = parts.iter().map(|[times, size]| times.saturating_mul(*size)).collect();
    check_dtype(out, self_)?;
    check_shape(out, &shape)?;
    let dtype = self_.dtype;
    Ok(Work::new(move |held| {
        let once: Vec<usize> = parts.iter().flat_map(|[_, size]| [1, *size]).collect();
        let all: Vec<usize> = parts.iter().flatten().copied().collect();
        with_bits!(dtype, B => {
            let elements = held.elements::<B>(0)?;
            let elements = elements.to_shape(IxDyn(&once)).map_err(|_| bug("another shape"))?;
            let repeated = elements.broadcast(IxDyn(&all)).ok_or_else(|| bug("another shape"))?;
            let repeated = repeated.to_shape(IxDyn(&shape)).map_err(|_| bug("another number of elements"))?;
            held.put_all(&repeated.into_owned())
        })
    }))
}
