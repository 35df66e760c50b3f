//! Constructors of tensors.

use scatter::{DType, Element, Layout, Scalar};

use super::host::host_zeros;
use super::{Any, AnyTensor, HostData, IntoShape, Kind, Tensor, TensorBase};
use crate::call::acl;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{DeviceBuffer, bytes_of};

impl<T: Element> Tensor<T> {
    /// A contiguous tensor with a copy of host data:
    /// `Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0]], &stream)`.
    ///
    /// The copy is done when this returns.
    ///
    /// # Errors
    /// [`Error::Ragged`] for rows of different lengths; what `aclrtMalloc` and `aclrtMemcpy`
    /// return; [`Error::Layout`] for more than eight axes; [`Error::HostMemory`]; the pending error
    /// of an earlier drop.
    pub fn new(data: impl HostData<T>, device: impl AsRef<Device>) -> Result<Self> {
        let (mut shape, mut elements) = (Vec::new(), Vec::new());
        data.push_shape(&mut shape);
        let len = shape.iter().fold(1, |len: usize, size| len.saturating_mul(*size));
        let none = |_| Error::HostMemory { call: "new", bytes: len.saturating_mul(size_of::<T>()) };
        elements.try_reserve_exact(len).map_err(none)?;
        data.push_elements(&shape, &mut elements)?;
        of_elements("new", &elements, &shape, device.as_ref())
    }

    /// A contiguous tensor of `shape` with these elements in row-major order.
    ///
    /// The copy is done when this returns.
    ///
    /// # Errors
    /// [`Error::Length`] where `data` has another number of elements than the shape; as
    /// [`Tensor::new`].
    pub fn from_slice(data: &[T], shape: impl IntoShape, device: impl AsRef<Device>) -> Result<Self> {
        of_elements("from_slice", data, &shape.to_sizes(), device.as_ref())
    }

    /// [`from_slice`](Tensor::from_slice) for a `Vec`, which it drops.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let squares = Tensor::<i32>::from_vec((0..6).map(|i| i * i).collect(), (2, 3), &stream)?;
    /// assert_eq!(squares.narrow(0, 1..2)?.to_vec(&stream)?, [9, 16, 25]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Tensor::from_slice`].
    // Takes the `Vec` by value although it needs only a slice, as users expect of this name.
    #[allow(clippy::needless_pass_by_value)]
    pub fn from_vec(data: Vec<T>, shape: impl IntoShape, device: impl AsRef<Device>) -> Result<Self> {
        of_elements("from_vec", &data, &shape.to_sizes(), device.as_ref())
    }

    /// A contiguous tensor of zeros.
    ///
    /// # Errors
    /// What `aclrtMalloc` and `aclrtMemset` return; [`Error::Layout`] for a shape that no tensor
    /// can have; the pending error of an earlier drop.
    pub fn zeros(shape: impl IntoShape, device: impl AsRef<Device>) -> Result<Self> {
        zeros(T::DTYPE, &shape.to_sizes(), device.as_ref())
    }

    /// A contiguous tensor whose elements are all `value`.
    ///
    /// # Errors
    /// As [`Tensor::zeros`]; [`Error::HostMemory`].
    pub fn full(shape: impl IntoShape, value: T, device: impl AsRef<Device>) -> Result<Self> {
        full("full", value, &shape.to_sizes(), device.as_ref())
    }

    /// A contiguous tensor of ones.
    ///
    /// # Errors
    /// As [`Tensor::full`].
    pub fn ones(shape: impl IntoShape, device: impl AsRef<Device>) -> Result<Self> {
        ones(&shape.to_sizes(), device.as_ref())
    }

    /// A contiguous tensor whose elements are unspecified.
    ///
    /// # Errors
    /// As [`Tensor::zeros`].
    pub fn empty(shape: impl IntoShape, device: impl AsRef<Device>) -> Result<Self> {
        empty(T::DTYPE, &shape.to_sizes(), device.as_ref())
    }

    /// A tensor in existing memory: element `[i…]` is element `offset + i·strides` of the buffer.
    /// For a tensor without elements, `offset` counts as 0.
    ///
    /// # Errors
    /// [`Error::Layout`] where the elements don't lie inside the buffer.
    pub fn from_buffer(
        buffer: DeviceBuffer,
        shape: impl IntoShape,
        strides: impl AsRef<[isize]>,
        offset: usize,
    ) -> Result<Self> {
        in_buffer(buffer, T::DTYPE, &shape.to_sizes(), strides.as_ref(), offset)
    }
}

impl AnyTensor {
    /// [`Tensor::zeros`], for a dtype that is known at run time.
    ///
    /// # Errors
    /// As [`Tensor::zeros`].
    pub fn zeros(dtype: DType, shape: impl IntoShape, device: impl AsRef<Device>) -> Result<Self> {
        zeros(dtype, &shape.to_sizes(), device.as_ref())
    }

    /// [`Tensor::ones`], for a dtype that is known at run time.
    ///
    /// # Errors
    /// As [`Tensor::ones`].
    pub fn ones(dtype: DType, shape: impl IntoShape, device: impl AsRef<Device>) -> Result<Self> {
        let (shape, device) = (&shape.to_sizes(), device.as_ref());
        scatter::with_element!(dtype, T => ones::<T>(shape, device).map(TensorBase::into_any))
    }

    /// [`Tensor::empty`], for a dtype that is known at run time.
    ///
    /// # Errors
    /// As [`Tensor::empty`].
    pub fn empty(dtype: DType, shape: impl IntoShape, device: impl AsRef<Device>) -> Result<Self> {
        empty(dtype, &shape.to_sizes(), device.as_ref())
    }

    /// [`Tensor::from_buffer`], for a dtype that is known at run time.
    ///
    /// # Errors
    /// As [`Tensor::from_buffer`].
    pub fn from_buffer(
        buffer: DeviceBuffer,
        dtype: DType,
        shape: impl IntoShape,
        strides: impl AsRef<[isize]>,
        offset: usize,
    ) -> Result<Self> {
        in_buffer::<Any>(buffer, dtype, &shape.to_sizes(), strides.as_ref(), offset)
    }
}

/// The contiguous layout of a new tensor. Refuses one whose size in bytes does not fit isize.
fn new_layout(dtype: DType, shape: &[usize]) -> Result<Layout> {
    // The storage has one place for each element. If their number overflows, `contiguous` refuses
    // the shape.
    let len = shape.iter().try_fold(1_usize, |len, &size| len.checked_mul(size)).unwrap_or(usize::MAX);
    let layout = Layout::contiguous(shape, if shape.contains(&0) { 0 } else { len })?;
    bytes_of("a new tensor", layout.elements(), dtype.size()).map(|_| layout)
}

pub(crate) fn empty<K: Kind>(dtype: DType, shape: &[usize], device: &Device) -> Result<Tensor<K>> {
    let layout = new_layout(dtype, shape)?;
    let buffer = DeviceBuffer::new(device, layout.elements() * dtype.size())?;
    Ok(Tensor::of(buffer, dtype, layout))
}

/// A contiguous tensor with these elements in row-major order.
fn of_elements<T: Element>(
    call: &'static str,
    data: &[T],
    shape: &[usize],
    device: &Device,
) -> Result<Tensor<T>> {
    let tensor = empty(T::DTYPE, shape, device)?;
    let (expected, got) = (tensor.elements(), data.len());
    if expected != got {
        return Err(Error::Length { call, expected, got });
    }
    tensor.buffer().fill_new(bytemuck::cast_slice(data))?;
    Ok(tensor)
}

fn full<T: Element>(call: &'static str, value: T, shape: &[usize], device: &Device) -> Result<Tensor<T>> {
    let layout = new_layout(T::DTYPE, shape)?;
    let mut elements = host_zeros(call, layout.elements())?;
    elements.fill(value);
    of_elements(call, &elements, shape, device)
}

/// Converts a number to an element.
pub(crate) fn number<T: Element>(call: &'static str, value: Scalar) -> Result<T> {
    T::from_scalar(value).ok_or(Error::Value { call, expected: T::DTYPE, got: value })
}

fn ones<T: Element>(shape: &[usize], device: &Device) -> Result<Tensor<T>> {
    full("ones", number("ones", Scalar::Int(1))?, shape, device)
}

fn zeros<K: Kind>(dtype: DType, shape: &[usize], device: &Device) -> Result<Tensor<K>> {
    let tensor = empty(dtype, shape, device)?;
    let buffer = tensor.buffer();
    if buffer.bytes() > 0 {
        // SAFETY: the buffer has `bytes()` bytes at this address, and no work uses it, as it is
        // new.
        unsafe { acl!(device.cann(), aclrtMemset(buffer.as_raw(), buffer.bytes(), 0, buffer.bytes())) }?;
    }
    Ok(tensor)
}

fn in_buffer<K: Kind>(
    buffer: DeviceBuffer,
    dtype: DType,
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Result<Tensor<K>> {
    // Without elements the offset has no meaning, and the one given might not fit an `aclTensor`.
    let offset = if shape.contains(&0) { 0 } else { offset };
    let layout = Layout::new(shape, strides, offset, buffer.bytes() / dtype.size())?;
    Ok(Tensor::of(buffer, dtype, layout))
}
