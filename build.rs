//! Builds the kernels for the host model of Ascend C, from the same sources as a device library.

use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    // Documentation needs nothing compiled.
    if std::env::var_os("CARGO_FEATURE_MODEL").is_none() || std::env::var_os("DOCS_RS").is_some() {
        println!("cargo::rerun-if-changed=build.rs");
        return Ok(());
    }
    let kernels = Path::new("kernels");
    let has_costs = std::env::var_os("CARGO_FEATURE_COST").is_some();
    let compiled =
        cpp_kernels(has_costs).files(cpp_files(&kernels.join("scatter"))?).try_compile_intermediates();
    let probes = cpp_kernels(true).files(cpp_files(&kernels.join("probes"))?).try_compile_intermediates();
    let mut model = cpp();
    model.files(["launch_host.cpp", "launch_streams.cpp", "probes_host.cpp"].map(|file| kernels.join(file)));
    model.files(cpp_files(&kernels.join("model/src"))?);
    model.objects(compiled.map_err(io::Error::other)?);
    model.objects(probes.map_err(io::Error::other)?);
    model.try_compile("scatter_kernels_host").map_err(io::Error::other)?;

    // Functions that only this crate's tests call are linked only to these. A published package has
    // no tests.
    let of_tests = cpp_files(&kernels.join("tests")).unwrap_or_default();
    if !of_tests.is_empty() {
        let mut tests = cpp();
        tests.cargo_metadata(false).files(of_tests);
        tests.try_compile("scatter_kernels_tests").map_err(io::Error::other)?;
        let out = std::env::var("OUT_DIR").map_err(io::Error::other)?;
        println!("cargo::rustc-link-arg-tests={out}/libscatter_kernels_tests.a");
    }

    for folder in ["scatter", "probes", "include", "model/include", "model/src", "tests"] {
        println!("cargo::rerun-if-changed={}", kernels.join(folder).display());
    }
    for file in [
        "launch.h",
        "launch_host.cpp",
        "launch_memory.h",
        "launch_streams.cpp",
        "launch_streams.h",
        "probes.h",
        "probes_host.cpp",
    ] {
        println!("cargo::rerun-if-changed={}", kernels.join(file).display());
    }
    Ok(())
}

/// How everything here is compiled. The model is optimised, because it is slow otherwise and is not
/// what one debugs; the kernels' arithmetic must not be contracted.
fn cpp() -> cc::Build {
    let mut build = cc::Build::new();
    // Lines for backtraces, as the profiles ask for. `cc` would have gcc write all that a debugger
    // can show: of the kernels' templates that is six times as much as their code, and takes half
    // as long again to compile.
    if std::env::var("DEBUG").is_ok_and(|debug| debug != "false") {
        build.debug(false).flag("-g1");
    }
    build
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .flag("-ffp-contract=off")
        .flag("-pthread")
        // What a switch over dtypes or reductions leaves out would be computed as something else.
        .flag("-Werror=switch")
        .include("kernels/model/include");
    build
}

/// How kernels are compiled. With exceptions off in them, calls don't end a basic block; the
/// model's own exceptions pass through.
///
/// Traced, the model sees which basic blocks they run, for each calls `model/src/trace.cpp`. gcc
/// takes less than half as long where nobody asks for that. A higher level would take half as long
/// again, and no test runs faster: the model's own functions are what takes the time.
fn cpp_kernels(is_traced: bool) -> cc::Build {
    let mut build = cpp();
    build.flag("-fno-exceptions").flag("-fasynchronous-unwind-tables");
    if is_traced {
        // The documents' figures are those of a release build: how code is cut into blocks, and so
        // what is charged, is the compiler's affair.
        let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
        build.opt_level(if is_release { 2 } else { 1 }).flag("-fsanitize-coverage=trace-pc");
    } else {
        build.opt_level_str("g");
    }
    if std::env::var_os("CARGO_CFG_SANITIZE").is_some() {
        // With AddressSanitizer, which `cc` asks for where rustc has it, gcc would optimise for
        // longer than the tests run.
        build.opt_level(0);
    }
    build
}

/// The C++ sources in a folder, in the order of their names.
fn cpp_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cpp") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
