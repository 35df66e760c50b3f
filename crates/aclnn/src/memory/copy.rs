//! Copies between the host and device memory, and between buffers of a device.
//!
//! A copy that the host waits for is CANN's `aclrtMemcpy`, which no stream orders. So the host
//! first waits for the stream, and then locks the buffer for the copy itself. It holds no lock
//! while it waits, so that other threads can enqueue work on the buffer. If that work conflicts
//! with the copy, the host waits again; after several attempts it enqueues the copy to the stream
//! instead.

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
use crate::stream::failures::Sources;
use crate::stream::uses::{Access, Locked, Use};
use crate::trace::span;

impl DeviceBuffer {
    /// Copies bytes from the buffer to the host, after all work of this stream and all writes that
    /// other streams make to the buffer, and waits for the copy.
    ///
    /// # Errors
    /// [`Error::Range`] (axis 0, in bytes) where they are not all in the buffer; [`Error::Device`]
    /// for a stream of another device; as [`Stream::synchronize`], which takes this stream's
    /// errors; the error of failed work of another stream that computed the buffer's bytes; what
    /// `aclrtMemcpy` returns.
    pub fn read(&self, offset: usize, into: &mut [u8], stream: &Stream) -> Result<()> {
        let _span = span!("copy", to = "host", bytes = into.len());
        let from = self.range("read", offset, into.len(), stream)?;
        let (to, bytes) = (into.as_mut_ptr().cast(), into.len());
        let copied =
            self.alone(Access::Read, stream, || copy(self, to, from, bytes, ACL_MEMCPY_DEVICE_TO_HOST))?;
        if !copied {
            let staged = PinnedBuffer::<u8>::new(stream, bytes)?;
            into.copy_from_slice(&self.read_into_pinned(offset, staged, stream)?.wait()?);
        }
        Ok(())
    }

    /// Copies bytes of the host into the buffer, after all work of this stream and all work of
    /// other streams that uses the buffer, and waits for the copy.
    ///
    /// # Errors
    /// As [`DeviceBuffer::read`], except for the errors of other streams' work, whose data a write
    /// does not read.
    pub fn write(&self, offset: usize, from: &[u8], stream: &Stream) -> Result<()> {
        let _span = span!("copy", to = "device", bytes = from.len());
        let into = self.range("write", offset, from.len(), stream)?;
        let (start, bytes) = (from.as_ptr().cast(), from.len());
        let copied = self.alone(self.write_of(bytes), stream, || {
            copy(self, into, start, bytes, ACL_MEMCPY_HOST_TO_DEVICE)
        })?;
        if !copied {
            let staged = PinnedBuffer::from_slice(stream, from)?;
            self.write_from_pinned(offset, staged, stream)?.wait()?;
        }
        Ok(())
    }

    /// The access of work that writes this many bytes of the buffer.
    fn write_of(&self, bytes: usize) -> Access {
        Access::write(bytes == self.bytes())
    }

    /// Copies bytes of the host to the beginning of a buffer that no work uses yet. The device's
    /// context must be current on this thread.
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
        let pinned = into.tracked();
        let from = match self.range("copy_to_pinned", offset, pinned.bytes(), stream) {
            Ok(from) => from,
            Err(error) => return Err(Rejected::new(into, error)),
        };
        let enqueued = {
            let mut locked =
                Locked::new(&mut [(self.tracked().uses(), Access::Read), (pinned.uses(), Access::Replace)]);
            let copy = (pinned.address(), from.cast_const(), pinned.bytes(), ACL_MEMCPY_DEVICE_TO_HOST);
            enqueue(&mut locked, copy, stream)
        };
        let sources = pinned.uses().sources();
        transfer(into, enqueued, stream, sources)
    }

    /// Enqueues a copy of elements from pinned memory to the buffer.
    pub(crate) fn write_from_pinned<T: Element>(
        &self,
        offset: usize,
        from: PinnedBuffer<T>,
        stream: &Stream,
    ) -> Result<Transfer<PinnedBuffer<T>>, Rejected<PinnedBuffer<T>>> {
        let pinned = from.tracked();
        let into = match self.range("copy_from_pinned", offset, pinned.bytes(), stream) {
            Ok(into) => into,
            Err(error) => return Err(Rejected::new(from, error)),
        };
        let enqueued = {
            let mut used =
                [(self.tracked().uses(), self.write_of(pinned.bytes())), (pinned.uses(), Access::Read)];
            let copy = (into, pinned.address().cast_const(), pinned.bytes(), ACL_MEMCPY_HOST_TO_DEVICE);
            enqueue(&mut Locked::new(&mut used), copy, stream)
        };
        transfer(from, enqueued, stream, Sources::default())
    }

    /// Enqueues a copy of bytes from another buffer of the same device.
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
        let mut used = [(self.tracked().uses(), self.write_of(bytes)), (from.tracked().uses(), Access::Read)];
        let copy = (into, from_address.cast_const(), bytes, ACL_MEMCPY_DEVICE_TO_DEVICE);
        enqueue(&mut Locked::new(&mut used), copy, stream).map(drop).map_err(|(error, _)| error)
    }

    /// The address of a range of bytes. Refuses a range that is not inside the buffer, and a stream
    /// of another device.
    fn range(&self, call: &'static str, start: usize, bytes: usize, stream: &Stream) -> Result<*mut c_void> {
        stream.device().expect_same(call, self.device())?;
        let end = start.saturating_add(bytes);
        if end > self.bytes() {
            return Err(Error::Range { call, axis: 0, expected: self.bytes(), start, end });
        }
        Ok(self.as_raw().wrapping_byte_add(start))
    }

    /// Runs `run` on the host while no work uses the buffer in a way that conflicts with `access`.
    /// Returns `false`, without running it, if other threads enqueued conflicting work at each
    /// attempt.
    fn alone(&self, access: Access, stream: &Stream, run: impl FnOnce() -> Result<()>) -> Result<bool> {
        const ATTEMPTS: usize = 4;
        let lock = |access| Locked::new(&mut [(self.tracked().uses(), access)]);
        for _ in 0..ATTEMPTS {
            let awaited = {
                // While this waits, even an access that replaces the whole buffer counts as a
                // partial write: nothing has been replaced yet.
                let mut locked = lock(access.min(Access::Write));
                let awaited = locked.conflicts(stream.core());
                stream.core().enqueue(&mut locked, 0, |_| Ok(()))?;
                awaited
            };
            stream.core().synchronize(&mut Over::new())?;
            // The stream has waited for this work.
            awaited.iter().for_each(Use::note_over);
            let mut locked = lock(access);
            if !locked.are_free() {
                continue;
            }
            if access == Access::Read {
                locked.check()?;
            }
            run()?;
            if access == Access::Replace {
                locked.note_replaced();
            }
            return Ok(true);
        }
        Ok(false)
    }
}

/// Copies and waits. `buffer` contains `bytes` bytes at one of the two addresses; its device's
/// context must be current on this thread.
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
    // SAFETY: the callers, all in this file, pass an address in the buffer and that of a host
    // slice, with `bytes` bytes at both: `read` and `write` have checked the range, and the callers
    // of `fill_new` pass no more bytes than the buffer has. No work that conflicts uses the range:
    // the buffer is new, or `alone` holds its lock and found no such work.
    unsafe { acl!(buffer.device().cann(), aclrtMemcpy(into, bytes, from, bytes, kind)) }
}

/// A copy: destination, source, bytes, kind.
type Copy = (*mut c_void, *const c_void, usize, aclrtMemcpyKind);

/// Enqueues a copy between two pieces of memory, both in `locked`. An error comes with a flag that
/// says whether CANN may have begun the copy.
fn enqueue(
    locked: &mut Locked<'_>,
    (into, from, bytes, kind): Copy,
    stream: &Stream,
) -> Result<u64, (Error, bool)> {
    let _span = span!("copy", kind = kind, bytes = bytes);
    let cann = stream.device().cann();
    let mut has_begun = false;
    let copy = |place: Place| {
        if bytes == 0 {
            return Ok(());
        }
        has_begun = true;
        // SAFETY: the callers, all in this file, have checked that both ranges are inside their
        // memory. `enqueue` notes the copy with that memory, which therefore is not freed before
        // the copy is done.
        unsafe { acl!(cann, aclrtMemcpyAsync(into, bytes, from, bytes, kind, place.stream)) }
    };
    let enqueued = stream.core().enqueue(locked, 0, copy);
    enqueued.map(|((), ticket)| ticket).map_err(|error| (error, has_begun))
}

/// The result of enqueueing a copy that uses `buffer`. `sources` is the work that computed the
/// copied data; it is empty where the data comes from the host.
fn transfer<B>(
    buffer: B,
    enqueued: Result<u64, (Error, bool)>,
    stream: &Stream,
    sources: Sources,
) -> Result<Transfer<B>, Rejected<B>> {
    match enqueued {
        Ok(ticket) => Ok(Transfer::new(buffer, stream.core(), ticket, sources)),
        // A part of the copy may be under way, so the buffer is dropped, not returned. It is freed
        // after the ticket that was noted in spite of the error.
        Err((error, true)) => Err(Rejected::new(None, error)),
        Err((error, false)) => Err(Rejected::new(buffer, error)),
    }
}
