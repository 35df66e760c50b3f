//! Memory of a device, pinned memory of the host, and copies between them.

mod buffer;
mod copy;
mod pinned;
mod transfer;

pub use buffer::DeviceBuffer;
pub use pinned::PinnedBuffer;
pub use transfer::{Rejected, Transfer};

use crate::error::{Error, Result};

/// The bytes of `got` elements of `size` bytes, which must fit isize.
pub(crate) fn bytes_of(call: &'static str, got: usize, size: usize) -> Result<usize> {
    let bytes = got.checked_mul(size).filter(|bytes| isize::try_from(*bytes).is_ok());
    bytes.ok_or(Error::TooManyElements { call, expected: isize::MAX as usize / size, got })
}
