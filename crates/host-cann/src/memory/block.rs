//! One allocation.

use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use super::mapping;
use super::pages;
use super::space::Space;

/// The byte that debug mode fills memory with, before its use and around it.
pub(crate) const POISON: u8 = 0xA5;
/// The alignment that CANN's documents promise; debug mode gives no more.
pub(super) const GUARDED_ALIGNMENT: usize = 64;

/// One allocation. Its memory can be used as long as there is a reference to it, even after it was
/// freed or unmapped.
#[derive(Debug)]
pub(crate) struct Block {
    /// Where it is returned to; `None` for mapped memory.
    space: Option<&'static Space>,
    pub(crate) base: usize,
    /// The offset from an address to its memory.
    shift: usize,
    /// How many bytes may be used.
    pub(crate) len: usize,
    /// Start and length of the range that it occupies.
    taken: (usize, usize),
    /// Bytes that count towards the limit.
    pub(super) charged: usize,
    freed: AtomicBool,
}

impl Block {
    pub(super) fn new(
        space: &'static Space,
        base: usize,
        len: usize,
        taken: (usize, usize),
        charged: usize,
    ) -> Self {
        let shift = space.shift();
        Self { space: Some(space), base, shift, len, taken, charged, freed: AtomicBool::new(false) }
    }

    /// A block of mapped memory, which lies `shift` bytes behind its address.
    pub(super) fn mapped(base: usize, len: usize, shift: usize) -> Self {
        let taken = (base, len);
        Self { space: None, base, shift, len, taken, charged: 0, freed: AtomicBool::new(false) }
    }

    /// Where the memory of an address in the block can be accessed.
    pub(crate) fn memory(&self, address: usize) -> *mut c_void {
        pages::address(address + self.shift)
    }

    /// The bytes from an address in the block, or just behind it, to the block's end.
    pub(super) fn room(&self, address: usize) -> usize {
        self.len - (address - self.base)
    }

    pub(crate) fn is_freed(&self) -> bool {
        self.freed.load(Ordering::Acquire)
    }

    pub(super) fn set_freed(&self) {
        self.freed.store(true, Ordering::Release);
    }

    /// In debug mode, the first address outside the block that someone has written to.
    pub(crate) fn damage(&self) -> Option<usize> {
        let guard = self.space?.guard()?;
        let (start, len) = self.taken;
        let before = start..self.base;
        let behind = self.base + self.len..start + len - guard;
        [before, behind].into_iter().find_map(|around| self.first_written(around))
    }

    /// The first of these addresses around the block that doesn't hold [`POISON`].
    fn first_written(&self, around: Range<usize>) -> Option<usize> {
        static INTACT: [u8; 4096] = [POISON; 4096];
        let end = around.end;
        around.step_by(INTACT.len()).find_map(|start| {
            let len = INTACT.len().min(end - start);
            // No slice, for a faulty program may be writing here at this moment, and what a
            // reference leads to must not change.
            // SAFETY: the range lies in `taken`, before the guard page, where memory can be read
            // while the block lives; INTACT has at least `len` bytes.
            let differs = unsafe { libc::memcmp(self.memory(start), INTACT.as_ptr().cast(), len) } != 0;
            let is_written = |address: &usize| {
                // SAFETY: the address lies in the range that was compared above, which can be read
                // while the block lives.
                unsafe { self.memory(*address).cast::<u8>().read_volatile() != POISON }
            };
            if differs { (start..start + len).find(is_written) } else { None }
        })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match self.space {
            Some(space) => space.reclaim(self.taken),
            None => mapping::reclaim(self.taken),
        }
    }
}
