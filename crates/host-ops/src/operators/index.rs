//! Elements by their places: `embedding`, `index` and `nonzero`.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, Axis, Dimension, IxDyn};

use super::select::check_dtype;
use super::{check_category, check_packed, check_shape, common_shape};
use crate::call::{Call, Work};
use crate::dtype::{Category, DType};
use crate::element::with_bits;
use crate::failure::{Failure, bug, ensure, failure};
use crate::tensor::Tensor;
use crate::values::Wide;

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
        check_range("indices", &indices, 0, rows)?;
        let chosen: Vec<usize> = indices.iter().map(|index| *index as usize).collect();
        with_bits!(dtype, B => {
            let selected = held.elements::<B>(0)?.select(Axis(0), &chosen);
            let shape = [indices.shape(), &[columns]].concat();
            held.put_all(&selected.to_shape(IxDyn(&shape)).map_err(|_| bug("a shape"))?.into_owned())
        })
    }))
}

/// Refuses an index outside of `lowest` to the last place of an axis.
fn check_range(name: &str, indices: &ArrayD<i128>, lowest: i128, size: usize) -> Result<(), Failure> {
    let size = size as i128;
    match indices.indexed_iter().find(|(_, index)| !(lowest..size).contains(*index)) {
        None => Ok(()),
        Some((place, index)) => Err(failure!(
            ACLNN_ERR_PARAM_INVALID,
            "{name}: {lowest} to {} expected at {:?}, got {index}, on an axis of size {size}",
            size - 1,
            place.slice()
        )),
    }
}

/// `out = self[indices[0], indices[1], …]`, as PyTorch does it: the index tensors, one for each of
/// the first axes, are broadcast to one another; one without elements stands for an axis without
/// index. Their axes take the place of those that they index, or come first where these are not
/// neighbours. A negative index counts from the end.
pub(crate) fn index(call: &Call) -> Result<Work, Failure> {
    let all = call.all_tensors();
    let [self_, indices @ .., out] = all.as_slice() else { return Err(bug("another number of tensors")) };
    check_dtype(out, self_)?;
    let rank = self_.shape.len();
    ensure!(
        indices.len() <= rank,
        ACLNN_ERR_PARAM_INVALID,
        "indices: at most {rank} tensors expected, got {}",
        indices.len()
    );
    indices
        .iter()
        .filter(|tensor| !tensor.is_empty())
        .try_for_each(|tensor| check_category(tensor, "integers", &[Category::Integer]))?;
    let ResultAxes { indexed, shape, before, behind } = result_axes(self_, indices, out)?;
    let sizes: Vec<usize> = self_.shape.clone();
    let (dtype, out_shape) = (self_.dtype, out.shape.clone());
    Ok(Work::new(move |held| {
        let mut places = Vec::new();
        for &axis in &indexed {
            let size = sizes.get(axis).copied().unwrap_or_default();
            let indices = i128::of(held.values(1 + axis)?);
            check_range(&format!("indices[{axis}]"), &indices, -(size as i128), size)?;
            let indices = indices.mapv(|index| index.rem_euclid(size as i128) as usize);
            let indices = indices.broadcast(IxDyn(&shape)).ok_or_else(|| bug("another shape"))?.to_owned();
            places.push((axis, indices));
        }
        let (start, end) = (before.len(), before.len() + shape.len());
        let source = |place: IxDyn| {
            let place = place.slice();
            let mut source = vec![0; sizes.len()];
            let free = before.iter().zip(&place[..start]).chain(behind.iter().zip(&place[end..]));
            free.for_each(|(axis, at)| source[*axis] = *at);
            places.iter().for_each(|(axis, indices)| source[*axis] = indices[IxDyn(&place[start..end])]);
            IxDyn(&source)
        };
        with_bits!(dtype, B => {
            let elements = held.elements::<B>(0)?;
            let chosen = ArrayD::from_shape_fn(IxDyn(&out_shape), |place| elements[source(place)]);
            held.put_all(&chosen)
        })
    }))
}

/// Where the axes of the result of [`index`] come from.
#[derive(Debug)]
struct ResultAxes {
    /// The axes of self that have an index.
    indexed: Vec<usize>,
    /// The shape to which the index tensors are broadcast.
    shape: Vec<usize>,
    /// The axes of self that come before those of the index tensors, and those that come behind.
    before: Vec<usize>,
    behind: Vec<usize>,
}

/// The axes that lead to out's shape. An index tensor without elements stands for an axis without
/// index; if out has no elements either, it may also be an index that takes none.
fn result_axes(self_: &Tensor, indices: &[&Tensor], out: &Tensor) -> Result<ResultAxes, Failure> {
    let without: Vec<usize> = (0..indices.len())
        .filter(|axis| indices.get(*axis).is_some_and(|tensor| tensor.is_empty()))
        .collect();
    let first = result_axes_without(self_, indices, out, &without);
    if first.is_ok() || !out.is_empty() {
        return first;
    }
    // At most 8 axes, so at most 256 subsets.
    let subsets = 0..(1_usize << without.len()) - 1;
    let mut others = subsets.filter_map(|kept| {
        let places = without.iter().enumerate().filter(|(place, _)| kept >> place & 1 != 0);
        let without: Vec<usize> = places.map(|(_, axis)| *axis).collect();
        result_axes_without(self_, indices, out, &without).ok()
    });
    others.next().map_or(first, Ok)
}

/// The axes of the result where these axes have no index.
fn result_axes_without(
    self_: &Tensor,
    indices: &[&Tensor],
    out: &Tensor,
    without: &[usize],
) -> Result<ResultAxes, Failure> {
    let mut shape = Vec::new();
    let mut indexed = Vec::new();
    for (axis, tensor) in indices.iter().enumerate().filter(|(axis, _)| !without.contains(axis)) {
        shape = common_shape(&shape, &tensor.shape).ok_or_else(|| {
            failure!(
                ACLNN_ERR_PARAM_INVALID,
                "{}: a shape that can be broadcast with {shape:?} of those before expected, got {:?}",
                tensor.name,
                tensor.shape
            )
        })?;
        indexed.push(axis);
    }
    let (first, last) = (indexed.first().copied().unwrap_or(0), indexed.last().copied().unwrap_or(0));
    let are_neighbours = indexed.len() == last - first + 1;
    let free = (0..self_.shape.len()).filter(|axis| !indexed.contains(axis));
    let (before, behind): (Vec<usize>, Vec<usize>) = free.partition(|axis| are_neighbours && *axis < first);
    let size = |axis: &usize| self_.shape.get(*axis).copied().unwrap_or(1);
    let expected = before.iter().map(size).chain(shape.iter().copied()).chain(behind.iter().map(size));
    check_shape(out, &expected.collect::<Vec<_>>())?;
    Ok(ResultAxes { indexed, shape, before, behind })
}

/// `out` = the places of self's elements that are not 0, one in each row. out has room for all;
/// once the work is done, its shape says how many there are.
pub(crate) fn nonzero(call: &Call) -> Result<Work, Failure> {
    places(call, false)
}

/// [`nonzero`] with one place in each column.
pub(crate) fn nonzero_columns(call: &Call) -> Result<Work, Failure> {
    places(call, true)
}

fn places(call: &Call, in_columns: bool) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    ensure!(
        out.dtype == DType::I64,
        ACLNN_ERR_PARAM_INVALID,
        "{}: i64 expected, got {}",
        out.name,
        out.dtype
    );
    let rank = self_.shape.len();
    check_shape(out, &if in_columns { [rank, self_.len()] } else { [self_.len(), rank] })?;
    check_packed(out)?;
    let work = Work::new(move |held| {
        let elements = i128::of(held.values(0)?.convert(DType::Bool));
        let found: Vec<IxDyn> =
            elements.indexed_iter().filter(|(_, element)| **element != 0).map(|(place, _)| place).collect();
        let rows: Vec<i64> = found.iter().flat_map(Dimension::slice).map(|at| *at as i64).collect();
        let rows = ArrayD::from_shape_vec(IxDyn(&[found.len(), rank]), rows).map_err(|_| bug("a count"))?;
        held.select(&if in_columns { rows.reversed_axes() } else { rows })
    });
    Ok(work.that_sizes_out())
}
