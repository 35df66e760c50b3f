//! `conformance bench` from outside, at small sizes. Nothing here depends on how long anything takes.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// Divides the workloads to a few hundred rows.
const SCALE: &str = "1000";

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
    command.args(["bench", "--scale", SCALE, "--repeats", "2", "--threads", "2"]).args(arguments);
    command
}

/// What the command writes to `file` with `--json`.
fn json(file: &Path, arguments: &[&str]) -> Value {
    bench(arguments).arg("--json").arg(file).assert().success();
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// Each result's field of this name.
fn fields<'a>(report: &'a Value, name: &str) -> Vec<&'a Value> {
    report["results"].as_array().unwrap().iter().map(|result| &result[name]).collect()
}

#[test]
fn every_workload_is_measured_and_right() {
    let assert = bench(&[]).assert().success();
    let output = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    for title in [
        "embedding: f32 [50, 256] += [65, 256]",
        "moe: bf16 [8, 4096] += [16, 4096]",
        "graph: f32 [200, 64] += [2000, 64]",
    ] {
        assert!(output.contains(title), "{title} is not in\n{output}");
    }
    assert_eq!(output.matches("equal to the reference").count(), 3, "{output}");
    assert!(output.contains("GB/s = (index values x 8 + "), "the rate has no formula:\n{output}");
}

#[test]
fn the_json_has_what_the_table_has() {
    let folder = tempfile::tempdir().unwrap();
    let report = json(&folder.path().join("bench.json"), &["--seed", "7"]);
    for (name, expected) in [("seed", 7), ("scale", 1000), ("repeats", 2), ("threads", 2)] {
        assert_eq!(report[name], expected, "{name}");
    }
    assert!(report["formula"].as_str().unwrap().starts_with("GB/s = "));
    assert_eq!(fields(&report, "workload"), ["embedding", "moe", "graph"]);
    assert_eq!(fields(&report, "engine"), ["cpu"; 3]);
    assert_eq!(fields(&report, "outcome"), ["equal"; 3]);
    // Every token of the mixture is touched, twice.
    assert_eq!(fields(&report, "bytes")[1], 16 * 8 + 16 * 4096 * 2 + 2 * 8 * 4096 * 2);
    for result in report["results"].as_array().unwrap() {
        assert_eq!(result["seconds"].as_array().unwrap().len(), 2, "{result}");
        for rate in ["median_seconds", "best_seconds", "gb_per_second", "times_reference"] {
            assert!(result[rate].is_f64(), "{rate} in {result}");
        }
    }
}

#[test]
fn the_seed_decides_what_is_computed() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |name: &str, seed: &str| {
        let report = json(&folder.path().join(name), &["--workload", "graph", "--seed", seed]);
        report["results"][0]["bytes"].as_u64().unwrap()
    };
    // The bytes count the nodes that a message goes to.
    assert_eq!(bytes("one", "1"), bytes("again", "1"));
    assert_ne!(bytes("one", "1"), bytes("two", "2"));
}

#[test]
fn workloads_and_engines_are_chosen_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let chosen = ["--workload", "graph", "--workload", "moe", "--engine", "reference", "--engine", "cpu"];
    let report = json(&folder.path().join("bench.json"), &chosen);
    assert_eq!(fields(&report, "workload"), ["moe", "moe", "graph", "graph"]);
    assert_eq!(fields(&report, "engine"), ["reference", "cpu", "reference", "cpu"]);
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    for (arguments, named) in [
        (["--workload", "chess"], "chess"),
        (["--engine", "abacus"], "abacus"),
        (["--repeats", "0"], "repeats"),
        (["--threads", "0"], "threads"),
        (["--threads", "many"], "many"),
        (["--seed", "x"], "seed"),
        (["--json", "/no/such/folder/bench.json"], "/no/such/folder/bench.json"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
        let assert = command.args(["bench", "--scale", SCALE]).args(arguments).assert().code(2);
        let output = assert.get_output();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
        assert!(error.contains(named), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}
