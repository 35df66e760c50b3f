//! Whether this process is a fork of one that has used CANN: for libraries that call CANN, or stand in for it.
//!
//! The child of a fork has one thread. The threads that worked for its parent's streams are gone, and a lock that another thread
//! held is held for ever. So a call asks here before it takes any lock.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

const UNUSED: u8 = 0;
const USED: u8 = 1;
const FORKED: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNUSED);

/// This process is a fork of one that had used CANN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forked;

impl Forked {
    /// What it says.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        "this process is a fork of one that had used CANN, and has none of its threads: fork before the first call, or start a program (exec)"
    }
}

impl fmt::Display for Forked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl core::error::Error for Forked {}

/// Notes that the process uses CANN from now on.
///
/// # Errors
/// [`Forked`] if it is a fork of one that did. A fork of one that had not used it yet is like any other process.
#[inline]
pub fn enter() -> Result<(), Forked> {
    match STATE.load(Ordering::Relaxed) {
        USED => Ok(()),
        FORKED => Err(Forked),
        _ => begin(),
    }
}

/// [`Forked`] if the process is a fork of one that has used CANN. Says nothing of its own use.
///
/// # Errors
/// As [`enter`].
#[inline]
pub fn check() -> Result<(), Forked> {
    if STATE.load(Ordering::Relaxed) == FORKED { Err(Forked) } else { Ok(()) }
}

/// The first call. Two threads may come here at once: to be told twice of a fork does no harm.
#[cold]
fn begin() -> Result<(), Forked> {
    // Before the process counts as one that uses CANN, so that no fork of it goes unseen.
    if watch() {
        let _ = STATE.compare_exchange(UNUSED, USED, Ordering::Relaxed, Ordering::Relaxed);
    }
    check()
}

/// Asks to be told of forks; false where there is no memory for it, and the next call asks again.
#[cfg(target_os = "linux")]
fn watch() -> bool {
    unsafe extern "C" fn in_child() {
        // A signal handler may do no more than this.
        let _ = STATE.compare_exchange(USED, FORKED, Ordering::Relaxed, Ordering::Relaxed);
    }
    // SAFETY: the function may be called in the child of any fork.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) == 0 }
}

/// Nothing is known of forks here; CANN is for Linux alone.
#[cfg(not(target_os = "linux"))]
fn watch() -> bool {
    true
}
