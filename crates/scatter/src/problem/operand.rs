//! A tensor as an operator's argument: dtype, layout and address, and no data.

use crate::{DType, Layout, LayoutError, UnsupportedDType};

/// A tensor as [`crate::Problem`] takes it.
///
/// A dtype or a layout that does not exist is carried as its error, so that `Problem` can report it
/// in the contract's order among the other rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// The element type.
    pub dtype: Result<DType, UnsupportedDType>,
    /// Where the elements lie in the storage.
    pub layout: Result<Layout, LayoutError>,
    /// The address of the storage's first byte, as an integer: `Problem` only compares it;
    /// [`cpu::run_bound`](crate::cpu::run_bound) reads and writes there. 0 is a storage that comes
    /// later ([`Problem::rebind`](crate::Problem::rebind)) and overlaps nothing until then.
    pub address: usize,
}

impl Operand {
    /// A tensor of a known dtype and layout.
    #[must_use]
    pub const fn new(dtype: DType, layout: Layout, address: usize) -> Self {
        Self { dtype: Ok(dtype), layout: Ok(layout), address }
    }

    /// Whether there is no element. A tensor of more than eight axes has a shape, too.
    pub(super) fn is_empty(&self) -> bool {
        match &self.layout {
            Ok(layout) => layout.is_empty(),
            Err(LayoutError::Rank { empty, .. }) => *empty,
            Err(_) => false,
        }
    }

    /// The rank, as it is compared: 0 counts as 1. `None` where there is no rank to speak of.
    pub(crate) fn rank(&self) -> Option<usize> {
        match &self.layout {
            Ok(layout) => Some(layout.rank().max(1)),
            Err(LayoutError::Rank { got, .. }) => Some(*got),
            Err(_) => None,
        }
    }
}
