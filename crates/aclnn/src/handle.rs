//! Handles of CANN's.

/// A handle: the address of an object of CANN's, which this crate passes on and never dereferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle<T>(T);

// SAFETY: this crate never dereferences a handle. CANN's functions take it on any thread whose
// current context is the right one, and the type that owns the handle decides which calls may run
// at once.
unsafe impl<T> Send for Handle<*mut T> {}
// SAFETY: a shared reference gives only a copy of the handle, as sending one does.
unsafe impl<T> Sync for Handle<*mut T> {}

impl<T: Copy> Handle<T> {
    pub(crate) const fn new(handle: T) -> Self {
        Self(handle)
    }

    pub(crate) const fn get(self) -> T {
        self.0
    }
}
