//! Streams: queues of work that a device does in order.

pub(crate) mod core;
pub(crate) mod failures;
pub(crate) mod uses;
mod workspace;

use ::core::fmt;
use std::sync::Arc;

use aclnn_scatter::Engine;
use aclnn_sys::aclrtStream;

use self::core::{Over, StreamCore};
use self::uses::{Access, Locked};
use crate::call::acl;
use crate::device::Device;
use crate::error::Result;
use crate::event::Event;
use crate::trace::span;

/// A queue of work, which a device does in the order in which it is given to the stream. Giving
/// work to a stream does not wait for it.
///
/// ```
/// # fn main() -> aclnn::Result<()> {
/// # // SAFETY: nothing else runs that reads the environment.
/// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
/// use aclnn::{Runtime, Tensor};
///
/// let stream = Runtime::host()?.device(0)?.stream()?;
/// let mut sums = Tensor::<f32>::zeros([3], &stream)?;
/// sums.scatter_add_(0, &Tensor::new([2_i64, 2], &stream)?, &Tensor::new([1.0, 0.5], &stream)?, &stream)?;
/// stream.synchronize()?; // would return an index out of range
/// assert_eq!(sums.to_vec(&stream)?, [0.0, 0.0, 1.5]);
/// stream.close()?;
/// # Ok(())
/// # }
/// ```
///
/// # What is dropped
/// Tensors, buffers and events may be dropped while work uses them. Their memory is freed once the
/// streams have passed that work, by the next call that gives work to the stream or waits for it.
/// Dropping a stream waits for its work; an error is returned by the next call that uses its
/// runtime, and an index out of range also to whoever reads data of the failed work. Where CANN can
/// neither wait for a stream nor destroy it, the memory that its work uses is never freed: the
/// device may still write there. Calls that would have to wait for that work return an error.
///
/// # Several streams
/// Work that uses a tensor waits for conflicting work of other streams on that tensor. The device
/// waits, the host does not. [`record`](Stream::record) and [`wait`](Stream::wait) order everything
/// else.
///
/// # Threads
/// `Send` and `Sync`: threads may share a stream; their work is done in the order of their calls.
pub struct Stream {
    core: Arc<StreamCore>,
}

impl Stream {
    pub(crate) fn new(device: &Device) -> Result<Self> {
        StreamCore::new(device).map(|core| Self { core })
    }

    /// The stream's device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.core.device()
    }

    /// Waits until all work given so far is done.
    ///
    /// # Failed work
    /// An index out of range is found while the stream works. Every call, on any stream, that
    /// copies to the host what the failed work wrote, or data computed from it, returns the error.
    /// So does [`Event::synchronize`] of an event recorded after the work. This ends when the error
    /// is taken: by this call, by [`close`](Stream::close), or by another call that waits for this
    /// stream and returns its errors, such as `tensor.to_vec(&stream)` with any tensor. Of several
    /// errors the first is returned, and all are taken.
    ///
    /// Memory that is completely overwritten after the failed work (by one copy to all its bytes,
    /// or as the `out` of a scatter that is not in place) is good again. A tensor that this stream
    /// has updated several times also counts as failed if unrelated work of the stream failed
    /// between the updates.
    ///
    /// # Errors
    /// [`Error::Scatter`](crate::Error::Scatter) with the first index out of range that has not
    /// been taken; what `aclrtSynchronizeStream` returns; an index out of range of the work before
    /// an event that this stream was told to [`wait`](Stream::wait) for, once; the pending error of
    /// an earlier drop.
    pub fn synchronize(&self) -> Result<()> {
        let _span = span!("synchronize", device = self.device().id());
        self.core.synchronize(&mut Over::new())
    }

    /// Whether all work given so far is done.
    ///
    /// # Errors
    /// What CANN returns for the event with which this asks; the pending error of an earlier drop.
    pub fn is_idle(&self) -> Result<bool> {
        let mut event = Event::new(self)?;
        self.record(&mut event)?;
        event.is_complete()
    }

    /// Records an event after all work given so far.
    ///
    /// # Errors
    /// What `aclrtRecordEvent` returns; [`Error::Device`](crate::Error::Device) for an event of
    /// another device; the pending error of an earlier drop.
    pub fn record(&self, event: &mut Event) -> Result<()> {
        self.device().expect_same("record", event.0.device())?;
        let ticket = {
            let mut locked = Locked::new(&mut [(event.0.uses(), Access::Read)]);
            self.core.enqueue(&mut locked, 0, |place| event.0.record(place.stream))?.1
        };
        event.1 = self.core.sources(ticket);
        Ok(())
    }

    /// Lets work given from now on wait, on the device, for an event. An event that was never
    /// recorded is not waited for.
    ///
    /// # Errors
    /// What `aclrtStreamWaitEvent` returns; [`Error::OtherCann`](crate::Error); the pending error
    /// of an earlier drop.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.device().expect_same_cann("wait", event.0.device())?;
        let mut locked = Locked::new(&mut [(event.0.uses(), Access::Read)]);
        let wait = |place: core::Place| {
            // SAFETY: the stream is open. `event` lives, and this use is noted with it, so it is
            // not destroyed before the stream has passed the wait.
            unsafe { acl!(self.device().cann(), aclrtStreamWaitEvent(place.stream, event.0.handle())) }
        };
        self.core.enqueue(&mut locked, 0, wait)?;
        self.core.note_awaited(&event.1);
        Ok(())
    }

    /// The same stream, for one call with this engine:
    /// `x.scatter_add_(0, &index, &src, stream.on(Engine::Vendor))`.
    #[must_use]
    pub const fn on(&self, engine: Engine) -> On<'_> {
        On { stream: self, engine: Some(engine) }
    }

    /// Bytes of workspace that the stream keeps for its next operators.
    #[must_use]
    pub fn workspace_bytes(&self) -> usize {
        self.core.workspace_bytes()
    }

    /// Keeps at most this many bytes of workspace: an operator that needs more gets a block of its
    /// own, which is freed after it. Without this call there is no limit.
    pub fn set_workspace_limit(&self, bytes: usize) {
        self.core.limit_workspace(bytes);
    }

    /// Frees the workspace after the work that uses it; the next operator that needs one gets a new
    /// one.
    pub fn trim_workspace(&self) {
        self.core.trim_workspace();
    }

    /// The handle, for C functions. It is valid until this `Stream` is dropped or closed.
    ///
    /// This crate does not know of work that C functions enqueue through the handle: the caller
    /// must keep its memory alive, and order it.
    ///
    /// # Errors
    /// The pending error of an earlier drop.
    pub fn as_raw(&self) -> Result<aclrtStream> {
        self.device().bind()?;
        self.core.handle()
    }

    /// Waits for all work, and destroys the stream.
    ///
    /// # Errors
    /// As [`synchronize`](Stream::synchronize), and what `aclrtDestroyStream` returns. The stream
    /// is closed in any case. If the pending error of an earlier drop is returned, this stream's
    /// error is kept for the next call, and still returned to whoever reads data of the failed
    /// work.
    pub fn close(self) -> Result<()> {
        let runtime = self.device().runtime();
        let earlier = runtime.check();
        let closed = self.core.close();
        if earlier.is_err() {
            // Only one error can be returned; the other stays pending.
            runtime.keep(closed);
            return earlier;
        }
        self.core.settle();
        closed
    }

    pub(crate) fn core(&self) -> &Arc<StreamCore> {
        &self.core
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.device().runtime().keep(self.core.close());
    }
}

impl AsRef<Device> for Stream {
    fn as_ref(&self) -> &Device {
        self.device()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("device", &self.device().id()).finish_non_exhaustive()
    }
}

/// The stream of an operator, and optionally its engine. Made from `&Stream`, or by [`Stream::on`].
#[derive(Clone, Copy, Debug)]
pub struct On<'a> {
    pub(crate) stream: &'a Stream,
    engine: Option<Engine>,
}

impl On<'_> {
    /// The engine chosen for this call, or else the runtime's.
    pub(crate) fn engine(&self) -> Engine {
        self.engine.unwrap_or_else(|| self.stream.device().runtime().engine())
    }
}

impl<'a> From<&'a Stream> for On<'a> {
    fn from(stream: &'a Stream) -> Self {
        Self { stream, engine: None }
    }
}
