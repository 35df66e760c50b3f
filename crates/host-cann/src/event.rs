//! Events: marks in streams.
//!
//! `aclrtRecordEvent` numbers the records of an event; each comes when its stream reaches it. A
//! wait is for the record that was the latest when the wait was requested. There is nothing to wait
//! for at an event that was never recorded, or was reset.
//!
//! A record that its stream drops comes, too, so that nothing waits for it without end: once the
//! task that runs then has ended, for whoever sees it come may free that task's memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, LazyLock, Mutex};
use std::time::{Duration, Instant};

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_NO_EVENT_RESOURCE, ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_WAIT_TIMEOUT, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_IPC, ACL_EVENT_SYNC,
    ACL_EVENT_TIME_LINE, AclError, aclrtEvent, aclrtStream,
};

use crate::context;
use crate::entry::Out;
use crate::failure::{Failure, Fallible, ensure, failure};
use crate::handle::{Kind, Table};
use crate::process;
use crate::stream::{self, Task};
use crate::sync::{deadline, lock, wait_until};

pub(crate) mod query;

/// The most events that can exist.
const MAX_EVENTS: usize = 65_536;
const ALL_FLAGS: u32 = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;
/// How often a wait checks whether its stream's work was dropped.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A mark in streams.
#[derive(Debug)]
pub(crate) struct Event {
    handle: usize,
    flags: u32,
    /// Created by `aclrtCreateEventExWithFlag`, so it can't be reset.
    extended: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the latest record that was requested.
    recorded: u64,
    /// The streams of the records that have not come; streams need not reach them in order. A
    /// record that was dropped comes when the task that ran then has ended.
    pending: BTreeMap<u64, usize>,
    /// Records up to this one were reset.
    forgotten: u64,
    /// The records that were dropped, and why; forgotten at the next record, unless a host thread
    /// waits.
    dropped: BTreeMap<u64, AclError>,
    /// How many host threads wait.
    host_waits: usize,
    /// The latest record that was reached, and when.
    time: Option<(u64, Instant)>,
    /// How many streams wait.
    waits: usize,
}

impl State {
    fn has_record(&self) -> bool {
        self.recorded > self.forgotten
    }

    /// Whether the latest record has come, so that there is nothing to wait for.
    fn has_come(&self) -> bool {
        self.has_record() && !self.pending.contains_key(&self.recorded)
    }

    /// The record that a wait requested now is for; record 0 has always come.
    fn latest(&self) -> u64 {
        if self.has_record() { self.recorded } else { 0 }
    }
}

static EVENTS: Table<Arc<Event>> = Table::new(Kind::Event);
/// Timestamps are counted from here.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);
/// How long a stream waits for an event, in seconds; 0 means without limit.
static WAIT_TIMEOUT: Mutex<u32> = Mutex::new(0);

impl Event {
    /// A stream has reached a record.
    pub(crate) fn come(&self, record: u64) {
        let mut state = lock(&self.state);
        state.pending.remove(&record);
        if self.flags & ACL_EVENT_TIME_LINE != 0 && state.time.is_none_or(|(latest, _)| latest < record) {
            state.time = Some((record, Instant::now()));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A record was dropped, and will never be reached. Host threads that wait for it are told at
    /// once; it comes by [`come_dropped`](Self::come_dropped).
    pub(crate) fn note_dropped(&self, record: u64, reason: AclError) {
        lock(&self.state).dropped.insert(record, reason);
        self.changed.notify_all();
    }

    /// No task that was enqueued before a record that was dropped runs any more.
    pub(crate) fn come_dropped(&self, record: u64) {
        lock(&self.state).pending.remove(&record);
        self.changed.notify_all();
    }

    /// Resets the records up to one, as if they had never been requested.
    pub(crate) fn forget(&self, record: u64) {
        let mut state = lock(&self.state);
        state.forgotten = state.forgotten.max(record);
        if !state.has_record() {
            state.time = None;
        }
    }

    fn check_flag(&self, flag: u32, what: &str) -> Fallible {
        ensure!(
            self.flags & flag != 0,
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "the event was made without {what}"
        );
        Ok(())
    }
}

/// A stream's wait for a record.
#[derive(Debug)]
pub(crate) struct Waiter {
    event: Arc<Event>,
    record: u64,
    limit: Option<Duration>,
}

impl Waiter {
    fn new(event: Arc<Event>, limit: Option<Duration>) -> Self {
        let mut state = lock(&event.state);
        state.waits += 1;
        let record = state.latest();
        drop(state);
        Self { event, record, limit }
    }

    /// Waits for the record until the timeout, which is a failure, or until it is interrupted,
    /// which is no failure of the stream.
    pub(crate) fn wait(&self, interrupted: &dyn Fn() -> bool) -> Fallible {
        let end = self.limit.map(|limit| Instant::now() + limit);
        let mut state = lock(&self.event.state);
        while state.pending.contains_key(&self.record) {
            let now = Instant::now();
            ensure!(
                end.is_none_or(|end| now < end),
                ACL_ERROR_RT_WAIT_TIMEOUT,
                "the stream waited too long for an event"
            );
            let glance = now + POLL_INTERVAL;
            state = wait_until(&self.event.changed, state, Some(end.map_or(glance, |end| end.min(glance))));
            drop(state);
            if interrupted() {
                return Ok(());
            }
            state = lock(&self.event.state);
        }
        Ok(())
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        lock(&self.event.state).waits -= 1;
    }
}

/// Makes an event; null flags are those of `aclrtCreateEvent`.
pub(crate) fn create(event: Out<aclrtEvent>, flags: Option<u32>, extended: bool) -> Fallible {
    let out = event.required()?;
    context::current()?;
    let flags = flags.unwrap_or(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
    // `ACL_EVENT_IPC` can't be combined with other flags. The event can be made; what isn't
    // supported is to hand it to another process.
    ensure!(
        flags == ACL_EVENT_IPC || (flags != 0 && flags & !ALL_FLAGS == 0),
        ACL_ERROR_RT_PARAM_INVALID,
        "flag {flags:#x} is not made of the event flags that are supported, {ALL_FLAGS:#x}"
    );
    let made = EVENTS.len();
    let none_left = || failure!(ACL_ERROR_RT_NO_EVENT_RESOURCE, "there are {made} events");
    if made >= MAX_EVENTS {
        return Err(none_left());
    }
    LazyLock::force(&EPOCH);
    let new = |handle| {
        Arc::new(Event { handle, flags, extended, state: Mutex::default(), changed: Condvar::new() })
    };
    out.put(core::ptr::without_provenance_mut(EVENTS.insert_with(new).ok_or_else(none_left)?));
    Ok(())
}

/// Destroys an event; streams that wait for it continue to wait.
pub(crate) fn destroy(event: aclrtEvent) -> Fallible {
    let found = find(event)?;
    // Another thread may have destroyed it meanwhile.
    EVENTS.remove(found.handle).map(drop).ok_or_else(|| unknown(event))
}

/// Records an event in a stream.
pub(crate) fn record(event: aclrtEvent, stream: aclrtStream) -> Fallible {
    let event = find(event)?;
    let stream = stream::of_current(stream, &*context::current()?)?;
    let handle = stream.handle();
    // The record gets its number when the stream takes the task: a wait for it that another thread
    // submits to the same stream meanwhile comes behind it, and can't block it.
    let task = || {
        let mut state = lock(&event.state);
        state.recorded += 1;
        let record = state.recorded;
        if state.host_waits == 0 {
            state.dropped.clear();
        }
        state.pending.insert(record, handle);
        drop(state);
        Task::Record(event, record)
    };
    stream.submit_with(task).map(drop)
}

/// Resets an event's records, in a stream.
pub(crate) fn reset(event: aclrtEvent, stream: aclrtStream) -> Fallible {
    let event = find(event)?;
    ensure!(
        !event.extended,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "an event of aclrtCreateEventExWithFlag needs no reset and can't be reset"
    );
    event.check_flag(ACL_EVENT_SYNC, "ACL_EVENT_SYNC")?;
    let stream = stream::of_current(stream, &*context::current()?)?;
    let record = lock(&event.state).recorded;
    stream.submit(Task::Reset(event, record)).map(drop)
}

/// Has a stream wait for an event, for at most the seconds of `aclrtSetOpWaitTimeout`, or without
/// limit for 0.
pub(crate) fn stream_wait(stream: aclrtStream, event: aclrtEvent) -> Fallible {
    let limit = Duration::from_secs(u64::from(*lock(&WAIT_TIMEOUT)));
    let event = find(event)?;
    event.check_flag(ACL_EVENT_SYNC | ACL_EVENT_IPC, "ACL_EVENT_SYNC")?;
    let stream = stream::of_current(stream, &*context::current()?)?;
    let waiter = Waiter::new(event, (!limit.is_zero()).then_some(limit));
    stream.submit(Task::Wait(waiter)).map(drop)
}

/// Waits for an event for at most `milliseconds` milliseconds; -1 means without limit.
pub(crate) fn synchronize(event: aclrtEvent, milliseconds: i32) -> Fallible {
    let end = deadline(milliseconds)?;
    let event = find(event)?;
    let mut state = lock(&event.state);
    let record = state.latest();
    loop {
        if let Some(&reason) = state.dropped.get(&record) {
            return Err(failure!(reason, "the work before the event was dropped"));
        }
        let Some(&stream) = state.pending.get(&record) else { return Ok(()) };
        stream::check_not_inside(stream)?;
        ensure!(
            end.is_none_or(|end| Instant::now() < end),
            ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
            "the event did not come in {milliseconds} ms"
        );
        state.host_waits += 1;
        state = wait_until(&event.changed, state, end);
        state.host_waits -= 1;
    }
}

/// Sets how many seconds streams wait for events; 0 means without limit.
pub(crate) fn set_wait_timeout(seconds: u32) -> Fallible {
    process::check()?;
    *lock(&WAIT_TIMEOUT) = seconds;
    Ok(())
}

fn find(event: aclrtEvent) -> Fallible<Arc<Event>> {
    ensure!(!event.is_null(), ACL_ERROR_INVALID_PARAM, "event is null");
    process::check()?;
    EVENTS.get(event.addr()).ok_or_else(|| unknown(event))
}

fn unknown(event: aclrtEvent) -> Failure<AclError> {
    failure!(ACL_ERROR_RT_INVALID_HANDLE, "event {event:?} does not exist, or was destroyed")
}

/// How many events live.
pub(crate) fn count() -> usize {
    EVENTS.len()
}

/// Destroys all events.
pub(crate) fn clear() {
    EVENTS.drain();
    *lock(&WAIT_TIMEOUT) = 0;
}
