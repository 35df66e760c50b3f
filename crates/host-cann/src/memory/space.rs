//! The memory of a device, or the pinned memory of the host: a reservation of addresses with blocks
//! in it.
//!
//! Every address of a space is recognised as one of that space, whether a block is there or not. So
//! a pointer to freed memory, or one beyond a block, isn't taken for the program's own memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::block::{Block, GUARDED_ALIGNMENT, POISON};
use super::pages::{Reservation, page};
use super::ranges::Ranges;
use crate::config;
use crate::sync::lock;

/// The alignment of blocks. CANN's documents promise 64 bytes; devices give 512, and programs have
/// come to rely on that.
const ALIGNMENT: usize = 512;
/// The fewest bytes of addresses that are reserved, because blocks leave gaps.
const LEAST_ADDRESSES: usize = 64 << 30;
const MOST_ADDRESSES: usize = 1 << 44;
/// The steps in which memory is made accessible.
const STEP: usize = 2 << 20;
/// From this size on a freed block returns its memory to the system.
const LARGE: usize = 1 << 20;

/// A reservation with blocks in it; it lives as long as the process.
#[derive(Debug)]
pub(crate) struct Space {
    reservation: Reservation,
    debug: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    free: Ranges,
    /// In debug mode, freed ranges, which are reused only when there is nothing else.
    quarantine: Vec<(usize, usize)>,
    live: BTreeMap<usize, Arc<Block>>,
    /// Bytes that count towards the limit.
    used: usize,
    limit: usize,
    /// The end of the pages that are accessible; not used in debug mode.
    usable: usize,
}

/// How much of a space is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) blocks: usize,
    pub(crate) used: usize,
    pub(crate) limit: usize,
}

/// The living blocks of a space.
pub(super) struct Blocks<'a>(MutexGuard<'a, State>);

impl Blocks<'_> {
    /// The block that an address lies in or just behind.
    pub(super) fn find(&self, address: usize) -> Option<&Arc<Block>> {
        let (_, block) = self.0.live.range(..=address).next_back()?;
        (address - block.base <= block.len).then_some(block)
    }
}

impl Space {
    /// With `apart` the memory lies at other addresses than those that clients get.
    pub(crate) fn new(limit: usize, apart: bool) -> Option<Self> {
        let addresses = limit.saturating_mul(4).clamp(LEAST_ADDRESSES, MOST_ADDRESSES);
        Self::of_pages(page(), addresses, limit, apart, config::debug())
    }

    fn of_pages(page: usize, addresses: usize, limit: usize, apart: bool, debug: bool) -> Option<Self> {
        let wanted = addresses.next_multiple_of(page);
        let reservation = Reservation::of_pages(page, wanted, (64 << 20).min(wanted), apart)?;
        // The first page is never used: it is a guard.
        let first = reservation.base() + page;
        let mut state = State { limit, usable: first, ..State::default() };
        state.free.give(first, reservation.len() - page);
        Some(Self { reservation, debug, state: Mutex::new(state) })
    }

    /// In debug mode, the bytes behind each block that can't be accessed.
    pub(super) fn guard(&self) -> Option<usize> {
        self.debug.then(|| self.reservation.page())
    }

    /// The offset from an address to its memory.
    pub(super) fn shift(&self) -> usize {
        self.reservation.shift()
    }

    pub(crate) fn contains(&self, address: usize) -> bool {
        self.reservation.contains(address)
    }

    pub(crate) fn usage(&self) -> Usage {
        let state = lock(&self.state);
        Usage { blocks: state.live.len(), used: state.used, limit: state.limit }
    }

    pub(crate) fn set_limit(&self, limit: usize) {
        lock(&self.state).limit = limit;
    }

    /// Counts bytes that lie outside this space towards the limit; false if they are too many.
    pub(super) fn charge(&self, bytes: usize) -> bool {
        let mut state = lock(&self.state);
        let fits = bytes <= state.limit.saturating_sub(state.used);
        if fits {
            state.used += bytes;
        }
        fits
    }

    /// Ends [`charge`](Self::charge).
    pub(super) fn discharge(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.used = state.used.saturating_sub(bytes);
    }

    /// A block for `asked` bytes, which are `padded` bytes with CANN's padding; `None` if that is
    /// too much.
    pub(crate) fn allocate(&'static self, asked: usize, padded: usize) -> Option<usize> {
        let mut state = lock(&self.state);
        if padded > state.limit.saturating_sub(state.used) {
            return None;
        }
        let block = match self.guard() {
            Some(guard) => self.guarded(&mut state, asked, padded, guard),
            None => self.plain(&mut state, padded),
        };
        let block = Arc::new(block?);
        state.used += padded;
        let base = block.base;
        state.live.insert(base, block);
        Some(base)
    }

    fn plain(&'static self, state: &mut State, padded: usize) -> Option<Block> {
        let len = padded.checked_next_multiple_of(ALIGNMENT)?;
        let start = state.free.take(len)?;
        if start + len > state.usable {
            let end = self.reservation.base() + self.reservation.len();
            let wanted = (start + len).next_multiple_of(STEP).min(end);
            if !self.reservation.allow(state.usable, wanted - state.usable, true) {
                state.free.give(start, len);
                return None;
            }
            state.usable = wanted;
        }
        Some(Block::new(self, start, padded, (start, len), padded))
    }

    /// A block full of poison that ends where an inaccessible page begins.
    fn guarded(&'static self, state: &mut State, asked: usize, padded: usize, guard: usize) -> Option<Block> {
        let usable = asked.checked_next_multiple_of(guard)?;
        let len = usable.checked_add(guard)?;
        let start = state.free.take(len).or_else(|| {
            state.quarantine.drain(..).for_each(|(start, len)| state.free.give(start, len));
            state.free.take(len)
        })?;
        if !self.reservation.allow(start, usable, true) {
            state.free.give(start, len);
            return None;
        }
        // SAFETY: these pages can be written and belong to this block alone.
        unsafe { self.reservation.memory(start).cast::<u8>().write_bytes(POISON, usable) };
        let base = (start + usable - asked) / GUARDED_ALIGNMENT * GUARDED_ALIGNMENT;
        Some(Block::new(self, base, asked, (start, len), padded))
    }

    /// Ends the block that begins at an address; its memory is returned when nothing uses it any
    /// more.
    pub(crate) fn release(&self, base: usize) -> Option<Arc<Block>> {
        let mut state = lock(&self.state);
        let block = state.live.remove(&base)?;
        state.used -= block.charged;
        block.set_freed();
        Some(block)
    }

    /// The living block that an address lies in, or just behind.
    pub(crate) fn find(&self, address: usize) -> Option<Arc<Block>> {
        self.blocks().find(address).map(Arc::clone)
    }

    /// The living blocks, which stay as they are while this is kept: for several addresses at once.
    pub(super) fn blocks(&self) -> Blocks<'_> {
        Blocks(lock(&self.state))
    }

    /// Ends all blocks.
    pub(crate) fn clear(&self) {
        let blocks = {
            let mut state = lock(&self.state);
            let blocks = core::mem::take(&mut state.live);
            state.used -= blocks.values().map(|block| block.charged).sum::<usize>();
            blocks
        };
        blocks.values().for_each(|block| block.set_freed());
    }

    /// Takes a block's addresses back.
    pub(super) fn reclaim(&self, (start, len): (usize, usize)) {
        if self.debug {
            self.reservation.discard(start, len);
            self.reservation.allow(start, len, false);
            lock(&self.state).quarantine.push((start, len));
            return;
        }
        let page = self.reservation.page();
        let first = start.next_multiple_of(page);
        let whole = (start + len).saturating_sub(first) / page * page;
        if whole >= LARGE {
            self.reservation.discard(first, whole);
        }
        lock(&self.state).free.give(start, len);
    }
}

// clippy.toml allows it in test functions, of which helpers are none.
#[allow(clippy::unwrap_used)]
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const SIZES: [usize; 9] = [1, 63, 64, 100, 4096, 5000, 65_536, 65_537, 300_000];

    /// The sizes of pages of Linux on aarch64, as far as this machine's pages are not larger.
    fn pages() -> impl Iterator<Item = usize> {
        [4 << 10, 16 << 10, 64 << 10].into_iter().filter(|size| *size >= page())
    }

    /// A space, which lives as long as the process, like those of devices.
    fn space(page: usize, debug: bool) -> &'static Space {
        of_pages(page, false, debug)
    }

    fn of_pages(page: usize, apart: bool, debug: bool) -> &'static Space {
        // Few, since all of them stay reserved and the process may have a limit.
        const ADDRESSES: usize = 64 << 20;
        static SPACES: Mutex<Vec<&Space>> = Mutex::new(Vec::new());
        let space = Space::of_pages(page, ADDRESSES, ADDRESSES, apart, debug).unwrap();
        let space: &Space = Box::leak(Box::new(space));
        // So that a leak checker finds it.
        lock(&SPACES).push(space);
        assert_eq!(space.reservation.base() % page, 0);
        space
    }

    /// The memory of the process that can be read and written, in pieces that don't touch.
    fn usable() -> Vec<(usize, usize)> {
        let mut pieces: Vec<(usize, usize)> = Vec::new();
        for line in std::fs::read_to_string("/proc/self/maps").unwrap().lines() {
            let (range, rest) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).unwrap());
            match pieces.last_mut() {
                _ if !rest.starts_with("rw") => {}
                Some((_, last)) if *last == start => *last = end,
                _ => pieces.push((start, end)),
            }
        }
        pieces
    }

    /// The piece of that memory in which an address lies.
    fn piece(address: usize) -> Option<(usize, usize)> {
        usable().into_iter().find(|(start, end)| (*start..*end).contains(&address))
    }

    fn write(address: usize, byte: u8) {
        // SAFETY: the tests pass addresses in pages of their own blocks.
        unsafe { crate::memory::pages::address(address).cast::<u8>().write_volatile(byte) }
    }

    #[test]
    fn a_guarded_block_is_between_pages_that_nothing_can_touch() {
        for page in pages() {
            let space = space(page, true);
            for size in SIZES {
                let base = space.allocate(size, size).unwrap();
                assert_eq!(base % GUARDED_ALIGNMENT, 0);
                // Whole pages, whose end is as near behind the block as its alignment allows.
                let whole = size.next_multiple_of(page);
                let (start, end) = piece(base).unwrap();
                assert_eq!((start % page, end - start), (0, whole), "{size} in pages of {page}");
                assert!(
                    start <= base && end - (base + size) < GUARDED_ALIGNMENT,
                    "{size} in pages of {page}"
                );
                let inside = base..base + size;
                // SAFETY: the block's own bytes.
                unsafe { crate::memory::pages::address(base).cast::<u8>().write_bytes(0, size) };
                assert_eq!(space.find(base).unwrap().damage(), None);
                for outside in [start, base - 1, base + size, end - 1] {
                    if (start..end).contains(&outside) && !inside.contains(&outside) {
                        write(outside, 0);
                        assert_eq!(space.find(base).unwrap().damage(), Some(outside));
                        write(outside, POISON);
                    }
                }
                drop(space.release(base).unwrap());
                assert_eq!(piece(base), None);
            }
        }
    }

    /// Debug mode's guards and poison, too, are where the memory is.
    #[test]
    fn memory_that_lies_apart_is_not_at_its_addresses() {
        for (page, debug) in pages().flat_map(|page| [(page, false), (page, true)]) {
            let space = of_pages(page, true, debug);
            for size in SIZES {
                let base = space.allocate(size, size).unwrap();
                let block = space.find(base).unwrap();
                let memory = block.memory(base).expose_provenance();
                assert_eq!(memory % page, base % page);
                assert!(!space.contains(memory) && !space.contains(memory + size - 1));
                assert!([base, base + size - 1].into_iter().all(|address| piece(address).is_none()));
                let (start, end) = piece(memory).unwrap();
                assert!(memory + size <= end, "{size} in pages of {page}");
                write(memory, 1);
                write(memory + size - 1, 1);
                assert_eq!(block.damage(), None);
                if debug && start < memory {
                    write(start, 0);
                    assert_eq!(block.damage(), Some(base - (memory - start)));
                }
                drop((block, space.release(base).unwrap()));
                assert!(!debug || piece(memory).is_none());
            }
        }
    }

    #[test]
    fn plain_blocks_keep_their_content_where_others_go() {
        for page in pages() {
            let space = space(page, false);
            let blocks: Vec<_> = SIZES.map(|size| (space.allocate(size, size).unwrap(), size)).to_vec();
            let ends = |(base, size): (usize, usize)| [base, base + size - 1];
            for (number, block) in blocks.iter().enumerate() {
                ends(*block).into_iter().for_each(|end| write(end, number as u8));
            }
            let (start, end) = piece(blocks[0].0).unwrap();
            assert!(start.is_multiple_of(page) && end.is_multiple_of(page), "pages of {page}");
            // Large enough to give its pages back to the system.
            let large = space.allocate(LARGE + 2 * page, LARGE + 2 * page).unwrap();
            let behind = space.allocate(1, 1).unwrap();
            write(behind, 77);
            drop(space.release(large).unwrap());
            let read = |address: usize| {
                // SAFETY: the address lies in a living block.
                unsafe { crate::memory::pages::address(address).cast::<u8>().read_volatile() }
            };
            assert_eq!(read(behind), 77);
            for (number, block) in blocks.into_iter().enumerate() {
                assert!(ends(block).into_iter().all(|end| read(end) == number as u8), "pages of {page}");
            }
        }
    }

    #[test]
    fn parts_of_pages_are_refused() {
        for page in pages() {
            let space = space(page, false);
            let start = space.reservation.base();
            for (start, len) in [(start + page / 2, page), (start, page / 2), (start + page, page + 1)] {
                assert!(!space.reservation.holds(start, len));
                assert!(!space.reservation.allow(start, len, true));
            }
            assert!(space.reservation.holds(start, space.reservation.len()));
        }
    }
}
