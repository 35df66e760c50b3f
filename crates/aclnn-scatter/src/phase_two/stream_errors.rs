//! The indices out of range found on each stream, until they are asked for.

use core::ops::RangeInclusive;
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, AclnnStatus, aclrtStream};
use scatter::Error;

use crate::failure::{Failure, present, text};
use crate::phase_two::bad_index::{self, BadIndex};
use crate::phase_two::status_words::StatusWords;
use crate::process::session::Session;
use crate::process::{current, log};

/// For how many streams failures of calls without a ticket are kept if nobody asks for them; the
/// oldest are forgotten first.
const REMEMBERED: usize = 4096;

/// How many entries are kept for the failures of a stream's calls with tickets. The last entry also
/// covers every failure that comes after it.
const KEPT: usize = 64;

/// An index out of range in a call of a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamError {
    /// The ticket of the call ([`numbered`](crate::numbered)), 0 for none. If a stream has too many
    /// failures to keep each, the last entry covers a range of tickets: at least one call in it
    /// failed, and the others may have.
    pub tickets: RangeInclusive<u64>,
    /// The error, as [`scatter`] reports it; of the call recorded first where the tickets are a
    /// range.
    pub error: Error,
}

/// A session and its stream. Both are needed, because two CANNs of one process may return the same
/// handle.
type Key = (usize, usize);

fn key(session: &Session, stream: aclrtStream) -> Key {
    (core::ptr::from_ref(session).addr(), stream.addr())
}

#[derive(Default)]
struct Streams {
    /// The failures of each stream with their tickets, in the order in which they became known. Of
    /// calls without a ticket only the first failure is kept.
    failed: HashMap<Key, Vec<(RangeInclusive<u64>, BadIndex)>>,
    /// The streams whose failures are all of calls without a ticket, the oldest first.
    order: VecDeque<Key>,
    /// Status words that are being copied, in the order of their launches, with the tickets of
    /// their calls.
    pending: HashMap<Key, VecDeque<(u64, StatusWords)>>,
}

impl Streams {
    /// Records the index out of range of a call. Without a ticket (0), only if the stream has no
    /// failure yet.
    fn record(&mut self, key: Key, ticket: u64, bad: BadIndex) {
        let failures = self.failed.entry(key).or_default();
        if ticket != 0 {
            let is_full = failures.len() >= KEPT;
            match failures.last_mut() {
                // `ticket` may be lower than those before, if its status words arrived late.
                Some((tickets, _)) if is_full => {
                    *tickets = ticket.min(*tickets.start())..=ticket.max(*tickets.end());
                }
                _ => failures.push((ticket..=ticket, bad)),
            }
            // Callers that use tickets are expected to ask for the failures, so these are never
            // forgotten.
            self.order.retain(|known| *known != key);
        } else if failures.is_empty() {
            failures.push((0..=0, bad));
            if self.order.len() >= REMEMBERED
                && let Some(oldest) = self.order.pop_front()
            {
                self.failed.remove(&oldest);
            }
            self.order.push_back(key);
        }
    }

    /// Reads the words that have arrived. Returns them and what they report, for the caller to drop
    /// and to log after unlocking.
    fn read(&mut self, key: Key) -> Vec<(StatusWords, Option<BadIndex>)> {
        let mut read = Vec::new();
        while let Some(pending) = self.pending.get_mut(&key)
            && pending.front().is_some_and(|(_, words)| words.are_there())
            && let Some((ticket, words)) = pending.pop_front()
        {
            let bad = words.bad_index();
            if let Some(bad) = bad {
                self.record(key, ticket, bad);
            }
            read.push((words, bad));
        }
        if self.pending.get(&key).is_some_and(VecDeque::is_empty) {
            self.pending.remove(&key);
        }
        read
    }
}

static STREAMS: LazyLock<Mutex<Streams>> = LazyLock::new(Mutex::default);

/// Records the index out of range of a call of a session's stream. `ticket` is 0 for none.
pub(crate) fn record(session: &Session, stream: aclrtStream, ticket: u64, bad: BadIndex) {
    log_bad(&bad);
    lock().record(key(session, stream), ticket, bad);
}

/// Keeps the status words of a call, to read them once they have arrived.
pub(crate) fn watch(session: &Session, stream: aclrtStream, ticket: u64, words: StatusWords) {
    let key = key(session, stream);
    let mut streams = lock();
    streams.pending.entry(key).or_default().push_back((ticket, words));
    let read = streams.read(key);
    drop(streams);
    read.iter().filter_map(|(_, bad)| bad.as_ref()).for_each(log_bad);
}

/// Logs an index out of range when it becomes known: its caller may never ask. Not while the
/// streams are locked, for the standard error may block.
fn log_bad(bad: &BadIndex) {
    let (function, code) = (text(bad.function), ACLNN_ERR_PARAM_INVALID);
    log::write(format_args!("{function}: {code}: {}", bad.error()));
}

fn lock() -> MutexGuard<'static, Streams> {
    STREAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes all failures of a session's stream, and returns the first.
fn take(session: &Session, stream: aclrtStream) -> Option<BadIndex> {
    failures(session, stream).first().map(|(_, bad)| *bad)
}

/// Takes and returns all failures of a session's stream.
fn take_all(session: &Session, stream: aclrtStream) -> Vec<StreamError> {
    let failures = failures(session, stream).into_iter();
    failures.map(|(tickets, bad)| StreamError { tickets, error: bad.error() }).collect()
}

fn failures(session: &Session, stream: aclrtStream) -> Vec<(RangeInclusive<u64>, BadIndex)> {
    let key = key(session, stream);
    let mut streams = lock();
    let read = streams.read(key);
    let failures = streams.failed.remove(&key).unwrap_or_default();
    if !failures.is_empty() {
        streams.order.retain(|known| *known != key);
    }
    drop(streams);
    read.iter().filter_map(|(_, bad)| bad.as_ref()).for_each(log_bad);
    failures
}

/// `aclnnScatterStreamStatus`.
///
/// # Safety
/// `info` is null or can be written to.
pub(crate) unsafe fn stream_status(
    stream: aclrtStream,
    info: *mut aclnn_sys::aclnnScatterStatusInfo,
) -> Result<AclnnStatus, Failure> {
    present("info", info)?;
    let session = current::session();
    let told = take(session, session.resolve(stream)).map_or(bad_index::NONE, |bad| bad.info());
    // SAFETY: `info` is not null, so by the caller's contract it can be written to.
    unsafe { info.write(told) };
    Ok(AclnnStatus::SUCCESS)
}

/// Takes and returns the indices out of range that are known of a stream of this session; once the
/// stream has passed its calls, that is all of them. This is `aclnnScatterStreamStatus` for Rust
/// programs. Returns none in a fork.
#[must_use]
pub fn take_stream_errors(session: &Session, stream: aclrtStream) -> Vec<StreamError> {
    if aclnn_sys::fork::check().is_err() {
        return Vec::new();
    }
    take_all(session, session.resolve(stream))
}

#[cfg(test)]
mod tests {
    use super::*;

    use core::ffi::CStr;

    use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
    use scatter::{Operator, Shape};

    fn bad(value: i64) -> BadIndex {
        let position = Shape::new(&[1, 2]).unwrap();
        BadIndex {
            function: c"aclnnScatterAdd",
            operator: Operator::ScatterAdd,
            axis: 0,
            position,
            value,
            size: 5,
        }
    }

    fn session() -> &'static Session {
        crate::process::session::open(aclnn_sys::Cann::from_table([]))
    }

    fn stream(number: usize) -> aclrtStream {
        core::ptr::without_provenance_mut(number)
    }

    #[test]
    fn the_first_is_told_once() {
        let (session, other) = (session(), session());
        record(session, stream(8), 0, bad(7));
        record(session, stream(8), 0, bad(9));
        record(session, stream(16), 0, bad(11));
        record(other, stream(8), 0, bad(13));
        let info = take(session, stream(8)).unwrap().info();
        assert_eq!((info.code, info.rank, info.value, info.size), (ACLNN_ERR_PARAM_INVALID, 2, 7, 5));
        assert_eq!(info.position, [1, 2, 0, 0, 0, 0, 0, 0]);
        // SAFETY: the name ends with a NUL.
        let name = unsafe { CStr::from_ptr(info.opName.as_ptr()) };
        assert_eq!(name, c"aclnnScatterAdd");
        assert!(take(session, stream(8)).is_none());
        assert_eq!(take(session, stream(16)).unwrap().value, 11);
        assert_eq!(take(other, stream(8)).unwrap().value, 13);
    }

    #[test]
    fn streams_that_never_ask_do_not_pile_up() {
        // Not the static `STREAMS`, which other tests use.
        let mut streams = Streams::default();
        for number in 0..3 * REMEMBERED {
            streams.record((1, number), 0, bad(0));
        }
        assert_eq!((streams.failed.len(), streams.order.len()), (REMEMBERED, REMEMBERED));
        assert!(
            streams.failed.contains_key(&(1, 3 * REMEMBERED - 1)) && !streams.failed.contains_key(&(1, 0))
        );
    }

    #[test]
    fn numbered_calls_are_told_one_by_one_and_never_forgotten() {
        let (session, many) = (session(), session());
        for (ticket, value) in [(0, 6), (3, 7), (5, 8)] {
            record(session, stream(8), ticket, bad(value));
        }
        let told = take_all(session, stream(8));
        let tickets: Vec<_> = told.iter().map(|told| told.tickets.clone()).collect();
        assert_eq!(tickets, [0..=0, 3..=3, 5..=5]);
        let values: Vec<_> = told.iter().map(|told| told.error.to_string()).collect();
        assert!(values[0].ends_with("got 6") && values[2].ends_with("got 8"), "{values:?}");
        assert!(take_all(session, stream(8)).is_empty());
        // The last entry covers all that are too many.
        for ticket in 101..=300 {
            record(many, stream(8), ticket, bad(ticket as i64));
        }
        record(many, stream(8), 7, bad(7));
        let told = take_all(many, stream(8));
        assert_eq!(told.len(), KEPT);
        assert_eq!((told[0].tickets.clone(), told[KEPT - 1].tickets.clone()), (101..=101, 7..=300));

        let mut streams = Streams::default();
        streams.record((1, 0), 0, bad(0));
        streams.record((1, 0), 1, bad(1));
        for number in 1..=REMEMBERED {
            streams.record((1, number), 0, bad(0));
        }
        assert_eq!((streams.failed.len(), streams.order.len()), (REMEMBERED + 1, REMEMBERED));
    }
}
