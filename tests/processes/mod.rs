//! For tests of whole processes, which run themselves again in one of their own: forks, and limits
//! on what the system gives.

#![allow(dead_code, clippy::unwrap_used)]

mod runner;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

/// Says to a test that it is in the process to be looked at.
const INSIDE: &str = "SCATTER_TEST_INSIDE";

/// Runs a test of this file again, in a process of its own with these variables; true in that
/// process. It must pass, and no thread of it may panic.
pub(crate) fn is_inside(test: &str, variables: &[(&str, &str)]) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let mut command = runner::itself();
    command.args(["--exact", test, "--nocapture", "--test-threads", "1"]);
    command.env(INSIDE, "1").envs(variables.iter().copied());
    let output = without_leak_check(&mut command).output().unwrap();
    let (told, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && told.contains("1 passed"), "{}\n{told}{failed}", output.status);
    assert!(!failed.contains("panicked"), "{failed}");
    false
}

/// Leaves out the leak check of AddressSanitizer, should it be there: in a fork it misses the
/// threads, and all that they hold.
pub(crate) fn without_leak_check(command: &mut Command) -> &mut Command {
    let options = std::env::var("ASAN_OPTIONS").unwrap_or_default();
    command.env("ASAN_OPTIONS", format!("{options}:detect_leaks=0"))
}

/// Lets the process make no threads, or as many as it likes. The limit (RLIMIT_NPROC) doesn't bind
/// root, which this process ceases to be.
pub(crate) fn forbid_threads(forbidden: bool) {
    // SAFETY: numbers go in and out; the process is the test's alone.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        assert_eq!(libc::getrlimit(libc::RLIMIT_NPROC, &mut limit), 0);
        limit.rlim_cur = if forbidden { 0 } else { limit.rlim_max };
        assert_eq!(libc::setrlimit(libc::RLIMIT_NPROC, &limit), 0);
        if libc::geteuid() == 0 {
            assert_eq!(libc::setuid(65_534), 0, "the test can't become another user");
        }
    }
    let made = std::thread::Builder::new().spawn(|| ());
    assert_eq!(made.is_err(), forbidden);
    made.map(|thread| thread.join().unwrap()).unwrap_or_default();
}

/// Runs something in a fork of this process, which must end well, with its destructors and what was
/// asked for at exit. A wait without an end is ended by an alarm.
pub(crate) fn in_a_fork(run: impl FnOnce()) {
    // SAFETY: the child has this thread alone, and ends below.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: a number.
        unsafe { libc::alarm(60) };
        let ended = catch_unwind(AssertUnwindSafe(run));
        // SAFETY: a number.
        unsafe { libc::exit(i32::from(ended.is_err())) }
    }
    let mut status = 0;
    // SAFETY: a child of this process, and a place for its status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the fork ended with {status:#x}");
}
