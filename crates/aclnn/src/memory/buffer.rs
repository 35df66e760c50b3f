//! Memory of a device.

use core::ffi::c_void;
use core::fmt;
use core::ptr;
use std::sync::Arc;

use aclnn_sys::ACL_MEM_MALLOC_HUGE_FIRST;

use crate::call::acl;
use crate::device::Device;
use crate::error::Result;
use crate::handle::Handle;
use crate::stream::uses::{Access, Tracked};

/// Memory of a device, given back when the last that shares it is gone and no work uses it. Cheap
/// to clone; clones share.
///
/// What is in new memory is unspecified.
///
/// # Threads
/// `Send` and `Sync`: nothing but work of streams reads or writes it.
#[derive(Clone)]
pub struct DeviceBuffer(Arc<Tracked<DeviceMemory>>);

impl DeviceBuffer {
    /// So many bytes of memory. Zero bytes have no address.
    ///
    /// # Errors
    /// What `aclrtMalloc` returns, such as out of memory; an error that a drop left.
    pub fn new(device: impl AsRef<Device>, bytes: usize) -> Result<Self> {
        let device = device.as_ref();
        device.bind()?;
        DeviceMemory::new(device, bytes).map(Self::of)
    }

    /// Memory that others made.
    ///
    /// `release` is called when nothing here uses it any more, on any thread.
    ///
    /// host-cann holds operators to it as a device does: memory of the host, or of another device,
    /// or less than the tensors say fails the stream that works on it, with 507035. Host memory
    /// that `aclrtHostRegister` has mapped is memory of a device.
    ///
    /// # Safety
    /// So many bytes at `address` can be read and written by the device's streams until `release`
    /// is called, and work that this crate does not know of is ordered by the caller.
    pub unsafe fn from_raw(
        device: impl AsRef<Device>,
        address: *mut c_void,
        bytes: usize,
        release: impl FnOnce() + Send + Sync + 'static,
    ) -> Self {
        let owner = Owner::Foreign(Some(Box::new(release)));
        Self::of(DeviceMemory {
            device: device.as_ref().clone(),
            address: Handle::new(address),
            bytes,
            owner,
        })
    }

    fn of(memory: DeviceMemory) -> Self {
        Self(Arc::new(Tracked::new(memory)))
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// The address on the device, for C functions; null for zero bytes.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.0.address()
    }

    /// Whether both are the same memory.
    #[must_use]
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Waits for the work that uses the memory, and gives it back unless others share it.
    ///
    /// # Errors
    /// What CANN returns; an error that a drop left.
    pub fn close(self) -> Result<()> {
        let device = self.device().clone();
        device.bind()?;
        self.0.wait(Access::Write)?;
        drop(self);
        device.runtime().check()
    }

    pub(crate) fn tracked(&self) -> &Tracked<DeviceMemory> {
        &self.0
    }
}

impl fmt::Debug for DeviceBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer")
            .field("device", &self.device().id())
            .field("address", &self.as_raw())
            .field("bytes", &self.bytes())
            .finish()
    }
}

/// Memory of a device. It is freed at once when dropped: whoever has it knows that no work uses it.
pub(crate) struct DeviceMemory {
    device: Device,
    address: Handle<*mut c_void>,
    bytes: usize,
    owner: Owner,
}

enum Owner {
    /// `aclrtMalloc` made it.
    Cann,
    /// Someone else did, who is told when it is not needed any more.
    Foreign(Option<Box<dyn FnOnce() + Send + Sync>>),
}

impl DeviceMemory {
    /// The device's context must be the thread's.
    pub(crate) fn new(device: &Device, bytes: usize) -> Result<Self> {
        let mut address = ptr::null_mut();
        if bytes > 0 {
            // SAFETY: there is a place for the address.
            unsafe { acl!(device.cann(), aclrtMalloc(&mut address, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) }?;
        }
        Ok(Self { device: device.clone(), address: Handle::new(address), bytes, owner: Owner::Cann })
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
                // SAFETY: the memory is this one's, and nobody uses it, as it says above.
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
