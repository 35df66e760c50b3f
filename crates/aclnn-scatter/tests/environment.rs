//! The environment variables. Each test runs itself again in a process of its own.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "../../../tests/processes/runner.rs"]
mod runner;

use std::process::Output;
use std::ptr::null_mut;

use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64};
use aclnn_scatter::{Check, Engine, c, set_check, set_engine, take_error_message};
use common::call::{Call, Pages, Which};
use common::tensors::{Memory, Owned};
use common::{Stream, messages};

/// Set in the process in which a test makes its calls.
const INSIDE: &str = "ACLNN_SCATTER_TEST_INSIDE";

/// Runs a test of this file in a new process with these variables.
fn run(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = runner::itself();
    command.args(["--exact", test, "--nocapture"]).env(INSIDE, "1");
    for name in ["ACLNN_SCATTER_ENGINE", "ACLNN_SCATTER_CHECK", "ACLNN_SCATTER_LOG"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

fn assert_passes(test: &str, variables: &[(&str, &str)]) {
    let output = run(test, variables);
    let (told, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && told.contains("1 passed"), "{variables:?}\n{told}{failed}");
}

fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

/// Calls phase one with valid arguments. Returns its code and message.
fn first() -> (i32, String) {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let (status, message) = Call::new(Which::Reduce, &pages).run();
    (status.0, message)
}

/// Makes a call with an index out of range. Returns the code of phase two, and that of
/// `aclnnScatterStreamStatus`.
fn bad_index() -> (i32, i32) {
    let stream = Stream::new();
    let (self_, index) = (Owned::new(ACL_FLOAT, &[2], &[0_f32; 2]), Owned::new(ACL_INT64, &[1], &[2_i64]));
    let src = Owned::new(ACL_FLOAT, &[1], &[1_f32]);
    let (mut size, mut executor) = (0, null_mut());
    // SAFETY: the handles live, and the storages have the size that the tensors say.
    let second = unsafe {
        let (out, index) = (self_.raw(), index.raw());
        let first =
            c::aclnnScatterAddGetWorkspaceSize(out, 0, index, src.raw(), out, &mut size, &mut executor);
        assert!(first.is_success(), "{}", messages());
        // The kernels have a workspace.
        let workspace = Memory::of(&vec![0_u8; size as usize]);
        let second = c::aclnnScatterAdd(workspace.address, size, executor, stream.raw);
        let _ = stream.synchronize();
        second
    };
    (second.0, stream.status().code.0)
}

#[test]
fn inside_it_works() {
    if is_inside() {
        assert_eq!(first(), (0, String::new()));
        assert_eq!(bad_index(), (0, 161_002));
    }
}

#[test]
fn inside_an_index_is_bad() {
    if is_inside() {
        assert_eq!(bad_index(), (0, 161_002));
    }
}

#[test]
fn inside_it_is_refused() {
    if is_inside() {
        let (code, message) = first();
        assert_eq!(code.to_string(), std::env::var("EXPECTED_CODE").unwrap(), "{message}");
        let words = std::env::var("EXPECTED_WORDS").unwrap();
        assert!(message.contains(&words), "{message}");
        assert!(take_error_message().unwrap().contains(&words));
        assert_eq!(take_error_message(), None);
        // A setting of the program overrides the variable.
        set_engine(Engine::Cpu);
        set_check(Check::Flag);
        assert_eq!(first().0, 0);
    }
}

#[test]
fn inside_phase_two_waits() {
    if is_inside() {
        assert_eq!(bad_index(), (161_002, 0));
        set_check(Check::Off);
        assert_eq!(bad_index(), (0, 0));
        set_check(Check::Flag);
        assert_eq!(bad_index(), (0, 161_002));
    }
}

#[test]
fn an_engine_is_what_was_chosen_or_an_error() {
    if is_inside() {
        return;
    }
    for engine in ["auto", "cpu", ""] {
        assert_passes("inside_it_works", &[("ACLNN_SCATTER_ENGINE", engine)]);
    }
    for (variable, value, code, words) in [
        ("ACLNN_SCATTER_ENGINE", "vendor", "561003", "engine vendor: host-cann is a CANN without operators"),
        (
            "ACLNN_SCATTER_ENGINE",
            "gpu",
            "161002",
            "ACLNN_SCATTER_ENGINE: one of auto, kernel, cpu, vendor expected, got \"gpu\"",
        ),
        (
            "ACLNN_SCATTER_CHECK",
            "yes",
            "161002",
            "ACLNN_SCATTER_CHECK: one of flag, sync, off expected, got \"yes\"",
        ),
    ] {
        let variables = [(variable, value), ("EXPECTED_CODE", code), ("EXPECTED_WORDS", words)];
        assert_passes("inside_it_is_refused", &variables);
    }
    // There are no kernels for the first chip, and without the host model none for the second.
    let kernels = [
        ("ACLNN_SCATTER_ENGINE", "kernel"),
        ("EXPECTED_CODE", "561003"),
        ("EXPECTED_WORDS", "engine kernel: "),
    ];
    for (soc, is_refused) in [("Ascend310P3", true), ("Ascend910B2", !cfg!(feature = "model"))] {
        let variables: Vec<_> = kernels.into_iter().chain([("HOST_CANN_SOC", soc)]).collect();
        if is_refused {
            assert_passes("inside_it_is_refused", &variables);
        }
    }
}

#[test]
fn the_check_is_what_was_chosen() {
    if !is_inside() {
        assert_passes("inside_it_works", &[("ACLNN_SCATTER_CHECK", "flag")]);
        assert_passes("inside_phase_two_waits", &[("ACLNN_SCATTER_CHECK", "sync")]);
    }
}

#[test]
fn failures_are_written_only_if_asked_for() {
    if is_inside() {
        return;
    }
    let refused = [("ACLNN_SCATTER_ENGINE", "gpu"), ("EXPECTED_CODE", "161002"), ("EXPECTED_WORDS", "gpu")];
    let line = "aclnn-scatter: aclnnScatterReduceGetWorkspaceSize: ACLNN_ERR_PARAM_INVALID (161002): ";
    let quiet = run("inside_it_is_refused", &refused);
    assert!(!String::from_utf8_lossy(&quiet.stderr).contains("aclnn-scatter:"));
    let loud = run("inside_it_is_refused", &[&refused[..], &[("ACLNN_SCATTER_LOG", "1")]].concat());
    assert!(String::from_utf8_lossy(&loud.stderr).contains(line));
    // So is an index out of range that no call returns, once, whoever finds it.
    let line = "aclnn-scatter: aclnnScatterAdd: ACLNN_ERR_PARAM_INVALID (161002): scatter_add: ";
    let engines: &[&str] = if cfg!(feature = "model") { &["cpu", "kernel"] } else { &["cpu"] };
    for engine in engines {
        let logged = |variables: &[(&str, &str)]| {
            let variables = [&[("ACLNN_SCATTER_ENGINE", *engine)], variables].concat();
            let output = run("inside_an_index_is_bad", &variables);
            assert!(output.status.success());
            String::from_utf8_lossy(&output.stderr).matches(line).count()
        };
        assert_eq!((logged(&[]), logged(&[("ACLNN_SCATTER_LOG", "1")])), (0, 1), "{engine}");
    }
}
