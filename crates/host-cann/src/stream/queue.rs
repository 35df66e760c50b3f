//! What a stream has to do, and how far it is.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Instant;

use aclnn_sys::{
    ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, ACL_ERROR_RT_STREAM_ABORT,
    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, AclError,
};

use super::{Stream, Task, worker};
use crate::exception;
use crate::failure::{Failure, Fallible, ensure, failure};
use crate::sync::{lock, wait_until};

/// How often a worker looks for a task before it sleeps.
const WATCH: u32 = 200;
/// Whether there is one core, so that nobody can bring a task meanwhile.
static ALONE: OnceLock<bool> = OnceLock::new();

/// What a stream has to do, and how far it is.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// What is not begun, in order.
    pub(super) tasks: VecDeque<Submitted>,
    /// The number of the last task; the first is 1.
    submitted: u64,
    /// All tasks up to this number are done or dropped.
    completed: u64,
    /// Tasks up to this number were dropped.
    dropped: u64,
    /// The first of those that were dropped last.
    dropped_from: u64,
    running: bool,
    /// The worker sleeps until it is woken.
    sleeping: bool,
    /// So many threads sleep until something is done.
    waiting: usize,
    /// No more tasks come.
    pub(super) closing: bool,
    worker: Option<JoinHandle<()>>,
    /// The first failure since the last synchronisation.
    failure: Option<Failure<AclError>>,
    pub(super) stop_on_failure: Option<bool>,
    /// The failure that stopped the stream for good.
    stopped: Option<AclError>,
    /// How often work was dropped.
    aborts: u64,
    /// Why it was dropped last.
    reason: Option<AclError>,
    pub(super) tag: u32,
}

/// A task in a queue.
#[derive(Debug)]
pub(super) struct Submitted {
    pub(super) number: u64,
    /// Who submitted it.
    pub(super) thread: u32,
    pub(super) task: Task,
}

impl Stream {
    /// Puts a task behind all others, and gives its number.
    pub(crate) fn submit(self: &Arc<Self>, task: Task) -> Fallible<u64> {
        let mut queue = lock(&self.queue);
        let refused = if queue.closing {
            Some(failure!(ACL_ERROR_RT_INVALID_HANDLE, "the stream has ended"))
        } else if let Some(code) = queue.stopped {
            Some(failure!(code, "the stream stopped when a task failed, and takes no more"))
        } else if queue.worker.is_none() {
            match worker::start(self) {
                Ok(thread) => {
                    queue.worker = Some(thread);
                    None
                }
                Err(problem) => {
                    Some(failure!(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "the stream gets no thread: {problem}"))
                }
            }
        } else {
            None
        };
        if let Some(refused) = refused {
            drop(queue);
            task.discard(refused.code);
            return Err(refused);
        }
        queue.submitted += 1;
        let number = queue.submitted;
        queue.tasks.push_back(Submitted { number, thread: worker::note_submission(number), task });
        self.news.store(true, Ordering::Relaxed);
        let sleeping = queue.sleeping;
        drop(queue);
        // Waking costs more than all the rest of a launch; a worker that is awake looks by itself.
        if sleeping {
            self.work.notify_one();
        }
        Ok(number)
    }

    /// The next task, or `None` when the stream ends. Waits for one.
    pub(super) fn next(&self) -> Option<Submitted> {
        let mut queue = lock(&self.queue);
        let mut watched = false;
        loop {
            if let Some(next) = queue.tasks.pop_front() {
                queue.running = true;
                return Some(next);
            }
            if queue.closing {
                return None;
            }
            if watched {
                queue.sleeping = true;
                queue = crate::sync::wait(&self.work, queue);
                queue.sleeping = false;
            } else {
                self.news.store(false, Ordering::Relaxed);
                drop(queue);
                self.watch();
                watched = true;
                queue = lock(&self.queue);
            }
        }
    }

    /// Stays awake for a few microseconds, in which a program that launches one task after another brings the next.
    fn watch(&self) {
        let alone =
            *ALONE.get_or_init(|| std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1));
        let turns = if alone { 0 } else { WATCH };
        for _ in 0..turns {
            if self.news.load(Ordering::Relaxed) {
                return;
            }
            core::hint::spin_loop();
        }
    }

    /// Notes that a task is done, or has failed.
    pub(super) fn finish(&self, number: u64, thread: u32, outcome: Fallible) {
        if let Err(problem) = outcome {
            self.fail(problem, number, thread);
        }
        let mut queue = lock(&self.queue);
        queue.running = false;
        queue.completed = number.max(queue.dropped);
        let waiting = queue.waiting > 0;
        drop(queue);
        if waiting {
            self.done.notify_all();
        }
    }

    /// Keeps a failure for the next synchronisation, unless an earlier one waits there.
    pub(crate) fn fail(&self, problem: Failure<AclError>, task: u64, thread: u32) {
        let code = problem.code;
        let mut queue = lock(&self.queue);
        queue.failure.get_or_insert(problem);
        let stopped = queue.stop_on_failure == Some(true);
        let dropped = if stopped {
            queue.stopped = Some(code);
            queue.drop_tasks()
        } else {
            Vec::new()
        };
        drop(queue);
        dropped.into_iter().for_each(|task| task.discard(code));
        exception::report(task, self, thread, code);
    }

    /// Gives the failure that waits for a synchronisation, once.
    pub(crate) fn take_failure(&self) -> Fallible {
        lock(&self.queue).failure.take().map_or(Ok(()), Err)
    }

    /// Waits until all that has been submitted is done, and tells what failed.
    pub(crate) fn synchronize(&self, end: Option<Instant>) -> Fallible {
        self.check_not_inside()?;
        self.drain(end)?;
        self.take_failure()
    }

    /// Waits until all that has been submitted is done.
    pub(crate) fn drain(&self, end: Option<Instant>) -> Fallible {
        let last = lock(&self.queue).submitted;
        self.wait_for(last, end)
    }

    /// Waits until the task of a number is done.
    pub(crate) fn wait_for(&self, number: u64, end: Option<Instant>) -> Fallible {
        let mut queue = lock(&self.queue);
        let aborts = queue.aborts;
        while queue.completed < number {
            queue.check_not_dropped(aborts)?;
            ensure!(
                end.is_none_or(|end| Instant::now() < end),
                ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                "{} tasks were not done in time",
                number - queue.completed
            );
            queue.waiting += 1;
            queue = wait_until(&self.done, queue, end);
            queue.waiting -= 1;
        }
        queue.check_not_dropped(aborts)
    }

    /// Waits until the task of a number has run.
    pub(crate) fn wait_for_run(&self, number: u64) -> Fallible {
        self.wait_for(number, None)?;
        let queue = lock(&self.queue);
        let reason = queue.reason.or(queue.stopped).unwrap_or(ACL_ERROR_RT_STREAM_ABORT);
        let dropped = (queue.dropped_from..=queue.dropped).contains(&number);
        ensure!(!dropped, reason, "the task was dropped");
        Ok(())
    }

    /// Whether nothing is left to do.
    pub(crate) fn is_idle(&self) -> bool {
        let queue = lock(&self.queue);
        queue.completed == queue.submitted
    }

    /// Drops what is not begun; what runs is not cut off, except a wait.
    pub(crate) fn abort(&self, reason: AclError) {
        let mut queue = lock(&self.queue);
        queue.aborts += 1;
        queue.reason = Some(reason);
        let dropped = queue.drop_tasks();
        drop(queue);
        dropped.into_iter().for_each(|task| task.discard(reason));
        self.done.notify_all();
    }

    /// How often work was dropped; a wait inside of a task ends when this grows.
    pub(super) fn aborts(&self) -> u64 {
        lock(&self.queue).aborts
    }

    /// Takes no more tasks, and waits until all are done; by `force` drops them and waits for nothing.
    pub(super) fn end(&self, force: bool) {
        let thread = {
            let mut queue = lock(&self.queue);
            queue.closing = true;
            self.news.store(true, Ordering::Relaxed);
            queue.worker.take()
        };
        if force {
            self.abort(ACL_ERROR_RT_STREAM_ABORT);
        }
        self.work.notify_all();
        if let Some(thread) = thread.filter(|_| !force) {
            // The worker catches panics of tasks; its end is all that matters.
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn check_not_dropped(&self, aborts: u64) -> Fallible {
        let reason = self.reason.unwrap_or(ACL_ERROR_RT_STREAM_ABORT);
        ensure!(self.aborts == aborts, reason, "the stream's work was dropped");
        Ok(())
    }

    fn drop_tasks(&mut self) -> Vec<Task> {
        self.dropped_from = self.tasks.front().map_or(self.submitted + 1, |first| first.number);
        self.dropped = self.submitted;
        if !self.running {
            self.completed = self.dropped;
        }
        self.tasks.drain(..).map(|submitted| submitted.task).collect()
    }
}
