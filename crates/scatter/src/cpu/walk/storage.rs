//! The storages of a walk.

use crate::cpu::index::storage::IndexStorage;

/// A storage of elements, or slots, of some bytes each. The address belongs to no thread.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Storage {
    pub(in crate::cpu) start: *mut u8,
    /// The bytes of an element.
    pub(in crate::cpu) size: usize,
}

impl Storage {
    /// Where element `at` is.
    #[inline(always)]
    pub(in crate::cpu) const fn at(self, at: isize) -> *mut u8 {
        self.start.wrapping_offset(at.wrapping_mul(self.size as isize))
    }
}

/// The storages of a walk. `src` is only read where the loops that are applied only read it.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Storages {
    pub(in crate::cpu) index: IndexStorage,
    pub(in crate::cpu) src: Storage,
    pub(in crate::cpu) dst: Storage,
}

// SAFETY: the pointers are dereferenced in loops only, where tasks that run at the same time own
// different elements of what is written.
unsafe impl Sync for Storages {}

// SAFETY: the addresses belong to no thread; tasks that run at the same time own different elements
// of what is written.
unsafe impl Send for Storages {}
