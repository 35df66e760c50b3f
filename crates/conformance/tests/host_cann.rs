//! The engines on host-cann: that nothing leaks, its libraries, and a stand-in for a device. This
//! is a separate test program, because other tests must not look for the libraries while they are
//! built.

// clippy.toml allows these in test functions only, not in their helpers.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use conformance::Exit;
use serde_json::Value;

#[path = "../../../tests/processes/libraries.rs"]
mod built;
#[path = "cli/page.rs"]
mod page;
#[path = "cli/program.rs"]
mod program;
#[path = "host_cann/report.rs"]
mod report;

use program::conformance;

/// Dtypes of each kind and of several sizes: complex64, because the calls that break a rule are of
/// it, and not f32, because the large calls with bad indices are of it and take long. Every dtype
/// is in `a_stand_in_with_operators_of_its_own_passes` and in `cargo run --release`.
const SOME_DTYPES: &str = "bool,bf16,i32,complex64";

/// Runs the suite in this process.
fn run(arguments: &[&str]) -> (Exit, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["conformance"].iter().chain(arguments).map(Into::into);
    let exit = conformance::main(arguments, &mut out, &mut err);
    (exit, String::from_utf8([out, err].concat()).unwrap())
}

#[test]
fn a_run_leaves_nothing_on_the_device() {
    let (exit, out) = run(&[
        "--engine",
        "c-abi,aclnn,aclnn-any",
        "--cases",
        "500",
        "--threads",
        "3",
        "--dtype",
        SOME_DTYPES,
    ]);
    assert_eq!(exit, Exit::Same, "{out}");
    let left = host_cann::Counters::now();
    assert_eq!(aclnn_scatter::live_executors(), 0);
    assert_eq!((left.device_allocations, left.device_bytes), (0, 0), "{left}");
    assert_eq!((left.tensors, left.scalars, left.executors), (0, 0, 0), "{left}");
    // What the engine c-abi keeps: a context, and at most one stream per thread.
    assert!(left.contexts == 1 && left.streams <= 3, "{left}");
}

/// The folder of the libraries, which are built once: host-cann, our operators, kernels that stand
/// in for those of a device, and a stand-in for CANN's own operators.
fn libraries() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> =
        LazyLock::new(|| built::build(env!("CARGO"), env!("CARGO_TARGET_TMPDIR")));
    &FOLDER
}

#[test]
fn the_libraries_are_opened_where_they_are_said_to_be() {
    let folder = libraries().to_str().unwrap();
    let engines = "c-abi,aclnn,aclnn-any";
    let sample = ["--cases", "500", "--threads", "2", "--dtype", SOME_DTYPES];
    let arguments = [&["--quiet", "--engine", engines, "--c-libraries", folder], &sample[..]].concat();
    let (code, out, err) = conformance(&arguments);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches(&format!("linked; dlopen of {folder}\n")).count(), 3, "{out}");
    for row in ["c-abi      matrix         ", "aclnn      matrix         ", "aclnn-any  matrix         "] {
        assert!(out.contains(row), "no {row:?} in\n{out}");
    }
    assert!(out.ends_with("every case passed\n"), "{out}");
}

/// Makes device memory inaccessible to the host.
const NO_ACCESS: (&str, &str) = ("HOST_CANN_HOST_ACCESS", "0");
/// Hides host-cann's extensions to CANN.
const WITHOUT_EXTENSION: &[(&str, &str)] = &[("HOST_CANN_EXTENSION", "0"), NO_ACCESS];

/// Runs the engine `device` on host-cann without its extensions, which stands in for a device.
fn on_stand_in(cann: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String) {
    let variables = [WITHOUT_EXTENSION, variables].concat();
    run_on("device", cann.as_os_str(), &variables, arguments)
}

/// Runs the program with all these arguments on the stand-in.
fn on_stand_in_by(first: &[&str], second: &[&str], third: &[&str]) -> (i32, String) {
    let cann = libraries().join("libhost_cann.so");
    told(cann.as_os_str(), WITHOUT_EXTENSION, &[first, second, third].concat())
}

/// Runs an engine on a CANN of these libraries, with the kernels that stand in for those of a
/// device.
fn run_on(engine: &str, cann: &OsStr, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String) {
    told(cann, variables, &[&["--quiet", "--engine", engine, "--threads", "2"], arguments].concat())
}

fn told(cann: &OsStr, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args(arguments)
        .env("ACLNN_LIBRARY_PATH", cann)
        .env("ACLNN_SCATTER_KERNELS", libraries().join("libscatter_kernels_on_streams.so"))
        .env("HOST_CANN_SOC", "Ascend910B1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let told = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(told).unwrap())
}

#[test]
fn a_stand_in_for_a_device_passes() {
    let cann = libraries().join("libhost_cann.so");
    let (code, out) =
        on_stand_in(&cann, &[("HOST_CANN_DEBUG", "1")], &["--cases", "1000", "--dtype", SOME_DTYPES]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("the installed CANN: device 0 of 2, Ascend910B1\n"), "{out}");
    for row in ["device     vectors ", "device     matrix  ", "device     refusals "] {
        assert!(out.contains(row), "no {row:?} in\n{out}");
    }
    assert!(!out.contains("CANN's own operator"), "{out}");
    assert!(out.ends_with("every case passed\n"), "{out}");
}

/// Beside an engine on host-cann one of a device would find host-cann, too, and call it the device.
/// Those that need no CANN run beside it, and so does another of the same device.
#[test]
fn a_device_is_tested_beside_engines_that_need_no_other_cann() {
    let (cann, folder) = (libraries().join("libhost_cann.so"), libraries().to_str().unwrap());
    let few = ["--c-libraries", folder, "--filter", "vectors/mindspore/"];
    let run = |engines: &str| run_on(engines, cann.as_os_str(), WITHOUT_EXTENSION, &few);
    for (host, device) in [("c-abi", "device"), ("c-abi", "device-c-abi"), ("aclnn-any", "device-vendor")] {
        let (code, out) = run(&format!("{host},{device}"));
        assert_eq!((code, out.lines().count()), (2, 1), "{out}");
        assert!(out.starts_with(&format!("error: engines {host} and {device}: host-cann and ")), "{out}");
    }
    let (code, out) = run("reference,cpu,kernel,device,device-c-abi");
    assert_eq!(code, 0, "{out}");
    assert_eq!(out.matches("the installed CANN: device 0 of 2, Ascend910B1\n").count(), 2, "{out}");
    assert!(out.ends_with("every case passed\n"), "{out}");
}

/// The libraries of a CANN that has operators of its own, and not host-cann's extensions.
fn with_operators() -> OsString {
    let cann = ["libvendor_operators.so", "libhost_cann.so"].map(|name| libraries().join(name));
    std::env::join_paths(cann).unwrap()
}

/// Our operators pass on a stand-in that has operators of its own: every vector, every refusal and
/// a sample of the matrix by the Rust methods, and those of some dtypes by the C functions (which
/// can't read a scalar). CANN's own scatters are never called, and host-cann's extensions are never
/// given out.
#[test]
fn a_stand_in_with_operators_of_its_own_passes() {
    let (cann, folder) = (with_operators(), tempfile::tempdir().unwrap());
    for (engine, dtypes) in [("device", &[][..]), ("device-c-abi", &["--dtype", SOME_DTYPES])] {
        let file = folder.path().join(engine);
        let sample = ["--cases", "1000", "--c-libraries", libraries().to_str().unwrap()];
        let arguments = [&sample, dtypes].concat();
        let calls = ("VENDOR_OPERATORS_CALLS", file.to_str().unwrap());
        let variables = [("HOST_CANN_DEBUG", "1"), NO_ACCESS, calls];
        let (code, out) = run_on(engine, &cann, &variables, &arguments);
        assert_eq!(code, 0, "{out}");
        assert!(out.contains("the installed CANN: device 0 of 2, Ascend910B1\n"), "{out}");
        for family in ["vectors", "matrix", "refusals"] {
            let is_row = |line: &str| line.split_whitespace().take(2).eq([engine, family]);
            assert!(out.lines().any(is_row), "no row of {engine}, {family} in\n{out}");
        }
        assert!(out.ends_with("every case passed\n"), "{out}");

        let counts = std::fs::read_to_string(file).unwrap();
        let called: Vec<(&str, u64)> = counts
            .lines()
            .map(|line| line.split_once(' ').unwrap())
            .map(|(name, count)| (name, count.parse().unwrap()))
            .collect();
        match (engine, called.as_slice()) {
            ("device", [("hostcann_extension", _)]) => {}
            (
                "device-c-abi",
                [
                    ("aclnnInplaceFillScalar", run),
                    ("aclnnInplaceFillScalarGetWorkspaceSize", begun),
                    ("hostcann_extension", _),
                ],
            ) => assert!(run == begun && *run > 100, "{counts}"),
            _ => panic!("{engine}:\n{counts}"),
        }
    }
}

/// CANN's own operators refuse calls, drop updates, or apply updates in another order. Each kind of
/// difference is detected, and none counts as a failure.
#[test]
fn differences_of_a_stand_in_s_own_operators_are_counted_by_kind() {
    let folder = tempfile::tempdir().unwrap();
    for (order, kinds) in [
        ("", &["dropped", "refused"][..]),
        ("reversed", &["dropped", "order", "other-update", "refused", "special"]),
    ] {
        let (calls, json) = (folder.path().join("calls"), folder.path().join("report.json"));
        let variables = [
            NO_ACCESS,
            ("VENDOR_OPERATORS_ORDER", order),
            ("VENDOR_OPERATORS_CALLS", calls.to_str().unwrap()),
        ];
        // complex64 is left out: in two of its vectors a product in another order underflows to 0.
        let dtypes = "bf16,f32,i32,complex128";
        let arguments = ["--cases", "2000", "--dtype", dtypes, "--json", json.to_str().unwrap()];
        let (code, out) = run_on("device-vendor", &with_operators(), &variables, &arguments);
        assert_eq!(code, 0, "{out}");
        let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
        let differ = report["deviations"].as_array().unwrap();
        let counted: BTreeSet<_> = differ.iter().map(|one| one["kind"].as_str().unwrap()).collect();
        assert_eq!(counted, kinds.iter().copied().collect(), "{order}: {out}");
        assert!(out.ends_with(&format!("no case failed; {} differ as above\n", differ.len())), "{out}");
        // CANN's own operators computed all, and host-cann's extensions were never given out.
        let calls = std::fs::read_to_string(calls).unwrap();
        for function in [
            "ScatterAdd",
            "Scatter",
            "ScatterValue",
            "ScatterReduce",
            "TfScatterAdd",
            "ScatterNd",
            "IndexCopy",
            "IndexAdd",
            "IndexFill",
            "IndexPutImpl",
            "InplaceScatterUpdate",
            "Gather",
            "EmbeddingDenseBackward",
        ] {
            assert!(calls.contains(&format!("aclnn{function} ")), "{calls}");
        }
        assert!(calls.ends_with("hostcann_extension 1\n") && !calls.contains("FillScalar"), "{calls}");
    }
}

/// host-cann, under the names of CANN's libraries and in the folders of an installation, is found.
#[test]
fn the_installed_cann_is_found_by_its_folders() {
    for runtime in ["libascendcl.so", "libacl_rt.so"] {
        let install = tempfile::tempdir().unwrap();
        let folder = install.path().join("lib64");
        std::fs::create_dir(&folder).unwrap();
        for name in [runtime, "libnnopbase.so"] {
            std::os::unix::fs::symlink(libraries().join("libhost_cann.so"), folder.join(name)).unwrap();
        }
        let home = install.path().to_str().unwrap();
        let variables = [("ASCEND_HOME_PATH", home), ("LD_LIBRARY_PATH", "")];
        let (code, out) = on_stand_in(Path::new(""), &variables, &["--filter", "vectors/mindspore/"]);
        assert_eq!(code, 0, "{runtime}: {out}");
        assert!(out.ends_with("every case passed\n"), "{runtime}: {out}");
    }
}

#[test]
fn what_a_device_lacks_is_told_before_any_case() {
    let cann = libraries().join("libhost_cann.so");
    for (cann, variable, words) in [
        (Path::new("nowhere"), ("HOST_CANN_SOC", "Ascend910B1"), "aclInit not found: nowhere: "),
        (&cann, ("ACLNN_SCATTER_KERNELS", "no_kernels.so"), "no_kernels.so: "),
        (&cann, ("HOST_CANN_SOC", "Ascend310P3"), "no kernels are planned for \"Ascend310P3\""),
        (&cann, ("HOST_CANN_DEVICES", "0"), "HOST_CANN_DEVICES"),
    ] {
        let (code, out) = on_stand_in(cann, &[variable], &[]);
        assert_eq!((code, out.lines().count()), (2, 1), "{out}");
        assert!(
            out.starts_with("error: engine device, the installed CANN: ") && out.contains(words),
            "{out}"
        );
    }
}

/// Kernels that behave like those built for another processor: a launch succeeds, but does nothing.
const IDLE: &str = "
#include \"launch.h\"
#include \"include/scatter_tiling.h\"
static int32_t launch(const ScatterLaunch*, uint32_t, const void*) { return 0; }
extern \"C\" const ScatterKernels* scatter_kernels()
{
    static const ScatterKernels kernels = {SCATTER_KERNELS_VERSION, 0, SCATTER_TILING_BYTES, \"\", launch};
    return &kernels;
}";

#[test]
fn kernels_that_do_nothing_are_told_before_any_case() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("idle.cpp"), folder.path().join("libidle.so"));
    std::fs::write(&source, IDLE).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let compiled = Command::new(std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned()))
        .args(["-std=c++17", "-shared", "-fPIC", "-I"])
        .args([&sources, &source])
        .arg("-o")
        .arg(&library)
        .status()
        .unwrap();
    assert!(compiled.success());
    let variables = [("ACLNN_SCATTER_KERNELS", library.to_str().unwrap())];
    let (code, out) = on_stand_in(&libraries().join("libhost_cann.so"), &variables, &[]);
    assert_eq!((code, out.lines().count()), (2, 1), "{out}");
    assert!(out.contains("[1, 2] plus 3 at 1: expected [1, 5], got "), "{out}");
    assert!(out.contains("were the kernels built for Ascend910B1?"), "{out}");
}
