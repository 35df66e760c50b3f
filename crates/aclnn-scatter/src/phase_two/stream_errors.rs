//! The indices out of range found on each stream, until they are asked for.

use core::ops::{Bound, RangeInclusive};
use std::collections::{BTreeMap, HashMap, VecDeque};
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
    pending: BTreeMap<Key, VecDeque<(u64, StatusWords)>>,
    /// The stream that was the last to be [`next_in_turn`](Self::next_in_turn).
    turn: Key,
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

    /// One of the other streams of a context whose words are being copied: each in its turn. Not of
    /// another context, which may have ended, and its events with it.
    fn next_in_turn(&mut self, own: Key, context: usize) -> Option<Key> {
        let is_next = |(key, pending): &(&Key, &VecDeque<(u64, StatusWords)>)| {
            **key != own && pending.front().is_some_and(|(_, words)| words.context() == context)
        };
        let later = self.pending.range((Bound::Excluded(self.turn), Bound::Unbounded));
        let (key, _) = later.chain(&self.pending).find(is_next)?;
        self.turn = *key;
        Some(self.turn)
    }
}

static STREAMS: LazyLock<Mutex<Streams>> = LazyLock::new(Mutex::default);

/// Records the index out of range of a call of a session's stream. `ticket` is 0 for none.
pub(crate) fn record(session: &Session, stream: aclrtStream, ticket: u64, bad: BadIndex) {
    log_bad(&bad);
    lock().record(key(session, stream), ticket, bad);
}

/// Keeps the status words of a call until they have arrived, and reads those that have: of this
/// stream, and of one other of its context.
pub(crate) fn watch(session: &Session, stream: aclrtStream, ticket: u64, words: StatusWords) {
    let (key, context) = (key(session, stream), words.context());
    let mut streams = lock();
    streams.pending.entry(key).or_default().push_back((ticket, words));
    let mut read = streams.read(key);
    // The words of a stream that is never used again would be kept for good.
    if let Some(other) = streams.next_in_turn(key, context) {
        read.extend(streams.read(other));
    }
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
mod tests;
