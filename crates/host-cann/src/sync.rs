//! Locks that ignore poisoning. Every exported function catches panics, and what a lock guards here
//! is changed in one step or rebuilt by its next user, so a poisoned lock doesn't mean broken data.
//! Except that of `aclInit`, which host functions can't take, no lock is held while a function of
//! the program or of an operator library is called, nor while a thread waits for a stream to end.
//! Where two locks are held at once, the one that is earlier in this list is taken first:
//! `aclInit`, devices; subscribers, a mailbox; mapped ranges, a device's memory; a completion, a
//! stream's queue, an event. Tables of handles, and the rest, are held alone or last.

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

/// How many threads are in [`wait_until`].
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Waits at most until a moment; `None` means without limit.
pub(crate) fn wait_until<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    end: Option<Instant>,
) -> MutexGuard<'a, T> {
    // Counted under the caller's lock: whoever takes the lock after that finds the thread waiting.
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

/// When a wait of CANN's ends: `milliseconds` milliseconds from now, or never for -1.
pub(crate) fn deadline(milliseconds: i32) -> Fallible<Option<Instant>> {
    let refused =
        || failure!(ACL_ERROR_RT_PARAM_INVALID, "timeout {milliseconds} is neither -1 nor positive");
    match milliseconds {
        -1 => Ok(None),
        0 => Err(refused()),
        // CANN refuses a negative one above the runtime library.
        _ => match u64::try_from(milliseconds) {
            Ok(milliseconds) => Ok(Some(Instant::now() + Duration::from_millis(milliseconds))),
            Err(_) => Err(refused().above_runtime()),
        },
    }
}

/// How many threads wait in the runtime: for a stream, an event, or a function to be called. A test
/// can poll this, to be sure that one of its threads has begun to wait.
#[must_use]
pub fn waiting_threads() -> usize {
    WAITING.load(Ordering::SeqCst)
}
