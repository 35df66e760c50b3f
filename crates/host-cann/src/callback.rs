//! Callbacks: functions of a stream's tasks that run on a thread of the program that has subscribed
//! to the stream.

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

/// How often a wait checks whether it is still needed.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A function to be called by a thread.
#[derive(Debug)]
pub(crate) struct Request {
    function: HostFunction,
    /// The task that waits for it, if one does.
    task: Option<Running>,
    completion: Arc<Completion>,
}

/// Tells a waiting task whether its function was called.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    call: Mutex<Call>,
    changed: Condvar,
}

/// How far the call of a function has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Call {
    #[default]
    Waiting,
    Running,
    Done,
    /// It will never be called.
    GivenUp,
}

/// The functions that wait for a thread, and the streams for which it calls them.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    content: Mutex<Content>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Content {
    requests: VecDeque<Request>,
    streams: BTreeSet<usize>,
    closed: bool,
}

/// The mailboxes of threads.
type Boxes = BTreeMap<u64, Arc<Mailbox>>;

/// The threads that call functions.
pub(crate) struct Subscribers(Mutex<Boxes>);

/// Threads of `aclrtSubscribeReport`.
pub(crate) static REPORTS: Subscribers = Subscribers(Mutex::new(BTreeMap::new()));

impl Request {
    pub(crate) fn new(function: HostFunction) -> Self {
        Self { function, task: None, completion: Arc::default() }
    }
}

impl Completion {
    /// Notes that the function is about to be called; false if the wait for it was given up.
    fn begin(&self) -> bool {
        let mut call = lock(&self.call);
        if *call == Call::Waiting {
            *call = Call::Running;
        }
        *call == Call::Running
    }

    fn end(&self, call: Call) {
        *lock(&self.call) = call;
        self.changed.notify_all();
    }

    /// Waits until the function was called; false when it never will be, or the wait is interrupted
    /// before the call has begun.
    pub(crate) fn wait(&self, interrupted: &dyn Fn() -> bool) -> bool {
        let mut call = lock(&self.call);
        while matches!(*call, Call::Waiting | Call::Running) {
            call = wait_until(&self.changed, call, Some(Instant::now() + POLL_INTERVAL));
            if *call == Call::Waiting && interrupted() {
                *call = Call::GivenUp;
            }
        }
        *call == Call::Done
    }
}

impl Mailbox {
    /// Enqueues a request, with its task if that waits for it; the result tells when the function
    /// was called.
    pub(crate) fn deliver(&self, mut request: Request, task: Option<Running>) -> Arc<Completion> {
        request.task = task;
        let completion = Arc::clone(&request.completion);
        let mut content = lock(&self.content);
        if content.closed {
            drop(content);
            completion.end(Call::GivenUp);
        } else {
            content.requests.push_back(request);
            drop(content);
            self.changed.notify_one();
        }
        completion
    }

    fn close(&self) {
        let requests = {
            let mut content = lock(&self.content);
            content.closed = true;
            core::mem::take(&mut content.requests)
        };
        requests.iter().for_each(|request| request.completion.end(Call::GivenUp));
        self.changed.notify_all();
    }
}

impl Subscribers {
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

    /// Calls one function on this thread, waiting at most `milliseconds` milliseconds for it; -1
    /// means without limit.
    pub(crate) fn process(&self, milliseconds: i32) -> Fallible {
        let end = deadline(milliseconds).map_err(Failure::above_runtime)?;
        let thread = this_thread();
        let mailbox = lock(&self.0).get(&thread).cloned().ok_or_else(|| not_subscribed(thread))?;
        let mut content = lock(&mailbox.content);
        let request = loop {
            if let Some(request) = content.requests.pop_front() {
                drop(content);
                let is_aborted = request.task.as_ref().is_some_and(Running::is_aborted);
                if !is_aborted && request.completion.begin() {
                    break request;
                }
                drop(request);
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
        let Request { function, task, completion } = request;
        match task {
            // The function runs as if on the stream's own thread, which waits meanwhile.
            Some(task) => task.lend(|| function.call()),
            None => function.call(),
        }
        completion.end(Call::Done);
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
    // SAFETY: the function only returns a number.
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
    let request = Request::new(function);
    stream.submit(Task::Post(mailbox, request, block == ACL_CALLBACK_BLOCK)).map(drop)
}
