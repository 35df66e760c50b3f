//! The index tensors of `index_put`, which a program has in the place of a case's one index.

use engines::case::Case;
use engines::storage::Storage;
use engines::tensor::Tensor;
use scatter::Axes;

/// A tensor of i64 for each axis that index has coordinates for; none for other operators.
pub(crate) fn index_tensors(case: &Case) -> Vec<Tensor> {
    let axes = case.op.axes().map_or(0, Axes::count);
    (0..axes).map(|axis| coordinates(&case.index, axis, axes)).collect()
}

/// The coordinates along one of `axes` axes, of an index that has all along its last axis.
fn coordinates(index: &Tensor, axis: usize, axes: usize) -> Tensor {
    let values = index.storage.elements::<i64>();
    let own: Vec<i64> = values.iter().skip(axis).step_by(axes).copied().collect();
    Tensor::contiguous(Storage::of(&own), &index.shape[..index.shape.len() - 1])
}
