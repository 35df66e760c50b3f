//! The state of a stream that the resources used by its work refer to.

use core::ffi::c_void;
use core::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aclnn_sys::{aclrtStream, fork};

use super::failures::{Failures, Sources};
use super::uses::Locked;
use super::workspace::Workspace;
use crate::call::acl;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::RawEvent;
use crate::handle::Handle;

/// A stream of CANN's. Each piece of work has a ticket; tickets are numbered in the order in which
/// work is enqueued, which is the order in which it is done.
#[derive(Debug)]
pub(crate) struct StreamCore {
    device: Device,
    state: Mutex<State>,
    /// The ticket of the latest enqueued work; changed only while `state` is locked.
    submitted: AtomicU64,
    /// The latest ticket that is known to be done.
    passed: AtomicU64,
    failures: Failures,
}

/// The state that enqueueing work changes.
#[derive(Debug)]
struct State {
    /// `None` once the stream is closed.
    handle: Option<Handle<aclrtStream>>,
    workspace: Workspace,
    kept: Kept,
    /// The work before the events that the stream was told to wait for since it was last
    /// synchronised.
    awaited: Sources,
}

/// Resources, each with the ticket that the stream has to pass before it may be dropped.
pub(crate) type Over = Vec<(u64, Arc<dyn Send + Sync>)>;

/// Resources that the stream's work may still use: those that were dropped meanwhile, the events by
/// which it waits for other streams, and workspace blocks that have been given up. They are freed
/// when the stream has passed their tickets.
#[derive(Default)]
struct Kept {
    things: Over,
    /// The passed ticket at the last search through `things`: all with this ticket or an earlier
    /// one have been taken out.
    reaped: u64,
    /// An event that tells when the stream has passed a ticket; made when first needed.
    marker: Option<RawEvent>,
    /// The ticket behind which `marker` is recorded, until it has been passed.
    marked: Option<u64>,
}

impl core::fmt::Debug for Kept {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Kept").field("things", &self.things.len()).field("marked", &self.marked).finish()
    }
}

/// What a piece of work gets: the stream to enqueue it to, its workspace, and its ticket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) stream: aclrtStream,
    pub(crate) workspace: *mut c_void,
    pub(crate) ticket: u64,
}

impl StreamCore {
    pub(crate) fn new(device: &Device) -> Result<Arc<Self>> {
        device.bind()?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a live local, to which CANN writes the stream.
        unsafe { acl!(device.cann(), aclrtCreateStream(&mut handle)) }?;
        let state = State {
            handle: Some(Handle::new(handle)),
            workspace: Workspace::default(),
            kept: Kept::default(),
            awaited: Sources::default(),
        };
        Ok(Arc::new(Self {
            device: device.clone(),
            state: Mutex::new(state),
            submitted: AtomicU64::new(0),
            passed: AtomicU64::new(0),
            failures: Failures::new(device.runtime().session(), handle),
        }))
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Whether the work of a ticket is known to be done.
    #[inline]
    pub(crate) fn has_passed(&self, ticket: u64) -> bool {
        self.passed.load(Ordering::Acquire) >= ticket
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the work of a ticket is done.
    pub(super) fn note_passed(&self, ticket: u64) {
        self.passed.fetch_max(ticket, Ordering::AcqRel);
    }

    /// Enqueues work that uses the locked resources and `workspace` bytes of workspace, after all
    /// conflicting work of other streams. Also returns its ticket.
    pub(crate) fn enqueue<R>(
        self: &Arc<Self>,
        locked: &mut Locked<'_>,
        workspace: u64,
        work: impl FnOnce(Place) -> Result<R>,
    ) -> Result<(R, u64)> {
        self.device.bind()?;
        let mut fences = smallvec::SmallVec::<[RawEvent; 2]>::new();
        for other in locked.conflicts(self) {
            fences.extend(other.stream.fence(other.ticket)?);
        }
        let mut state = self.lock();
        let handle = state.open()?;
        let ticket = self.submitted.load(Ordering::Relaxed) + 1;
        for fence in fences {
            // SAFETY: the stream is open, as its lock is held; `fence` lives, and is kept until the
            // stream has passed this wait.
            let waits = unsafe { acl!(self.device.cann(), aclrtStreamWaitEvent(handle, fence.handle())) };
            state.kept.things.push((ticket, Arc::new(fence)));
            waits?;
        }
        let State { workspace: cache, kept, .. } = &mut *state;
        let workspace = cache.take(&self.device, workspace, |block| kept.things.push((ticket, block)))?;
        let outcome = work(Place { stream: handle, workspace, ticket });
        // Counts failed work too: a part of it may have been enqueued.
        self.submitted.store(ticket, Ordering::Release);
        locked.note(self, ticket);
        let over = self.reap(&mut state);
        drop(state);
        locked.drop_behind(over);
        outcome.map(|result| (result, ticket))
    }

    /// An event recorded after all work so far; `None` where the stream is closed, and the work of
    /// the ticket is done.
    ///
    /// # Errors
    /// The stream is closed, but the device may still do the work; what CANN returns.
    fn fence(&self, ticket: u64) -> Result<Option<RawEvent>> {
        let state = self.lock();
        let Some(handle) = state.handle else {
            // `close` passes all tickets, unless CANN failed.
            return if self.has_passed(ticket) { Ok(None) } else { Err(State::lost()) };
        };
        let event = RawEvent::new(&self.device)?;
        event.record(handle.get())?;
        Ok(Some(event))
    }

    /// Keeps `thing` until the ticket has been passed.
    pub(crate) fn keep_until(&self, ticket: u64, thing: Arc<dyn Send + Sync>) {
        let bound = self.device.bind_quietly();
        let mut state = self.lock();
        if self.has_passed(ticket) {
            drop(state);
            drop(thing);
            return;
        }
        if state.handle.is_none() {
            // `close` could not tell whether the work is done: the device may still use it.
            return leak(thing);
        }
        state.kept.things.push((ticket, thing));
        let over = self.reap(&mut state);
        drop(state);
        drop(over);
        self.device.runtime().keep(bound);
    }

    /// Takes out the resources that no work uses any more, for the caller to drop after unlocking,
    /// and records a marker if some are left.
    fn reap(&self, state: &mut State) -> Over {
        let Some(handle) = state.handle else { return core::mem::take(&mut state.kept.things) };
        let kept = &mut state.kept;
        if kept.things.is_empty() {
            return Over::new();
        }
        if let (Some(ticket), Some(marker)) = (kept.marked, &kept.marker)
            && marker.is_complete().unwrap_or(false)
        {
            self.note_passed(ticket);
            kept.marked = None;
        }
        let passed = self.passed.load(Ordering::Acquire);
        // Searches once for each progress of the stream, however often work is enqueued in between.
        let over = if passed > kept.reaped {
            kept.reaped = passed;
            kept.things.extract_if(.., |(ticket, _)| *ticket <= passed).collect()
        } else {
            Over::new()
        };
        if kept.marked.is_none() && !kept.things.is_empty() {
            let marked = kept.mark(&self.device, handle.get());
            kept.marked = marked.is_ok().then(|| self.submitted.load(Ordering::Relaxed));
            // If the marker could not be recorded, things are kept until the stream is synchronised
            // or closed.
            self.device.runtime().keep(marked);
        }
        over
    }

    /// Waits until the work of a ticket is done, without taking the stream's errors.
    pub(crate) fn wait_for(&self, ticket: u64) -> Result<()> {
        if self.has_passed(ticket) {
            return Ok(());
        }
        self.device.bind()?;
        if let Some(fence) = self.fence(ticket)? {
            fence.synchronize()?;
            self.note_passed(ticket);
        }
        Ok(())
    }

    /// Waits until all work so far is done. Takes the stream's failures, and returns the first of:
    /// an index out of range, CANN's error, and the error of work before an event that the stream
    /// waited for. Moves resources that are no longer used to `over`; the caller drops them when it
    /// holds no lock.
    pub(crate) fn synchronize(&self, over: &mut Over) -> Result<()> {
        self.device.bind()?;
        let (handle, awaited) = {
            let mut state = self.lock();
            let Some(handle) = state.handle else { return Ok(()) };
            (handle, core::mem::take(&mut state.awaited))
        };
        let (done, synchronized) = self.drain(handle.get(), over);
        let own = self.failures.take(done.unwrap_or_default()).map_or(synchronized, Err);
        if own.is_ok() && done.is_some() {
            return awaited.check();
        }
        // Only one error can be returned: those of awaited work stay for the next call.
        self.note_awaited(&awaited);
        own
    }

    /// Waits until all work so far is done. Returns the ticket up to which it is done, `None` if
    /// CANN can't say, and CANN's result.
    fn drain(&self, handle: aclrtStream, over: &mut Over) -> (Option<u64>, Result<()>) {
        let cann = self.device.cann();
        let target = self.submitted.load(Ordering::Acquire);
        // SAFETY: only `close` destroys the stream. It is called with the last reference to the
        // `Stream`, so it can't run at the same time as a method of the `Stream`; `close` itself
        // calls this before it destroys the handle.
        let synchronized = unsafe { acl!(cann, aclrtSynchronizeStream(handle)) };
        // A stream that has reported a failure has done its work if a second call succeeds.
        let is_done = synchronized.is_ok()
            // SAFETY: only `close` destroys the stream, which it has not done yet, as said above.
            || unsafe { acl!(cann, aclrtSynchronizeStream(handle)) }.is_ok();
        if is_done {
            self.note_passed(target);
            over.append(&mut self.reap(&mut self.lock()));
        }
        (is_done.then_some(target), synchronized)
    }

    pub(super) fn failures(&self) -> &Failures {
        &self.failures
    }

    /// Takes the failures of a closed stream.
    pub(crate) fn settle(&self) {
        if fork::check().is_ok() {
            self.failures.take(self.passed.load(Ordering::Acquire));
        }
    }

    /// All work before an event with this ticket: of this stream, and of streams whose events it
    /// waited for.
    pub(crate) fn sources(self: &Arc<Self>, ticket: u64) -> Sources {
        let mut sources = Sources::up_to(self, ticket);
        sources.extend(&self.lock().awaited);
        sources
    }

    /// Notes the work before an event that the stream has been told to wait for.
    pub(crate) fn note_awaited(&self, sources: &Sources) {
        self.lock().awaited.extend(sources);
    }

    /// The handle, for C functions.
    ///
    /// # Errors
    /// The stream is closed.
    pub(crate) fn handle(&self) -> Result<aclrtStream> {
        fork::check()?;
        self.lock().open()
    }

    /// Waits for all work, frees everything that was kept for it, and destroys the stream. Later
    /// calls do nothing. Returns the first index out of range, or else CANN's error. The index out
    /// of range is also still returned to whoever reads the data.
    ///
    /// Where CANN can neither wait for the stream nor destroy it, the device may still use the
    /// memory of its work: that memory is never freed, and the tickets are never passed. Whatever
    /// would have to wait for that work is refused.
    pub(crate) fn close(&self) -> Result<()> {
        fork::check()?;
        let Some(handle) = self.lock().handle else { return Ok(()) };
        let bound = self.device.bind_quietly();
        let (_, synchronized) = self.drain(handle.get(), &mut Over::new());
        let drained = self.failures.close().map_or(synchronized, Err);
        let mut state = self.lock();
        state.handle = None;
        let awaited = core::mem::take(&mut state.awaited);
        let kept = core::mem::take(&mut state.kept);
        let workspace = core::mem::take(&mut state.workspace);
        // SAFETY: `state.handle` is `None` and the lock is held, so nothing else uses the handle.
        let destroyed = unsafe { acl!(self.device.cann(), aclrtDestroyStream(handle.get())) };
        // CANN destroys a stream only after its work.
        if destroyed.is_ok() || self.has_passed(self.submitted.load(Ordering::Acquire)) {
            self.passed.store(u64::MAX, Ordering::Release);
            if drained.is_ok() {
                self.settle();
            }
            drop(state);
            drop((kept, workspace, awaited));
        } else {
            leak((kept, workspace));
        }
        bound.and(drained).and(destroyed)
    }

    /// Bytes of workspace that the stream keeps for its next work.
    pub(crate) fn workspace_bytes(&self) -> usize {
        fork::check().map_or(0, |()| self.lock().workspace.bytes())
    }

    /// Frees the workspace after the work that uses it.
    pub(crate) fn trim_workspace(&self) {
        self.change_workspace(|workspace, keep| workspace.trim(keep));
    }

    /// Keeps at most this many bytes of workspace from one piece of work to the next.
    pub(crate) fn limit_workspace(&self, bytes: usize) {
        self.change_workspace(|workspace, keep| workspace.limit(bytes, keep));
    }

    /// Changes the workspace; a block that the change gives up is freed after all work so far.
    fn change_workspace(&self, change: impl FnOnce(&mut Workspace, &mut dyn FnMut(Arc<dyn Send + Sync>))) {
        if fork::check().is_err() {
            return;
        }
        let bound = self.device.bind_quietly();
        let mut state = self.lock();
        let ticket = self.submitted.load(Ordering::Relaxed);
        let State { workspace, kept, .. } = &mut *state;
        change(workspace, &mut |block| kept.things.push((ticket, block)));
        // The stream may have passed the ticket already: search all things again.
        kept.reaped = 0;
        let over = self.reap(&mut state);
        drop(state);
        drop(over);
        self.device.runtime().keep(bound);
    }
}

impl State {
    fn open(&self) -> Result<aclrtStream> {
        let closed = Error::Unsupported { call: "stream", problem: "the stream is closed" };
        self.handle.map(Handle::get).ok_or(closed)
    }

    /// The error for work of a closed stream that may still be under way.
    fn lost() -> Error {
        let problem = "CANN could neither wait for the stream nor destroy it: its work may still run";
        Error::Unsupported { call: "stream", problem }
    }
}

impl Kept {
    fn mark(&mut self, device: &Device, stream: aclrtStream) -> Result<()> {
        let marker = match self.marker.take() {
            Some(marker) => marker,
            None => RawEvent::new(device)?,
        };
        let recorded = marker.record(stream);
        self.marker = Some(marker);
        recorded
    }
}

/// Leaks a resource that the device may still use, because nothing will tell when its work is done.
fn leak(thing: impl Send + 'static) {
    // A static, so that leak checkers do not report it.
    static LEAKED: Mutex<Vec<Box<dyn Send>>> = Mutex::new(Vec::new());
    LEAKED.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(thing));
}
