//! Callbacks: functions that a stream has called by a thread which the program gives for it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use aclnn_sys::{
    ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_REPORT_TIMEOUT,
    ACL_ERROR_RT_STREAM_NO_CB_REG, ACL_ERROR_RT_STREAM_SUBSCRIBE, ACL_ERROR_RT_THREAD_SUBSCRIBE,
    aclrtCallbackBlockType, aclrtStream,
};

use crate::context;
use crate::failure::{Failure, Fallible, ensure, failure};
use crate::stream::{self, HostFunction, Running, Task};
use crate::sync::{deadline, lock, wait_until};

/// Waits look so often whether they are still needed.
const GLANCE: Duration = Duration::from_millis(5);

/// A function to be called by a thread.
#[derive(Debug)]
pub(crate) struct Letter {
    function: HostFunction,
    /// The task that waits for it, if one does.
    task: Option<Running>,
    receipt: Arc<Receipt>,
}

/// Whether a function was called.
#[derive(Debug, Default)]
pub(crate) struct Receipt {
    /// `None` while it waits; false when it never will be called.
    called: Mutex<Option<bool>>,
    changed: Condvar,
}

/// What waits for a thread, and for which streams it calls functions.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    content: Mutex<Content>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Content {
    letters: VecDeque<Letter>,
    streams: BTreeSet<usize>,
    closed: bool,
}

/// The mailboxes of threads.
type Boxes = BTreeMap<u64, Arc<Mailbox>>;

/// The threads that call functions of one kind.
pub(crate) struct Office(Mutex<Boxes>);

/// Threads of `aclrtSubscribeReport`.
pub(crate) static REPORTS: Office = Office(Mutex::new(BTreeMap::new()));
/// Threads of `aclrtSubscribeHostFunc`.
pub(crate) static HOST_FUNCTIONS: Office = Office(Mutex::new(BTreeMap::new()));

impl Letter {
    pub(crate) fn new(function: HostFunction) -> Self {
        Self { function, task: None, receipt: Arc::default() }
    }
}

impl Receipt {
    fn set(&self, called: bool) {
        *lock(&self.called) = Some(called);
        self.changed.notify_all();
    }

    /// Waits until the function was called; false when it never will be, or the wait is interrupted.
    pub(crate) fn wait(&self, interrupted: &dyn Fn() -> bool) -> bool {
        let mut called = lock(&self.called);
        while called.is_none() {
            called = wait_until(&self.changed, called, Some(Instant::now() + GLANCE));
            if called.is_none() && interrupted() {
                return false;
            }
        }
        *called == Some(true)
    }
}

impl Mailbox {
    /// Puts a letter in of a task that waits for it or none, and gives what tells that it was read.
    pub(crate) fn deliver(&self, mut letter: Letter, task: Option<Running>) -> Arc<Receipt> {
        letter.task = task;
        let receipt = Arc::clone(&letter.receipt);
        let mut content = lock(&self.content);
        if content.closed {
            drop(content);
            receipt.set(false);
        } else {
            content.letters.push_back(letter);
            drop(content);
            self.changed.notify_one();
        }
        receipt
    }

    fn close(&self) {
        let letters = {
            let mut content = lock(&self.content);
            content.closed = true;
            core::mem::take(&mut content.letters)
        };
        letters.iter().for_each(|letter| letter.receipt.set(false));
        self.changed.notify_all();
    }
}

impl Office {
    /// Makes a thread the one that calls the functions of a stream.
    pub(crate) fn subscribe(&self, thread: u64, stream: aclrtStream) -> Fallible {
        let stream = stream::of_current(stream, &*context::current()?)?;
        let mut boxes = lock(&self.0);
        ensure!(
            subscribed(&boxes, stream.handle()).is_none(),
            ACL_ERROR_RT_STREAM_SUBSCRIBE,
            "a thread is subscribed to the stream already"
        );
        lock(&boxes.entry(thread).or_default().content).streams.insert(stream.handle());
        Ok(())
    }

    /// Ends [`subscribe`](Self::subscribe).
    pub(crate) fn unsubscribe(&self, thread: u64, stream: aclrtStream) -> Fallible {
        let stream = stream::of_current(stream, &*context::current()?)?;
        let mut boxes = lock(&self.0);
        let mailbox = boxes.get(&thread).ok_or_else(|| not_subscribed(thread))?;
        let (known, last) = {
            let mut content = lock(&mailbox.content);
            (content.streams.remove(&stream.handle()), content.streams.is_empty())
        };
        ensure!(known, ACL_ERROR_RT_STREAM_SUBSCRIBE, "thread {thread} is not subscribed to the stream");
        if last && let Some(mailbox) = boxes.remove(&thread) {
            drop(boxes);
            mailbox.close();
        }
        Ok(())
    }

    /// Calls one function on this thread, waiting so many milliseconds for it; -1 is for ever.
    pub(crate) fn process(&self, milliseconds: i32) -> Fallible {
        let end = deadline(milliseconds).map_err(Failure::above_runtime)?;
        let thread = this_thread();
        let mailbox = lock(&self.0).get(&thread).cloned().ok_or_else(|| not_subscribed(thread))?;
        let mut content = lock(&mailbox.content);
        let letter = loop {
            if let Some(letter) = content.letters.pop_front() {
                drop(content);
                if !letter.task.as_ref().is_some_and(Running::is_aborted) {
                    break letter;
                }
                drop(letter);
                content = lock(&mailbox.content);
                continue;
            }
            if content.closed {
                return Err(not_subscribed(thread));
            }
            ensure!(
                end.is_none_or(|end| Instant::now() < end),
                ACL_ERROR_RT_REPORT_TIMEOUT,
                "no function was to be called in {milliseconds} ms"
            );
            content = wait_until(&mailbox.changed, content, end);
        };
        let Letter { function, task, receipt } = letter;
        match task {
            // To the function it is as if the stream's own thread called it, which waits for it.
            Some(task) => task.lend(|| function.call()),
            None => function.call(),
        }
        receipt.set(true);
        Ok(())
    }

    /// The mailbox of the thread that calls the functions of a stream.
    pub(crate) fn of_stream(&self, stream: usize) -> Option<Arc<Mailbox>> {
        subscribed(&lock(&self.0), stream).cloned()
    }

    /// Ends all subscriptions.
    pub(crate) fn clear(&self) {
        let boxes = core::mem::take(&mut *lock(&self.0));
        boxes.values().for_each(|mailbox| mailbox.close());
    }
}

/// The mailbox that is subscribed to a stream.
fn subscribed(boxes: &Boxes, stream: usize) -> Option<&Arc<Mailbox>> {
    boxes.values().find(|mailbox| lock(&mailbox.content).streams.contains(&stream))
}

fn not_subscribed(thread: u64) -> Failure<aclnn_sys::AclError> {
    failure!(ACL_ERROR_RT_THREAD_SUBSCRIBE, "thread {thread} is not subscribed to a stream")
}

/// The number that programs know this thread by: that of `pthread_self`.
fn this_thread() -> u64 {
    // SAFETY: asks for a number.
    let thread = unsafe { libc::pthread_self() };
    thread as u64
}

/// Has a function called by the thread that is subscribed to the stream.
pub(crate) fn launch(function: HostFunction, block: aclrtCallbackBlockType, stream: aclrtStream) -> Fallible {
    ensure!(
        [ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK].contains(&block),
        ACL_ERROR_RT_PARAM_INVALID,
        "blockType {} is unknown",
        block.0
    );
    let stream = stream::of_current(stream, &*context::current()?)?;
    let mailbox = REPORTS
        .of_stream(stream.handle())
        .ok_or_else(|| failure!(ACL_ERROR_RT_STREAM_NO_CB_REG, "no thread is subscribed to the stream"))?;
    let letter = Letter::new(function);
    stream.submit(Task::Post(mailbox, letter, block == ACL_CALLBACK_BLOCK)).map(drop)
}
