//! An address that tasks share.

/// An address for all tasks, each of which uses the part of the memory that it owns.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Shared<P>(pub(in crate::cpu) P);

impl<P: Copy> Shared<P> {
    pub(in crate::cpu) fn get(&self) -> P {
        self.0
    }
}

// SAFETY: addresses belong to no thread; each task dereferences them only where no other task reads
// or writes.
unsafe impl<P> Sync for Shared<P> {}
