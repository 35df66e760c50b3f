//! Runs `conformance cost` as a process, at small sizes.

// clippy.toml allows this in test functions only, not in their helpers.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use serde_json::Value;

/// Runs `cost` and returns the exit code, the output and the error output.
fn cost(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
    let output = command.args(["cost", "--scale", "2000"]).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Runs `cost` and returns the output and the bytes of the `--json` file.
fn told(arguments: &[&str]) -> (String, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cost.json");
    let (code, out, err) = cost(&[&["--json", file.to_str().unwrap()], arguments].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    (out, std::fs::read(file).unwrap())
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let report: Value = serde_json::from_slice(&told(arguments).1).unwrap();
    report["workloads"].as_array().unwrap().clone()
}

#[test]
fn no_figure_depends_on_threads_or_on_the_order_that_the_model_takes() {
    let workloads = ["--workload", "embedding,moe-full,dim1-i8,histogram,pairs,value"];
    let of = |arguments: &[&str]| told(&[&workloads, arguments].concat());
    let expected = of(&[]);
    for other in [
        &["--threads", "1"][..],
        &["--threads", "3"],
        &["--strict", "1", "--threads", "1"],
        &["--strict", "2", "--threads", "2"],
    ] {
        assert!(of(other) == expected, "{other:?}: {}\n{}", of(other).0, expected.0);
    }
}

#[test]
fn every_workload_has_its_algorithms_one_of_which_the_plan_takes() {
    let workloads = json(&[]);
    assert!(workloads.len() > 30);
    for workload in &workloads {
        let ours = workload["ours"].as_array().unwrap();
        assert_eq!(ours.iter().filter(|ours| ours["chosen"] == true).count(), 1, "{workload}");
        assert!(ours.iter().any(|ours| ours["algorithm"] == "general"), "{workload}");
        for ours in ours {
            let [cautious, hopeful, halved, doubled] =
                [0, 1, 2, 3].map(|setting| ours["nanoseconds"][setting].as_u64().unwrap());
            let is_ordered = hopeful <= cautious && halved <= cautious && cautious <= doubled;
            assert!(hopeful > 0 && is_ordered, "{workload}");
        }
        assert_eq!(workload["errors"].as_array().map(Vec::len), Some(0), "{workload}");
        assert_ne!(workload["cann"].is_null(), workload["no_cann"].is_null(), "{workload}");
    }
    let of = |name: &str| workloads.iter().find(|workload| workload["workload"] == name).unwrap();
    let by_rows =
        |name: &str| of(name)["ours"].as_array().unwrap().iter().any(|ours| ours["algorithm"] == "rows");
    assert!(by_rows("embedding") && by_rows("pairs") && !by_rows("dim1"));
    for (name, kernel) in [
        ("embedding", "ScatterAddWithSorted"),
        ("embedding-full", "ScatterElementsV2"),
        ("dim0", "ScatterElementsV2"),
        ("histogram", "ScatterElementsV2"),
        ("gather", "GatherV2"),
        ("gather-full", "GatherElementsV2"),
        ("gather-line", "GatherElementsV2"),
        ("cache-prefill", "Scatter"),
    ] {
        assert_eq!(of(name)["cann"][0]["kernel"], kernel, "{name}");
    }
    for (name, reason) in [
        ("dim1-i64", "AI CPU"),
        ("multiply", "only what a sum"),
        ("pairs", "not known"),
        ("gather-dim1-i8", "GatherElements"),
    ] {
        assert!(of(name)["no_cann"].as_str().unwrap().contains(reason), "{name}");
    }
}

#[test]
fn bytes_are_those_that_the_kernels_must_move() {
    let embedding = &json(&["--workload", "embedding", "--algorithm", "rows"])[0];
    let [rows] = embedding["ours"].as_array().unwrap().as_slice() else { unreachable!() };
    let field = |name: &str| rows["mte2"][name].as_u64().unwrap();
    // src has 32 rows of 1 KiB; self's rows that get updates are read too.
    assert_eq!(embedding["index_shape"], serde_json::json!([32, 256]));
    assert!(field("bytes") > 32 * 1024 && field("bytes") < 64 * 1024 + 48 * 512, "{rows}");
    // The vector unit adds as many bytes. self's rows with updates are both read and written.
    assert!(rows["vector"]["bytes"].as_u64().unwrap() >= 32 * 1024, "{rows}");
    let (read, written) = (field("bytes"), rows["mte3"]["bytes"].as_u64().unwrap());
    assert!(read - 32 * 1024 > written / 2 && written <= 25 * 1024 + 48 * 64, "{rows}");
    // A gather reads each of its 131 rows once, and writes it and the status words of each block.
    let gather = &json(&["--workload", "gather", "--algorithm", "rows"])[0];
    assert_eq!(gather["index_shape"], serde_json::json!([131, 256]));
    let moved = |pipe: &str| gather["ours"][0][pipe]["bytes"].as_u64().unwrap();
    assert!((131 * 1024 + 131 * 8..131 * 1024 + 48 * 64).contains(&moved("mte2")), "{gather}");
    assert!((131 * 1024..=131 * 1024 + 48 * 64).contains(&moved("mte3")), "{gather}");
}

#[test]
fn workloads_and_algorithms_are_chosen_by_name() {
    let (out, _) = told(&["--workload", "small,embedding", "--algorithm", "general"]);
    let lines = |start: &str| out.lines().filter(|line| line.starts_with(start)).count();
    let (chosen, _) = told(&["--workload", "small,embedding", "--chosen"]);
    let starts = ["    general", "    rows", "    elements", "    windows"];
    let others = chosen.lines().filter(|line| starts.iter().any(|start| line.starts_with(start)));
    let taken = chosen.lines().filter(|line| line.starts_with("  * "));
    assert_eq!((taken.count(), others.count()), (2, 0), "{chosen}");
    // The plan chooses another algorithm for both.
    assert_eq!((lines("    general"), lines("  * general"), lines("  * rows")), (2, 0, 0), "{out}");
    assert!(out.contains("embedding: f32 [25, 256] += [32, 256], 8192 elements"), "{out}");
    for (arguments, named) in [
        (["--workload", "chess"], "chess"),
        (["--algorithm", "abacus"], "expected general or rows"),
        (["--scale", "0"], "scale"),
        (["--strict", "x"], "strict"),
        (["--json", "/no/such/folder/cost.json"], "/no/such/folder/cost.json"),
    ] {
        let (code, out, err) = cost(&arguments);
        assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{arguments:?}: {err}");
        assert!(err.contains(named), "{arguments:?}: {err}");
    }
}

#[test]
fn an_algorithm_that_can_compute_nothing_is_told() {
    let (code, out, err) = cost(&["--workload", "embedding,moe", "--algorithm", "windows"]);
    assert_eq!((code, err.lines().count()), (2, 1), "{out}{err}");
    assert_eq!(
        out.matches("    windows   not applicable: scatter_add: src that replaces").count(),
        2,
        "{out}"
    );
    let told = "error: no case can be run on the kernels by windows (scatter_add: src that replaces";
    assert!(err.starts_with(told), "{err}");
    // It is enough to compute one of the workloads.
    let (code, out, err) = cost(&["--workload", "embedding,embedding-replace-i8", "--algorithm", "windows"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("not applicable: ").count(), 1, "{out}");
}

#[test]
fn a_device_may_have_fewer_cores() {
    let of = |cores: &str| {
        let workloads = json(&["--workload", "embedding,histogram,steep", "--cores", cores]);
        workloads
            .iter()
            .map(|workload| {
                let ours = workload["ours"].as_array().unwrap().last().unwrap().clone();
                let blocks = |path: &Value| path["blocks"].as_u64().unwrap();
                (blocks(&ours), blocks(&workload["cann"][0]))
            })
            .collect::<Vec<_>>()
    };
    for cores in [1, 20] {
        let all = of(&cores.to_string());
        assert_eq!(all.len(), 3);
        assert!(all.iter().all(|&(ours, cann)| ours <= cores && cann <= cores), "{all:?}");
    }
    assert!(of("48").iter().any(|&(ours, _)| ours > 20));
    assert_eq!(cost(&["--cores", "49"]).0, 2);
}

#[test]
fn the_table_is_held_against_published_times() {
    let published = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
        let output = command.args(["cost", "--published"]).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
        String::from_utf8(output.stdout).unwrap()
    };
    let table = published();
    let lines = |start: &str| table.lines().filter(|line| line.starts_with(start)).count();
    let kinds =
        ["scatter", "InplaceMasked", "4-byte", "the same", "gather", "embedding", "swiglu", "sort and mask"];
    assert_eq!(kinds.map(lines), [5, 1, 1, 3, 4, 5, 3, 1], "{table}");
    assert_eq!(table, published());
    // `--published` excludes all other options.
    assert_eq!(cost(&["--published"]).0, 2);
}

#[test]
fn a_missed_bar_shows_at_its_workload() {
    // The workload `small` isn't divided, so its figures are those of the table's scale.
    let small = |arguments: &[&str]| told(&[&["--workload", "small"], arguments].concat()).0;
    assert!(!small(&[]).contains("bars"), "there are none for this scale");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cost.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
    let output = command.args(["cost", "--workload", "small", "--json", file.to_str().unwrap()]).output();
    let out = String::from_utf8(output.unwrap().stdout).unwrap();
    let report: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let [small] = report["workloads"].as_array().unwrap().as_slice() else { unreachable!() };
    let [bar] = small["bars"].as_array().unwrap().as_slice() else { unreachable!("{small}") };
    assert_eq!(bar["need"], "no slower than CANN");
    assert_eq!(bar["holds"].as_array().map(Vec::len), Some(4));
    assert_eq!(bar["missed"], bar["holds"][0] == false);
    assert_eq!(out.contains("MISSED, "), bar["missed"] == true, "{out}");
    assert!(out.contains("of 1 workloads reach their bars"), "{out}");
}

#[test]
fn the_table_of_the_documents_is_markdown() {
    // Workloads of integers come last, under a heading of their own.
    let (out, _) = told(&["--workload", "embedding,embedding-replace-i8,pairs", "--markdown"]);
    let lines: Vec<_> = out.lines().collect();
    let [head, rule, embedding, pairs, "", other_head, other_rule, integers] = lines[..] else {
        unreachable!("{out}")
    };
    let cells = |line: &&str| line.matches('|').count();
    assert!(lines.iter().filter(|line| !line.is_empty()).map(cells).all(|cells| cells == 13), "{out}");
    assert!(head.starts_with("| workload | by |") && rule.starts_with("|---|"), "{out}");
    assert_eq!((other_head, other_rule), (head, rule));
    assert!(embedding.starts_with("| embedding: f32 [25, 256] += [32, 256] | rows |"), "{out}");
    assert!(integers.starts_with("| embedding-replace-i8: i8 [25, 256] = [32, 256] | windows |"), "{out}");
    assert!(pairs.contains("| - | - | - | -, - | - |"), "{out}");
}

#[test]
fn ratios_are_told_on_every_device() {
    let (code, out, err) = cost(&["--workload", "embedding,pairs,small", "--every-cores"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let names: Vec<_> = out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names[..4], ["CANN's", "embedding", "small", "pairs"], "{out}");
    assert!(
        out.contains("20 cores  40 cores  48 cores   us on 950") && out.contains("of 2 workloads"),
        "{out}"
    );
    assert_eq!(cost(&["--every-cores", "--cores", "20"]).0, 2);
}
