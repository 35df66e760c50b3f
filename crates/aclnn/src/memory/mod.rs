//! Memory of a device, pinned memory of the host, and copies between them.

mod buffer;
mod copy;
mod pinned;
mod transfer;

pub use buffer::DeviceBuffer;
pub use pinned::PinnedBuffer;
pub use transfer::{Rejected, Transfer};
