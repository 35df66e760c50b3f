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

/// Memory of a device. It is freed when its last clone, tensor and view is dropped and no work uses
/// it any more. Cheap to clone; clones share the memory.
///
/// The contents of new memory are unspecified.
///
/// # Threads
/// `Send` and `Sync`: only work of streams reads or writes it.
#[derive(Clone)]
pub struct DeviceBuffer(Arc<Tracked<DeviceMemory>>);

impl DeviceBuffer {
    /// Allocates `bytes` bytes of memory. Zero bytes have a null address.
    ///
    /// # Errors
    /// What `aclrtMalloc` returns, such as out of memory; the pending error of an earlier drop.
    pub fn new(device: impl AsRef<Device>, bytes: usize) -> Result<Self> {
        let device = device.as_ref();
        device.bind()?;
        DeviceMemory::new(device, bytes).map(Self::of)
    }

    /// Memory that was allocated elsewhere.
    ///
    /// `release` is called, on any thread, when nothing of this crate uses the memory any more.
    ///
    /// host-cann checks this as a device does: work on memory of the host, on memory of another
    /// device, or beyond the end of an allocation fails its stream with code 507035. Host memory
    /// that `aclrtHostRegister` has mapped counts as memory of a device.
    ///
    /// # Safety
    /// The device's streams can read and write `bytes` bytes at `address` until `release` is
    /// called, and the caller orders all work on the memory that is enqueued without this crate.
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

    /// The device whose memory it is.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The size in bytes.
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

    /// Waits for the work that uses the memory, and frees it unless others share it.
    ///
    /// # Errors
    /// What CANN returns; the pending error of an earlier drop.
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
