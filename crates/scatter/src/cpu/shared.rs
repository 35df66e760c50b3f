//! An address that tasks share.

/// An address for all tasks, each of which uses the part of the memory that it owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<P>(pub(super) P);

impl<P: Copy> Shared<P> {
    pub(super) fn get(&self) -> P {
        self.0
    }
}

// SAFETY: addresses belong to no thread; each task dereferences them only where no other task reads
// or writes.
unsafe impl<P> Sync for Shared<P> {}
