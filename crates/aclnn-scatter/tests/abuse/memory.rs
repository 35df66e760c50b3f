//! The model of memory: every allocation, and the bytes that it should hold.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// The byte with which the gaps after allocations are filled, outside of debug mode.
const GUARD: u8 = 0x5C;
/// The alignment of allocations, outside of debug mode.
const ALIGNMENT: usize = 512;
/// How many freed addresses are remembered.
const FREED: usize = 32;

/// The kind of memory of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Device(i32),
    /// Pinned memory of the host.
    Pinned,
}

/// A live allocation.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// A number that no other allocation ever has.
    pub(crate) number: u64,
    pub(crate) base: usize,
    pub(crate) place: Place,
    /// The bytes that count towards the limit.
    pub(crate) charged: usize,
    /// The value that each usable byte should have; `None` if it is unknown.
    bytes: Vec<Option<u8>>,
}

impl Allocation {
    /// The number of usable bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.base..self.base + self.len()
    }

    /// The bytes after the allocation that belong to no allocation.
    fn guard(&self) -> Range<usize> {
        let end = self.base + self.len();
        end..if is_debug() { end } else { end.next_multiple_of(ALIGNMENT) }
    }
}

/// All live allocations.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    live: BTreeMap<usize, Allocation>,
    freed: VecDeque<usize>,
    made: u64,
}

/// Whether host-cann puts guard pages after allocations, which then have exactly the size that was
/// asked for.
pub(crate) fn is_debug() -> bool {
    std::env::var_os("HOST_CANN_DEBUG").is_some_and(|value| value == "1")
}

/// The bytes at these addresses. They can be read directly, because host-cann's device memory is
/// memory of this process.
pub(crate) fn actual(range: &Range<usize>) -> &'static [u8] {
    let first = std::ptr::with_exposed_provenance(range.start);
    // SAFETY: the callers pass ranges in live allocations, or gaps after them, that no stream is
    // writing.
    unsafe { std::slice::from_raw_parts(first, range.len()) }
}

/// The bytes that an allocation of `asked` bytes counts towards the limit.
pub(crate) fn charged(place: Place, asked: usize) -> Option<usize> {
    let more = if place == Place::Pinned { 0 } else { 32 };
    asked.checked_next_multiple_of(32)?.checked_add(more)
}

impl Memory {
    /// Notes a new allocation, whose bytes are unknown.
    pub(crate) fn add(&mut self, base: usize, place: Place, asked: usize) {
        let charged = charged(place, asked).unwrap_or(asked);
        self.made += 1;
        let bytes = vec![None; if is_debug() { asked } else { charged }];
        let allocation = Allocation { number: self.made, base, place, charged, bytes };
        let next = self.live.range(..allocation.range().end).next_back();
        assert!(
            next.is_none_or(|(_, before)| before.range().end <= base),
            "{base:#x} was given out twice: {next:?}"
        );
        let guard = allocation.guard();
        // SAFETY: host-cann has mapped these bytes, because it allocates whole units of its
        // alignment, and no other allocation uses the rest of a unit.
        unsafe { std::ptr::with_exposed_provenance_mut::<u8>(guard.start).write_bytes(GUARD, guard.len()) };
        self.live.insert(base, allocation);
    }

    /// Notes that an allocation is freed.
    pub(crate) fn remove(&mut self, base: usize) -> Option<Allocation> {
        let allocation = self.live.remove(&base)?;
        self.freed.push_back(base);
        self.freed.truncate(FREED);
        Some(allocation)
    }

    pub(crate) fn clear(&mut self) {
        for base in self.live.keys().copied().collect::<Vec<_>>() {
            self.remove(base);
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Allocation> {
        self.live.values()
    }

    /// Addresses of freed allocations; a newer allocation may have one of them by now.
    pub(crate) fn freed(&self) -> &VecDeque<usize> {
        &self.freed
    }

    /// The bytes that count towards the limit of a place.
    pub(crate) fn used(&self, is_of: impl Fn(Place) -> bool) -> usize {
        self.all().filter(|allocation| is_of(allocation.place)).map(|allocation| allocation.charged).sum()
    }

    /// The allocation in which an address lies.
    pub(crate) fn at(&self, address: usize) -> Option<&Allocation> {
        let (_, found) = self.live.range(..=address).next_back()?;
        found.range().contains(&address).then_some(found)
    }

    /// The allocation that holds all of these bytes.
    pub(crate) fn holding(&self, start: usize, len: usize) -> Option<&Allocation> {
        self.at(start).filter(|found| len <= found.range().end - start)
    }

    pub(crate) fn by_number(&self, number: u64) -> Option<&Allocation> {
        self.all().find(|allocation| allocation.number == number)
    }

    /// The values that these bytes should have; `None` if one of them is unknown or not in the same
    /// live allocation.
    pub(crate) fn read(&self, start: usize, len: usize) -> Option<Vec<u8>> {
        let found = self.holding(start, len)?;
        found.bytes[start - found.base..][..len].iter().copied().collect()
    }

    /// The value that each of these bytes should have.
    pub(crate) fn peek(&self, start: usize, len: usize) -> Vec<Option<u8>> {
        let found = self.holding(start, len);
        found.map_or_else(|| vec![None; len], |found| found.bytes[start - found.base..][..len].to_vec())
    }

    /// Notes that these bytes are written, where they lie in live allocations.
    pub(crate) fn write(&mut self, start: usize, bytes: &[Option<u8>]) {
        let end = start.saturating_add(bytes.len());
        for allocation in self.live.range_mut(..end).rev().map(|(_, allocation)| allocation) {
            let Range { start: first, end: last } = allocation.range();
            if last <= start {
                break;
            }
            let (from, to) = (first.max(start), last.min(end));
            allocation.bytes[from - first..to - first].copy_from_slice(&bytes[from - start..to - start]);
        }
    }

    /// Notes that the values of these bytes are unknown from now on.
    pub(crate) fn forget(&mut self, start: usize, len: usize) {
        self.write(start, &vec![None; len]);
    }

    /// Compares an allocation that no stream is writing with what it should hold, and learns the
    /// bytes that were unknown.
    pub(crate) fn compare(&mut self, base: usize, whose: &str) {
        let Some(allocation) = self.live.get_mut(&base) else { return };
        let got = actual(&allocation.range());
        for (at, (known, &got)) in allocation.bytes.iter_mut().zip(got).enumerate() {
            let expected = *known.get_or_insert(got);
            assert_eq!(got, expected, "{whose}: byte {at} of the allocation at {base:#x}");
        }
        let guard = allocation.guard();
        let damage = actual(&guard).iter().position(|&byte| byte != GUARD);
        assert_eq!(
            damage,
            None,
            "{whose}: written behind the allocation at {base:#x} of {} bytes",
            allocation.len()
        );
    }
}
