//! Operators that move elements: `cat`, `masked_select` and `embedding`.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, Axis, Dimension as _, IxDyn};

use super::{axis, broadcast, check_category, check_out, check_shape, promoted};
use crate::call::{Call, Work};
use crate::dtype::{Category, DType};
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
        let met = Tensor { dtype, ..(*tensor).clone() };
        dtype = promoted(&met, tensor)?;
    }
    let kept: Vec<usize> =
        (0..tensors.len()).filter(|place| tensors.get(*place).is_some_and(|t| t.shape != [0])).collect();
    let parts: Vec<&Tensor> = kept.iter().filter_map(|place| tensors.get(*place).copied()).collect();
    let Some(first) = parts.first() else {
        check_out(out, &[0], dtype)?;
        return Ok(Work::new(|_| Ok(())));
    };
    let mut shape = first.shape.clone();
    let along = axis("dim", call.integer()?, shape.len())?;
    let mut sum = 0_usize;
    for (place, part) in kept.iter().zip(&parts) {
        let mut expected = shape.clone();
        let size = part.shape.get(along).copied();
        if let (Some(expected), Some(size)) = (expected.get_mut(along), size) {
            *expected = size;
            sum = sum.saturating_add(size);
        }
        ensure!(
            part.shape == expected && !expected.is_empty(),
            ACLNN_ERR_PARAM_INVALID,
            "tensors[{place}]: shape {:?} but along axis {along} expected, got {:?}",
            first.shape,
            part.shape
        );
    }
    if let Some(size) = shape.get_mut(along) {
        *size = sum;
    }
    check_out(out, &shape, dtype)?;
    Ok(Work::new(move |held| {
        held.put(in_class!(dtype.class(), W => {
            let arrays: Vec<ArrayD<W>> = kept
                .iter()
                .map(|place| Ok(W::of(held.values(*place)?.convert(dtype))))
                .collect::<Result<_, Failure>>()?;
            let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
            Wide::wrap(ndarray::concatenate(Axis(along), &views).map_err(|_| bug("other shapes"))?)
        }))
    }))
}

/// `out` = the elements of self at which mask is true, in the order of both broadcast to one
/// another. out has room for all elements; once the work is done, its shape says how many there
/// are.
pub(crate) fn masked_select(call: &Call) -> Result<Work, Failure> {
    let [self_, mask, out] = call.tensors()?;
    ensure!(
        matches!(mask.dtype, DType::Bool | DType::U8),
        ACLNN_ERR_PARAM_INVALID,
        "{}: bool or u8 expected, got {}",
        mask.name,
        mask.dtype
    );
    check_dtype(out, self_)?;
    let shape = broadcast(self_, mask)?;
    check_shape(out, &[shape.iter().product()])?;
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
            held.put_elements(&[count], &selected)?;
            held.select(count);
            Ok(())
        })
    });
    Ok(work.that_sizes_out())
}

/// `out[i…] = weight[indices[i…]]`.
pub(crate) fn embedding(call: &Call) -> Result<Work, Failure> {
    let [weight, indices, out] = call.tensors()?;
    let &[rows, columns] = weight.shape.as_slice() else {
        return Err(failure!(
            ACLNN_ERR_PARAM_INVALID,
            "{}: two axes expected, got {}",
            weight.name,
            weight.shape.len()
        ));
    };
    check_category(indices, "integers", &[Category::Integer])?;
    check_dtype(out, weight)?;
    check_shape(out, &[&indices.shape[..], &[columns]].concat())?;
    let dtype = weight.dtype;
    Ok(Work::new(move |held| {
        let indices = i128::of(held.values(1)?);
        let within = |(place, index): (IxDyn, &i128)| {
            usize::try_from(*index).ok().filter(|index| *index < rows).ok_or_else(|| {
                failure!(
                    ACLNN_ERR_PARAM_INVALID,
                    "indices: 0 to {} expected at {:?}, got {index}, for weight has {rows} rows",
                    rows as i128 - 1,
                    place.slice()
                )
            })
        };
        let chosen: Vec<usize> =
            indices.indexed_iter().map(|(place, index)| within((place, index))).collect::<Result<_, _>>()?;
        with_bits!(dtype, B => {
            let elements = held.elements::<B>(0)?;
            let selected = elements.select(Axis(0), &chosen);
            let shape = [indices.shape(), &[columns]].concat();
            let selected = selected.to_shape(IxDyn(&shape)).map_err(|_| bug("a shape"))?.into_owned();
            held.put_all(&selected)
        })
    }))
}

/// Refuses an out of another dtype than a tensor's.
fn check_dtype(out: &Tensor, tensor: &Tensor) -> Result<(), Failure> {
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
