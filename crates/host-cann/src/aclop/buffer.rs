//! Buffers: memory of the program's with its size.

use core::ffi::c_void;

use aclnn_sys::aclDataBuffer;

use super::{pointer, unknown};
use crate::failure::Fallible;
use crate::handle::{Kind, Table};

/// Addresses, which are only ever given back, and sizes.
static BUFFERS: Table<(usize, usize)> = Table::new(Kind::DataBuffer);

pub(crate) fn create(data: *mut c_void, size: usize) -> Fallible<*mut aclDataBuffer> {
    pointer("buffers", BUFFERS.insert((data.expose_provenance(), size)))
}

pub(crate) fn destroy(buffer: *const aclDataBuffer) -> Fallible {
    BUFFERS.remove(buffer.addr()).map(drop).ok_or_else(|| unknown("buffer", buffer))
}

pub(crate) fn update(buffer: *mut aclDataBuffer, data: *mut c_void, size: usize) -> Fallible {
    let now = (data.expose_provenance(), size);
    BUFFERS.with_mut(buffer.addr(), |old| *old = now).ok_or_else(|| unknown("buffer", buffer))
}

pub(crate) fn address(buffer: *const aclDataBuffer) -> Fallible<*mut c_void> {
    let (address, _) = BUFFERS.get(buffer.addr()).ok_or_else(|| unknown("buffer", buffer))?;
    Ok(core::ptr::with_exposed_provenance_mut(address))
}

pub(crate) fn size(buffer: *const aclDataBuffer) -> Fallible<usize> {
    BUFFERS.get(buffer.addr()).map(|(_, size)| size).ok_or_else(|| unknown("buffer", buffer))
}

/// How many buffers there are.
pub(crate) fn count() -> usize {
    BUFFERS.len()
}
