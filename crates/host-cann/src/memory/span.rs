//! The bytes that a copy or fill accesses, checked against the memory in which they lie.

use core::ffi::c_void;
use std::sync::Arc;

use aclnn_sys::{ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_SYS_DMA};

use super::{Block, Place, address, locate};
use crate::failure::{Fallible, ensure, failure};

/// A range of bytes that may be accessed. Memory of the runtime stays usable as long as the span
/// exists.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    name: &'static str,
    start: usize,
    len: usize,
    side: Side,
    block: Option<Arc<Block>>,
}

/// Where a span lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Device(i32),
    /// On the host, where the stream may read it later.
    Pinned,
    /// On the host, where the caller may free it after the call.
    Pageable,
}

impl Side {
    pub(crate) fn is_device(self) -> bool {
        matches!(self, Self::Device(_))
    }
}

impl core::fmt::Display for Side {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Device(device) => write!(f, "memory of device {device}"),
            Self::Pinned => f.write_str("pinned host memory"),
            Self::Pageable => f.write_str("host memory"),
        }
    }
}

impl Span {
    /// The `len` bytes from an address on, of an argument called `name`.
    pub(crate) fn new(name: &'static str, start: *const c_void, len: usize) -> Fallible<Self> {
        let pointer = start;
        let start = start.expose_provenance();
        let (side, block) = match locate(start) {
            Place::Device(device, block) => (Side::Device(device), Some(block)),
            Place::Pinned(block) => (Side::Pinned, Some(block)),
            Place::Registered(room) if len <= room => (Side::Pinned, None),
            // Memory behind a registered range is the program's own, and may be freed after the
            // call.
            Place::Registered(_) | Place::Pageable => (Side::Pageable, None),
        };
        let block = match block {
            None => None,
            Some(Some(block)) => Some(block),
            Some(None) => {
                return Err(failure!(
                    ACL_ERROR_RT_PARAM_INVALID,
                    "{name} {pointer:?} is in {side}, but in no living allocation: it was freed, or lies outside of one"
                ));
            }
        };
        if let Some(block) = &block {
            let offset = start - block.base;
            ensure!(
                len <= block.len - offset,
                ACL_ERROR_RT_PARAM_INVALID,
                "{name}: {len} bytes at offset {offset} reach beyond the allocation of {} bytes at {:#x}",
                block.len,
                block.base
            );
        }
        Ok(Self { name, start, len, side, block })
    }

    pub(crate) fn side(&self) -> Side {
        self.side
    }

    /// The address of the first byte.
    pub(crate) fn start(&self) -> *mut u8 {
        address(self.start).cast()
    }

    /// Where the first byte can be accessed.
    pub(crate) fn memory(&self) -> *mut u8 {
        self.block.as_ref().map_or_else(|| address(self.start), |block| block.memory(self.start)).cast()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether the memory still exists, checked when a stream is about to use it.
    pub(crate) fn check_living(&self) -> Fallible {
        ensure!(
            !self.block.as_ref().is_some_and(|block| block.is_freed()),
            ACL_ERROR_RT_SYS_DMA,
            "{}: the memory at {:#x} was freed before the stream came to use it",
            self.name,
            self.start
        );
        Ok(())
    }
}
