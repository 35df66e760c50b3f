//! Memory of a device, and memory of the host that a device copies from and to.

mod buffer;
mod copy;
mod pinned;
mod transfer;

pub use buffer::DeviceBuffer;
pub(crate) use buffer::DeviceMemory;
pub use pinned::PinnedBuffer;
pub use transfer::{Rejected, Transfer};
