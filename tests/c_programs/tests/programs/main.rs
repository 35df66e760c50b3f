//! Compiles programs for CANN against the host toolkit tree, and runs them.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod clients;
mod documents;
mod exports;
mod layouts;
#[path = "../../../processes/libraries.rs"]
mod libraries;
mod machine;
mod other_cann;
mod packages;
mod program;
#[path = "../../../processes/runner.rs"]
mod runner;
mod tree;
mod vendor;
mod which_cann;

use program::{Program, Run};

/// A test for each program, which compiles it as a user would, and runs it with and without
/// host-cann's guards.
macro_rules! programs {
    ($($name:ident: $file:literal)*) => {
        const FILES: &[&str] = &[$($file),*];

        $(#[test]
        fn $name() {
            let program = Program::compile($file, &program::USUAL);
            for guarded in [false, true] {
                let Run { told, .. } = program.run(if guarded { &[("HOST_CANN_DEBUG", "1")] } else { &[] });
                assert!(told.contains("CANN on the CPU, not an NPU"), "host-cann doesn't say what it is: {told}");
                assert!(!told.contains("left over"), "{told}");
            }
        })*
    };
}

programs! {
    scatter_add: "scatter_add.cpp"
    scatter: "scatter.cpp"
    inplace_scatter: "inplace_scatter.cpp"
    scatter_value: "scatter_value.cpp"
    inplace_scatter_value: "inplace_scatter_value.cpp"
    scatter_reduce: "scatter_reduce.cpp"
    inplace_scatter_reduce: "inplace_scatter_reduce.cpp"
    tf_scatter_add: "tf_scatter_add.cpp"
    embedding_dense_backward: "embedding_dense_backward.cpp"
    gather: "gather.cpp"
    bad_gather: "bad_gather.cpp"
    index_add: "index_add.cpp"
    index_add_v2: "index_add_v2.cpp"
    index_copy: "index_copy.cpp"
    index_fill: "index_fill.cpp"
    index_put: "index_put.cpp"
    bad_index_put: "bad_index_put.cpp"
    bad_index_copy: "bad_index_copy.cpp"
    bad_scatter_update: "bad_scatter_update.cpp"
    scatter_nd: "scatter_nd.cpp"
    scatter_update: "scatter_update.cpp"
    half: "half.c"
    repeatable: "repeatable.cpp"
    late_addresses: "late_addresses.cpp"
    threads: "threads.cpp"
    bad_index: "bad_index.cpp"
    bad_memory: "bad_memory.cpp"
    operator_mistakes: "operator_mistakes.cpp"
    runtime_mistakes: "runtime_mistakes.c"
    memory: "memory.c"
    streams: "streams.cpp"
}

/// Programs that other tests run with settings of their own.
const OTHERS: &[&str] = &[
    "absent.cpp",
    "device_pointer.c",
    "failed_stream.cpp",
    "linked_package.cpp",
    "loaded.cpp",
    "op_package.cpp",
    "other_cann.cpp",
    "refused_launch.cpp",
    "refused_value.cpp",
    "session.c",
    "value_by_kernels.cpp",
];

#[test]
fn every_program_is_run() {
    let mut listed: Vec<String> = FILES.iter().chain(OTHERS).map(ToString::to_string).collect();
    let folder = std::fs::read_dir(program::folder()).unwrap();
    let mut there: Vec<String> =
        folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    there.retain(|name| [".c", ".cpp"].iter().any(|ending| name.ends_with(ending)));
    listed.sort();
    there.sort();
    assert_eq!(listed, there);
}

/// Programs also link with the newer names of the libraries.
#[test]
fn the_newer_names_link_as_well() {
    let libraries = ["-lopapi_nn", "-lopapi_math", "-lnnopbase", "-lacl_rt"];
    Program::compile("scatter_add.cpp", &libraries).run(&[]);
}

#[test]
fn a_silenced_host_cann_says_nothing() {
    let program = Program::compile("scatter_add.cpp", &program::USUAL);
    assert_eq!(program.run(&[("HOST_CANN_QUIET", "1")]).told, "");
}

/// The operators also find CANN where the program finds it by its own run path (`-rpath`) instead
/// of LD_LIBRARY_PATH.
#[test]
fn programs_with_a_run_path_need_no_variables() {
    let path = format!("-Wl,-rpath,{}", tree::path().join("lib64").display());
    let libraries: Vec<&str> = program::USUAL.into_iter().chain([path.as_str()]).collect();
    let program = Program::compile("scatter_add.cpp", &libraries);
    program.run_with(|command| {
        command.env_remove("LD_LIBRARY_PATH");
    });
}

#[test]
fn libraries_that_are_loaded_by_their_paths_find_each_other() {
    for file in ["loaded.cpp", "session.c"] {
        let program = Program::compile(file, &["-ldl"]);
        program.run_with(|command| {
            command.env_remove("LD_LIBRARY_PATH").arg(tree::path().join("lib64"));
        });
    }
}

#[test]
fn a_program_that_fails_is_noticed() {
    let failing = Program::compile_text("int main(void) { return 3; }\n", &program::USUAL).unwrap();
    assert!(failing.try_run(|_| {}).unwrap_err().contains("exit status: 3"));
    let missing =
        "#include <acl/acl.h>\nextern \"C\" int aclNoSuchCall();\nint main() { return aclNoSuchCall(); }\n";
    assert!(Program::compile_text(missing, &program::USUAL).unwrap_err().contains("aclNoSuchCall"));
}
