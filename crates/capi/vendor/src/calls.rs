//! How often each function was called. When the process ends, the file that
//! `VENDOR_OPERATORS_CALLS` names has a line for each that was called: its name and the number.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

static CALLS: Mutex<BTreeMap<&str, u64>> = Mutex::new(BTreeMap::new());

fn calls() -> MutexGuard<'static, BTreeMap<&'static str, u64>> {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a call.
pub(crate) fn count(name: &'static str) {
    static WRITTEN_AT_EXIT: Once = Once::new();
    WRITTEN_AT_EXIT.call_once(|| {
        // If this fails there is no file, which its reader notices.
        // SAFETY: the function stays valid, because the library is never unloaded.
        let _ = unsafe { libc::atexit(write_counts) };
    });
    *calls().entry(name).or_default() += 1;
}

/// Writes the file.
extern "C" fn write_counts() {
    let Some(path) = std::env::var_os("VENDOR_OPERATORS_CALLS") else { return };
    let mut lines = String::new();
    for (name, count) in calls().iter() {
        let _ = writeln!(lines, "{name} {count}");
    }
    // If this fails there is no file, which its reader notices.
    let _ = std::fs::write(path, lines);
}
