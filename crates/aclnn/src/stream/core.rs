//! What a stream is to the resources that its work uses.

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

/// A stream of CANN's. Work is counted by tickets, in the order in which it is given to the stream,
/// which is the order in which it is done.
#[derive(Debug)]
pub(crate) struct StreamCore {
    device: Device,
    state: Mutex<State>,
    /// The ticket of the latest work; changed while `state` is locked.
    submitted: AtomicU64,
    /// The latest ticket that is known to be done.
    passed: AtomicU64,
    failures: Failures,
}

/// What is changed while work is given to a stream.
#[derive(Debug)]
struct State {
    /// `None` once the stream is closed; all its work is done then.
    handle: Option<Handle<aclrtStream>>,
    workspace: Workspace,
    kept: Kept,
    /// The work behind the events that the stream was told to wait for, since it was last
    /// synchronised.
    awaited: Sources,
}

/// What is kept until the stream has passed a ticket.
pub(crate) type Over = Vec<(u64, Arc<dyn Send + Sync>)>;

/// What is given back when the stream has passed a ticket.
#[derive(Default)]
struct Kept {
    things: Over,
    /// Nothing is left of what was passed with this ticket.
    reaped: u64,
    /// Tells when a ticket has been passed; made when it is first needed.
    marker: Option<RawEvent>,
    /// The ticket for which the marker stands, while it does.
    marked: Option<u64>,
}

impl core::fmt::Debug for Kept {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Kept").field("things", &self.things.len()).field("marked", &self.marked).finish()
    }
}

/// A piece of work's place for it, and the memory that it may use until it is done.
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
        // SAFETY: there is a place for the stream.
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

    /// Gives work to the stream that uses the locked resources and so much workspace, behind all
    /// conflicting work of other streams. Returns its ticket too.
    pub(crate) fn enqueue<R>(
        self: &Arc<Self>,
        locked: &mut Locked<'_>,
        workspace: u64,
        work: impl FnOnce(Place) -> Result<R>,
    ) -> Result<(R, u64)> {
        self.device.bind()?;
        let mut fences = smallvec::SmallVec::<[RawEvent; 2]>::new();
        for other in locked.conflicts(self) {
            fences.extend(other.stream.fence()?);
        }
        let mut state = self.lock();
        let handle = state.open()?;
        let ticket = self.submitted.load(Ordering::Relaxed) + 1;
        for fence in fences {
            // SAFETY: the event is recorded, and stays until this stream has passed the wait.
            let waits = unsafe { acl!(self.device.cann(), aclrtStreamWaitEvent(handle, fence.handle())) };
            state.kept.things.push((ticket, Arc::new(fence)));
            waits?;
        }
        let State { workspace: cache, kept, .. } = &mut *state;
        let workspace = cache.take(&self.device, workspace, |block| kept.things.push((ticket, block)))?;
        let outcome = work(Place { stream: handle, workspace, ticket });
        // Also of work that failed: a part of it may have got to the stream.
        self.submitted.store(ticket, Ordering::Release);
        locked.note(self, ticket);
        let over = self.reap(&mut state);
        drop(state);
        locked.drop_behind(over);
        outcome.map(|result| (result, ticket))
    }

    /// An event behind all work so far; `None` where the stream is closed.
    fn fence(&self) -> Result<Option<RawEvent>> {
        let state = self.lock();
        let Some(handle) = state.handle else { return Ok(None) };
        let event = RawEvent::new(&self.device)?;
        event.record(handle.get())?;
        Ok(Some(event))
    }

    /// Keeps something until a ticket is passed.
    pub(crate) fn keep_until(&self, ticket: u64, thing: Arc<dyn Send + Sync>) {
        let bound = self.device.bind_quietly();
        let mut state = self.lock();
        if self.has_passed(ticket) {
            drop(state);
            drop(thing);
            return;
        }
        if state.handle.is_none() {
            // As `close` says.
            return lose(thing);
        }
        state.kept.things.push((ticket, thing));
        let over = self.reap(&mut state);
        drop(state);
        drop(over);
        self.device.runtime().keep(bound);
    }

    /// Takes out what is no longer used, to be dropped without the lock, and sees to it that the
    /// rest will be.
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
        // Once for each time that the stream gets on, however often work is given to it in between.
        let over = if passed > kept.reaped {
            kept.reaped = passed;
            kept.things.extract_if(.., |(ticket, _)| *ticket <= passed).collect()
        } else {
            Over::new()
        };
        if kept.marked.is_none() && !kept.things.is_empty() {
            let marked = kept.mark(&self.device, handle.get());
            kept.marked = marked.is_ok().then(|| self.submitted.load(Ordering::Relaxed));
            // Without a marker, things are kept until the stream is synchronised or closed.
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
        if let Some(fence) = self.fence()? {
            fence.synchronize()?;
            self.note_passed(ticket);
        }
        // Closed, unless it is passed.
        if self.has_passed(ticket) { Ok(()) } else { Err(State::closed()) }
    }

    /// Waits until all work so far is done. Takes the stream's failures, and returns the first
    /// index out of range, or else what CANN says, or the error that an event stands behind; and
    /// into `over` what is to be dropped where no lock is held.
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
        // One error at a time.
        self.note_awaited(&awaited);
        own
    }

    /// Waits until all work so far is done. Returns the ticket up to which it is, if it is, and
    /// what CANN says.
    fn drain(&self, handle: aclrtStream, over: &mut Over) -> (Option<u64>, Result<()>) {
        let cann = self.device.cann();
        let target = self.submitted.load(Ordering::Acquire);
        // SAFETY: the stream is destroyed by `close` alone, which whoever has the stream by
        // reference excludes.
        let synchronized = unsafe { acl!(cann, aclrtSynchronizeStream(handle)) };
        // A stream that has told of a failure is done with its work when it does not tell again.
        let is_done = synchronized.is_ok()
            // SAFETY: as above.
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

    /// Takes the failures of a stream that is closed.
    pub(crate) fn settle(&self) {
        if fork::check().is_ok() {
            self.failures.take(self.passed.load(Ordering::Acquire));
        }
    }

    /// The work that an event of this ticket stands behind.
    pub(crate) fn sources(self: &Arc<Self>, ticket: u64) -> Sources {
        let mut sources = Sources::up_to(self, ticket);
        sources.extend(&self.lock().awaited);
        sources
    }

    /// Notes the work behind an event that the stream has been told to wait for.
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

    /// Waits for all work, gives everything back that it used, and destroys the stream. Done once.
    /// Returns the first index out of range, which stays with the data, or else what CANN says.
    ///
    /// Where CANN can do neither, the device may still use what the work used: it is never given
    /// back, and the tickets are never passed.
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
        // SAFETY: the handle is taken out, so that nobody uses it from now on.
        let destroyed = unsafe { acl!(self.device.cann(), aclrtDestroyStream(handle.get())) };
        // A stream is destroyed behind its work.
        if destroyed.is_ok() || self.has_passed(self.submitted.load(Ordering::Acquire)) {
            self.passed.store(u64::MAX, Ordering::Release);
            if drained.is_ok() {
                self.settle();
            }
            drop(state);
            drop((kept, workspace, awaited));
        } else {
            lose((kept, workspace));
        }
        bound.and(drained).and(destroyed)
    }

    /// Bytes of workspace that are kept for the next work.
    pub(crate) fn workspace_bytes(&self) -> usize {
        fork::check().map_or(0, |()| self.lock().workspace.bytes())
    }

    /// Gives the workspace back behind the work that uses it.
    pub(crate) fn trim_workspace(&self) {
        self.change_workspace(|workspace, keep| workspace.trim(keep));
    }

    /// Keeps no more than this many bytes of workspace from one piece of work to the next.
    pub(crate) fn limit_workspace(&self, bytes: usize) {
        self.change_workspace(|workspace, keep| workspace.limit(bytes, keep));
    }

    /// Changes the workspace; what the change gives up is kept until all work so far is done.
    fn change_workspace(&self, change: impl FnOnce(&mut Workspace, &mut dyn FnMut(Arc<dyn Send + Sync>))) {
        if fork::check().is_err() {
            return;
        }
        let bound = self.device.bind_quietly();
        let mut state = self.lock();
        let ticket = self.submitted.load(Ordering::Relaxed);
        let State { workspace, kept, .. } = &mut *state;
        change(workspace, &mut |block| kept.things.push((ticket, block)));
        // The ticket may have been passed before.
        kept.reaped = 0;
        let over = self.reap(&mut state);
        drop(state);
        drop(over);
        self.device.runtime().keep(bound);
    }
}

impl State {
    fn open(&self) -> Result<aclrtStream> {
        self.handle.map(Handle::get).ok_or_else(Self::closed)
    }

    fn closed() -> Error {
        Error::Unsupported { call: "stream", problem: "the stream is closed" }
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

/// Keeps for ever what the device may still use, where nobody will know when it is done.
fn lose(thing: impl Send + 'static) {
    // Where a leak checker sees that it is kept on purpose.
    static LOST: Mutex<Vec<Box<dyn Send>>> = Mutex::new(Vec::new());
    LOST.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(thing));
}
