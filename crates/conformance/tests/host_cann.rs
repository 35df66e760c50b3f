//! The engines on host-cann: that nothing is left behind, and the two libraries. A program of its own, for the libraries must
//! not be built while another test looks for them.

// clippy.toml allows it in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use conformance::Exit;

#[path = "cli/program.rs"]
mod program;

use program::conformance;

/// Runs the suite in this process.
fn run(arguments: &[&str]) -> (Exit, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["conformance"].iter().chain(arguments).map(Into::into);
    let exit = conformance::main(arguments, &mut out, &mut err);
    (exit, String::from_utf8([out, err].concat()).unwrap())
}

#[test]
fn a_run_leaves_nothing_on_the_device() {
    let (exit, out) = run(&["--engine", "c-abi,aclnn,aclnn-any", "--cases", "500", "--threads", "3"]);
    assert_eq!(exit, Exit::Same, "{out}");
    let left = host_cann::Counters::now();
    assert_eq!(aclnn_scatter::live_executors(), 0);
    assert_eq!((left.device_allocations, left.device_bytes), (0, 0), "{left}");
    assert_eq!((left.tensors, left.scalars, left.executors), (0, 0, 0), "{left}");
    // c-abi's own: a context, and a stream for each thread at the most.
    assert!(left.contexts == 1 && left.streams <= 3, "{left}");
}

#[test]
fn the_libraries_are_opened_where_they_are_said_to_be() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--profile", "test", "-p", "host-cann-capi", "-p", "aclnn-scatter-capi"])
        .arg("--target-dir")
        .arg(target)
        .status()
        .unwrap();
    assert!(built.success());
    let folder = target.join("debug");
    let folder = folder.to_str().unwrap();
    let engines = "c-abi,aclnn,aclnn-any";
    let (code, out, err) =
        conformance(&["--engine", engines, "--cases", "500", "--threads", "2", "--c-libraries", folder]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches(&format!("linked; dlopen of {folder}\n")).count(), 3, "{out}");
    for row in ["c-abi      matrix         ", "aclnn      matrix         ", "aclnn-any  matrix         "] {
        assert!(out.contains(row), "no {row:?} in\n{out}");
    }
    assert!(out.ends_with("every case passed\n"), "{out}");
}
