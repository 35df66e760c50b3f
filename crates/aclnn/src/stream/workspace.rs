//! The workspace of a stream's operators.

use core::ffi::c_void;
use core::ptr;
use std::sync::Arc;

use crate::device::Device;
use crate::device_memory::DeviceMemory;
use crate::error::Result;

/// A resource that a stream keeps until it has passed the work that uses it.
type Shared = Arc<dyn Send + Sync>;

/// One block, which all operators of a stream share: they run in order, so each can use the memory
/// of the one before.
#[derive(Debug)]
pub(crate) struct Workspace {
    block: Option<DeviceMemory>,
    /// A block of more bytes than this is not kept, but freed after its work.
    limit: usize,
}

impl Default for Workspace {
    fn default() -> Self {
        Self { block: None, limit: usize::MAX }
    }
}

/// The size of a kept block is rounded up to a multiple of this, so that operators whose sizes
/// differ a little share a block. It is not rounded where the multiple would exceed the limit.
const STEP: usize = 1 << 20;

impl Workspace {
    /// The address of a block of at least `bytes` bytes, null for zero bytes. `keep` is given a
    /// block that is to be freed after the work that follows.
    pub(super) fn take(
        &mut self,
        device: &Device,
        bytes: u64,
        mut keep: impl FnMut(Shared),
    ) -> Result<*mut c_void> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes == 0 {
            return Ok(ptr::null_mut());
        }
        if let Some(block) = self.block.as_ref().filter(|block| block.bytes() >= bytes) {
            return Ok(block.address());
        }
        let rounded = bytes.checked_next_multiple_of(STEP).filter(|rounded| *rounded <= self.limit);
        let block = DeviceMemory::new(device, rounded.unwrap_or(bytes))?;
        let address = block.address();
        if bytes > self.limit {
            keep(Arc::new(block));
        } else if let Some(smaller) = self.block.replace(block) {
            keep(Arc::new(smaller));
        }
        Ok(address)
    }

    /// The size of the block that is kept.
    pub(super) fn bytes(&self) -> usize {
        self.block.as_ref().map_or(0, DeviceMemory::bytes)
    }

    /// Sets the limit. A block that is larger is passed to `keep`.
    pub(super) fn limit(&mut self, bytes: usize, mut keep: impl FnMut(Shared)) {
        self.limit = bytes;
        if self.bytes() > bytes
            && let Some(block) = self.block.take()
        {
            keep(Arc::new(block));
        }
    }

    /// Gives up the block, which is passed to `keep`.
    pub(super) fn trim(&mut self, mut keep: impl FnMut(Shared)) {
        if let Some(block) = self.block.take() {
            keep(Arc::new(block));
        }
    }
}
