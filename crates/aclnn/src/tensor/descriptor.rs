//! The `aclTensor` through which C functions see a tensor.

use aclnn_scatter::acl_dtype;
use aclnn_sys::{ACL_FORMAT_ND, aclTensor};
use scatter::{DType, Layout, MAX_RANK};

use crate::call::{aclnn, of_made};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::memory::DeviceBuffer;

/// An `aclTensor`, destroyed when dropped.
#[derive(Debug)]
pub(crate) struct Descriptor {
    device: Device,
    handle: Handle<*mut aclTensor>,
}

impl Descriptor {
    pub(crate) fn new(buffer: &DeviceBuffer, dtype: DType, layout: &Layout) -> Result<Self> {
        let device = buffer.device();
        let (mut shape, mut strides) = ([0_i64; MAX_RANK], [0_i64; MAX_RANK]);
        // A layout's numbers fit isize, hence i64.
        for (place, &size) in shape.iter_mut().zip(layout.shape().iter()) {
            *place = size as i64;
        }
        for (place, &stride) in strides.iter_mut().zip(layout.strides()) {
            *place = stride as i64;
        }
        let storage = layout.storage_len() as i64;
        // SAFETY: `shape` and `strides` hold at least `rank` numbers and `storage` one; CANN copies
        // them. The address of the buffer is stored and not dereferenced.
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
        // SAFETY: `self` owns the `aclTensor`, and no executor will read it any more: whoever makes
        // an executor from it keeps `self` until the executor has been launched for the last time,
        // or was destroyed.
        let destroyed = unsafe { aclnn!(self.device.cann(), aclDestroyTensor(self.handle.get())) };
        self.device.runtime().keep(destroyed);
    }
}
