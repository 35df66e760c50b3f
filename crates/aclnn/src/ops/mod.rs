//! The scatter family, as methods of tensors.

mod copy;
mod dim;
mod embedding;
mod fill;
mod gather;
mod index_fill;
mod index_put;
mod nd;
mod run;
mod slices;
mod tensors;
mod update;
mod vendor;
mod windows;

pub use update::Update;

use crate::error::Result;
use crate::tensor::{Hold, Kind, Tensor, TensorBase, empty};

impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// A new tensor for the result of an operator.
    fn empty_like(&self) -> Result<Tensor<K>> {
        empty(self.dtype(), self.shape(), self.device())
    }
}
