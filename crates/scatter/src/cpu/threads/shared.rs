//! An address that tasks share.

/// An address for all tasks, each of which writes only to what it owns of the memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Shared<P>(pub(in crate::cpu) P);

impl<P: Copy> Shared<P> {
    pub(in crate::cpu) fn get(&self) -> P {
        self.0
    }
}

// SAFETY: addresses belong to no thread; each task writes only what no other task reads or writes,
// and reads only what no other task writes.
unsafe impl<P> Sync for Shared<P> {}
