//! The memory that operators of a stream ask for.

use core::ffi::c_void;
use core::ptr;
use std::sync::Arc;

use crate::device::Device;
use crate::error::Result;
use crate::memory::DeviceMemory;

/// Something that a stream keeps until it has passed the work that uses it.
type Shared = Arc<dyn Send + Sync>;

/// One block, which all work of a stream shares: it is done in order, so that the next may have
/// what the one before had.
#[derive(Debug)]
pub(crate) struct Workspace {
    block: Option<DeviceMemory>,
    /// A block of more bytes is given back behind its work.
    limit: usize,
}

impl Default for Workspace {
    fn default() -> Self {
        Self { block: None, limit: usize::MAX }
    }
}

/// Blocks grow to a multiple of this, so that sizes that differ a little share one.
const STEP: usize = 1 << 20;

impl Workspace {
    /// A block of this many bytes, null for none; `keep` is given what is to be freed behind the
    /// work that follows.
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

    /// Bytes of the block.
    pub(super) fn bytes(&self) -> usize {
        self.block.as_ref().map_or(0, DeviceMemory::bytes)
    }

    /// Sets the limit; `keep` is given a block that is above it.
    pub(super) fn limit(&mut self, bytes: usize, mut keep: impl FnMut(Shared)) {
        self.limit = bytes;
        if self.bytes() > bytes
            && let Some(block) = self.block.take()
        {
            keep(Arc::new(block));
        }
    }

    /// Takes the block, which was not asked for again.
    pub(super) fn trim(&mut self, mut keep: impl FnMut(Shared)) {
        if let Some(block) = self.block.take() {
            keep(Arc::new(block));
        }
    }
}
