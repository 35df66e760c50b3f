//! Tests with a CANN without host-cann's extension, so that the operators work as on a device. A
//! stand-in for the device's library launches the kernels on streams, and the host can't access
//! device memory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use xtask::kernels_on_streams;

use crate::machine;
use crate::program::{Program, USUAL};
use crate::tree;

/// The stand-in's library of kernels, built once.
pub(crate) fn kernels() -> &'static Path {
    static KERNELS: LazyLock<PathBuf> = LazyLock::new(|| kernels_on_streams(&machine::build()).unwrap());
    &KERNELS
}

/// Sets the variables with which a program finds a CANN without the extension, and these kernels.
fn on_other_cann(command: &mut Command, kernels: &Path) {
    command.env("HOST_CANN_EXTENSION", "0").env("HOST_CANN_HOST_ACCESS", "0");
    command.env("HOST_CANN_SOC", "Ascend910B1");
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
        "scatter_nd.cpp",
        "index_copy.cpp",
        "scatter_update.cpp",
        "embedding_dense_backward.cpp",
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

/// A program that dereferences a device pointer, itself or in a host function, crashes at once.
/// With access to device memory it doesn't, so the access is the cause.
#[test]
fn a_program_that_follows_a_device_pointer_ends() {
    let program = Program::compile("device_pointer.c", &USUAL);
    let run = |what: &str, access: &str| {
        program.try_run(|command| {
            command.arg(what).env("HOST_CANN_HOST_ACCESS", access);
            // AddressSanitizer would end the program in its own way.
            command.env("ASAN_OPTIONS", "handle_segv=0");
        })
    };
    for what in ["read", "write", "host function"] {
        let told = run(what, "0").unwrap_err();
        assert!(told.starts_with("signal: 11 (SIGSEGV)"), "{what}: {told}");
        run(what, "1").unwrap();
    }
    run("copy", "0").unwrap();
}

/// An invalid `ACLNN_SCATTER_KERNELS` makes every call fail, even if CANN's own operators could
/// compute it.
#[test]
fn kernels_that_cannot_be_had_are_told() {
    let old =
        "extern \"C\" const void* scatter_kernels() { static const unsigned words[16] = {2}; return words; }";
    let old = Program::compile_text(old, &["-shared", "-fPIC"]).unwrap();
    let empty = Program::compile_text("int nothing;", &["-shared", "-fPIC"]).unwrap();
    let other_arch = Program::compile_text(
        &REFUSED.replace("\"\"", "\"an NPU, dav-3510\""),
        &["-shared", "-fPIC", &include_kernels()],
    );
    let other_arch = other_arch.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (other_machine, words) = library_of_another_machine(folder.path());
    let program = Program::compile("scatter_add.cpp", &USUAL);
    for (path, soc, words) in [
        (other_machine, "Ascend910B1", words),
        (
            other_arch.path(),
            "Ascend910B1",
            "kernels for dav-2201 expected, as Ascend910B1 is, got kernels for dav-3510",
        ),
        (old.path(), "Ascend910B1", " expected, got 2 (tilings"),
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

/// Writes the ELF header of a library for another machine, which is all that is read, and returns
/// the file and the expected message.
fn library_of_another_machine(folder: &Path) -> (PathBuf, &'static str) {
    let (other, words) = match machine::name() {
        "aarch64" => ("x86_64", "a library for aarch64 expected, got one for x86_64"),
        _ => ("aarch64", "a library for x86_64 expected, got one for aarch64"),
    };
    let mut head = [0; 64];
    // ELF, 64 bits, little-endian, version 1; a shared library for the machine `other`, version 1.
    head[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    (head[16], head[20]) = (3, 1);
    head[18..20].copy_from_slice(&machine::number_in_elf(other).to_le_bytes());
    let path = folder.join("other_machine.so");
    std::fs::write(&path, head).unwrap();
    (path, words)
}

/// The compiler's option for the kernels' headers.
fn include_kernels() -> String {
    format!("-I{}", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels").display())
}

/// A library of kernels whose launches all fail.
const REFUSED: &str = "
#include \"launch.h\"
#include \"include/scatter_tiling.h\"
static int32_t launch(const ScatterLaunch*, uint32_t, const void*) { return 507015; }
extern \"C\" const ScatterKernels* scatter_kernels()
{
    static const ScatterKernels kernels = {SCATTER_KERNELS_VERSION, 0, SCATTER_TILING_BYTES, \"\", launch};
    return &kernels;
}";

/// A library whose single function returns this code and does nothing. Placed before CANN's
/// libraries, it replaces CANN's function.
pub(crate) fn without(parameters: &str, function: &str, code: i32) -> Program {
    let text = format!("extern \"C\" int {function}({parameters}) {{ return {code}; }}");
    Program::compile_text(&text, &["-shared", "-fPIC"]).unwrap()
}

/// A launch that fails, or another function that phase two needs: phase two reports which one, and
/// nothing is written.
#[test]
fn a_refused_launch_is_told() {
    let refused = Program::compile_text(REFUSED, &["-shared", "-fPIC", &include_kernels()]).unwrap();
    let program = Program::compile("refused_launch.cpp", &USUAL);
    let memory = without("void**, unsigned long", "aclrtMallocHost", 207_001);
    let event = without("void**, unsigned", "aclrtCreateEventWithFlag", 207_001);
    for (kernels, instead, words) in [
        (&refused.path(), None, "launching scatter_elements returned 507015"),
        (
            &kernels().to_owned(),
            Some(memory.path()),
            "aclrtMallocHost returned ACL_ERROR_RT_MEMORY_ALLOCATION (207001)",
        ),
        (
            &kernels().to_owned(),
            Some(event.path()),
            "aclrtCreateEventWithFlag returned ACL_ERROR_RT_MEMORY_ALLOCATION (207001)",
        ),
    ] {
        let run = program.run_with(|command| {
            on_other_cann(command, kernels);
            command.env("ACLNN_SCATTER_LOG", "1");
            if let Some(instead) = instead {
                // Its function takes precedence over CANN's of the same name.
                let cann = tree::path().join("lib64/libascendcl.so");
                command.env("ACLNN_LIBRARY_PATH", std::env::join_paths([instead, cann]).unwrap());
            }
        });
        assert!(run.told.contains("aclnnScatterAdd: ") && run.told.contains(words), "{words}: {}", run.told);
    }
}
