//! DLPack: a tensor's memory, shared with other libraries of the process.
//!
//! Memory of an NPU has DLPack's device type `kDLExtDev`, as PyTorch with torch_npu exports and
//! imports it. So has memory of `host-cann`, which only host-cann's streams may access.

use dlpark::ffi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use dlpark::metadata::Dynamic;
use dlpark::{ManagedTensorBase, versioned};
use scatter::{DType, Layout};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;
use crate::stream::Stream;
use crate::tensor::{AnyTensor, Kind, Tensor};

/// With feature `dlpark-0_10`.
impl<K: Kind> Tensor<K> {
    /// A DLPack tensor in the same memory, which lives until both tensors are dropped.
    ///
    /// Waits for the stream, and for other streams' writes to the tensor, so that the other library
    /// finds its elements written. The caller must order later work of the two libraries.
    ///
    /// # Errors
    /// As [`Stream::synchronize`]; [`Error::Device`] for a stream of another device.
    pub fn to_dlpack(&self, stream: &Stream) -> Result<versioned::Dlpack> {
        // A read of zero bytes waits for the same work as a read of the whole buffer.
        self.buffer().read(0, &mut [], stream)?;
        let layout = self.layout();
        // A layout's numbers fit isize, hence i64.
        let shape: Vec<i64> = layout.shape().iter().map(|&size| size as i64).collect();
        let strides: Vec<i64> = layout.strides().iter().map(|&stride| stride as i64).collect();
        let owner = Box::new(self.buffer().clone());
        let mut tensor = Dynamic::new(&shape[..], &strides[..])
            .initialize(owner)
            .map_err(|_| unsupported("to_dlpack", "no memory for the description"))?;
        tensor
            .set_data(self.buffer().as_raw())
            .set_byte_offset(self.byte_offset() as u64)
            .set_device(device_of(self.device()))
            .set_dtype(code_of(self.dtype()));
        // SAFETY: shape, strides, offset and dtype are the tensor's, whose layout lies inside the
        // buffer; the DLPack tensor owns a clone of the buffer, which keeps the memory alive.
        Ok(unsafe { tensor.finish() })
    }
}

/// With feature `dlpark-0_10`.
impl AnyTensor {
    /// A tensor in the memory of a DLPack tensor, which is released when this tensor is dropped and
    /// no work uses the memory any more.
    ///
    /// On host-cann, memory that is not the device's although the DLPack tensor says so fails the
    /// stream that works on it, as with [`DeviceBuffer::from_raw`].
    ///
    /// # Safety
    /// The DLPack tensor describes its memory truly: the device's streams can read its elements
    /// until it is released, and write them, unless nothing is written to the new tensor. The other
    /// library's work on the memory is done, or ordered by the caller.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a tensor of another kind of device, of a dtype that the scatter
    /// family lacks, or that DLPack does not allow; [`Error::Device`]; [`Error::Layout`] for more
    /// than eight axes, or strides that overflow. With an error, the DLPack tensor is released.
    pub unsafe fn from_dlpack<M: ManagedTensorBase>(
        tensor: dlpark::Managed<M>,
        device: impl AsRef<Device>,
    ) -> Result<Self> {
        const CALL: &str = "from_dlpack";
        let device = device.as_ref();
        let (dtype, layout, start) = {
            let described =
                tensor.validate().map_err(|_| unsupported(CALL, "DLPack does not allow such a tensor"))?;
            if described.device().device_type != DLDeviceType::EXTDEV {
                return Err(unsupported(CALL, "a tensor of an extension device (kDLExtDev) expected"));
            }
            if described.device().device_id != device.id() {
                return Err(Error::Device {
                    call: CALL,
                    expected: device.id(),
                    got: described.device().device_id,
                });
            }
            let dtype = DType::ALL.into_iter().find(|dtype| code_of(*dtype) == described.dtype());
            let dtype =
                dtype.ok_or_else(|| unsupported(CALL, "one of the twelve scatter dtypes expected"))?;
            let strides =
                described.strides_or_compact().map_err(|_| unsupported(CALL, "its strides overflow"))?;
            let layout = layout_of(described.shape(), &strides)?;
            let offset = usize::try_from(described.byte_offset())
                .map_err(|_| unsupported(CALL, "its offset overflows"))?;
            (dtype, layout, described.data_ptr().cast_mut().wrapping_byte_add(offset))
        };
        let bytes =
            layout.storage_len().checked_mul(dtype.size()).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or_else(|| unsupported(CALL, "more memory than can be addressed"))?;
        // Does not overflow: the offset lies inside the storage, whose size in bytes fits.
        let start = start.wrapping_byte_sub(layout.offset() * dtype.size());
        let deleter = tensor.into_deleter();
        // SAFETY: the caller guarantees that the device's streams can access the elements until the
        // tensor is released, which dropping `deleter` does, and that the other library's work on
        // them is done, or ordered with this crate's. The storage reaches from the lowest element
        // to the highest.
        let buffer = unsafe { DeviceBuffer::from_raw(device, start, bytes, move || drop(deleter)) };
        Ok(Self::of(buffer, dtype, layout))
    }
}

fn unsupported(call: &'static str, problem: &'static str) -> Error {
    Error::Unsupported { call, problem }
}

fn device_of(device: &Device) -> DLDevice {
    DLDevice { device_type: DLDeviceType::EXTDEV, device_id: device.id() }
}

/// The DLPack dtype for a dtype of this crate.
fn code_of(dtype: DType) -> DLDataType {
    let code = match dtype {
        DType::Bf16 => DLDataTypeCode::BFLOAT,
        DType::F16 | DType::F32 | DType::F64 => DLDataTypeCode::FLOAT,
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => DLDataTypeCode::INT,
        DType::U8 => DLDataTypeCode::UINT,
        DType::Bool => DLDataTypeCode::BOOL,
        DType::Complex64 | DType::Complex128 => DLDataTypeCode::COMPLEX,
    };
    DLDataType { code, bits: dtype.size() as u8 * 8, lanes: 1 }
}

/// The layout in a storage that reaches from the lowest element to the highest.
fn layout_of(shape: &[i64], strides: &[i64]) -> Result<Layout> {
    let sizes: core::result::Result<Vec<_>, _> = shape.iter().map(|&size| usize::try_from(size)).collect();
    let steps: core::result::Result<Vec<_>, _> = strides.iter().map(|&step| isize::try_from(step)).collect();
    let (Ok(sizes), Ok(steps)) = (sizes, steps) else {
        return Err(unsupported("from_dlpack", "its sizes or strides are no machine numbers"));
    };
    Ok(Layout::enclosing(&sizes, &steps)?)
}
