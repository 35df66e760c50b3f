//! Tensors that are made for a call, beside its operands.

use crate::{Element, Error, Layout, Operand, Operator, Shape};

/// An element for each coordinate of a shape, in row-major order.
pub(super) fn collected<A>(
    operator: Operator,
    shape: &Shape,
    element: impl Fn(&Shape) -> A,
) -> Result<Vec<A>, Error> {
    let (mut all, len) = (Vec::new(), shape.elements().unwrap_or(usize::MAX));
    let bytes = len.saturating_mul(size_of::<A>());
    all.try_reserve_exact(len).map_err(|_| Error::Memory { operator, bytes })?;
    all.extend(shape.coordinates().map(|at| element(&at)));
    Ok(all)
}

/// The contiguous tensor of these elements.
pub(super) fn operand<A: Element>(shape: &Shape, elements: &mut [A]) -> Operand {
    Operand {
        dtype: Ok(A::DTYPE),
        layout: Layout::contiguous(shape, elements.len()),
        address: elements.as_mut_ptr().addr(),
    }
}
