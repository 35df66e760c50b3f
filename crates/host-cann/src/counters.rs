//! How many objects programs have created and not destroyed.

use core::fmt;
use std::sync::Mutex;

use aclnn_sys::fork;

use crate::sync::lock;
use crate::{aclop, context, event, memory, meta, stream, tdt};

/// How many objects of each kind exist. Default contexts and their default streams belong to the
/// runtime and don't count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Allocations on devices.
    pub device_allocations: usize,
    /// Their bytes, with what CANN adds.
    pub device_bytes: usize,
    /// Allocations of pinned host memory.
    pub host_allocations: usize,
    /// Their bytes, rounded up.
    pub host_bytes: usize,
    /// Ranges that `aclrtHostRegister` made known.
    pub registered_ranges: usize,
    /// Pieces of physical memory of `aclrtMallocPhysical`; their bytes are among the devices'.
    pub physical_memories: usize,
    /// Ranges of `aclrtReserveMemAddress`.
    pub reserved_ranges: usize,
    /// Contexts of `aclrtCreateContext`.
    pub contexts: usize,
    /// Streams of `aclrtCreateStream` and its like.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Tensors, with those in lists.
    pub tensors: usize,
    /// Scalars, with those in lists.
    pub scalars: usize,
    /// Arrays of integers, floats and truth values.
    pub arrays: usize,
    /// Lists of tensors and of scalars.
    pub lists: usize,
    /// Buffers, descriptions and attributes of CANN's older operator calls.
    pub call_parts: usize,
    /// Channels from devices to the host, and the sets of tensors that they are read into.
    pub channels: usize,
    /// Executors that operator libraries have registered.
    pub executors: usize,
}

impl Counters {
    /// The objects that exist now; none in a fork.
    #[must_use]
    pub fn now() -> Self {
        if fork::check().is_err() {
            return Self::default();
        }
        let (devices, host) = memory::usage();
        let (physical_memories, reserved_ranges) = memory::mapping::count();
        Self {
            device_allocations: devices.blocks,
            device_bytes: devices.used,
            host_allocations: host.blocks,
            host_bytes: host.used,
            registered_ranges: memory::register::count(),
            physical_memories,
            reserved_ranges,
            contexts: context::count(),
            streams: stream::count(),
            events: event::count(),
            tensors: meta::tensor::count(),
            scalars: meta::scalar::count(),
            arrays: meta::array::count(),
            lists: meta::list::count(),
            call_parts: aclop::buffer::count() + aclop::description::count() + aclop::attribute::count(),
            channels: tdt::count(),
            executors: meta::executor::count(),
        }
    }

    /// What was left over at the last `aclFinalize` that ended the runtime; `None` before the
    /// first, and in a fork.
    #[must_use]
    pub fn leftovers() -> Option<Self> {
        fork::check().ok()?;
        *lock(&LEFTOVERS)
    }
}

static LEFTOVERS: Mutex<Option<Counters>> = Mutex::new(None);

pub(crate) fn note_leftovers(left: Counters) {
    *lock(&LEFTOVERS) = Some(left);
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.device_allocations, "device allocations"),
            (self.device_bytes, "device bytes"),
            (self.host_allocations, "pinned host allocations"),
            (self.host_bytes, "pinned host bytes"),
            (self.registered_ranges, "registered host ranges"),
            (self.physical_memories, "physical memories"),
            (self.reserved_ranges, "reserved ranges"),
            (self.contexts, "contexts"),
            (self.streams, "streams"),
            (self.events, "events"),
            (self.tensors, "tensors"),
            (self.scalars, "scalars"),
            (self.arrays, "arrays"),
            (self.lists, "lists"),
            (self.call_parts, "parts of operator calls"),
            (self.channels, "channels and their sets"),
            (self.executors, "executors"),
        ];
        let mut separator = "";
        for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {what}")?;
            separator = ", ";
        }
        if separator.is_empty() { f.write_str("nothing") } else { Ok(()) }
    }
}
