//! Locks whose holder may have panicked. Every exported function catches panics, and what a lock guards here is changed in one
//! step or rebuilt by its next user, so that a poisoned lock says nothing.
//!
//! No lock but that of `aclInit` is held while a function of the program or of an operator library is called, nor while a
//! thread waits for a stream to end; host functions don't get at that one. Of two locks that are held at once the earlier here
//! is taken first: `aclInit`, devices; subscriptions, a mailbox; mapped ranges, a device's memory; a receipt, a stream's queue.
//! Tables of handles, and the rest, are held alone or last.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Waits until a moment at most; `None` is for ever.
pub(crate) fn wait_until<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    end: Option<Instant>,
) -> MutexGuard<'a, T> {
    match end {
        None => wait(condition, guard),
        Some(end) => {
            let left = end.saturating_duration_since(Instant::now());
            condition.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0
        }
    }
}

/// When a wait of CANN's ends: so many milliseconds from now, or never for -1.
pub(crate) fn deadline(milliseconds: i32) -> Option<Instant> {
    u64::try_from(milliseconds).ok().map(|milliseconds| Instant::now() + Duration::from_millis(milliseconds))
}
