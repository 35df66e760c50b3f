//! Copies of a tensor's elements from and to the host; those between tensors are operators.

use scatter::Element;

use super::host::host_zeros;
use super::{HoldMut, Kind, TensorBase};
use crate::error::{Error, Result};
use crate::memory::{PinnedBuffer, Rejected, Transfer};
use crate::stream::Stream;

impl<H, T: Element> TensorBase<H, T> {
    /// The elements in row-major order. Waits for all work of this stream, and for other streams'
    /// writes to the tensor.
    ///
    /// # Errors
    /// As [`Stream::synchronize`], which takes this stream's errors; the error of failed work of
    /// another stream that computed the elements; what `aclrtMemcpy` returns; [`Error::Device`] for
    /// a stream of another device; [`Error::HostMemory`].
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let mut elements = host_zeros("to_vec", self.elements())?;
        self.copy_to_slice(&mut elements, stream)?;
        Ok(elements)
    }

    /// The element of a tensor that has exactly one, whatever its rank; waits as
    /// [`to_vec`](TensorBase::to_vec) does.
    ///
    /// # Errors
    /// [`Error::Length`] for a tensor with no or several elements; as
    /// [`to_vec`](TensorBase::to_vec).
    pub fn item(&self, stream: &Stream) -> Result<T> {
        if self.elements() != 1 {
            return Err(Error::Length { call: "item", expected: 1, got: self.elements() });
        }
        let mut element = [T::zeroed()];
        self.copy_to_slice(&mut element, stream)?;
        let [element] = element;
        Ok(element)
    }

    /// [`to_vec`](TensorBase::to_vec) into a slice of the host.
    ///
    /// For a tensor that is not contiguous, the gaps between its elements are copied to the host,
    /// too.
    ///
    /// # Errors
    /// [`Error::Length`] for a slice of another length; as [`to_vec`](TensorBase::to_vec).
    pub fn copy_to_slice(&self, into: &mut [T], stream: &Stream) -> Result<()> {
        self.expect_length("copy_to_slice", into.len())?;
        if self.is_contiguous() {
            return self.buffer().read(self.byte_offset(), bytemuck::cast_slice_mut(into), stream);
        }
        // Never `None`: a tensor without elements is contiguous.
        let Some(span) = self.layout().span() else { return Ok(()) };
        let mut elements = host_zeros::<T>("copy_to_slice", span.end() - span.start() + 1)?;
        self.buffer().read(span.start() * size_of::<T>(), bytemuck::cast_slice_mut(&mut elements), stream)?;
        for (place, coordinates) in into.iter_mut().zip(self.layout().shape().coordinates()) {
            *place = elements[self.layout().address(&coordinates) - span.start()];
        }
        Ok(())
    }

    /// Enqueues a copy of the elements in row-major order to pinned memory. [`Transfer::wait`]
    /// returns the buffer when the copy is done.
    ///
    /// # Errors
    /// [`Error::NotContiguous`], [`Error::Length`]; [`Error::Device`] for a stream of another
    /// device; what `aclrtMemcpyAsync` returns; the pending error of an earlier drop. The error
    /// contains the buffer, unless `aclrtMemcpyAsync` failed.
    pub fn copy_to_pinned(
        &self,
        into: PinnedBuffer<T>,
        stream: &Stream,
    ) -> Result<Transfer<PinnedBuffer<T>>, Rejected<PinnedBuffer<T>>> {
        match self.expect_contiguous("copy_to_pinned", into.len()) {
            Ok(()) => self.buffer().read_into_pinned(self.byte_offset(), into, stream),
            Err(error) => Err(Rejected::new(into, error)),
        }
    }
}

impl<H: HoldMut, T: Element> TensorBase<H, T> {
    /// Copies elements of the host to the tensor in row-major order, after all work that uses its
    /// memory; waits until the copy is done.
    ///
    /// # Errors
    /// [`Error::NotContiguous`], [`Error::Length`]; as
    /// [`DeviceBuffer::write`](crate::DeviceBuffer::write).
    pub fn copy_from_slice(&mut self, from: &[T], stream: &Stream) -> Result<()> {
        self.expect_contiguous("copy_from_slice", from.len())?;
        self.buffer().write(self.byte_offset(), bytemuck::cast_slice(from), stream)
    }

    /// Enqueues a copy of elements in row-major order from pinned memory. [`Transfer::wait`]
    /// returns the buffer when the copy is done.
    ///
    /// # Errors
    /// As [`copy_to_pinned`](TensorBase::copy_to_pinned).
    pub fn copy_from_pinned(
        &mut self,
        from: PinnedBuffer<T>,
        stream: &Stream,
    ) -> Result<Transfer<PinnedBuffer<T>>, Rejected<PinnedBuffer<T>>> {
        match self.expect_contiguous("copy_from_pinned", from.len()) {
            Ok(()) => self.buffer().write_from_pinned(self.byte_offset(), from, stream),
            Err(error) => Err(Rejected::new(from, error)),
        }
    }
}

impl<H, K: Kind> TensorBase<H, K> {
    /// The offset of the first element in the buffer, in bytes.
    pub(crate) fn byte_offset(&self) -> usize {
        self.layout().offset() * self.dtype().size()
    }

    fn expect_length(&self, call: &'static str, got: usize) -> Result<()> {
        let expected = self.elements();
        if expected == got { Ok(()) } else { Err(Error::Length { call, expected, got }) }
    }

    fn expect_contiguous(&self, call: &'static str, got: usize) -> Result<()> {
        if !self.is_contiguous() {
            let (shape, strides) = (self.shape().to_vec(), self.strides().to_vec());
            return Err(Error::NotContiguous { call, shape, strides });
        }
        self.expect_length(call, got)
    }
}
