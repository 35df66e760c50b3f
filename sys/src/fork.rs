//! Detects whether this process is a fork of one that has used CANN: for libraries that call CANN,
//! or stand in for it.
//!
//! The child of a fork has one thread. The threads of its parent's streams don't exist in it, and a
//! lock that another thread held is never released. So a call checks this before it takes any lock.

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
/// [`Forked`] if it is a fork of one that did. A fork of one that had not used it yet is like any
/// other process.
#[inline]
pub fn enter() -> Result<(), Forked> {
    match STATE.load(Ordering::Relaxed) {
        USED => Ok(()),
        FORKED => Err(Forked),
        _ => begin(),
    }
}

/// [`Forked`] if the process is a fork of one that has used CANN. Does not note a use of its own.
///
/// # Errors
/// As [`enter`].
#[inline]
pub fn check() -> Result<(), Forked> {
    if STATE.load(Ordering::Relaxed) == FORKED { Err(Forked) } else { Ok(()) }
}

/// The first call. Two threads may get here at once: registering for forks twice does no harm.
#[cold]
fn begin() -> Result<(), Forked> {
    // Before the process counts as one that uses CANN, so that every fork of it is noticed.
    if watch() {
        let _ = STATE.compare_exchange(UNUSED, USED, Ordering::Relaxed, Ordering::Relaxed);
    }
    check()
}

/// Registers for forks; false where there is no memory for it, and the next call tries again.
#[cfg(target_os = "linux")]
fn watch() -> bool {
    unsafe extern "C" fn in_child() {
        // Between a fork and its next call a child may do no more than a signal handler.
        let _ = STATE.compare_exchange(USED, FORKED, Ordering::Relaxed, Ordering::Relaxed);
    }
    // SAFETY: the function may be called in the child of any fork.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) == 0 }
}

/// Forks are not detected here; CANN exists only for Linux.
#[cfg(not(target_os = "linux"))]
fn watch() -> bool {
    true
}
