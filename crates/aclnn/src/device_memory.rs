//! Memory of a device, which is freed when it is dropped.

use core::ffi::c_void;
use core::fmt;
use core::ptr;

use aclnn_sys::ACL_MEM_MALLOC_HUGE_FIRST;

use crate::call::acl;
use crate::device::Device;
use crate::error::Result;
use crate::handle::Handle;

/// Memory of a device, freed as soon as it is dropped. Its owner must not drop it before the work
/// that uses it is done.
pub(crate) struct DeviceMemory {
    device: Device,
    address: Handle<*mut c_void>,
    bytes: usize,
    owner: Owner,
}

enum Owner {
    /// `aclrtMalloc` made it.
    Cann,
    /// Other code allocated it, and is told through this function when it is not needed any more.
    Foreign(Option<Box<dyn FnOnce() + Send + Sync>>),
}

impl DeviceMemory {
    /// The device's context must be current on this thread.
    pub(crate) fn new(device: &Device, bytes: usize) -> Result<Self> {
        let mut address = ptr::null_mut();
        if bytes > 0 {
            // SAFETY: `address` is a live local, to which CANN writes the address.
            unsafe { acl!(device.cann(), aclrtMalloc(&mut address, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) }?;
        }
        Ok(Self { device: device.clone(), address: Handle::new(address), bytes, owner: Owner::Cann })
    }

    /// Memory that other code allocated, and is told by `release` when nothing uses it any more.
    pub(crate) fn foreign(
        device: Device,
        address: *mut c_void,
        bytes: usize,
        release: impl FnOnce() + Send + Sync + 'static,
    ) -> Self {
        let owner = Owner::Foreign(Some(Box::new(release)));
        Self { device, address: Handle::new(address), bytes, owner }
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn address(&self) -> *mut c_void {
        self.address.get()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        match &mut self.owner {
            Owner::Cann if self.bytes == 0 => {}
            Owner::Cann => {
                let bound = self.device.bind_quietly();
                // SAFETY: `self` owns the memory, and is dropped only when no work uses it (see the
                // type).
                let freed = unsafe { acl!(self.device.cann(), aclrtFree(self.address.get())) };
                self.device.runtime().keep(bound.and(freed));
            }
            Owner::Foreign(release) => {
                if let Some(release) = release.take() {
                    release();
                }
            }
        }
    }
}

impl fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceMemory")
            .field("address", &self.address)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
