//! An address that tasks share.

/// Each task uses the part of the memory that it owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<P>(pub(super) P);

impl<P: Copy> Shared<P> {
    pub(super) fn get(&self) -> P {
        self.0
    }
}

// SAFETY: a bundle of addresses that belongs to no thread; who follows it promises to go to places that no two tasks
// share.
unsafe impl<P> Sync for Shared<P> {}
