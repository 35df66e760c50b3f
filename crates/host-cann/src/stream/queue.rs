//! A stream's queue of tasks, and its progress.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use aclnn_sys::{ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_ABORT, AclError};

use super::{Stream, Task, worker};
use crate::event::Event;
use crate::exception;
use crate::failure::{Failure, Fallible, failure};
use crate::sync::lock;

/// How often a worker polls for a task before it sleeps.
const WATCH: u32 = 200;
/// Whether there is one core, so that nobody can submit a task while a worker polls.
static SINGLE_CORE: OnceLock<bool> = OnceLock::new();

/// A stream's queue of tasks, and its progress.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The tasks that have not begun, in order.
    pub(super) tasks: VecDeque<Submitted>,
    /// The number of the last task; the first is 1.
    pub(super) submitted: u64,
    /// All tasks up to this number are done or dropped.
    pub(super) completed: u64,
    /// Tasks up to this number were dropped.
    dropped: u64,
    /// The first of the tasks that were dropped last.
    dropped_from: u64,
    /// The number of the task that runs.
    running: Option<u64>,
    /// Whether it has ended, though it is not done before its failure was told.
    has_ended: bool,
    /// The records of events that were dropped while it runs.
    dropped_records: Vec<(Arc<Event>, u64)>,
    /// The worker sleeps until it is woken.
    sleeping: bool,
    /// How many threads sleep until something is done.
    pub(super) waiting: usize,
    /// Whether the stream ends, so that it takes no more tasks.
    pub(super) closing: bool,
    worker: Option<JoinHandle<()>>,
    /// The first failure since the last synchronisation.
    pub(super) failure: Option<Failure<AclError>>,
    /// The mode that was set for this stream; what takes effect is the context's.
    pub(super) stop_on_failure: bool,
    /// How often work was dropped.
    pub(super) aborts: u64,
    /// Why it was dropped last.
    pub(super) reason: Option<AclError>,
    pub(super) tag: u32,
}

/// What is known of a task that was submitted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticket {
    pub(super) number: u64,
    /// The thread that submitted it.
    pub(super) thread: u32,
    /// How often work had been dropped then. If that has grown since, the task was dropped or is
    /// being interrupted.
    pub(super) aborts: u64,
}

/// A task in a queue.
#[derive(Debug)]
pub(super) struct Submitted {
    pub(super) ticket: Ticket,
    pub(super) task: Task,
}

impl Stream {
    /// Enqueues a task.
    pub(crate) fn submit(self: &Arc<Self>, task: Task) -> Fallible<Ticket> {
        self.submit_with(|| task)
    }

    /// Enqueues a task that is created under the same lock, once it is certain that the stream
    /// takes it.
    pub(crate) fn submit_with(self: &Arc<Self>, task: impl FnOnce() -> Task) -> Fallible<Ticket> {
        let mut queue = lock(&self.queue);
        let refused = if queue.closing {
            Some(failure!(ACL_ERROR_RT_INVALID_HANDLE, "the stream has ended"))
        } else if let Some(stopped) = self.stop.refusal(", and take no more") {
            Some(stopped)
        } else if queue.worker.is_none() {
            match worker::start(self) {
                Ok(thread) => {
                    queue.worker = Some(thread);
                    None
                }
                Err(problem) => Some(problem),
            }
        } else {
            None
        };
        if let Some(refused) = refused {
            drop(queue);
            // The task is dropped, with what it owns, without the lock.
            drop(task);
            return Err(refused);
        }
        queue.submitted += 1;
        let number = queue.submitted;
        let ticket = Ticket { number, thread: worker::thread(), aborts: queue.aborts };
        queue.tasks.push_back(Submitted { ticket, task: task() });
        self.changed.store(true, Ordering::Relaxed);
        let sleeping = queue.sleeping;
        drop(queue);
        // Waking costs more than all the rest of a launch; a worker that is awake polls.
        if sleeping {
            self.work.notify_one();
        }
        Ok(ticket)
    }

    /// The next task, or `None` when the stream ends. Waits for one.
    pub(super) fn next(&self) -> Option<Submitted> {
        let mut queue = lock(&self.queue);
        let mut watched = false;
        loop {
            // Another stream's failure has stopped this one, and may not have dropped its tasks
            // yet; if the stream ends it never will.
            if let Some(code) = self.stop.reason().filter(|_| !queue.tasks.is_empty()) {
                drop(queue);
                self.drop_work(code, |_| {});
                queue = lock(&self.queue);
            }
            if let Some(next) = queue.tasks.pop_front() {
                queue.running = Some(next.ticket.number);
                queue.has_ended = false;
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
                self.changed.store(false, Ordering::Relaxed);
                drop(queue);
                self.watch();
                watched = true;
                queue = lock(&self.queue);
            }
        }
    }

    /// Stays awake for a few microseconds, in which a program that launches one task after another
    /// submits the next.
    fn watch(&self) {
        let alone = *SINGLE_CORE
            .get_or_init(|| std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1));
        let turns = if alone { 0 } else { WATCH };
        for _ in 0..turns {
            if self.changed.load(Ordering::Relaxed) {
                return;
            }
            core::hint::spin_loop();
        }
    }

    /// Notes that a task is done, or has failed.
    pub(super) fn finish(&self, ticket: Ticket, outcome: Fallible) {
        if let Err(problem) = outcome {
            // Functions of the program that are told of the failure may wait for these records.
            lock(&self.queue).let_dropped_records_come();
            self.fail(problem, ticket);
        }
        let mut queue = lock(&self.queue);
        queue.running = None;
        queue.let_dropped_records_come();
        queue.completed = ticket.number.max(queue.dropped);
        let waiting = queue.waiting > 0;
        drop(queue);
        if waiting {
            self.done.notify_all();
        }
    }

    /// Keeps a failure for the next synchronisation, unless there is an earlier one.
    pub(super) fn fail(&self, problem: Failure<AclError>, ticket: Ticket) {
        let (code, words) = (problem.code, problem.message.clone());
        lock(&self.queue).failure.get_or_insert(problem);
        self.stop_all(code, &words);
        exception::report(ticket.number, self, ticket.thread, code);
    }

    /// Drops the tasks that have not begun, and ends a running wait; no other running task is
    /// interrupted.
    pub(crate) fn abort(&self, reason: AclError) {
        self.drop_work(reason, |queue| {
            queue.aborts += 1;
            queue.reason = Some(reason);
        });
    }

    /// Drops the tasks that have not begun, and calls `note` under the same lock.
    pub(super) fn drop_work(&self, reason: AclError, note: impl FnOnce(&mut Queue)) {
        let mut queue = lock(&self.queue);
        note(&mut queue);
        let dropped = queue.drop_tasks(reason);
        drop(queue);
        // This calls functions of libraries that may use the runtime.
        drop(dropped);
        // Where no task runs, none will end and wake the threads that wait.
        self.done.notify_all();
    }

    /// How often work was dropped; a wait inside a task ends when this grows.
    pub(super) fn aborts(&self) -> u64 {
        lock(&self.queue).aborts
    }

    /// Takes no more tasks, and waits until all are done; with `force` drops them instead and waits
    /// for nothing.
    pub(super) fn end(&self, force: bool) {
        let thread = {
            let mut queue = lock(&self.queue);
            queue.closing = true;
            self.changed.store(true, Ordering::Relaxed);
            queue.worker.take()
        };
        if force {
            self.abort(ACL_ERROR_RT_STREAM_ABORT);
        }
        self.work.notify_all();
        if let Some(thread) = thread.filter(|_| !force) {
            // The worker catches panics of tasks, so its result says nothing.
            let _ = thread.join();
        }
    }
}

impl Queue {
    /// Whether a task is running or waiting to run.
    pub(super) fn has(&self, ticket: Ticket) -> bool {
        let waits = self.tasks.front().is_some_and(|first| first.ticket.number <= ticket.number);
        waits || self.running == Some(ticket.number)
    }

    /// Whether a task was dropped, or others were while it ran.
    pub(super) fn has_dropped(&self, ticket: Ticket) -> bool {
        self.aborts != ticket.aborts || (self.dropped_from..=self.dropped).contains(&ticket.number)
    }

    /// Lets the records come that were dropped while the task ran that has ended now.
    fn let_dropped_records_come(&mut self) {
        self.has_ended = true;
        for (event, record) in self.dropped_records.drain(..) {
            event.come_dropped(record);
        }
    }

    /// Takes out the tasks that have not begun, for the caller to drop without the lock. The
    /// records among them come when the running task has ended, or now if none runs.
    fn drop_tasks(&mut self, reason: AclError) -> Vec<Task> {
        if let Some(first) = self.tasks.front() {
            self.dropped_from = first.ticket.number;
            self.dropped = self.submitted;
            if self.running.is_none() {
                self.completed = self.dropped;
            }
        }
        let dropped: Vec<_> = self.tasks.drain(..).map(|submitted| submitted.task).collect();
        for task in &dropped {
            let Task::Record(event, record) = task else { continue };
            event.note_dropped(*record, reason);
            if self.running.is_some() && !self.has_ended {
                self.dropped_records.push((Arc::clone(event), *record));
            } else {
                event.come_dropped(*record);
            }
        }
        dropped
    }
}
