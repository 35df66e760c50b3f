//! A tensor as C functions see it.

use aclnn_sys::{
    ACL_BF16, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_FORMAT_ND,
    ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, aclDataType, aclTensor,
};
use scatter::{DType, Layout, MAX_RANK};

use crate::call::{aclnn, of_made};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::memory::DeviceBuffer;

/// The C ABI's number of a dtype.
pub(crate) const fn acl_dtype(dtype: DType) -> aclDataType {
    match dtype {
        DType::Bf16 => ACL_BF16,
        DType::F16 => ACL_FLOAT16,
        DType::F32 => ACL_FLOAT,
        DType::F64 => ACL_DOUBLE,
        DType::I64 => ACL_INT64,
        DType::I32 => ACL_INT32,
        DType::I16 => ACL_INT16,
        DType::I8 => ACL_INT8,
        DType::U8 => ACL_UINT8,
        DType::Bool => ACL_BOOL,
        DType::Complex64 => ACL_COMPLEX64,
        DType::Complex128 => ACL_COMPLEX128,
    }
}

/// An `aclTensor`.
#[derive(Debug)]
pub(crate) struct Descriptor {
    device: Device,
    handle: Handle<*mut aclTensor>,
}

impl Descriptor {
    pub(crate) fn new(buffer: &DeviceBuffer, dtype: DType, layout: &Layout) -> Result<Self> {
        let device = buffer.device();
        let (mut shape, mut strides) = ([0_i64; MAX_RANK], [0_i64; MAX_RANK]);
        // A layout's numbers fit isize, and so i64.
        for (place, &size) in shape.iter_mut().zip(layout.shape().iter()) {
            *place = size as i64;
        }
        for (place, &stride) in strides.iter_mut().zip(layout.strides()) {
            *place = stride as i64;
        }
        let storage = layout.storage_len() as i64;
        // SAFETY: the arrays hold as many numbers as they are said to, and are copied; the address is only kept.
        let handle = unsafe {
            device.cann().aclCreateTensor(
                shape.as_ptr(),
                layout.rank() as u64,
                acl_dtype(dtype),
                strides.as_ptr(),
                layout.offset() as i64,
                ACL_FORMAT_ND,
                &storage,
                1,
                buffer.as_raw(),
            )
        }
        .map_err(Error::MissingSymbol)?;
        let handle = of_made("aclCreateTensor", handle)?;
        Ok(Self { device: device.clone(), handle: Handle::new(handle.as_ptr()) })
    }

    pub(crate) fn handle(&self) -> *mut aclTensor {
        self.handle.get()
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the tensor is this one's. Executors that use it have been given to their stream, which has read it, or
        // keep it.
        let destroyed = unsafe { aclnn!(self.device.cann(), aclDestroyTensor(self.handle.get())) };
        self.device.runtime().keep(destroyed);
    }
}
