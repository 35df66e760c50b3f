//! Helpers for tests that need a process of their own, where they run again: tests of forks, and of
//! limits of the system.

#![allow(dead_code, clippy::unwrap_used)]

mod runner;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

/// The variable that tells a test that it runs in its own process.
const INSIDE: &str = "SCATTER_TEST_INSIDE";

/// Returns true in the test's own process. Otherwise runs the test again in such a process, with
/// these variables, and returns false; there the test must pass, and no thread may panic.
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

/// Turns off the leak check of AddressSanitizer, if that is used. In a fork it would report what
/// threads hold that don't exist there.
pub(crate) fn without_leak_check(command: &mut Command) -> &mut Command {
    let options = std::env::var("ASAN_OPTIONS").unwrap_or_default();
    command.env("ASAN_OPTIONS", format!("{options}:detect_leaks=0"))
}

/// Forbids the process to create threads, or allows it again. Root is exempt from the limit
/// (RLIMIT_NPROC), so as root the process becomes another user.
pub(crate) fn forbid_threads(forbidden: bool) {
    // SAFETY: `limit` is valid for a read and a write, and zero is a valid `rlimit`. The process
    // belongs to this test alone, so changing its user and limits affects nothing else.
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

/// Runs something in a fork of this process, which must exit with success after its destructors and
/// exit handlers. An alarm ends the fork if it hangs.
pub(crate) fn in_a_fork(run: impl FnOnce()) {
    // SAFETY: only this thread exists in the child, which runs `run` and then exits below without
    // returning to the caller.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: `alarm` takes no pointers and has no preconditions.
        unsafe { libc::alarm(60) };
        let ended = catch_unwind(AssertUnwindSafe(run));
        // SAFETY: the child has no other thread that could call `exit` at the same time.
        unsafe { libc::exit(i32::from(ended.is_err())) }
    }
    let mut status = 0;
    // SAFETY: `status` is valid for a write.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the fork ended with {status:#x}");
}
