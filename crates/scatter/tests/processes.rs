//! Processes that can't have threads, or have lost them in a fork: each test runs itself in a
//! process of its own.

#![cfg(all(target_os = "linux", feature = "rayon"))]
#![allow(clippy::unwrap_used)]

#[path = "../../../tests/processes/mod.rs"]
mod processes;

use processes::{forbid_threads, in_a_fork, is_inside};
use scatter::{View, ViewMut, scatter_add};

/// Three threads, whatever the machine has.
const THREADS: [(&str, &str); 1] = [("RAYON_NUM_THREADS", "3")];

/// A scatter that is worth threads; its result is compared with a loop.
fn scatter_and_compare() {
    let (rows, targets) = (1 << 18, 1000);
    let index: Vec<i64> = (0..rows as i64).map(|at| at * 7919 % targets).collect();
    let src: Vec<f32> = (0..rows).map(|at| at as f32 * 0.37).collect();
    let mut expected = vec![1.0_f32; targets as usize];
    index.iter().zip(&src).for_each(|(&to, &src)| expected[to as usize] += src);
    let mut out = vec![1.0_f32; targets as usize];
    let mut view = ViewMut::new(&mut out, &[targets as usize]).unwrap();
    scatter_add(&mut view, 0, &View::new(&index, &[rows]).unwrap(), &View::new(&src, &[rows]).unwrap())
        .unwrap();
    assert_eq!(out, expected);
}

/// The threads of this process that are the crate's, by their names.
fn threads() -> usize {
    let names = std::fs::read_dir("/proc/self/task").unwrap();
    let name = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default()
    };
    names.map(name).filter(|name| name.starts_with("scatter ")).count()
}

/// Waits until the process has the crate's three threads: each takes its name only when it first
/// runs, which may be after the call that made it has ended. A wait without an end is ended by an
/// alarm.
fn wait_for_threads() {
    // SAFETY: a number.
    unsafe { libc::alarm(60) };
    while threads() != 3 {
        std::thread::yield_now();
    }
    // SAFETY: a number.
    unsafe { libc::alarm(0) };
}

#[test]
fn a_process_without_threads_computes_on_the_callers() {
    if is_inside("a_process_without_threads_computes_on_the_callers", &THREADS) {
        forbid_threads(true);
        scatter_and_compare();
        scatter_and_compare();
        assert_eq!(threads(), 0);
        // They are tried for again at each call.
        forbid_threads(false);
        scatter_and_compare();
        wait_for_threads();
    }
}

#[test]
fn a_fork_of_a_process_that_had_threads_computes_on_the_callers() {
    if is_inside("a_fork_of_a_process_that_had_threads_computes_on_the_callers", &THREADS) {
        scatter_and_compare();
        wait_for_threads();
        in_a_fork(|| {
            scatter_and_compare();
            assert_eq!(threads(), 0);
            in_a_fork(scatter_and_compare);
        });
        scatter_and_compare();
    }
}

#[test]
fn a_fork_of_a_process_that_had_none_has_threads_of_its_own() {
    if is_inside("a_fork_of_a_process_that_had_none_has_threads_of_its_own", &THREADS) {
        in_a_fork(|| {
            scatter_and_compare();
            wait_for_threads();
        });
        scatter_and_compare();
        wait_for_threads();
    }
}

#[test]
fn a_call_in_a_pool_of_the_callers_uses_that() {
    if is_inside("a_call_in_a_pool_of_the_callers_uses_that", &THREADS) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(scatter_and_compare);
        assert_eq!(threads(), 0);
    }
}
