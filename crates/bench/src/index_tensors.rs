//! The index tensors of `index_put`, which a program has in the place of a case's one index.

use engines::case::Case;
use engines::tensor::Tensor;
use scatter::Axes;

/// A contiguous tensor for each axis that index has coordinates for; none for other operators.
pub(crate) fn index_tensors(case: &Case) -> Vec<Tensor> {
    let axes = case.op.axes().map_or(0, Axes::count);
    (0..axes).map(|component| case.index.component(component).to_contiguous()).collect()
}
