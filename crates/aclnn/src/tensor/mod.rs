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

pub(crate) use descriptor::Descriptor;
pub use host::HostData;
#[cfg(feature = "ndarray")]
pub(crate) use host::expect_size;
use kind::CloneMeansShareOrContiguous;
pub use kind::{Any, Borrowed, BorrowedMut, Hold, HoldClone, HoldMut, IndexKind, Kind, Owned};
pub(crate) use make::{empty, number};
pub use sizes::IntoShape;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;
use crate::stream::uses::Access;

/// A tensor on a device: memory, dtype and [`Layout`]. [`Tensor`], [`TensorView`] and
/// [`TensorViewMut`] are its three forms; what is said here holds for each. `H` says how it has its
/// memory, `K` what the types know of its elements.
///
/// Its elements are those of [`scatter`]: twelve dtypes, up to eight axes, any strides. Shapes are
/// in elements, axes count from 0.
///
/// # Shared memory
/// Views and [`shared`](TensorBase::share) tensors are of the same memory. What one writes the
/// others see, in the order in which work is given to streams: streams wait for each other where
/// they meet in a tensor.
///
/// # Threads
/// `Send` and `Sync`.
pub struct TensorBase<H, K: Kind> {
    raw: RawTensor,
    form: PhantomData<(H, fn() -> K)>,
}

/// A tensor of which the types know nothing.
pub(crate) struct RawTensor {
    pub(crate) buffer: DeviceBuffer,
    pub(crate) dtype: DType,
    pub(crate) layout: Layout,
    /// Made when a C function first sees the tensor.
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

    /// How an operator writes the tensor that it need not read.
    pub(crate) fn write(&self) -> Access {
        Access::write(self.layout.elements() * self.dtype.size() == self.buffer.bytes())
    }

    /// What the rules of an operator look at, and what engines make pointers of again.
    pub(crate) fn operand(&self) -> Operand {
        Operand::new(self.dtype, self.layout, self.buffer.as_raw().expose_provenance())
    }
}

/// A tensor that has its memory, perhaps together with others ([`share`](TensorBase::share)).
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

/// A tensor in the memory of another, to read. It has the other's memory too, so that it may be
/// moved about as long as the borrow lasts.
pub type TensorView<'a, T> = TensorBase<Borrowed<'a>, T>;

/// A tensor in the memory of another, to write.
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

    /// The same memory in another layout.
    fn relaid(self, layout: Layout) -> Self {
        Self::of(self.raw.buffer, self.raw.dtype, layout)
    }

    /// The same tensor in another form.
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

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.raw.buffer.device()
    }

    /// The memory.
    #[must_use]
    pub const fn buffer(&self) -> &DeviceBuffer {
        &self.raw.buffer
    }

    /// Whether the elements lie one behind the other in row-major order, without gaps.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        shape::is_contiguous(&self.raw.layout)
    }

    /// The tensor, to read.
    #[must_use]
    pub fn view(&self) -> TensorView<'_, K> {
        self.reformed()
    }

    /// The tensor, as one of a dtype that is known at run time only.
    #[must_use]
    pub fn into_any(self) -> TensorBase<H, Any> {
        TensorBase::of_raw(self.raw)
    }

    /// The `aclTensor`, for C functions; the tensor has it, and destroys it.
    ///
    /// What they are given to do with it is not known here: an [`Executor`](crate::Executor) makes
    /// it known.
    ///
    /// # Errors
    /// What `aclCreateTensor` returns.
    pub fn as_raw(&self) -> Result<*mut aclTensor> {
        self.raw.descriptor().map(Descriptor::handle)
    }
}

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// The tensor, to write.
    #[must_use]
    pub fn view_mut(&mut self) -> TensorViewMut<'_, K> {
        self.reformed()
    }
}

impl<K: Kind> Tensor<K> {
    /// Another tensor in the same memory: what one writes the other sees.
    /// [`contiguous`](TensorBase::contiguous) makes a copy.
    #[must_use]
    pub fn share(&self) -> Self {
        self.reformed()
    }

    /// Refused by the compiler, which names `share` and `contiguous`: some libraries share where
    /// they clone, others copy.
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
    /// The tensor, as one of this element type.
    ///
    /// # Errors
    /// [`Error::DType`] where it has another.
    pub fn typed<T: Element>(self) -> Result<TensorBase<H, T>> {
        if self.dtype() != T::DTYPE {
            return Err(Error::DType { expected: T::DTYPE, got: self.dtype() });
        }
        Ok(TensorBase::of_raw(self.raw))
    }
}

/// For views that read. A tensor that has its memory would leave open whether its clone is a copy
/// ([`contiguous`](TensorBase::contiguous)) or the same memory ([`share`](TensorBase::share)).
impl<H: HoldClone, K: Kind> Clone for TensorBase<H, K> {
    fn clone(&self) -> Self {
        self.reformed()
    }
}
