//! The threads of calls that are made outside of a rayon pool.
//!
//! They are not those of rayon's global pool: where its threads can't be made, every later use of
//! it panics, and in the child of a fork, which has none of them, every use waits for ever. There
//! is no way to ask whether that is so.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// As many threads as rayon's global pool would have, made by the first call that is worth them.
/// `None` where they would be one, where they can't be made (the next call tries again), and in a
/// child of the process that made them first, which has none of them.
pub(in crate::cpu) fn get() -> Option<&'static ThreadPool> {
    static OWNER: AtomicU32 = AtomicU32::new(0);
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    static MAKING: Mutex<()> = Mutex::new(());
    // Before anything waits for a thread that a child doesn't have.
    let process = std::process::id();
    let owner = OWNER
        .compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed)
        .unwrap_or_else(|owner| owner);
    if ![0, process].contains(&owner) {
        return None;
    }
    let known = POOL.get().or_else(|| {
        let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = POOL.get() {
            return Some(known);
        }
        let name = |number| format!("scatter {number}");
        let made = ThreadPoolBuilder::new().thread_name(name).build().ok()?;
        Some(POOL.get_or_init(|| made))
    });
    known.filter(|pool| pool.current_num_threads() > 1)
}
