//! New tensors.

use scatter::{DType, Element, Layout};

use super::host::host_zeros;
use super::{Any, AnyTensor, HostData, Kind, Tensor};
use crate::call::acl;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;

impl<T: Element> Tensor<T> {
    /// A contiguous tensor of the host's numbers: `Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0]], &stream)`.
    ///
    /// The copy is done when this returns.
    ///
    /// # Errors
    /// What `aclrtMalloc` and `aclrtMemcpy` return; [`Error::Layout`] for more than eight axes; an error that a drop left.
    pub fn new(data: impl HostData<T>, device: impl AsRef<Device>) -> Result<Self> {
        let (mut shape, mut elements) = (Vec::new(), Vec::new());
        data.push_shape(&mut shape);
        data.push_elements(&mut elements);
        Self::from_slice(&elements, shape, device)
    }

    /// A contiguous tensor of `shape` with these elements in row-major order.
    ///
    /// The copy is done when this returns.
    ///
    /// # Errors
    /// [`Error::Length`] where the shape has another number of elements; as [`Tensor::new`].
    pub fn from_slice(data: &[T], shape: impl AsRef<[usize]>, device: impl AsRef<Device>) -> Result<Self> {
        let tensor = Self::empty(shape, device)?;
        let expected = tensor.elements();
        if data.len() != expected {
            return Err(Error::Length { call: "from_slice", expected, got: data.len() });
        }
        tensor.buffer().fill_new(bytemuck::cast_slice(data))?;
        Ok(tensor)
    }

    /// A contiguous tensor of zeros.
    ///
    /// # Errors
    /// What `aclrtMalloc` and `aclrtMemset` return; [`Error::Layout`] for a shape that no tensor can have; an error that a drop
    /// left.
    pub fn zeros(shape: impl AsRef<[usize]>, device: impl AsRef<Device>) -> Result<Self> {
        zeros(T::DTYPE, shape.as_ref(), device.as_ref())
    }

    /// A contiguous tensor with this element everywhere.
    ///
    /// # Errors
    /// As [`Tensor::zeros`]; [`Error::HostMemory`].
    pub fn full(shape: impl AsRef<[usize]>, value: T, device: impl AsRef<Device>) -> Result<Self> {
        let shape = shape.as_ref();
        let layout = new_layout(T::DTYPE, shape)?;
        let mut elements = host_zeros("full", layout.elements())?;
        elements.fill(value);
        Self::from_slice(&elements, shape, device)
    }

    /// A contiguous tensor of whatever is in new memory.
    ///
    /// # Errors
    /// As [`Tensor::zeros`].
    pub fn empty(shape: impl AsRef<[usize]>, device: impl AsRef<Device>) -> Result<Self> {
        empty(T::DTYPE, shape.as_ref(), device.as_ref())
    }

    /// A tensor in memory that is there: element `[i…]` is element `offset + i·strides` of the buffer. Where there is no
    /// element, `offset` counts as 0.
    ///
    /// # Errors
    /// [`Error::Layout`] where the elements don't lie inside the buffer.
    pub fn from_buffer(
        buffer: DeviceBuffer,
        shape: impl AsRef<[usize]>,
        strides: impl AsRef<[isize]>,
        offset: usize,
    ) -> Result<Self> {
        in_buffer(buffer, T::DTYPE, shape.as_ref(), strides.as_ref(), offset)
    }
}

impl AnyTensor {
    /// [`Tensor::zeros`], of a dtype that is known at run time.
    ///
    /// # Errors
    /// As there.
    pub fn zeros(dtype: DType, shape: impl AsRef<[usize]>, device: impl AsRef<Device>) -> Result<Self> {
        zeros(dtype, shape.as_ref(), device.as_ref())
    }

    /// [`Tensor::empty`], of a dtype that is known at run time.
    ///
    /// # Errors
    /// As there.
    pub fn empty(dtype: DType, shape: impl AsRef<[usize]>, device: impl AsRef<Device>) -> Result<Self> {
        empty(dtype, shape.as_ref(), device.as_ref())
    }

    /// [`Tensor::from_buffer`], of a dtype that is known at run time.
    ///
    /// # Errors
    /// As there.
    pub fn from_buffer(
        buffer: DeviceBuffer,
        dtype: DType,
        shape: impl AsRef<[usize]>,
        strides: impl AsRef<[isize]>,
        offset: usize,
    ) -> Result<Self> {
        in_buffer::<Any>(buffer, dtype, shape.as_ref(), strides.as_ref(), offset)
    }
}

/// The layout of a new tensor; its bytes can be counted.
fn new_layout(dtype: DType, shape: &[usize]) -> Result<Layout> {
    // The storage is as long as the shape asks for, which `contiguous` makes sure can be counted.
    let len = shape.iter().try_fold(1_usize, |len, &size| len.checked_mul(size)).unwrap_or(usize::MAX);
    let layout = Layout::contiguous(shape, if shape.contains(&0) { 0 } else { len })?;
    let bytes = layout.elements().checked_mul(dtype.size()).filter(|bytes| isize::try_from(*bytes).is_ok());
    let expected = isize::MAX as usize / dtype.size();
    bytes.ok_or(Error::Length { call: "a new tensor", expected, got: layout.elements() })?;
    Ok(layout)
}

pub(crate) fn empty<K: Kind>(dtype: DType, shape: &[usize], device: &Device) -> Result<Tensor<K>> {
    let layout = new_layout(dtype, shape)?;
    let buffer = DeviceBuffer::new(device, layout.elements() * dtype.size())?;
    Ok(Tensor::of(buffer, dtype, layout))
}

fn zeros<K: Kind>(dtype: DType, shape: &[usize], device: &Device) -> Result<Tensor<K>> {
    let tensor = empty(dtype, shape, device)?;
    let buffer = tensor.buffer();
    if buffer.bytes() > 0 {
        // SAFETY: so many bytes are there, and nobody else knows of them.
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
    // Where there is no element, the offset is none's, and need not be one that C functions can be told.
    let offset = if shape.contains(&0) { 0 } else { offset };
    let layout = Layout::new(shape, strides, offset, buffer.bytes() / dtype.size())?;
    Ok(Tensor::of(buffer, dtype, layout))
}
