//! Handles of CANN's.

/// A handle: CANN's address of something, which nothing here reads through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle<T>(T);

// SAFETY: a handle is a number to this crate; CANN's functions take it on any thread that has the
// right context, and each owner says which calls may run at the same time.
unsafe impl<T> Send for Handle<*mut T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Handle<*mut T> {}

impl<T: Copy> Handle<T> {
    pub(crate) const fn new(handle: T) -> Self {
        Self(handle)
    }

    pub(crate) const fn get(self) -> T {
        self.0
    }
}
