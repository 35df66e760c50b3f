//! The operators, called as clients call them: through their C functions, on host-cann.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arithmetic;
mod choices;
mod common;
mod comparisons;
mod copies;
mod executors;
mod memory;
mod products;
mod promoted;
mod reductions;
mod refusals;
mod selection;

use std::process::Command;

/// The variable that keeps the host from a device's memory.
const HOST_ACCESS: &str = "HOST_CANN_HOST_ACCESS";

#[test]
fn all_tests_pass_where_the_host_has_no_access_to_memory_of_devices() {
    if std::env::var_os(HOST_ACCESS).is_some() {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap()).env(HOST_ACCESS, "0").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
