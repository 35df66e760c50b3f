//! Events: points in the work of a stream.

use core::fmt;
use core::ptr;
use core::time::Duration;

use aclnn_sys::{
    ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_RECORDED_STATUS_COMPLETE,
    ACL_EVENT_RECORDED_STATUS_NOT_READY, ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE, aclrtEvent, aclrtStream,
};

use crate::call::acl;
use crate::device::Device;
use crate::error::Result;
use crate::handle::Handle;
use crate::stream::failures::Sources;
use crate::stream::uses::{Access, Tracked};

/// A point in the work of a stream, for other streams and the host to wait for. A wait of the host
/// also returns an index out of range of the work before the event.
///
/// ```
/// # fn main() -> aclnn::Result<()> {
/// # // SAFETY: nothing else runs that reads the environment.
/// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
/// use aclnn::{Event, Runtime};
///
/// let device = Runtime::host()?.device(0)?;
/// let (first, second) = (device.stream()?, device.stream()?);
/// let mut done = Event::new(&device)?;
/// first.record(&mut done)?;
/// second.wait(&done)?; // later work of `second` runs after all work that `first` has so far
/// done.synchronize()?;
/// assert!(done.is_complete()?);
/// # Ok(())
/// # }
/// ```
///
/// # Threads
/// `Send` and `Sync`.
pub struct Event(
    pub(crate) Tracked<RawEvent>,
    /// The work before the event.
    pub(crate) Sources,
);

impl Event {
    /// An event that has not been recorded yet; waiting for it returns at once.
    ///
    /// # Errors
    /// What `aclrtCreateEventWithFlag` returns; the pending error of an earlier drop.
    pub fn new(device: impl AsRef<Device>) -> Result<Self> {
        let device = device.as_ref();
        device.bind()?;
        RawEvent::new(device).map(|event| Self(Tracked::new(event), Sources::default()))
    }

    /// Whether the stream has passed the point at which the event was last recorded; false for an
    /// event that never was.
    ///
    /// # Errors
    /// What `aclrtQueryEventStatus` returns; the pending error of an earlier drop.
    pub fn is_complete(&self) -> Result<bool> {
        self.0.device.bind()?;
        self.0.is_complete()
    }

    /// Waits on the host until the stream has passed the event.
    ///
    /// # Errors
    /// [`Error::Scatter`](crate::Error::Scatter) with an index out of range of the work before the
    /// event, until it is taken from its [stream](crate::Stream::synchronize); what
    /// `aclrtSynchronizeEvent` returns; the pending error of an earlier drop.
    pub fn synchronize(&self) -> Result<()> {
        self.0.device.bind()?;
        self.0.synchronize()?;
        self.1.check()
    }

    /// The time from another event to this one; both must be complete.
    ///
    /// # Errors
    /// What `aclrtEventElapsedTime` returns, such as for an event that was not recorded;
    /// [`Error::OtherCann`](crate::Error); the pending error of an earlier drop.
    pub fn elapsed_since(&self, start: &Self) -> Result<Duration> {
        self.0.device.expect_same_cann("elapsed_since", &start.0.device)?;
        self.0.device.bind()?;
        let mut milliseconds = 0.0;
        // SAFETY: `milliseconds` is a live local, to which CANN writes; both events live, because
        // `self` and `start` own them.
        unsafe {
            acl!(
                self.0.device.cann(),
                aclrtEventElapsedTime(&mut milliseconds, start.0.handle(), self.0.handle())
            )
        }?;
        Ok(Duration::try_from_secs_f32(milliseconds / 1e3).unwrap_or_default())
    }

    /// Destroys the event, once no stream waits for it any more.
    ///
    /// # Errors
    /// What CANN returns; the pending error of an earlier drop.
    pub fn close(self) -> Result<()> {
        let device = self.0.device.clone();
        device.bind()?;
        self.0.wait(Access::Write)?;
        drop(self);
        device.runtime().check()
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Event");
        shown.field("device", &self.0.device.id());
        // The pending error of an earlier drop is for the next call that can return it, not for
        // this text.
        if let Ok(is_complete) = self.0.device.bind_quietly().and_then(|()| self.0.is_complete()) {
            shown.field("is_complete", &is_complete);
        }
        shown.finish_non_exhaustive()
    }
}

/// An event of CANN's. Its owner must not drop it before the work that uses it is done.
#[derive(Debug)]
pub(crate) struct RawEvent {
    device: Device,
    handle: Handle<aclrtEvent>,
}

impl RawEvent {
    /// The device's context must be current on this thread.
    pub(crate) fn new(device: &Device) -> Result<Self> {
        const FLAGS: u32 = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a live local, to which CANN writes the event.
        unsafe { acl!(device.cann(), aclrtCreateEventWithFlag(&mut handle, FLAGS)) }?;
        Ok(Self { device: device.clone(), handle: Handle::new(handle) })
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn handle(&self) -> aclrtEvent {
        self.handle.get()
    }

    /// The stream must belong to the same CANN as the event, and must not be closed.
    pub(crate) fn record(&self, stream: aclrtStream) -> Result<()> {
        // SAFETY: `self` owns the event, which lives; the callers pass a stream of the same CANN
        // that is open.
        unsafe { acl!(self.device.cann(), aclrtRecordEvent(self.handle.get(), stream)) }
    }

    pub(crate) fn is_complete(&self) -> Result<bool> {
        let mut status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        // SAFETY: `self` owns the event, which lives; `status` is a live local, to which CANN
        // writes.
        unsafe { acl!(self.device.cann(), aclrtQueryEventStatus(self.handle.get(), &mut status)) }?;
        Ok(status == ACL_EVENT_RECORDED_STATUS_COMPLETE)
    }

    pub(crate) fn synchronize(&self) -> Result<()> {
        // SAFETY: `self` owns the event, which lives.
        unsafe { acl!(self.device.cann(), aclrtSynchronizeEvent(self.handle.get())) }
    }
}

impl Drop for RawEvent {
    fn drop(&mut self) {
        let bound = self.device.bind_quietly();
        // SAFETY: `self` owns the event, and is dropped only when no work uses it (see the type).
        let destroyed = unsafe { acl!(self.device.cann(), aclrtDestroyEvent(self.handle.get())) };
        self.device.runtime().keep(bound.and(destroyed));
    }
}
