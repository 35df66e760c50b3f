//! `cat` and `masked_select`.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, Axis, IxDyn};

use super::{axis, broadcast, check_out, check_packed, check_shape, common_dtype};
use crate::call::{Call, Work};
use crate::dtype::DType;
use crate::element::with_bits;
use crate::failure::{Failure, bug, ensure, failure};
use crate::tensor::Tensor;
use crate::values::{Wide, in_class};

/// `out` = the tensors one behind the other along `dim`. A tensor of shape `[0]` counts as none, as
/// in PyTorch.
pub(crate) fn cat(call: &Call) -> Result<Work, Failure> {
    let all = call.all_tensors();
    let Some((out, tensors)) = all.split_last() else { return Err(bug("a call without tensors")) };
    ensure!(!tensors.is_empty(), ACLNN_ERR_PARAM_INVALID, "tensors: one at least expected, got none");
    let mut dtype = DType::Bool;
    for tensor in tensors {
        dtype = common_dtype(dtype, "those before", tensor)?;
    }
    let kept: Vec<usize> =
        (0..tensors.len()).filter(|place| tensors.get(*place).is_some_and(|t| t.shape != [0])).collect();
    let parts: Vec<&Tensor> = kept.iter().filter_map(|place| tensors.get(*place).copied()).collect();
    let Some(first) = parts.first() else {
        axis("dim", call.integer()?, 1)?;
        check_out(out, &[0], dtype)?;
        return Ok(Work::new(|_| Ok(())));
    };
    let mut shape = first.shape.clone();
    let along = axis("dim", call.integer()?, shape.len())?;
    let mut sum = 0_usize;
    for part in &parts {
        let mut expected = shape.clone();
        let size = part.shape.get(along).copied();
        if let (Some(expected), Some(size)) = (expected.get_mut(along), size) {
            *expected = size;
            sum = sum.saturating_add(size);
        }
        ensure!(
            part.shape == expected && !expected.is_empty(),
            ACLNN_ERR_PARAM_INVALID,
            "{}: shape {:?} but along axis {along} expected, got {:?}",
            part.name,
            first.shape,
            part.shape
        );
    }
    if let Some(size) = shape.get_mut(along) {
        *size = sum;
    }
    check_out(out, &shape, dtype)?;
    Ok(Work::new(move |held| {
        held.put(
            dtype,
            in_class!(dtype.class(), W => {
                let arrays: Vec<ArrayD<W>> = kept
                    .iter()
                    .map(|place| Ok(W::of(held.values(*place)?.convert(dtype))))
                    .collect::<Result<_, Failure>>()?;
                let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
                Wide::wrap(ndarray::concatenate(Axis(along), &views).map_err(|_| bug("other shapes"))?)
            }),
        )
    }))
}

/// `out` = the elements of self at which mask is true, in the order of both broadcast to one
/// another. out has room for all elements; once the work is done, its shape says how many there
/// are.
pub(crate) fn masked_select(call: &Call) -> Result<Work, Failure> {
    let [self_, mask, out] = call.tensors()?;
    check_mask(mask)?;
    check_dtype(out, self_)?;
    let shape = broadcast(self_, mask)?;
    let is_empty = shape.contains(&0);
    let elements = shape.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
    let elements = if is_empty { Some(0) } else { elements };
    let elements = elements.ok_or_else(|| {
        let (name, other) = (&mask.name, &self_.name);
        failure!(
            ACLNN_ERR_PARAM_INVALID,
            "{name}: fewer than 2^64 elements expected, broadcast with {other}, got shape {shape:?}"
        )
    })?;
    check_shape(out, &[elements])?;
    check_packed(out)?;
    let dtype = self_.dtype;
    let work = Work::new(move |held| {
        let shape = IxDyn(&shape);
        let mask = i128::of(held.values(1)?);
        let mask = mask.broadcast(shape.clone()).ok_or_else(|| bug("another shape"))?;
        with_bits!(dtype, B => {
            let elements = held.elements::<B>(0)?;
            let elements = elements.broadcast(shape).ok_or_else(|| bug("another shape"))?;
            let pairs = elements.iter().zip(&mask).filter(|(_, is_selected)| **is_selected != 0);
            let selected: Vec<B> = pairs.map(|(element, _)| *element).collect();
            let count = selected.len();
            let selected = ArrayD::from_shape_vec(IxDyn(&[count]), selected).map_err(|_| bug("a count"))?;
            held.select(&selected)
        })
    });
    Ok(work.that_sizes_out())
}

/// Refuses an out of another dtype than a tensor's.
pub(super) fn check_dtype(out: &Tensor, tensor: &Tensor) -> Result<(), Failure> {
    ensure!(
        out.dtype == tensor.dtype,
        ACLNN_ERR_PARAM_INVALID,
        "{}: the dtype of {}, {}, expected, got {}",
        out.name,
        tensor.name,
        tensor.dtype,
        out.dtype
    );
    Ok(())
}

/// Refuses a mask of another dtype than bool and u8.
pub(super) fn check_mask(mask: &Tensor) -> Result<(), Failure> {
    ensure!(
        matches!(mask.dtype, DType::Bool | DType::U8),
        ACLNN_ERR_PARAM_INVALID,
        "{}: bool or u8 expected, got {}",
        mask.name,
        mask.dtype
    );
    Ok(())
}
