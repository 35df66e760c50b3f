//! Keeps an error of a drop, which can't return it, for the next call that can.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use aclnn_sys::fork;

use crate::error::{Error, Result};

/// The first error of a drop since [`check`](Latch::check) last returned one.
#[derive(Debug, Default)]
pub(crate) struct Latch {
    /// Whether there is an error, so that a call needs no lock to see that there is none.
    is_set: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl Latch {
    /// Keeps a drop's error, unless an earlier one is pending.
    pub(crate) fn keep(&self, outcome: Result<()>) {
        // In a forked process a thread that does not exist there may hold the lock, and no later
        // call could return the error.
        if let Err(error) = outcome
            && fork::check().is_ok()
        {
            let mut place = self.error.lock().unwrap_or_else(PoisonError::into_inner);
            place.get_or_insert(error);
            self.is_set.store(true, Ordering::Release);
        }
    }

    /// Returns the pending error, once.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_set.load(Ordering::Acquire) { self.take() } else { Ok(()) }
    }

    #[cold]
    fn take(&self) -> Result<()> {
        fork::check()?;
        let mut place = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_set.store(false, Ordering::Release);
        place.take().map_or(Ok(()), |error| Err(Error::Dropped(Box::new(error))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_returned_once() {
        let latch = Latch::default();
        let failed = |users| Err(Error::InUse { what: "the latch", users });
        latch.keep(Ok(()));
        assert_eq!(latch.check(), Ok(()));
        for users in [1, 2] {
            latch.keep(failed(users));
        }
        latch.keep(Ok(()));
        assert_eq!(latch.check(), failed(1).map_err(|error| Error::Dropped(Box::new(error))));
        assert_eq!(latch.check(), Ok(()));
    }
}
