//! DLPack: a tensor's memory, shared with other libraries of the process.
//!
//! Memory of an NPU is of DLPack's device type `kDLExtDev`, as PyTorch with torch_npu gives and
//! takes it; so is that of `host-cann`, which is no memory for anybody but its streams.

use dlpark::ffi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use dlpark::metadata::Dynamic;
use dlpark::{ManagedTensorBase, versioned};
use scatter::{DType, Layout};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;
use crate::stream::Stream;
use crate::tensor::{AnyTensor, Kind, Tensor};

/// With feature `dlpack`.
impl<K: Kind> Tensor<K> {
    /// The tensor as one of DLPack's, in the same memory, which lives as long as either does.
    ///
    /// Waits for the stream, and for the writes of others, so that the other library finds the
    /// elements there. What is done later on either side is ordered by whoever does it.
    ///
    /// # Errors
    /// As [`Stream::synchronize`]; [`Error::Device`] for a stream of another device.
    pub fn to_dlpack(&self, stream: &Stream) -> Result<versioned::Dlpack> {
        // A read of nothing waits as one of everything does.
        self.buffer().read(0, &mut [], stream)?;
        let layout = self.layout();
        // A layout's numbers fit isize, and so i64.
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
        // SAFETY: the description is that of the tensor, whose layout lies inside the buffer; the
        // buffer is the tensor's owner.
        Ok(unsafe { tensor.finish() })
    }
}

/// With feature `dlpack`.
impl AnyTensor {
    /// A tensor of DLPack's, in its memory, which is released when no work uses it any more.
    ///
    /// Memory that says it is a device's and is not fails the stream that works on it, as with
    /// [`DeviceBuffer::from_raw`].
    ///
    /// # Safety
    /// The tensor is what it says: its elements can be read, and unless it is read-only and never
    /// written here, written by the device's streams until it is released. Work that this crate
    /// does not know of is done, or ordered by the caller.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a tensor of another kind of device, of a dtype that the family
    /// lacks, or that DLPack does not allow; [`Error::Device`]; [`Error::Layout`] for more than
    /// eight axes, or strides that overflow. The tensor is released then.
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
        // The offset lies in the storage, whose bytes can be counted.
        let start = start.wrapping_byte_sub(layout.offset() * dtype.size());
        let deleter = tensor.into_deleter();
        // SAFETY: by the caller's word, the memory from the lowest to the highest element can be
        // used until it is released.
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

/// DLPack's dtype of ours.
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

/// The layout in a storage from the lowest element to the highest.
fn layout_of(shape: &[i64], strides: &[i64]) -> Result<Layout> {
    let sizes: core::result::Result<Vec<_>, _> = shape.iter().map(|&size| usize::try_from(size)).collect();
    let steps: core::result::Result<Vec<_>, _> = strides.iter().map(|&step| isize::try_from(step)).collect();
    let (Ok(sizes), Ok(steps)) = (sizes, steps) else {
        return Err(unsupported("from_dlpack", "its sizes or strides are no machine numbers"));
    };
    Ok(Layout::enclosing(&sizes, &steps)?)
}
