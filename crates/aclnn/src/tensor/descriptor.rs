//! The `aclTensor` through which C functions see a tensor, and the `aclTensorList` for several.

use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr::{self, null_mut};

use aclnn_scatter::acl_dtype;
use aclnn_sys::{ACL_FORMAT_ND, aclTensor, aclTensorList};
use scatter::{DType, Layout, MAX_RANK};

use crate::call::{aclnn, of_made};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::memory::DeviceBuffer;
use crate::tensor::RawTensor;

/// An `aclTensor`, destroyed when dropped.
#[derive(Debug)]
pub(crate) struct Descriptor {
    device: Device,
    handle: Handle<*mut aclTensor>,
}

impl Descriptor {
    pub(crate) fn new(buffer: &DeviceBuffer, dtype: DType, layout: &Layout) -> Result<Self> {
        Self::at(buffer.as_raw(), dtype, layout, buffer.device())
    }

    /// An `aclTensor` without elements.
    fn empty(device: &Device) -> Result<Self> {
        Self::at(null_mut(), DType::I64, &Layout::contiguous(&[0], 0)?, device)
    }

    fn at(address: *mut c_void, dtype: DType, layout: &Layout, device: &Device) -> Result<Self> {
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
        // them. The address is stored and not dereferenced.
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
                address,
            )
        }
        .map_err(Error::MissingSymbol)?;
        let handle = of_made("aclCreateTensor", handle)?;
        Ok(Self { device: device.clone(), handle: Handle::new(handle.as_ptr()) })
    }

    pub(crate) fn handle(&self) -> *mut aclTensor {
        self.handle.get()
    }

    /// Leaves the `aclTensor` to somebody else, who destroys it.
    fn leave(self) {
        let left = ManuallyDrop::new(self);
        // SAFETY: `left` is not dropped, and not used again.
        drop(unsafe { ptr::read(&raw const left.device) });
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

/// An `aclTensorList` with `aclTensor`s of its own, destroyed when dropped.
#[derive(Debug)]
pub(crate) struct DescriptorList {
    device: Device,
    handle: Handle<*mut aclTensorList>,
}

impl DescriptorList {
    /// A list of index tensors, up to the last that there is. One without elements stands for an
    /// axis without index.
    pub(crate) fn new(indices: &[Option<&RawTensor>], device: &Device) -> Result<Self> {
        let count = indices.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let descriptors = indices.iter().take(count).map(|index| match index {
            Some(index) => Descriptor::new(&index.buffer, index.dtype, &index.layout),
            None => Descriptor::empty(device),
        });
        let descriptors = descriptors.collect::<Result<Vec<Descriptor>>>()?;
        let handles: Vec<*const aclTensor> =
            descriptors.iter().map(|descriptor| descriptor.handle().cast_const()).collect();
        // SAFETY: there are as many handles as is said, of `aclTensor`s that live.
        let list = unsafe { device.cann().aclCreateTensorList(handles.as_ptr(), handles.len() as u64) }
            .map_err(Error::MissingSymbol)?;
        let list = of_made("aclCreateTensorList", list)?;
        // The list destroys them.
        descriptors.into_iter().for_each(Descriptor::leave);
        Ok(Self { device: device.clone(), handle: Handle::new(list.as_ptr()) })
    }

    pub(crate) fn handle(&self) -> *mut aclTensorList {
        self.handle.get()
    }
}

impl Drop for DescriptorList {
    fn drop(&mut self) {
        // SAFETY: `self` owns the list and its tensors, and as with a `Descriptor` no executor will
        // read them any more.
        let destroyed = unsafe { aclnn!(self.device.cann(), aclDestroyTensorList(self.handle.get())) };
        self.device.runtime().keep(destroyed);
    }
}
