//! Copies between the host and a device's memory.

use core::ffi::c_void;

use aclnn_sys::{
    ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, aclrtMemcpyKind,
};
use scatter::Element;

use super::buffer::DeviceBuffer;
use super::pinned::PinnedBuffer;
use super::transfer::{Rejected, Transfer};
use crate::call::acl;
use crate::error::{Error, Result};
use crate::stream::Stream;
use crate::stream::core::{Over, Place};
use crate::stream::uses::{Access, Locked};
use crate::trace::span;

impl DeviceBuffer {
    /// Copies bytes from the buffer to the host, behind all work of this stream and all writes of others, and waits.
    ///
    /// # Errors
    /// [`Error::Range`] (axis 0, in bytes) where they are not all in the buffer; as [`Stream::synchronize`]; what
    /// `aclrtMemcpy` returns.
    pub fn read(&self, offset: usize, into: &mut [u8], stream: &Stream) -> Result<()> {
        let _span = span!("copy", to = "host", bytes = into.len());
        let from = self.range("read", offset, into.len(), stream)?;
        self.alone(Access::Read, stream, || {
            copy(self, into.as_mut_ptr().cast(), from, into.len(), ACL_MEMCPY_DEVICE_TO_HOST)
        })
    }

    /// Copies bytes of the host into the buffer, behind all work of this stream and all work of others that uses the buffer,
    /// and waits.
    ///
    /// # Errors
    /// As [`DeviceBuffer::read`].
    pub fn write(&self, offset: usize, from: &[u8], stream: &Stream) -> Result<()> {
        let _span = span!("copy", to = "device", bytes = from.len());
        let into = self.range("write", offset, from.len(), stream)?;
        self.alone(Access::Write, stream, || {
            copy(self, into, from.as_ptr().cast(), from.len(), ACL_MEMCPY_HOST_TO_DEVICE)
        })
    }

    /// Fills a buffer that no work uses yet, from its beginning. The device's context is the thread's.
    pub(crate) fn fill_new(&self, from: &[u8]) -> Result<()> {
        let _span = span!("copy", to = "device", bytes = from.len());
        debug_assert!(from.len() <= self.bytes());
        copy(self, self.as_raw(), from.as_ptr().cast(), from.len(), ACL_MEMCPY_HOST_TO_DEVICE)
    }

    /// Enqueues a copy of elements from the buffer to pinned memory.
    pub(crate) fn read_into_pinned<T: Element>(
        &self,
        offset: usize,
        into: PinnedBuffer<T>,
        stream: &Stream,
    ) -> Result<Transfer<PinnedBuffer<T>>, Rejected<PinnedBuffer<T>>> {
        let enqueued =
            self.range("copy_to_pinned", offset, into.tracked().bytes(), stream).and_then(|from| {
                let pinned = into.tracked();
                let mut locked =
                    Locked::new(&mut [(self.tracked().uses(), Access::Read), (pinned.uses(), Access::Write)]);
                let copy = (pinned.address(), from.cast_const(), pinned.bytes(), ACL_MEMCPY_DEVICE_TO_HOST);
                enqueue(&mut locked, copy, stream)
            });
        transfer(into, enqueued, stream)
    }

    /// Enqueues a copy of elements from pinned memory to the buffer.
    pub(crate) fn write_from_pinned<T: Element>(
        &self,
        offset: usize,
        from: PinnedBuffer<T>,
        stream: &Stream,
    ) -> Result<Transfer<PinnedBuffer<T>>, Rejected<PinnedBuffer<T>>> {
        let enqueued =
            self.range("copy_from_pinned", offset, from.tracked().bytes(), stream).and_then(|into| {
                let pinned = from.tracked();
                let mut locked =
                    Locked::new(&mut [(self.tracked().uses(), Access::Write), (pinned.uses(), Access::Read)]);
                let copy = (into, pinned.address().cast_const(), pinned.bytes(), ACL_MEMCPY_HOST_TO_DEVICE);
                enqueue(&mut locked, copy, stream)
            });
        transfer(from, enqueued, stream)
    }

    /// Enqueues a copy of bytes from another buffer of the device.
    pub(crate) fn copy_from(
        &self,
        offset: usize,
        from: &Self,
        from_offset: usize,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let into = self.range("copy_from", offset, bytes, stream)?;
        let from_address = from.range("copy_from", from_offset, bytes, stream)?;
        let mut locked =
            Locked::new(&mut [(self.tracked().uses(), Access::Write), (from.tracked().uses(), Access::Read)]);
        let copy = (into, from_address.cast_const(), bytes, ACL_MEMCPY_DEVICE_TO_DEVICE);
        enqueue(&mut locked, copy, stream).map(drop)
    }

    /// The address of bytes that are in the buffer, which is of the stream's device.
    fn range(&self, call: &'static str, start: usize, bytes: usize, stream: &Stream) -> Result<*mut c_void> {
        stream.device().expect_same(call, self.device())?;
        let end = start.saturating_add(bytes);
        if end > self.bytes() {
            return Err(Error::Range { call, axis: 0, expected: self.bytes(), start, end });
        }
        Ok(self.as_raw().wrapping_byte_add(start))
    }

    /// Runs something on the host while no work uses the buffer in a way that conflicts.
    fn alone(&self, access: Access, stream: &Stream, run: impl FnOnce() -> Result<()>) -> Result<()> {
        // Locked to the end, so that nobody gives conflicting work to a stream meanwhile.
        let mut locked = Locked::new(&mut [(self.tracked().uses(), access)]);
        stream.core().enqueue(&mut locked, 0, |_| Ok(()))?;
        let mut over = Over::new();
        let synchronized = stream.core().synchronize(&mut over);
        locked.drop_behind(over);
        synchronized?;
        run()
    }
}

/// Copies, and waits. One of the addresses is in the buffer, where so many bytes are; the device's context is the thread's.
fn copy(
    buffer: &DeviceBuffer,
    into: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: aclrtMemcpyKind,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: the callers, all above, give the address of a range that they have checked and that of a slice of the host of the
    // same length; no work uses the range in a way that conflicts.
    unsafe { acl!(buffer.device().cann(), aclrtMemcpy(into, bytes, from, bytes, kind)) }
}

/// A copy: to, from, bytes, kind.
type Copy = (*mut c_void, *const c_void, usize, aclrtMemcpyKind);

/// Enqueues a copy between memory that is locked for it.
fn enqueue(locked: &mut Locked<'_>, (into, from, bytes, kind): Copy, stream: &Stream) -> Result<u64> {
    let _span = span!("copy", kind = kind, bytes = bytes);
    let cann = stream.device().cann();
    let copy = |place: Place| {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the callers, all above, have checked both ranges; their memory outlives the copy, which is noted with it.
        unsafe { acl!(cann, aclrtMemcpyAsync(into, bytes, from, bytes, kind, place.stream)) }
    };
    stream.core().enqueue(locked, 0, copy).map(|((), ticket)| ticket)
}

/// What became of a buffer's copy.
fn transfer<B>(buffer: B, enqueued: Result<u64>, stream: &Stream) -> Result<Transfer<B>, Rejected<B>> {
    match enqueued {
        Ok(ticket) => Ok(Transfer::new(buffer, stream.core(), ticket)),
        Err(error) => Err(Rejected::new(buffer, error)),
    }
}
