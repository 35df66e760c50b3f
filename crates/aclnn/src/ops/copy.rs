//! Copies between tensors.

use scatter::{DType, Layout, Op};

use super::run::run;
use super::tensors::Tensors;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, Kind, RawTensor, Tensor, TensorBase, empty, refused};

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// Enqueues a copy of another tensor's elements into this one. Both must have the same shape
    /// and dtype; neither has to be contiguous.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::DType`] for tensors that differ; [`Error::Device`] for tensors
    /// or a stream of another device; what CANN returns; the pending error of an earlier drop.
    ///
    /// Where one plain copy of memory can't make the copy, a scatter with an empty index does. An
    /// error of CANN's then names the function that computes it.
    pub fn copy_from<'s, G: Hold>(&mut self, from: &TensorBase<G, K>, on: impl Into<On<'s>>) -> Result<()> {
        copy_all("copy_from", from, self, on.into())
    }
}

impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// A new contiguous tensor with the same elements.
    ///
    /// # Errors
    /// What `aclrtMalloc` returns; as [`copy_from`](TensorBase::copy_from).
    pub fn contiguous<'s>(&self, on: impl Into<On<'s>>) -> Result<Tensor<K>> {
        let copy = empty(self.dtype(), self.shape(), self.device())?;
        copy_all("contiguous", self, &copy, on.into())?;
        Ok(copy)
    }
}

/// Copies all elements of a tensor to another. `call` is the method's name for errors.
fn copy_all<G: Hold, H: HoldMut, K: Kind>(
    call: &'static str,
    from: &TensorBase<G, K>,
    to: &TensorBase<H, K>,
    on: On<'_>,
) -> Result<()> {
    // As in a scatter, a tensor without axes counts as one with one element.
    if from.shape() != to.shape() && (from.rank().max(to.rank()) > 1 || from.elements() != to.elements()) {
        return Err(refused(call, to.layout(), from.shape(), "another shape"));
    }
    if from.dtype() != to.dtype() {
        return Err(Error::DType { call, expected: to.dtype(), got: from.dtype() });
    }
    for device in [to.device(), from.device()] {
        on.stream.device().expect_same(call, device)?;
    }
    if to.is_contiguous() && from.is_contiguous() && !to.buffer().is_shared_with(from.buffer()) {
        let bytes = to.elements() * to.dtype().size();
        return to.buffer().copy_from(to.byte_offset(), from.buffer(), from.byte_offset(), bytes, on.stream);
    }
    copy(from.raw(), to.raw(), on)
}

/// Copies one tensor to another of the same shape, dtype and device, whatever their strides, as a
/// scatter with an empty index.
pub(super) fn copy(from: &RawTensor, to: &RawTensor, on: On<'_>) -> Result<()> {
    let nothing = DeviceBuffer::new(on.stream, 0)?;
    let index = RawTensor::new(nothing, DType::I64, Layout::contiguous(&[0], 0)?);
    let tensors = Tensors { self_: Some(from), index: (&index).into(), src: Some(from), out: to };
    run(Op::ScatterAdd { dim: 0 }, tensors, on)
}
