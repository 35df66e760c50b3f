//! Tensors on a device.

mod axes;
mod copy;
mod descriptor;
mod host;
mod kind;
mod make;
mod print;
mod shape;
mod sizes;

use core::marker::PhantomData;
use std::sync::OnceLock;

use aclnn_sys::aclTensor;
use scatter::{DType, Element, Layout, Operand};

pub(crate) use descriptor::{Descriptor, DescriptorList};
pub use host::HostData;
#[cfg(feature = "ndarray-0_17")]
pub(crate) use host::expect_size;
use kind::CloneMeansShareOrContiguous;
pub use kind::{Any, Borrowed, BorrowedMut, Hold, HoldClone, HoldMut, IndexKind, Kind, Owned};
pub(crate) use make::{empty, number};
pub(crate) use shape::refused;
pub use sizes::IntoShape;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;
use crate::stream::uses::Access;

/// A tensor on a device: memory, dtype and [`Layout`]. [`Tensor`], [`TensorView`] and
/// [`TensorViewMut`] are its three forms, which share this documentation. `H` says how it holds its
/// memory ([`Hold`]), `K` what is known at compile time about its elements ([`Kind`]).
///
/// Tensors are those that [`scatter`] supports: twelve dtypes, up to eight axes, any strides. Sizes
/// are in elements, axes are numbered from 0.
///
/// # Shared memory
/// A tensor, its views and [`shared`](TensorBase::share) tensors have the same memory. All of them
/// see what one of them writes, in the order in which work is given to streams: streams wait for
/// each other where they use the same memory.
///
/// # Threads
/// `Send` and `Sync`.
pub struct TensorBase<H, K: Kind> {
    raw: RawTensor,
    form: PhantomData<(H, fn() -> K)>,
}

/// A tensor without type parameters.
pub(crate) struct RawTensor {
    pub(crate) buffer: DeviceBuffer,
    pub(crate) dtype: DType,
    pub(crate) layout: Layout,
    /// Made when a C function first needs it.
    descriptor: OnceLock<Descriptor>,
}

impl RawTensor {
    pub(crate) fn new(buffer: DeviceBuffer, dtype: DType, layout: Layout) -> Self {
        Self { buffer, dtype, layout, descriptor: OnceLock::new() }
    }

    pub(crate) fn descriptor(&self) -> Result<&Descriptor> {
        if let Some(descriptor) = self.descriptor.get() {
            return Ok(descriptor);
        }
        let made = Descriptor::new(&self.buffer, self.dtype, &self.layout)?;
        Ok(self.descriptor.get_or_init(|| made))
    }

    /// The access of an operator that writes all elements of the tensor, and reads none: a tensor
    /// that does not fill its buffer leaves the rest unchanged.
    pub(crate) fn write(&self) -> Access {
        Access::write(self.layout.elements() * self.dtype.size() == self.buffer.bytes())
    }

    /// The tensor as `scatter` describes it. Exposes the address, because engines turn it back into
    /// a pointer.
    pub(crate) fn operand(&self) -> Operand {
        Operand::new(self.dtype, self.layout, self.buffer.as_raw().expose_provenance())
    }
}

/// A tensor that owns its memory, perhaps together with others ([`share`](TensorBase::share)).
///
/// ```
/// # fn main() -> aclnn::Result<()> {
/// # // SAFETY: nothing else runs that reads the environment.
/// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
/// use aclnn::{Runtime, Tensor};
///
/// let stream = Runtime::host()?.device(0)?.stream()?;
/// let input = Tensor::<f32>::new([[1.0, 2.0, 3.0, 4.0, 5.0]], &stream)?;
/// let src = Tensor::<f32>::new([[8.0, 8.0]], &stream)?;
/// let index = Tensor::<i64>::new([[2, 4]], &stream)?;
/// let out = input.scatter_add(1, &index, &src, &stream)?;
/// assert_eq!(out.to_vec(&stream)?, [1.0, 2.0, 11.0, 4.0, 13.0]);
/// # Ok(())
/// # }
/// ```
pub type Tensor<T> = TensorBase<Owned, T>;

/// A tensor of a dtype that is known at run time only.
pub type AnyTensor = Tensor<Any>;

/// A read-only view of another tensor's memory.
pub type TensorView<'a, T> = TensorBase<Borrowed<'a>, T>;

/// A view of another tensor's memory, to write it.
pub type TensorViewMut<'a, T> = TensorBase<BorrowedMut<'a>, T>;

impl<H, K: Kind> TensorBase<H, K> {
    pub(crate) fn of(buffer: DeviceBuffer, dtype: DType, layout: Layout) -> Self {
        Self::of_raw(RawTensor::new(buffer, dtype, layout))
    }

    fn of_raw(raw: RawTensor) -> Self {
        Self { raw, form: PhantomData }
    }

    pub(crate) const fn raw(&self) -> &RawTensor {
        &self.raw
    }

    /// The same memory with another layout.
    fn relaid(self, layout: Layout) -> Self {
        Self::of(self.raw.buffer, self.raw.dtype, layout)
    }

    /// The same tensor with other type parameters.
    fn reformed<G, L: Kind>(&self) -> TensorBase<G, L> {
        TensorBase::of(self.raw.buffer.clone(), self.raw.dtype, self.raw.layout)
    }

    /// The sizes of the axes.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.raw.layout.shape()
    }

    /// The strides of the axes, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.raw.layout.strides()
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.raw.layout.rank()
    }

    /// The number of elements, the product of the sizes.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.raw.layout.elements()
    }

    /// Where the elements lie in the [buffer](TensorBase::buffer).
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.raw.layout
    }

    /// The element type.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.raw.dtype
    }

    /// The device whose memory the tensor uses.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.raw.buffer.device()
    }

    /// The memory in which the elements lie.
    #[must_use]
    pub const fn buffer(&self) -> &DeviceBuffer {
        &self.raw.buffer
    }

    /// Whether the elements lie in row-major order, without gaps.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        shape::is_contiguous(&self.raw.layout)
    }

    /// A read-only view of the whole tensor.
    #[must_use]
    pub fn view(&self) -> TensorView<'_, K> {
        self.reformed()
    }

    /// The same tensor, typed as one whose dtype is known at run time only.
    #[must_use]
    pub fn into_any(self) -> TensorBase<H, Any> {
        TensorBase::of_raw(self.raw)
    }

    /// The `aclTensor`, for C functions; the tensor owns it, and destroys it when dropped.
    ///
    /// This crate does not know of work that C functions do with it, unless an
    /// [`Executor`](crate::Executor) calls them.
    ///
    /// # Errors
    /// What `aclCreateTensor` returns.
    pub fn as_raw(&self) -> Result<*mut aclTensor> {
        self.raw.descriptor().map(Descriptor::handle)
    }
}

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// A view of the whole tensor, to write it.
    #[must_use]
    pub fn view_mut(&mut self) -> TensorViewMut<'_, K> {
        self.reformed()
    }
}

impl<K: Kind> Tensor<K> {
    /// Another tensor in the same memory: each sees what the other writes.
    /// [`contiguous`](TensorBase::contiguous) makes a copy.
    #[must_use]
    pub fn share(&self) -> Self {
        self.reformed()
    }

    /// Never compiles; the error message proposes `share` and `contiguous`, because in some
    /// libraries a clone shares memory and in others it copies.
    #[doc(hidden)]
    #[allow(clippy::should_implement_trait)]
    #[must_use]
    pub fn clone(&self) -> Self
    where
        K: CloneMeansShareOrContiguous,
    {
        self.share()
    }
}

impl<H> TensorBase<H, Any> {
    /// The same tensor, typed with this element type.
    ///
    /// # Errors
    /// [`Error::DType`] where its dtype is another.
    pub fn typed<T: Element>(self) -> Result<TensorBase<H, T>> {
        if self.dtype() != T::DTYPE {
            return Err(Error::DType { call: "typed", expected: T::DTYPE, got: self.dtype() });
        }
        Ok(TensorBase::of_raw(self.raw))
    }
}

/// Only for read-only views. For a tensor that owns its memory it would be unclear whether a clone
/// is a copy ([`contiguous`](TensorBase::contiguous)) or in the same memory
/// ([`share`](TensorBase::share)).
impl<H: HoldClone, K: Kind> Clone for TensorBase<H, K> {
    fn clone(&self) -> Self {
        self.reformed()
    }
}
