//! The first index out of range of each stream.

use core::ffi::{CStr, c_char};
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, aclnnScatterStatusInfo, aclrtStream};
use scatter::{Error, Operator, Shape};

use crate::plan::Positions;
use crate::session::Session;
use crate::words::Words;

/// How many streams are remembered that have failed and never asked; the oldest is forgotten first.
const REMEMBERED: usize = 4096;

/// An index that is out of range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BadIndex {
    pub(crate) function: &'static CStr,
    pub(crate) operator: Operator,
    pub(crate) axis: usize,
    pub(crate) position: Shape,
    pub(crate) value: i64,
    pub(crate) size: usize,
}

/// A session and its stream: two CANNs of one process may give the same handle.
type Key = (usize, usize);

fn key(session: &Session, stream: aclrtStream) -> Key {
    (core::ptr::from_ref(session).addr(), stream.addr())
}

#[derive(Default)]
struct Streams {
    first: HashMap<Key, BadIndex>,
    /// The keys of `first`, the oldest first.
    order: VecDeque<Key>,
    /// Words that are on their way, the first launched first.
    pending: HashMap<Key, VecDeque<Words>>,
}

impl Streams {
    /// Remembers a bad index, unless there is one.
    fn record(&mut self, key: Key, bad: BadIndex) {
        if self.first.contains_key(&key) {
            return;
        }
        if self.order.len() >= REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.first.remove(&oldest);
        }
        self.first.insert(key, bad);
        self.order.push_back(key);
    }

    /// Reads the words that have come. They are given back to be dropped without the lock.
    fn read(&mut self, key: Key) -> Vec<Words> {
        let mut read = Vec::new();
        while let Some(pending) = self.pending.get_mut(&key)
            && pending.front().is_some_and(Words::are_there)
            && let Some(words) = pending.pop_front()
        {
            if let Some(bad) = words.bad_index() {
                self.record(key, bad);
            }
            read.push(words);
        }
        if self.pending.get(&key).is_some_and(VecDeque::is_empty) {
            self.pending.remove(&key);
        }
        read
    }
}

static STREAMS: LazyLock<Mutex<Streams>> = LazyLock::new(Mutex::default);

/// Remembers the bad index of a session's stream, unless it has one.
pub(crate) fn record(session: &Session, stream: aclrtStream, bad: BadIndex) {
    lock().record(key(session, stream), bad);
}

/// Waits, without waiting, for words that tell of a bad index or of none.
pub(crate) fn watch(session: &Session, stream: aclrtStream, words: Words) {
    let key = key(session, stream);
    let mut streams = lock();
    streams.pending.entry(key).or_default().push_back(words);
    let read = streams.read(key);
    drop(streams);
    drop(read);
}

fn lock() -> MutexGuard<'static, Streams> {
    STREAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells and forgets the bad index of a session's stream.
pub(crate) fn take(session: &Session, stream: aclrtStream) -> Option<BadIndex> {
    let key = key(session, stream);
    let mut streams = lock();
    let read = streams.read(key);
    let bad = streams.first.remove(&key);
    if bad.is_some() {
        streams.order.retain(|known| *known != key);
    }
    drop(streams);
    drop(read);
    bad
}

/// What is told of a stream without one.
pub(crate) const NONE: aclnnScatterStatusInfo = aclnnScatterStatusInfo {
    code: aclnn_sys::AclnnStatus::SUCCESS,
    rank: 0,
    position: [0; 8],
    value: 0,
    size: 0,
    opName: [0; 64],
};

impl BadIndex {
    /// What an error of a problem tells of, if it is one; `positions` leads to the caller's index, where that is another.
    pub(crate) fn of(error: &Error, function: &'static CStr, positions: Option<Positions>) -> Option<Self> {
        let Error::IndexOutOfRange { operator, axis, position, value, size } = *error else { return None };
        let position = positions.map_or(position, |positions| positions.original(&position));
        Some(Self { function, operator, axis, position, value, size })
    }

    /// The rule that it breaks.
    pub(crate) fn error(&self) -> Error {
        let Self { operator, axis, position, value, size, .. } = *self;
        Error::IndexOutOfRange { operator, axis, position, value, size }
    }

    /// What the C function tells.
    pub(crate) fn info(&self) -> aclnnScatterStatusInfo {
        let mut info = aclnnScatterStatusInfo {
            code: ACLNN_ERR_PARAM_INVALID,
            rank: self.position.rank() as u32,
            value: self.value,
            size: i64::try_from(self.size).unwrap_or(i64::MAX),
            ..NONE
        };
        for (place, &coordinate) in info.position.iter_mut().zip(self.position.iter()) {
            *place = i64::try_from(coordinate).unwrap_or(i64::MAX);
        }
        // The last byte stays NUL.
        let places = info.opName.len() - 1;
        for (place, &byte) in info.opName.iter_mut().take(places).zip(self.function.to_bytes()) {
            *place = byte as c_char;
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        crate::session::open(aclnn_sys::Cann::from_table([]))
    }

    fn stream(number: usize) -> aclrtStream {
        core::ptr::without_provenance_mut(number)
    }

    #[test]
    fn the_first_is_told_once() {
        let (session, other) = (session(), session());
        record(session, stream(8), bad(7));
        record(session, stream(8), bad(9));
        record(session, stream(16), bad(11));
        record(other, stream(8), bad(13));
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
        // Not those of the process, of which other tests ask.
        let mut streams = Streams::default();
        for number in 0..3 * REMEMBERED {
            streams.record((1, number), bad(0));
        }
        assert_eq!((streams.first.len(), streams.order.len()), (REMEMBERED, REMEMBERED));
        assert!(streams.first.contains_key(&(1, 3 * REMEMBERED - 1)) && !streams.first.contains_key(&(1, 0)));
    }
}
