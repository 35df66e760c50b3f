//! Runs `conformance bench` as a process, at small sizes. No test depends on times.

// clippy.toml allows this in test functions only, not in their helpers.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

#[path = "cli/program.rs"]
mod program;

/// The divisor that leaves a few hundred rows or thousands of elements of the workloads.
const SCALE: &str = "1000";

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
    command.args(["bench", "--scale", SCALE, "--repeats", "2", "--threads", "2"]).args(arguments);
    command
}

/// The report that the command writes to `file` with `--json`.
fn json(file: &Path, arguments: &[&str]) -> Value {
    bench(arguments).arg("--json").arg(file).assert().success();
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// The field of this name of every result.
fn fields<'a>(report: &'a Value, name: &str) -> Vec<&'a Value> {
    report["results"].as_array().unwrap().iter().map(|result| &result[name]).collect()
}

#[test]
fn the_usual_workloads_are_measured_and_right() {
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
    assert!(
        output.contains("GB/s = (index values x 8, or 4 for i32, + "),
        "the rate has no formula:\n{output}"
    );
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
    // `moe` has 8 tokens, each of which gets two of the 16 updates: index and src are read once,
    // and each token's row is read and written.
    assert_eq!(fields(&report, "bytes")[1], 16 * 8 + 16 * 4096 * 2 + 2 * 8 * 4096 * 2);
    for result in report["results"].as_array().unwrap() {
        assert_eq!(result["seconds"].as_array().unwrap().len(), 2, "{result}");
        for rate in ["median_seconds", "best_seconds", "gb_per_second", "times_reference"] {
            assert!(result[rate].is_f64(), "{rate} in {result}");
        }
    }
}

#[test]
fn every_workload_is_measured_and_right() {
    let folder = tempfile::tempdir().unwrap();
    let report = json(&folder.path().join("bench.json"), &["--all"]);
    let outcomes = fields(&report, "outcome");
    assert!(outcomes.len() > 30);
    assert!(outcomes.iter().all(|&outcome| outcome == "equal"), "{report}");
}

#[test]
fn the_seed_decides_what_is_computed() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |name: &str, seed: &str| {
        let report = json(&folder.path().join(name), &["--workload", "graph", "--seed", seed]);
        report["results"][0]["bytes"].as_u64().unwrap()
    };
    // The bytes depend on how many nodes get a message, and so on the seed.
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
fn workloads_are_held_against_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    // One for each kind of loop: each sample is taken after 100 ms of calls.
    let names = ["embedding", "pairs", "dim0", "dim1", "histogram", "gather-rows", "gather-square"];
    let arguments = ["--limits", "--workload", &names.join(",")];
    let report = json(&folder.path().join("bench.json"), &arguments);
    assert_eq!(report["machine"].as_array().unwrap().len(), 2);
    let workloads = report["workloads"].as_array().unwrap();
    assert_eq!(workloads.len(), names.len());
    for workload in workloads {
        let candidates = workload["candidates"].as_array().unwrap();
        let of =
            |field: &str| candidates.iter().map(|candidate| candidate[field].clone()).collect::<Vec<_>>();
        assert_eq!(of("kind"), ["ours", "limit", "ours", "limit"], "{workload}");
        assert_eq!(of("threads"), [1, 1, 2, 2], "{workload}");
        assert_eq!(of("verdict"), ["equal", "nothing", "equal", "nothing"], "{workload}");
        for standing in workload["standings"].as_array().unwrap() {
            assert!(standing["of_limit"].is_f64() && standing["speed_up"].is_f64(), "{workload}");
            assert!(standing["extra_memory"].is_u64(), "{workload}");
            assert!(standing["best_peer"].is_null(), "{workload}");
        }
    }
}

#[test]
fn the_growth_is_told_for_each_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let report = json(&folder.path().join("bench.json"), &["--growth"]);
    let growth = report["growth"].as_array().unwrap();
    let of = |sweep: &str, threads: u64| {
        let is = |point: &&Value| point["sweep"] == sweep && point["threads"] == threads;
        growth.iter().filter(is).count()
    };
    assert!(growth.iter().all(|point| point["verdict"] == "equal"), "{report}");
    // What is told is what was measured: all but the elements of a row are divided by the scale.
    let last = |sweep: &str| growth.iter().rfind(|point| point["sweep"] == sweep).unwrap();
    for (sweep, value, rows, updates) in [
        ("updates", 2097, 200, 2097),
        ("rows of self", 1048, 1048, 1048),
        ("elements of a row", 4096, 4, 4),
        ("distinct rows", 200, 200, 1048),
    ] {
        let told = ["value", "rows", "updates"].map(|size| last(sweep)[size].clone());
        assert_eq!(told, [value, rows, updates].map(Value::from), "{sweep}");
    }
    for sweep in ["updates", "rows of self", "elements of a row", "distinct rows"] {
        assert!(of(sweep, 1) > 5 && of(sweep, 1) == of(sweep, 2), "{sweep}");
    }
}

/// A peer with three candidates: one returns zeros, one can't run any workload, and one writes no
/// result.
const PEER: &str = r#"
echo '{"candidates": [{"name": "zeros", "threads": 1}, {"name": "idle", "threads": 2}, {"name": "mute", "threads": 1}]}'
while read -r question; do
    case $question in
    *'"ask":"load"'*) echo '{"not_applicable": [null, "no hands", null]}' ;;
    *'"ask":"check","candidate":2'*) echo '{"seconds": 0.5}' ;;
    *'"ask":"check"'*)
        file=${question##*'"file":"'}
        head -c "$BYTES" /dev/zero > "${file%%'"'*}"
        echo '{"seconds": 0.5}' ;;
    *'"ask":"time"'*) echo '{"seconds": 0.25}' ;;
    *) echo '{}' ;;
    esac
done
"#;

/// The options of a benchmark with [`PEER`], which is written to this folder, on the histogram of
/// 1,024 bins. The peer's result has `bytes` bytes.
fn with_peer(folder: &Path, bytes: &str) -> Vec<String> {
    let peer = folder.join("peer.sh");
    std::fs::write(&peer, PEER).unwrap();
    let peer = format!("env BYTES={bytes} sh {}", peer.display());
    vec!["--workload".to_owned(), "histogram-i32".to_owned(), "--peer".to_owned(), peer]
}

#[test]
fn a_peer_with_another_result_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let output = |bytes| {
        let assert = bench(&[]).args(with_peer(folder.path(), bytes)).assert().code(1);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let zeros = output("4096");
    assert!(zeros.contains("WRONG: element 0: got 0, expected "), "{zeros}");
    assert!(zeros.contains("n/a: no hands"), "{zeros}");
    assert!(zeros.contains("WRONG: no result was written"), "{zeros}");
    assert!(output("4092").contains("WRONG: 1023 elements, expected 1024"));
}

#[test]
fn a_peer_with_another_result_is_found_out_without_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let peer = with_peer(folder.path(), "4096");
    let peer: Vec<_> = peer.iter().map(String::as_str).collect();
    let arguments = ["bench", "--scale", SCALE, "--repeats", "1", "--threads", "1"];
    assert_eq!(program::without_reader(&[&arguments[..], &peer].concat()), (1, String::new()));
}

#[test]
fn a_peer_that_cannot_be_asked_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("bench.json");
    std::fs::write(&json, "a report").unwrap();
    for (peer, told) in [("/no/such/program", "/no/such/program: "), ("true", "true: the peer has ended")] {
        let mut bench = bench(&["--workload", "small", "--peer", peer]);
        let assert = bench.arg("--json").arg(&json).assert().code(2);
        let error = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(error.contains(told) && error.lines().count() == 1, "{error}");
        assert_eq!(std::fs::read_to_string(&json).unwrap(), "a report");
    }
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
        // Each is an option of the engines, and none of what times the CPU engine alone.
        (["--limits", "--engine=kernel"], "--engine <NAME>"),
        (["--growth", "--engine=reference"], "--engine <NAME>"),
        (["--growth", "--pattern=sweep"], "--pattern <NAME>"),
        (["--limits", "--pattern=sweep"], "--pattern <NAME>"),
        (["--limits", "--c-libraries=/lib"], "--c-libraries <DIR>"),
        (["--peer=true", "--pattern=sweep"], "--pattern <NAME>"),
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
