//! Copies between tensors.

use scatter::{DType, Layout, Op};

use super::run::run;
use super::tensors::Tensors;
use crate::error::Result;
use crate::memory::DeviceBuffer;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, Kind, RawTensor, Tensor, TensorBase, empty};

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// Enqueues a copy of another tensor's elements into this one. Both must have the same shape
    /// and dtype; neither has to be contiguous.
    ///
    /// # Errors
    /// [`Error::Scatter`](crate::Error::Scatter), such as for tensors that differ in shape or
    /// dtype: a scatter with an empty index makes the copy wherever one plain copy of memory can't.
    /// [`Error::Device`](crate::Error::Device) for tensors or a stream of another device; what CANN
    /// returns; the pending error of an earlier drop.
    pub fn copy_from<'s, G: Hold>(&mut self, from: &TensorBase<G, K>, on: impl Into<On<'s>>) -> Result<()> {
        let on = on.into();
        let is_plain = self.is_contiguous()
            && from.is_contiguous()
            && self.shape() == from.shape()
            && self.dtype() == from.dtype()
            && !self.buffer().is_shared_with(from.buffer());
        if is_plain {
            let bytes = self.elements() * self.dtype().size();
            return self.buffer().copy_from(
                self.byte_offset(),
                from.buffer(),
                from.byte_offset(),
                bytes,
                on.stream,
            );
        }
        copy(from.raw(), self.raw(), on)
    }
}

impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// A new contiguous tensor with the same elements.
    ///
    /// # Errors
    /// What `aclrtMalloc` returns; as [`copy_from`](TensorBase::copy_from).
    pub fn contiguous<'s>(&self, on: impl Into<On<'s>>) -> Result<Tensor<K>> {
        let mut copy = empty(self.dtype(), self.shape(), self.device())?;
        copy.copy_from(self, on)?;
        Ok(copy)
    }
}

/// Copies one tensor to another, whatever their strides, as a scatter with an empty index.
pub(super) fn copy(from: &RawTensor, to: &RawTensor, on: On<'_>) -> Result<()> {
    let nothing = DeviceBuffer::new(on.stream, 0)?;
    let index = RawTensor::new(nothing, DType::I64, Layout::contiguous(&[0], 0)?);
    let tensors = Tensors { self_: Some(from), index: (&index).into(), src: Some(from), out: to };
    run(Op::ScatterAdd { dim: 0 }, tensors, on)
}
