//! Locks whose holder may have panicked. Every exported function catches panics, and what a lock guards here is changed in one
//! step or rebuilt by its next user, so that a poisoned lock says nothing.
//!
//! No lock but that of `aclInit` is held while a function of the program or of an operator library is called, nor while a
//! thread waits for a stream to end; host functions don't get at that one. Of two locks that are held at once the earlier here
//! is taken first: `aclInit`, devices; subscriptions, a mailbox; mapped ranges, a device's memory; a receipt, a stream's queue,
//! an event. Tables of handles, and the rest, are held alone or last.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use aclnn_sys::ACL_ERROR_RT_PARAM_INVALID;

use crate::failure::{Fallible, failure};

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

/// Threads in [`wait_until`].
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Waits until a moment at most; `None` is for ever.
pub(crate) fn wait_until<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    end: Option<Instant>,
) -> MutexGuard<'a, T> {
    // Under the caller's lock: whoever takes it, once this is counted, finds the thread waiting.
    WAITING.fetch_add(1, Ordering::SeqCst);
    let guard = match end {
        None => wait(condition, guard),
        Some(end) => {
            let left = end.saturating_duration_since(Instant::now());
            condition.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0
        }
    };
    WAITING.fetch_sub(1, Ordering::SeqCst);
    guard
}

/// When a wait of CANN's ends: so many milliseconds from now, or never for -1.
pub(crate) fn deadline(milliseconds: i32) -> Fallible<Option<Instant>> {
    let refused =
        || failure!(ACL_ERROR_RT_PARAM_INVALID, "timeout {milliseconds} is neither -1 nor positive");
    match milliseconds {
        -1 => Ok(None),
        0 => Err(refused()),
        // The runtime library is not asked.
        _ => match u64::try_from(milliseconds) {
            Ok(milliseconds) => Ok(Some(Instant::now() + Duration::from_millis(milliseconds))),
            Err(_) => Err(refused().above_runtime()),
        },
    }
}

/// How many threads wait in a call of the runtime or for one: for a stream, an event, or a function to be called. A test can wait for
/// this, to be sure that a thread of its own has begun to wait.
#[must_use]
pub fn waiting_threads() -> usize {
    WAITING.load(Ordering::SeqCst)
}
