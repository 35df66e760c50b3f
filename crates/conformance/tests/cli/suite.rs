//! Tests of the suite: runs, lists, filters, options and the JSON report.

use std::fs;

use scatter::{DType, Operator, Parameter, Reduce};
use serde_json::Value;

use crate::program::{complaint, conformance};

#[test]
fn a_run_passes_on_every_engine() {
    // One dtype of each kind; `cargo run --release` runs all.
    let dtypes = ["--dtype", "bool,i32,f32,complex64"];
    let sample = ["--cases", "400", "--threads", "2", "--quiet"];
    let (code, out, err) = conformance(&[&sample[..], &dtypes].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for line in [
        "reference  vectors",
        "reference  matrix",
        "cpu        vectors",
        "cpu        refusals",
        "kernel     vectors",
        "c-abi      matrix",
        "aclnn      vectors",
        "aclnn-any  refusals",
        "total ",
    ] {
        assert!(out.contains(line), "no {line:?} in\n{out}");
    }
    for reason in [
        "a bool has no mean",
        "complex numbers have no order",
        "scatter_reduce/max-without-self/complex64",
        "the C ABI has no negative strides",
        "self, src and out have one dtype by their types",
    ] {
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
    // Another seed gives other cases, the same seed the same cases.
    assert_ne!(all, list(&["--cases", "700", "--seed", "43"]));
    assert_eq!(all, list(&["--cases", "700", "--seed", "42"]));
    // A complete name selects that case, though a sample of one case wouldn't contain it.
    let last = all.iter().rfind(|name| name.starts_with("matrix/")).unwrap();
    assert_eq!(list(&["--cases", "1", "--filter", last]), [last.as_str()]);
}

#[test]
fn full_has_every_operator_dtype_and_reduction() {
    // Each name after a line feed, the first as well.
    let list = |arguments: &[&str]| {
        let (_, out, _) = conformance(&[&["--list", "--filter", "matrix/"], arguments].concat());
        format!("\n{out}")
    };
    let (out, sampled) = (list(&["--full"]), list(&[]));
    assert!(out.lines().count() > 20_000, "{}", out.lines().count());
    for (operator, dtype) in Operator::ALL.into_iter().flat_map(|of| DType::ALL.map(|dtype| (of, dtype))) {
        for form in forms(operator, dtype) {
            let name = format!("\nmatrix/{form}/{dtype}/");
            assert!(out.contains(&name), "no {name} in the matrix");
            assert!(sampled.contains(&name), "no {name} in the sample");
        }
    }
}

/// The forms of an operator with a dtype, as they are written in the names of cases: what follows
/// from the parameters that it takes.
fn forms(operator: Operator, dtype: DType) -> Vec<String> {
    let takes = |parameter| operator.takes(parameter);
    let has = |reduce: Reduce| reduce.missing_for(dtype).is_none();
    let reductions: &[Reduce] = if takes(Parameter::Reduce) {
        &Reduce::ALL
    } else if takes(Parameter::Accumulate) {
        &[Reduce::None, Reduce::Add]
    } else {
        &[]
    };
    let mut forms = Vec::new();
    for reduce in reductions.iter().filter(|&&reduce| has(reduce)) {
        forms.push(format!("{operator}/{reduce}"));
        if takes(Parameter::IncludeSelf) {
            forms.push(format!("{operator}/{reduce}-without-self"));
        }
    }
    if reductions.is_empty() {
        forms.push(operator.to_string());
    }
    if takes(Parameter::Scale) && has(Reduce::Mean) {
        forms.push(format!("{operator}/scaled"));
    }
    forms
}

#[test]
fn bad_options_are_told_on_one_line() {
    for (arguments, told) in [
        (
            &["--engine", "npu"][..],
            "unknown engine \"npu\": expected reference or cpu or kernel or c-abi or device-c-abi or aclnn or aclnn-any",
        ),
        (
            &["--c-libraries", "no/such/folder"],
            "engine c-abi, dlopen: no/such/folder/libaclnn_scatter.so: No such",
        ),
        (&["--op", "scatter_max"], "\"scatter_max\" is not scatter_add, scatter"),
        (&["--dtype", "f8"], "unknown dtype \"f8\""),
        (&["--cases", "many"], "invalid value 'many' for '--cases <N>'"),
        (&["--threads", "0"], "0 is not in 1..=1024"),
        (&["--full", "--cases", "3"], "cannot be used with"),
        (&["--filter", "no such case"], "no case matches --filter \"no such case\""),
        (
            &["--engine", "c-abi", "--op", "scatter_src_grad", "--cases", "20"],
            "no case can be run on c-abi (the C ABI has no function of this name: it is aclnnGather)",
        ),
        (&["--fast"], "unexpected argument '--fast'"),
        (&["--json", "no/such/folder/report.json", "--cases", "1"], "no/such/folder/report.json: "),
        (&["--vectors", "no/such/folder"], "no/such/folder/manifest.json: "),
        (&["run"], "<FILE>"),
        #[cfg(not(feature = "cost"))]
        (&["cost"], "cost: needs the feature cost: cargo run --release --features cost -- cost"),
    ] {
        let complaint = complaint(arguments);
        assert!(complaint.contains(told), "{arguments:?}: {complaint}");
    }
}

/// A report that is there already is lost when a run begins, and not by a mistake in the options.
#[test]
fn a_report_survives_options_that_can_not_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report");
    let same = folder.path().join("./report");
    fs::write(&file, "a report").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let [file, same, link] = [&file, &same, &link].map(|path| path.to_str().unwrap());
    for arguments in [
        &["--filter", "no such case"][..],
        &["--engine", "c-abi", "--op", "scatter_src_grad", "--cases", "20"],
        &["--html", same, "--cases", "1", "--filter", "matrix/"],
        &["--html", link, "--cases", "1", "--filter", "matrix/"],
        &["--html", "no/such/folder/report", "--cases", "1", "--filter", "matrix/"],
    ] {
        complaint(&[&["--json", file], arguments].concat());
        assert_eq!(fs::read_to_string(file).unwrap(), "a report", "{arguments:?}");
    }
    let told = complaint(&["--json", file, "--html", same, "--cases", "1"]);
    assert!(told.contains("report: two different files expected for two reports"), "{told}");
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
