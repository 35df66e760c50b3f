//! The thread of a stream.

use std::cell::{Cell, RefCell};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{Builder, JoinHandle};

use aclnn_sys::ACL_ERROR_RT_INTERNAL_ERROR;

use super::Stream;
use super::queue::Submitted;
use crate::context;
use crate::failure::failure;

static THREADS: AtomicU32 = AtomicU32::new(1);

thread_local! {
    /// The stream that this thread works for.
    static INSIDE: RefCell<Option<Arc<Stream>>> = const { RefCell::new(None) };
    /// The number of the task that this thread runs, and who submitted it.
    static RUNNING: Cell<(u64, u32)> = const { Cell::new((0, 0)) };
    static THREAD: u32 = THREADS.fetch_add(1, Ordering::Relaxed);
    static LAST_TASK: Cell<u64> = const { Cell::new(0) };
}

/// The stream that the caller is a host function of; it may be ending.
pub(crate) fn stream_inside() -> Option<Arc<Stream>> {
    INSIDE.try_with(|stream| stream.borrow().clone()).ok().flatten()
}

/// The handle of the stream that the caller is a host function of, or 0.
pub(crate) fn inside() -> usize {
    // A thread that is ending works for nobody.
    INSIDE.try_with(|stream| stream.borrow().as_ref().map_or(0, |stream| stream.handle())).unwrap_or(0)
}

/// The number of the task that the caller is a host function of, and the thread that submitted it.
pub(crate) fn running() -> (u64, u32) {
    RUNNING.get()
}

/// The number of the thread's last task.
pub(crate) fn last_task() -> u64 {
    LAST_TASK.get()
}

/// Notes the thread's last task, and gives the thread's number.
pub(super) fn note_submission(task: u64) -> u32 {
    LAST_TASK.set(task);
    THREAD.with(|number| *number)
}

/// Starts the thread of a stream.
pub(super) fn start(stream: &Arc<Stream>) -> io::Result<JoinHandle<()>> {
    let stream = Arc::clone(stream);
    Builder::new().name(format!("host-cann stream {}", stream.id())).spawn(move || work(&stream))
}

fn work(stream: &Arc<Stream>) {
    INSIDE.set(Some(Arc::clone(stream)));
    // Host functions may allocate and copy as if the thread had set the stream's device.
    context::make_current(stream.context());
    while let Some(Submitted { number, thread, task }) = stream.next() {
        RUNNING.set((number, thread));
        let outcome = catch_unwind(AssertUnwindSafe(|| task.run(stream)))
            .unwrap_or_else(|_| Err(failure!(ACL_ERROR_RT_INTERNAL_ERROR, "a task panicked")));
        stream.finish(number, thread, outcome);
    }
}
