//! Waiting for the work of a stream.

use std::sync::{Arc, MutexGuard};
use std::time::Instant;

use aclnn_sys::{ACL_ERROR_RT_STREAM_ABORT, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT};

use super::queue::Queue;
use super::{Stream, Task};
use crate::failure::{Fallible, ensure, failure};
use crate::sync::{lock, wait_until};

impl Stream {
    /// Enqueues a task, and waits until it has run. When this returns, the task isn't running and
    /// will not run later.
    pub(crate) fn run(self: &Arc<Self>, task: Task) -> Fallible {
        self.check_not_inside()?;
        let ticket = self.submit(task)?;
        let queue = self.wait_while(None, |queue| Ok(queue.has(ticket)))?;
        if !queue.has_dropped(ticket) {
            return Ok(());
        }
        let aborted = queue.reason.map(|code| failure!(code, "the task was dropped"));
        let stopped = || self.stop.refusal(", and dropped this one");
        let reason = aborted.or_else(stopped);
        Err(reason.unwrap_or_else(|| failure!(ACL_ERROR_RT_STREAM_ABORT, "the task was dropped")))
    }

    /// Returns the failure that was kept for a synchronisation, once; or the one that has stopped
    /// the stream, every time.
    pub(crate) fn take_failure(&self) -> Fallible {
        if let Some(failure) = lock(&self.queue).failure.take() {
            return Err(failure);
        }
        self.stop.refusal("").map_or(Ok(()), Err)
    }

    /// Waits until all that has been submitted is done, and returns the failure of a task.
    pub(crate) fn synchronize(&self, end: Option<Instant>) -> Fallible {
        self.check_not_inside()?;
        self.drain(end)?;
        self.take_failure()
    }

    /// Waits until all that has been submitted is done.
    pub(crate) fn drain(&self, end: Option<Instant>) -> Fallible {
        let (last, aborts) = {
            let queue = lock(&self.queue);
            (queue.submitted, queue.aborts)
        };
        let busy = |queue: &Queue| {
            let reason = queue.reason.unwrap_or(ACL_ERROR_RT_STREAM_ABORT);
            ensure!(queue.aborts == aborts, reason, "the stream's work was dropped");
            Ok(queue.completed < last)
        };
        self.wait_while(end, busy).map(drop)
    }

    /// Waits while a condition holds, or until it fails.
    fn wait_while(
        &self,
        end: Option<Instant>,
        busy: impl Fn(&Queue) -> Fallible<bool>,
    ) -> Fallible<MutexGuard<'_, Queue>> {
        let mut queue = lock(&self.queue);
        while busy(&queue)? {
            ensure!(
                end.is_none_or(|end| Instant::now() < end),
                ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                "{} tasks were not done in time",
                queue.submitted - queue.completed
            );
            queue.waiting += 1;
            queue = wait_until(&self.done, queue, end);
            queue.waiting -= 1;
        }
        Ok(queue)
    }

    /// Whether nothing is left to do.
    pub(crate) fn is_idle(&self) -> bool {
        let queue = lock(&self.queue);
        queue.completed == queue.submitted
    }
}
