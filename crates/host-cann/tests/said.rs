//! What is written to the standard error, and the name of the chip: in its own process, which has
//! its own environment.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "../../../tests/processes/runner.rs"]
mod runner;

use std::ffi::CStr;
use std::ptr;

use common::{acl, malloc, ok};

/// Runs only in the child: leaves memory that it doesn't free.
#[test]
#[ignore = "the other test runs it in a process of its own"]
fn child() {
    ok!(aclInit(ptr::null()));
    ok!(aclrtSetDevice(0));
    let _ = malloc(100);
    let soc = acl!(aclrtGetSocName());
    // SAFETY: the runtime's text stays.
    println!("soc {:?}", unsafe { CStr::from_ptr(soc) });
    ok!(aclFinalize());
}

fn said(quiet: &str) -> (String, String) {
    let output = runner::itself()
        .args(["child", "--exact", "--ignored", "--nocapture"])
        .envs([("HOST_CANN_QUIET", quiet), ("HOST_CANN_SOC", "Ascend910B2"), ("HOST_CANN_DEVICES", "3")])
        .env_remove("HOST_CANN_MEMORY")
        .output()
        .unwrap();
    assert!(output.status.success());
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn it_says_what_it_is_and_what_is_left_over_unless_it_is_to_be_quiet() {
    let (out, err) = said("0");
    assert!(out.contains("soc \"Ascend910B2\""), "{out}");
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 2, "{err}");
    assert!(lines[0].contains(": CANN on the CPU, not an NPU; 3 devices"), "{err}");
    assert_eq!(lines[1], "host-cann: left over at aclFinalize: 1 device allocations, 160 device bytes");
    assert_eq!(said("1").1, "");
}
