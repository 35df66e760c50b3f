//! The thread of a stream.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{Builder, JoinHandle};

use aclnn_sys::{ACL_ERROR_RT_INTERNAL_ERROR, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL};

use super::Stream;
use super::queue::{Submitted, Ticket};
use crate::context;
use crate::failure::{Fallible, failure};
use crate::fault::{self, Action};

static THREADS: AtomicU32 = AtomicU32::new(1);

thread_local! {
    /// The stream that this thread works for.
    static INSIDE: RefCell<Option<Arc<Stream>>> = const { RefCell::new(None) };
    /// The task that this thread runs.
    static RUNNING: Cell<Ticket> = const { Cell::new(Ticket { number: 0, thread: 0, aborts: 0 }) };
    static THREAD: u32 = THREADS.fetch_add(1, Ordering::Relaxed);
}

/// The stream whose host function is calling; it may be ending.
pub(crate) fn stream_inside() -> Option<Arc<Stream>> {
    INSIDE.try_with(|stream| stream.borrow().clone()).ok().flatten()
}

/// The task that a thread runs, if it runs one.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    stream: Option<Arc<Stream>>,
    ticket: Ticket,
}

impl Running {
    /// The task that the calling thread runs.
    pub(super) fn now() -> Self {
        Self { stream: stream_inside(), ticket: RUNNING.get() }
    }

    /// Whether the stream's work was dropped meanwhile, so that a wait inside the task ends.
    pub(crate) fn is_aborted(&self) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.aborts() != self.ticket.aborts)
    }

    /// Runs a part of the task on this thread, while the task's own thread waits.
    pub(crate) fn lend(self, work: impl FnOnce()) {
        let (stream, ticket) = (INSIDE.replace(self.stream), RUNNING.replace(self.ticket));
        work();
        INSIDE.set(stream);
        RUNNING.set(ticket);
    }
}

/// The handle of the stream whose host function is calling, or 0.
pub(crate) fn inside() -> usize {
    // A thread that is ending works for no stream.
    INSIDE.try_with(|stream| stream.borrow().as_ref().map_or(0, |stream| stream.handle())).unwrap_or(0)
}

/// The task whose host function is calling.
pub(super) fn running() -> Ticket {
    RUNNING.get()
}

/// The number of the calling thread, among those that submit work.
pub(super) fn thread() -> u32 {
    THREAD.with(|number| *number)
}

/// Starts the thread of a stream.
pub(super) fn start(stream: &Arc<Stream>) -> Fallible<JoinHandle<()>> {
    fault::before(Action::Thread)?;
    let stream = Arc::clone(stream);
    let thread =
        Builder::new().name(format!("host-cann stream {}", stream.id())).spawn(move || work(&stream));
    thread
        .map_err(|problem| failure!(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "the stream gets no thread: {problem}"))
}

fn work(stream: &Arc<Stream>) {
    INSIDE.set(Some(Arc::clone(stream)));
    // Host functions may allocate and copy as if the thread had set the stream's device.
    context::make_current(stream.context());
    while let Some(Submitted { ticket, task }) = stream.next() {
        RUNNING.set(ticket);
        let outcome = catch_unwind(AssertUnwindSafe(|| task.run()))
            .unwrap_or_else(|_| Err(failure!(ACL_ERROR_RT_INTERNAL_ERROR, "a task panicked")));
        stream.finish(ticket, outcome);
    }
}
