//! Tests with a CANN whose libraries have the folders, names and dependencies of CANN 8.5 and
//! later: a folder for each machine, versions in the SONAMEs, separate libraries for the runtime,
//! the tensors and the operators, and one more that they share.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::other_cann::kernels;
use crate::program::Program;
use crate::vendor::{counts_of, vendor};
use crate::{machine, tree};

/// The library that the runtime and the tensors share: host-cann.
const SHARED: &str = "libruntime_common.so";
/// The stand-in for CANN's own operators, which also hides host-cann's extension.
const OPERATORS: &str = "libvendor_operators.so";

/// Makes an installation, and returns it with the folder of its libraries.
fn install() -> (TempDir, PathBuf) {
    let home = tempfile::tempdir_in(tree::temporary()).unwrap();
    let own = format!("{}-linux/lib64", machine::name());
    let folder = home.path().join(&own);
    fs::create_dir_all(&folder).unwrap();
    symlink(own, home.path().join("lib64")).unwrap();
    fs::copy(tree::path().join("lib64/libhost_cann.so"), folder.join(SHARED)).unwrap();
    fs::copy(vendor(), folder.join(OPERATORS)).unwrap();
    for (name, version, needed) in [
        // A function is taken from the first library in the list that has it.
        ("libacl_rt.so", ".1", &[OPERATORS, SHARED][..]),
        ("libnnopbase.so", ".1.2", &[SHARED]),
        ("libopapi_math.so", "", &[OPERATORS]),
        ("libopapi_nn.so", "", &[OPERATORS]),
    ] {
        let soname = format!("{name}{version}");
        fs::copy(library_of(&folder, &soname, needed).path(), folder.join(&soname)).unwrap();
        if !version.is_empty() {
            symlink(&soname, folder.join(name)).unwrap();
        }
    }
    (home, folder)
}

/// A library without functions that depends on others.
fn library_of(folder: &Path, soname: &str, needed: &[&str]) -> Program {
    let mut options = vec![
        "-shared".to_owned(),
        "-fPIC".to_owned(),
        format!("-L{}", folder.display()),
        format!("-Wl,--no-as-needed,-rpath,$ORIGIN,-soname,{soname}"),
    ];
    options.extend(needed.iter().map(|name| format!("-l:{name}")));
    Program::compile_text("", &options.iter().map(String::as_str).collect::<Vec<_>>()).unwrap()
}

#[test]
fn programs_run_on_an_install_of_another_layout() {
    let (_home, folder) = install();
    let path = |name: &str| folder.join(name).display().to_string();
    let operators = tree::path().join("lib64/libaclnn_scatter.so").display().to_string();
    let libraries = [
        "-Wl,--no-as-needed".to_owned(),
        operators,
        path("libacl_rt.so"),
        path("libnnopbase.so"),
        // The libraries with the functions that the program calls.
        format!("-L{}", folder.display()),
        format!("-l:{SHARED}"),
    ];
    let libraries: Vec<&str> = libraries.iter().map(String::as_str).collect();
    for (file, engine, expected) in [
        ("scatter_add.cpp", "auto", vec![("hostcann_extension", 1)]),
        (
            "scatter_value.cpp",
            "auto",
            vec![
                ("aclnnInplaceFillScalar", 3),
                ("aclnnInplaceFillScalarGetWorkspaceSize", 3),
                ("hostcann_extension", 1),
            ],
        ),
        (
            "scatter_value.cpp",
            "vendor",
            vec![
                ("aclnnScatterValue", 3),
                ("aclnnScatterValueGetWorkspaceSize", 3),
                ("hostcann_extension", 1),
            ],
        ),
    ] {
        let program = Program::compile(file, &libraries);
        let (_, counts) = counts_of(&program, |command| {
            command.env("LD_LIBRARY_PATH", &folder).env("HOST_CANN_SOC", "Ascend910B1");
            command.env("HOST_CANN_HOST_ACCESS", "0");
            command.env("ACLNN_SCATTER_KERNELS", kernels()).env("ACLNN_SCATTER_ENGINE", engine);
        });
        let counts: Vec<(&str, u64)> = counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(counts, expected, "{file}, {engine}");
    }
}
