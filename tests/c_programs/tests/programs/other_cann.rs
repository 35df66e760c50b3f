//! A CANN without host-cann's extension, so that the operators take the way that they take on a
//! device. A library that stands in for the device's launches the kernels on streams.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use xtask::{Profile, kernels_on_streams};

use crate::program::{Program, USUAL};

/// The kernels, built once.
fn kernels() -> &'static Path {
    static KERNELS: LazyLock<PathBuf> = LazyLock::new(|| kernels_on_streams(Profile::Test).unwrap());
    &KERNELS
}

/// Has a program find a CANN without the extension, and these kernels.
fn on_other_cann(command: &mut Command, kernels: &Path) {
    command.env("HOST_CANN_EXTENSION", "0").env("HOST_CANN_SOC", "Ascend910B1");
    command.env("ACLNN_SCATTER_KERNELS", kernels);
}

#[test]
fn programs_run_by_kernels_on_streams() {
    for file in [
        "scatter_add.cpp",
        "scatter.cpp",
        "inplace_scatter.cpp",
        "scatter_reduce.cpp",
        "inplace_scatter_reduce.cpp",
        "tf_scatter_add.cpp",
        "half.c",
        "streams.cpp",
        "other_cann.cpp",
    ] {
        let program = Program::compile(file, &USUAL);
        for guarded in ["0", "1"] {
            program.run_with(|command| {
                on_other_cann(command, kernels());
                command.env("HOST_CANN_DEBUG", guarded);
            });
        }
    }
}

/// A variable that can't be honoured is an error of each call, also where CANN's own operators
/// could compute it.
#[test]
fn kernels_that_cannot_be_had_are_told() {
    let old =
        "extern \"C\" const void* scatter_kernels() { static const unsigned words[16] = {2}; return words; }";
    let old = Program::compile_text(old, &["-shared", "-fPIC"]).unwrap();
    let empty = Program::compile_text("int nothing;", &["-shared", "-fPIC"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = Program::compile("scatter_add.cpp", &USUAL);
    for (path, soc, words) in [
        (old.path(), "Ascend910B1", "kernels of version 4 "),
        (empty.path(), "Ascend910B1", "scatter_kernels"),
        (folder.path().join("missing.so"), "Ascend910B1", "missing.so"),
        (folder.path().to_owned(), "Ascend910B1", "libscatter_kernels_dav-2201.so"),
        (folder.path().to_owned(), "Ascend950PR", "libscatter_kernels_dav-3510.so"),
        (kernels().to_owned(), "Ascend310P3", "no kernels are planned for \"Ascend310P3\""),
    ] {
        for engine in ["auto", "kernel"] {
            let told = program.try_run(|command| {
                on_other_cann(command, &path);
                command.env("HOST_CANN_SOC", soc);
                command.env("ACLNN_SCATTER_ENGINE", engine).env("ACLNN_SCATTER_LOG", "1");
            });
            let told = told.unwrap_err();
            assert!(told.contains("returned 561003") && told.contains(words), "{engine}, {words}: {told}");
        }
    }
}
