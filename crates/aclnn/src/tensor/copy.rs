//! A tensor's elements, to and from the host and other tensors.

use scatter::Element;

use super::host::host_zeros;
use super::{Hold, HoldMut, Kind, Tensor, TensorBase, make};
use crate::error::{Error, Result};
use crate::memory::{PinnedBuffer, Rejected, Transfer};
use crate::stream::{On, Stream};

impl<H, T: Element> TensorBase<H, T> {
    /// The elements in row-major order, behind all work of this stream and all writes of others;
    /// waits for them.
    ///
    /// # Errors
    /// As [`Stream::synchronize`], which takes this stream's errors; the error of work that failed
    /// on another stream, from which the elements come; what `aclrtMemcpy` returns;
    /// [`Error::Device`] for a stream of another device; [`Error::HostMemory`].
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let mut elements = host_zeros("to_vec", self.elements())?;
        self.copy_to_slice(&mut elements, stream)?;
        Ok(elements)
    }

    /// The element of a tensor that has one, whatever its rank; waits for it as
    /// [`to_vec`](TensorBase::to_vec) does.
    ///
    /// # Errors
    /// [`Error::Length`] where there are none or several; as [`to_vec`](TensorBase::to_vec).
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
    /// A tensor that is not contiguous is copied with the gaps between its elements.
    ///
    /// # Errors
    /// [`Error::Length`] for a slice of another length; as [`to_vec`](TensorBase::to_vec).
    pub fn copy_to_slice(&self, into: &mut [T], stream: &Stream) -> Result<()> {
        self.expect_length("copy_to_slice", into.len())?;
        if self.is_contiguous() {
            return self.buffer().read(self.byte_offset(), bytemuck::cast_slice_mut(into), stream);
        }
        // A tensor without elements is contiguous.
        let Some(span) = self.layout().span() else { return Ok(()) };
        let mut elements = host_zeros::<T>("copy_to_slice", span.end() - span.start() + 1)?;
        self.buffer().read(span.start() * size_of::<T>(), bytemuck::cast_slice_mut(&mut elements), stream)?;
        for (place, coordinates) in into.iter_mut().zip(self.layout().shape().coordinates()) {
            *place = elements[self.layout().address(&coordinates) - span.start()];
        }
        Ok(())
    }

    /// Enqueues a copy of the elements in row-major order to pinned memory, which comes back when
    /// the copy is done.
    ///
    /// # Errors
    /// [`Error::NotContiguous`], [`Error::Length`]; what `aclrtMemcpyAsync` returns; an error that
    /// a drop left. The buffer comes back with it, unless it is `aclrtMemcpyAsync`'s.
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
    /// Writes elements of the host in row-major order, behind all work that uses the memory; waits
    /// until that is done.
    ///
    /// # Errors
    /// [`Error::NotContiguous`], [`Error::Length`]; as [`to_vec`](TensorBase::to_vec).
    pub fn copy_from_slice(&mut self, from: &[T], stream: &Stream) -> Result<()> {
        self.expect_contiguous("copy_from_slice", from.len())?;
        self.buffer().write(self.byte_offset(), bytemuck::cast_slice(from), stream)
    }

    /// Enqueues a copy of elements in row-major order from pinned memory, which comes back when the
    /// copy is done.
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

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// Enqueues a copy of another tensor's elements into this one, of the same shape and dtype;
    /// neither has to be contiguous.
    ///
    /// # Errors
    /// The rules of a scatter whose index is empty, which is what copies where one of them is not
    /// contiguous; what CANN returns; an error that a drop left.
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
        crate::ops::copy(from.raw(), self.raw(), on)
    }
}

impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// A new tensor with the same elements, one behind the other.
    ///
    /// # Errors
    /// What `aclrtMalloc` returns; as [`copy_from`](TensorBase::copy_from).
    pub fn contiguous<'s>(&self, on: impl Into<On<'s>>) -> Result<Tensor<K>> {
        let mut copy = make::empty(self.dtype(), self.shape(), self.device())?;
        copy.copy_from(self, on)?;
        Ok(copy)
    }
}

impl<H, K: Kind> TensorBase<H, K> {
    /// Where the first element lies in the buffer, in bytes.
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
