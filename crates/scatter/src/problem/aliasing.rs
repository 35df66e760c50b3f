//! The aliasing rules, the last of the contract, for whatever is written.

use super::Operand;
use crate::overlap::{Extent, overlap, self_overlap};
use crate::{Argument, DType, Error, Layout, Operator};

/// The memory of a tensor whose dtype and layout are known.
pub(crate) const fn extent<'a>(layout: &'a Layout, operand: &Operand, dtype: DType) -> Extent<'a> {
    Extent { layout, address: operand.address, element: dtype.size() }
}

/// Whether two tensors share memory. One whose address comes later shares none yet.
pub(super) fn meet(a: &Extent<'_>, b: &Extent<'_>) -> bool {
    a.address != 0 && b.address != 0 && overlap(a, b)
}

/// Rule 15: no two elements of out share an address.
pub(super) fn not_itself(operator: Operator, out: &Layout) -> Result<(), Error> {
    let Some(axis) = self_overlap(out) else { return Ok(()) };
    let (size, stride) = (out.shape()[axis], out.strides()[axis]);
    Err(Error::SelfOverlap { operator, argument: Argument::Out, axis, size, stride })
}

/// Rule 16: out shares no memory with a tensor that is read.
pub(crate) fn apart(
    operator: Operator,
    out: &Extent<'_>,
    argument: Argument,
    read: &Operand,
) -> Result<(), Error> {
    match read {
        Operand { dtype: Ok(dtype), layout: Ok(layout), .. } if meet(out, &extent(layout, read, *dtype)) => {
            Err(Error::Overlap { operator, argument })
        }
        _ => Ok(()),
    }
}
