//! Streams: ordered queues of work, each on a thread of its own.

mod attributes;
pub(crate) mod limit;
mod queue;
pub(crate) mod state;
mod stop;
mod task;
mod wait;
mod worker;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex};

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_NO_STREAM_RESOURCE, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_STREAM_CONTEXT,
    ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC, ACL_STREAM_HUGE, aclrtStream,
};

use crate::context::{self, Context};
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::handle::{Kind, Table};
use crate::process;
pub(crate) use attributes::{
    get_attribute, overflow_switch, set_attribute, set_failure_mode, set_overflow_switch,
};
use queue::Queue;
pub(crate) use stop::Stop;
pub(crate) use task::{HostFunction, Task};
pub(crate) use worker::{Running, inside};

/// The most streams of a device.
const MAX_STREAMS: usize = 1024;
const LOWEST_PRIORITY: u32 = 7;
const KNOWN_FLAGS: u32 = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE;

/// A queue of work of a context.
#[derive(Debug)]
pub(crate) struct Stream {
    handle: usize,
    device: i32,
    context: usize,
    priority: u32,
    /// Whether a program created it, rather than a context.
    explicit: bool,
    /// Shared by the streams of the context.
    stop: Arc<Stop>,
    queue: Mutex<Queue>,
    /// Set when something was submitted or the stream ends, for a worker that is awake.
    changed: AtomicBool,
    /// Notified then, for a worker that sleeps.
    work: Condvar,
    /// Notified when something was done or dropped.
    done: Condvar,
}

static STREAMS: Table<Arc<Stream>> = Table::new(Kind::Stream);

impl Stream {
    pub(crate) fn handle(&self) -> usize {
        self.handle
    }

    pub(crate) fn device(&self) -> i32 {
        self.device
    }

    pub(crate) fn context(&self) -> usize {
        self.context
    }

    /// The stream's number among those that exist.
    fn id(&self) -> i32 {
        i32::try_from(self.handle & 0xFFF_FFFF).unwrap_or(i32::MAX)
    }

    /// Refuses to wait for the stream in one of its own host functions, which would never end.
    pub(crate) fn check_not_inside(&self) -> Fallible {
        check_not_inside(self.handle)
    }
}

/// Refuses to wait for a stream in one of its own host functions, which would never end.
pub(crate) fn check_not_inside(stream: usize) -> Fallible {
    ensure!(
        inside() != stream,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "a host function can't wait for the stream that runs it"
    );
    Ok(())
}

fn make(context: &Context, priority: u32, explicit: bool) -> Fallible<Arc<Stream>> {
    let device = context.device();
    let made = STREAMS.count(|stream| stream.device == device);
    let none_left =
        || failure!(ACL_ERROR_RT_NO_STREAM_RESOURCE, "device {device} has its {MAX_STREAMS} streams");
    if made >= MAX_STREAMS {
        return Err(none_left());
    }
    let handle = STREAMS.insert_with(|handle| {
        Arc::new(Stream {
            handle,
            device,
            context: context.handle(),
            priority,
            explicit,
            stop: Arc::clone(context.stop()),
            queue: Mutex::default(),
            changed: AtomicBool::new(false),
            work: Condvar::new(),
            done: Condvar::new(),
        })
    });
    handle.and_then(|handle| STREAMS.get(handle)).ok_or_else(none_left)
}

/// Creates the default stream of a context, which a null stream means.
pub(crate) fn make_default(context: &Context) -> Fallible<Arc<Stream>> {
    make(context, 0, false)
}

/// Makes a stream of the thread's context.
pub(crate) fn create(stream: Out<aclrtStream>, priority: u32, flags: u32) -> Fallible {
    let out = stream.required()?;
    let context = context::current()?;
    ensure!(
        priority <= LOWEST_PRIORITY,
        ACL_ERROR_RT_PARAM_INVALID,
        "priority {priority} is not from 0 to {LOWEST_PRIORITY}"
    );
    ensure!(
        flags & !KNOWN_FLAGS == 0,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "flags {:#x} ask for a stream whose work waits for a graph or belongs to the device",
        flags & !KNOWN_FLAGS
    );
    let made = make(&context, priority, true)?;
    // Another thread may have ended the context meanwhile, with the streams that it had before.
    if let Err(ended) = context::check_lives(&context) {
        STREAMS.remove(made.handle);
        return Err(ended);
    }
    out.put(pointer(made.handle));
    Ok(())
}

/// Ends a stream of the thread's context, after its work is done unless by `force`.
pub(crate) fn destroy(stream: aclrtStream, force: bool) -> Fallible {
    ensure!(!stream.is_null(), ACL_ERROR_INVALID_PARAM, "stream is null");
    let found = of_current(stream, &*context::current()?)?;
    ensure!(
        found.explicit,
        ACL_ERROR_RT_PARAM_INVALID,
        "stream {stream:?} is a context's default stream, which ends with the context"
    );
    found.check_not_inside()?;
    STREAMS.remove(found.handle).ok_or_else(|| unknown(stream))?;
    found.end(force);
    Ok(())
}

/// A stream that must be of the thread's context; null is its default stream.
pub(crate) fn of_current(stream: aclrtStream, context: &Context) -> Fallible<Arc<Stream>> {
    if stream.is_null() {
        return context.default_stream();
    }
    let found = find(stream)?;
    ensure!(
        found.context == context.handle(),
        ACL_ERROR_RT_STREAM_CONTEXT,
        "stream {stream:?} is of another context, on device {}; the thread's is on device {}",
        found.device,
        context.device()
    );
    Ok(found)
}

/// A stream, or the default stream of the thread's context for null.
pub(crate) fn any(stream: aclrtStream) -> Fallible<Arc<Stream>> {
    if stream.is_null() { context::current()?.default_stream() } else { find(stream) }
}

fn find(stream: aclrtStream) -> Fallible<Arc<Stream>> {
    process::check()?;
    STREAMS.get(stream.addr()).ok_or_else(|| unknown(stream))
}

fn unknown(stream: aclrtStream) -> crate::failure::Failure<aclnn_sys::AclError> {
    failure!(ACL_ERROR_RT_INVALID_HANDLE, "stream {stream:?} does not exist, or was destroyed")
}

/// The streams of a device.
pub(crate) fn of_device(device: i32) -> Vec<Arc<Stream>> {
    STREAMS.matching(|stream| stream.device == device)
}

/// The streams of a context.
pub(crate) fn of_context(context: usize) -> Vec<Arc<Stream>> {
    STREAMS.matching(|stream| stream.context == context)
}

/// Waits for the work of all streams.
pub(crate) fn drain_all() {
    // Without a deadline all work gets done, unless it is dropped by another call, which is no
    // failure here.
    STREAMS.matching(|_| true).iter().for_each(|stream| drop(stream.drain(None)));
}

/// Ends the streams of a context, after their work is done.
pub(crate) fn end_of_context(context: usize) {
    for stream in of_context(context) {
        if STREAMS.remove(stream.handle).is_some() {
            stream.end(inside() == stream.handle);
        }
    }
}

/// The handle as programs have it.
pub(crate) fn pointer(handle: usize) -> aclrtStream {
    core::ptr::without_provenance_mut(handle)
}

/// How many streams programs have made and not destroyed.
pub(crate) fn count() -> usize {
    STREAMS.count(|stream| stream.explicit)
}
