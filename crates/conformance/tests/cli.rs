//! The program from outside: options, exit codes, reports, and files that are broken. Nothing here depends on how long
//! anything takes.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod vectors_folder;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use vectors_folder::{Folder, safetensors};

/// The program with these arguments: exit code, output, complaint.
fn conformance(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Expects exit code 2 and one line, which is returned.
fn complaint(arguments: &[&str]) -> String {
    let (code, out, err) = conformance(arguments);
    assert_eq!((code, err.lines().count()), (2, 1), "{arguments:?}: {out}{err}");
    assert!(err.starts_with("error: "), "{err}");
    err
}

#[test]
fn a_run_passes_on_every_engine() {
    let (code, out, err) = conformance(&["--cases", "400", "--threads", "2"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for line in
        ["reference  vectors", "reference  matrix", "cpu        vectors", "cpu        refusals", "total "]
    {
        assert!(out.contains(line), "no {line:?} in\n{out}");
    }
    for reason in
        ["a bool has no mean", "complex numbers have no order", "scatter_reduce/max-without-self/complex64"]
    {
        assert!(out.contains(reason), "no {reason:?} in\n{out}");
    }
    assert!(out.ends_with("every case passed\n"), "{out}");
}

#[test]
fn a_list_honours_every_filter() {
    let list = |arguments: &[&str]| {
        let (code, out, _) = conformance(&[&["--list"], arguments].concat());
        assert_eq!(code, 0);
        out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = list(&["--cases", "700"]);
    let of = |family: &str| all.iter().filter(|name| name.starts_with(family)).count();
    assert_eq!(of("matrix/"), 700);
    assert!(of("vectors/") > 5900 && of("refusals/") > 4000);
    assert_eq!(all.len(), of("matrix/") + of("vectors/") + of("refusals/"));

    assert!(list(&["--filter", "/negative/"]).iter().all(|name| name.contains("/negative/")));
    let one = list(&["--op", "scatter_nd_add", "--dtype", "bf16", "--filter", "matrix/"]);
    assert!(one.len() > 100 && one.iter().all(|name| name.starts_with("matrix/scatter_nd_add/bf16/")));
    // One more seed, other cases; the same seed, the same.
    assert_ne!(all, list(&["--cases", "700", "--seed", "43"]));
    assert_eq!(all, list(&["--cases", "700", "--seed", "42"]));
    // A whole name is that case alone, though it is in no sample of one.
    let last = all.iter().rfind(|name| name.starts_with("matrix/")).unwrap();
    assert_eq!(list(&["--cases", "1", "--filter", last]), [last.as_str()]);
}

#[test]
fn full_has_every_operator_dtype_and_reduction() {
    let (_, out, _) = conformance(&["--list", "--full", "--filter", "matrix/"]);
    assert!(out.lines().count() >= 20_000, "{}", out.lines().count());
    let dtypes = "bf16 f16 f32 f64 i64 i32 i16 i8 u8 bool complex64 complex128".split(' ');
    let reductions = ["none", "add", "multiply", "max", "min", "mean"];
    let (_, sampled, _) = conformance(&["--list", "--filter", "matrix/"]);
    for dtype in dtypes {
        let reduced = reductions.iter().filter(|reduce| match **reduce {
            "max" | "min" => !dtype.starts_with("complex"),
            "mean" => dtype != "bool",
            _ => true,
        });
        let of_reduction = reduced.flat_map(|reduce| {
            ["scatter/{}/", "scatter_value/{}/", "scatter_reduce/{}/", "scatter_reduce/{}-without-self/"]
                .map(|form| form.replace("{}", reduce))
        });
        let plain = ["scatter_add/", "scatter_nd_add/", "scatter_src_grad/"].map(str::to_owned);
        for form in of_reduction.chain(plain) {
            let name = format!("\nmatrix/{form}{dtype}/");
            assert!(format!("\n{out}").contains(&name), "no {name} in the matrix");
            assert!(format!("\n{sampled}").contains(&name), "no {name} in the sample");
        }
    }
}

#[test]
fn bad_options_are_told_on_one_line() {
    for (arguments, told) in [
        (&["--engine", "npu"][..], "unknown engine \"npu\": expected reference or cpu"),
        (&["--op", "scatter_max"], "\"scatter_max\" is not scatter_add, scatter"),
        (&["--dtype", "f8"], "unknown dtype \"f8\""),
        (&["--cases", "many"], "invalid value 'many' for '--cases <N>'"),
        (&["--threads", "0"], "0 is not in 1..=1024"),
        (&["--full", "--cases", "3"], "cannot be used with"),
        (&["--filter", "no such case"], "no case matches --filter \"no such case\""),
        (&["--fast"], "unexpected argument '--fast'"),
        (&["--json", "no/such/folder/report.json", "--cases", "1"], "no/such/folder/report.json: "),
        (&["--vectors", "no/such/folder"], "no/such/folder/manifest.json: "),
        (&["run"], "<FILE>"),
    ] {
        let complaint = complaint(arguments);
        assert!(complaint.contains(told), "{arguments:?}: {complaint}");
    }
}

#[test]
fn help_and_version_are_output() {
    let (code, out, err) = conformance(&["--help"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("--filter <TEXT>") && out.contains("bench"), "{out}");
    assert_eq!(conformance(&["--version"]).1, format!("conformance {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_json_says_what_the_table_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let (code, ..) =
        conformance(&["--filter", "scatter_add/f32", "--cases", "50", "--json", file.to_str().unwrap()]);
    let report: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!((code, &report["failed"], &report["seed"]), (0, &Value::from(0), &Value::from(42)));
    let matrix = |row: &&Value| row["engine"] == "cpu" && row["family"] == "matrix";
    let row = report["rows"].as_array().unwrap().iter().find(matrix).unwrap();
    assert_eq!((&row["cases"], &row["passed"]), (&Value::from(50), &Value::from(50)));
    assert_eq!(report["engines"][1]["settings"][0], "1 thread");
}

#[test]
fn a_folder_of_vectors_is_read_like_the_programs_own() {
    let folder = Folder::new();
    let vectors = folder.path().to_str().unwrap();
    let (code, out, _) = conformance(&["--vectors", vectors, "--filter", "vectors/"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("cpu        vectors          4        4       0"), "{out}");
}

#[test]
fn a_difference_is_reported_with_its_replay() {
    let folder = Folder::new();
    folder.edit("manifest.json", "\"tensor\":\"expected\"", "\"tensor\":\"self\"");
    let vectors = folder.path().to_str().unwrap();
    let json = folder.path().join("report.json");
    let arguments = ["--vectors", vectors, "--filter", "vectors/", "--json", json.to_str().unwrap()];
    let (code, out, _) = conformance(&arguments);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("4 failed; the smallest:\n  vectors/sum/in-place on reference"), "{out}");
    assert!(out.contains("expected 1.0 (0x3f800000), got 9.0 (0x41100000); 1 of"), "{out}");
    let replay = out.lines().last().unwrap().trim().to_owned();
    let report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let failures = report["failures"].as_array().unwrap();
    assert_eq!((failures.len(), &report["failed"]), (4, &Value::from(4)));
    assert!(failures.iter().any(|failure| failure["replay"] == replay.as_str()), "{replay}");
    assert!(failures.iter().all(|failure| failure["coordinates"] == serde_json::json!([0])));

    // The command as it is printed, without cargo's part and the shell's quotes.
    let printed = replay.strip_prefix("cargo run --release -- ").unwrap().replace('\'', "");
    let (code, out, _) = conformance(&printed.split(' ').collect::<Vec<_>>());
    assert_eq!(code, 1);
    assert!(out.contains("1 failed; the smallest:\n  vectors/sum/in-place on reference"), "{out}");
}

#[test]
fn broken_vectors_are_told_with_file_and_case() {
    let break_one = |change: &dyn Fn(&Folder)| {
        let folder = Folder::new();
        change(&folder);
        complaint(&["--vectors", folder.path().to_str().unwrap()])
    };
    for (from, to, told) in [
        ("{\n\"format\"", "\"format\"", "manifest.json: invalid type: string"),
        ("\"format\": 1", "\"format\": 2", "manifest.json: format 2 is not known"),
        (
            "\"op\":\"scatter_add\"",
            "\"op\":\"scatter_sub\"",
            "manifest.json: case sum: op: \"scatter_sub\" is not",
        ),
        ("\"dim\":0,", "", "manifest.json: case sum: dim is missing"),
        ("\"dim\":0,", "\"dim\":0,\"value\":{\"int\":1},", "case sum: value does not go with scatter_add"),
        (
            "\"tensor\":\"src\"",
            "\"tensor\":\"nothing\"",
            "case sum: no tensor \"nothing\" in sum.safetensors",
        ),
        (
            "\"tensor\":\"src\"",
            "\"tensor\":\"index\"",
            "case sum: tensor \"index\" has dtype i64, expected f32",
        ),
        ("\"dtype\":\"f32\"", "\"dtype\":\"f31\"", "case sum: dtype: \"f31\" is not a dtype"),
        (
            "\"shape\":[2],\"strides\":[1]",
            "\"shape\":[2],\"strides\":[3]",
            "elements 0 to 3 of the storage are addressed",
        ),
        (
            "\"shape\":[2],\"strides\":[1]",
            "\"shape\":[2],\"strides\":[1,1]",
            "1 strides expected, one per axis, got 2",
        ),
        (
            "\"shape\":[3]}",
            "\"shape\":[2]}",
            "case sum: expected has shape [2], which is not the result's [3]",
        ),
        ("\"name\":\"max\"", "\"name\":\"sum\"", "case sum: there are two cases of this name"),
        ("\"file\":\"sum.safetensors\"", "\"file\":\"mum.safetensors\"", "mum.safetensors: "),
        (
            "\"kind\":\"bits\"",
            "\"kind\":\"bound\",\"tensor\":\"self\"",
            "tensor \"self\" has dtype f32, expected f64",
        ),
    ] {
        let complaint = break_one(&|folder| folder.edit("manifest.json", from, to));
        assert!(complaint.contains(told), "{from} as {to}: {complaint}");
    }
    let truncated = break_one(&|folder| folder.truncate("sum.safetensors"));
    assert!(truncated.contains("sum.safetensors: "), "{truncated}");
    let gone = break_one(&|folder| fs::remove_file(folder.path().join("sum.safetensors")).unwrap());
    assert!(gone.contains("sum.safetensors: "), "{gone}");
}

/// A file of `[1, 2, 3]`, index `[0, -3]`, src `[4, 4]`, which add up to `[9, 2, 3]`.
fn own_tensors(path: &Path, expected: Option<[f32; 3]>, metadata: &[(&str, &str)]) -> String {
    let mut tensors = vec![
        ("self", "F32", vec![3], bytes(&[1.0, 2.0, 3.0])),
        ("index", "I64", vec![2], [0_i64, -3].iter().flat_map(|value| value.to_le_bytes()).collect()),
        ("src", "F32", vec![2], bytes(&[4.0, 4.0])),
    ];
    tensors.extend(expected.map(|expected| ("expected", "F32", vec![3], bytes(&expected))));
    let file = path.join("own.safetensors");
    fs::write(&file, safetensors(&tensors, metadata)).unwrap();
    file.to_str().unwrap().to_owned()
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn own_tensors_are_run_on_every_engine() {
    let folder = tempfile::tempdir().unwrap();
    let file = own_tensors(folder.path(), Some([9.0, 2.0, 3.0]), &[]);
    let (code, out, _) = conformance(&["run", &file, "--dim", "0"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("scatter_add(dim = 0): self f32 [3], index i64 [2], src f32 [2]"), "{out}");
    assert!(
        out.contains("cpu, 1 thread: the same, bit for bit") && out.contains("compared with the file's"),
        "{out}"
    );

    // What the file says of itself, and options before that.
    let file = own_tensors(
        folder.path(),
        Some([4.0, 2.0, 3.0]),
        &[("op", "scatter_reduce"), ("dim", "-1"), ("reduce", "max")],
    );
    let (code, out, _) = conformance(&["run", &file, "--engine", "cpu"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.starts_with("scatter_reduce(dim = -1, reduce = max)") && !out.contains("reference,"),
        "{out}"
    );
    let (code, out, _) = conformance(&["run", &file, "--reduce", "add", "--exclude-self"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.starts_with("scatter_reduce(dim = -1, reduce = add, include_self = false)"), "{out}");
    assert!(out.contains("out[0] (element 3 of the storage): expected 4.0 (0x40800000), got 8.0"), "{out}");
    let (code, out, _) = conformance(&[
        "run",
        &own_tensors(folder.path(), None, &[]),
        "--op",
        "scatter_value",
        "--dim",
        "0",
        "--value",
        "-1.5",
    ]);
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("scatter_value(dim = 0, value = -1.5, reduce = none)"), "{out}");
}

#[test]
fn own_tensors_that_do_not_go_together_are_refused_on_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = own_tensors(folder.path(), Some([9.0, 2.0, 3.0]), &[]);
    for (arguments, told) in [
        (&["--dim", "1"][..], "own.safetensors: refused: scatter_add: dim: -1 to below 1 expected, got 1"),
        (&[], "own.safetensors: dim is missing"),
        (&["--dim", "0", "--reduce", "add"], "reduce does not go with scatter_add"),
        (&["--dim", "0", "--reduce", "mul"], "unknown reduce \"mul\""),
        (&["--dim", "0", "--dtype", "complex64"], "tensor \"self\" has shape [3], expected two parts"),
        (&["--dim", "0", "--dtype", "i8"], "tensor \"self\" has dtype f32, expected i8"),
        (&["--dim", "0", "--engine", "npu"], "unknown engine"),
        (&["--op", "scatter_value", "--dim", "0", "--value", "much"], "\"much\" is not a number"),
    ] {
        let complaint = complaint(&[&["run", &file], arguments].concat());
        assert!(complaint.contains(told), "{arguments:?}: {complaint}");
    }
    let (short, bad) = (folder.path().join("short.safetensors"), folder.path().join("bad.safetensors"));
    fs::write(&short, &fs::read(&file).unwrap()[..90]).unwrap();
    assert!(complaint(&["run", short.to_str().unwrap(), "--dim", "0"]).contains("short.safetensors: "));
    fs::write(&bad, safetensors(&[("self", "F32", vec![3], bytes(&[0.0; 3]))], &[])).unwrap();
    assert!(complaint(&["run", bad.to_str().unwrap(), "--dim", "0"]).contains("no tensor \"index\" in "));
    assert!(complaint(&["run", "no-such-file"]).contains("no-such-file: "));
}
