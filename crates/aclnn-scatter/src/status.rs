//! The first index out of range of each stream.

use core::ffi::{CStr, c_char};
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, PoisonError};

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, aclnnScatterStatusInfo, aclrtStream};
use scatter::Shape;

/// How many streams are remembered that have failed and never asked; the oldest is forgotten first.
const REMEMBERED: usize = 4096;

/// An index that is out of range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BadIndex {
    pub(crate) function: &'static CStr,
    pub(crate) position: Shape,
    pub(crate) value: i64,
    pub(crate) size: usize,
}

#[derive(Default)]
struct Streams {
    first: HashMap<usize, BadIndex>,
    /// The keys of `first`, the oldest first.
    order: VecDeque<usize>,
}

static STREAMS: LazyLock<Mutex<Streams>> = LazyLock::new(Mutex::default);

/// Remembers a stream's bad index, unless it has one.
pub(crate) fn record(stream: aclrtStream, bad: BadIndex) {
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let Streams { first, order } = &mut *streams;
    if first.contains_key(&stream.addr()) {
        return;
    }
    if order.len() >= REMEMBERED
        && let Some(oldest) = order.pop_front()
    {
        first.remove(&oldest);
    }
    first.insert(stream.addr(), bad);
    order.push_back(stream.addr());
}

/// Tells and forgets a stream's bad index.
pub(crate) fn take(stream: aclrtStream) -> aclnnScatterStatusInfo {
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let bad = streams.first.remove(&stream.addr());
    if bad.is_some() {
        streams.order.retain(|key| *key != stream.addr());
    }
    drop(streams);
    bad.map_or(NONE, |bad| bad.info())
}

/// What is told of a stream without one.
const NONE: aclnnScatterStatusInfo = aclnnScatterStatusInfo {
    code: aclnn_sys::AclnnStatus::SUCCESS,
    rank: 0,
    position: [0; 8],
    value: 0,
    size: 0,
    opName: [0; 64],
};

impl BadIndex {
    fn info(&self) -> aclnnScatterStatusInfo {
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
        BadIndex { function: c"aclnnScatterAdd", position, value, size: 5 }
    }

    fn stream(number: usize) -> aclrtStream {
        core::ptr::without_provenance_mut(number)
    }

    #[test]
    fn the_first_is_told_once() {
        record(stream(8), bad(7));
        record(stream(8), bad(9));
        record(stream(16), bad(11));
        let info = take(stream(8));
        assert_eq!((info.code, info.rank, info.value, info.size), (ACLNN_ERR_PARAM_INVALID, 2, 7, 5));
        assert_eq!(info.position, [1, 2, 0, 0, 0, 0, 0, 0]);
        // SAFETY: the name ends with a NUL.
        let name = unsafe { CStr::from_ptr(info.opName.as_ptr()) };
        assert_eq!(name, c"aclnnScatterAdd");
        assert!(take(stream(8)).code.is_success());
        assert_eq!(take(stream(16)).value, 11);
    }

    #[test]
    fn streams_that_never_ask_do_not_pile_up() {
        for number in 0..3 * REMEMBERED {
            record(stream(1 << 40 | number), bad(0));
        }
        let streams = STREAMS.lock().unwrap();
        assert!(streams.first.len() <= REMEMBERED);
        assert_eq!(streams.first.len(), streams.order.len());
    }
}
