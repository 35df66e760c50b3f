//! Memory of a device that clones, tensors and views share.

use core::ffi::c_void;
use core::fmt;
use std::sync::Arc;

use crate::device::Device;
use crate::device_memory::DeviceMemory;
use crate::error::Result;
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
        Self::of(DeviceMemory::foreign(device.as_ref().clone(), address, bytes, release))
    }

    fn of(memory: DeviceMemory) -> Self {
        Self(Arc::new(Tracked::new(memory)))
    }

    /// The device whose memory it is.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.0.device()
    }

    /// The size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
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
