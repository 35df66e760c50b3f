//! Random abuse of the C functions: calls in any order, with memory and handles that are valid,
//! invalid, freed, or of another device.
//!
//! Nothing may crash or hang. Work must fail if a range that it uses is not in a single live
//! allocation of the stream's device. No byte may change except those that a call writes. An oracle
//! follows every call, and compares memory with what the reference computes. `ABUSE_CALLS` sets the
//! number of calls, `ABUSE_SEED` the random numbers; `ABUSE_TRACE=1` prints each call.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod end;
mod limits;
mod memory;
mod oracle;
mod order;
#[path = "../../../../tests/processes/runner.rs"]
mod runner;
mod stream;
mod threads;
mod world;

use common::setting;
use world::World;

/// Set in the process in which a test runs by itself.
const INSIDE: &str = "ABUSE_INSIDE";
/// The time limit of a million calls in seconds, much more than they need.
const SECONDS: u64 = 3000;

/// Runs a test of this file again in a process of its own, which may crash or hang. In that process
/// it returns the number of calls and the seed.
fn inside(test: &str) -> Option<(usize, u64)> {
    let (calls, seed) = (setting("ABUSE_CALLS", 20_000), setting("ABUSE_SEED", 1));
    if std::env::var_os(INSIDE).is_some() {
        let seconds = 120 + calls * SECONDS / 1_000_000;
        // SAFETY: `alarm` takes any number.
        unsafe { libc::alarm(seconds as u32) };
        return Some((calls as usize, seed));
    }
    let mut command = runner::itself();
    command.args(["--exact", test, "--nocapture", "--test-threads", "1"]);
    command.env(INSIDE, "1").env("HOST_CANN_MEMORY", world::LIMIT.to_string());
    let output = command.output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} with seed {seed} (signal 14: it hung)\n{failed}", output.status);
    assert!(!failed.contains("panicked"), "{failed}");
    None
}

#[test]
fn calls_in_any_order() {
    let Some((calls, seed)) = inside("calls_in_any_order") else { return };
    let mut world = World::new(seed);
    calls::run(&mut world, calls);
    let tally = world.tally().clone();
    let calls = world.destroy();
    for ((name, code), count) in tally {
        println!("{count:>8} {name} returned {code}");
    }
    println!("{calls} calls, seed {seed}");
}

#[test]
fn threads_on_shared_handles() {
    let Some((calls, seed)) = inside("threads_on_shared_handles") else { return };
    threads::run(calls, seed);
}

#[test]
fn processes_without_threads_and_memory() {
    let Some((calls, seed)) = inside("processes_without_threads_and_memory") else { return };
    limits::run(calls, seed);
}
