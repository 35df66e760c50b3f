//! Other ways to use the tree: its script, pkg-config and CMake. Also the operator package.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use xtask::op_package;

use crate::program::{self, Program};
use crate::{machine, tree};

/// Runs a script in a shell, without CANN's environment variables.
fn shell(shell: &str, script: &str) -> Output {
    let mut command = Command::new(shell);
    program::forget_cann(&mut command);
    for variable in ["LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH"] {
        command.env_remove(variable);
    }
    command.env("CXX", machine::compiler("CXX")).env("HOST_CANN_QUIET", "1");
    command.args(["-c", script]).output().unwrap()
}

fn succeed(output: &Output) -> String {
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    assert!(words.is_empty(), "{words}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Whether an optional program is installed; prints a note if not.
fn is_there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("no {program}: what needs it is not tested");
    }
    there
}

fn tree() -> String {
    tree::path().display().to_string()
}

/// Asserts that a folder contains exactly these libraries, built for the programs' machine.
fn assert_libraries(folder: &Path, names: &[&str]) {
    let number = machine::number_in_elf(machine::name()).to_le_bytes();
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let mut found: Vec<_> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, names);
    for name in names {
        let head = fs::read(folder.join(name)).unwrap();
        assert_eq!((&head[..4], &head[18..20]), (&b"\x7fELF"[..], &number[..]), "{name}");
    }
}

#[test]
fn the_script_sets_what_a_program_needs() {
    let (tree, program) = (tree(), Program::compile("scatter_add.cpp", &program::USUAL));
    // The script must work under `set -eu` and from another folder.
    let told = succeed(&shell(
        "bash",
        &format!(
            "set -eu; cd /; . '{tree}/set_env.sh'; echo \"$ASCEND_HOME_PATH\"; {}",
            machine::run_in_shell(&program.path())
        ),
    ));
    let home = fs::canonicalize(told.lines().next().unwrap()).unwrap();
    assert_eq!(home, fs::canonicalize(tree::path()).unwrap());
    // Previous folders in the variable stay, at the end.
    let script = format!("LD_LIBRARY_PATH=/before; . '{tree}/set_env.sh'; echo \"$LD_LIBRARY_PATH\"");
    assert!(succeed(&shell("bash", &script)).trim().ends_with("/latest/cann/lib64:/before"));
}

#[test]
fn the_script_refuses_a_shell_in_which_it_can_not_find_itself() {
    // A POSIX shell (which may be bash under another name).
    let script = format!("cd /; unset BASH_SOURCE; . '{}/set_env.sh' && echo went on", tree());
    let output = shell("sh", &script);
    let is_bash = succeed(&shell("sh", "echo \"${BASH_VERSION:-}\"")).trim() != "";
    if !is_bash {
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("source this file from bash"));
    }
}

#[test]
fn pkg_config_knows_the_tree() {
    if !is_there("pkg-config") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let script = format!(
        ". '{}/set_env.sh'; $CXX -std=c++17 '{}' $(pkg-config --cflags --libs host-cann) -o '{}' && {}",
        tree(),
        program::folder().join("scatter_add.cpp").display(),
        program.display(),
        machine::run_in_shell(&program)
    );
    assert!(succeed(&shell("bash", &script)).contains("out: 7"));
}

#[test]
fn cmake_knows_the_tree() {
    if !is_there("cmake") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let lists = format!(
        "cmake_minimum_required(VERSION 3.16)\nproject(sample CXX)\nfind_package(host-cann REQUIRED)\n\
         add_executable(sample \"{}\")\ntarget_compile_features(sample PRIVATE cxx_std_17)\n\
         target_link_libraries(sample PRIVATE cann::cann)\n",
        program::folder().join("scatter_add.cpp").display()
    );
    fs::write(folder.path().join("CMakeLists.txt"), lists).unwrap();
    let script = format!(
        "cd '{}' && cmake -S . -B build -DCMAKE_PREFIX_PATH='{}' >/dev/null && cmake --build build >/dev/null && {}",
        folder.path().display(),
        tree(),
        machine::run_in_shell(Path::new("build/sample"))
    );
    assert!(succeed(&shell("bash", &script)).contains("out: 7"));
}

/// Named like in an installation of CANN, after the machine's name in `uname -m`.
#[test]
fn the_folder_of_the_machine_has_headers_and_libraries() {
    let folder = tree::path().join(format!("{}-linux", machine::name()));
    for file in ["include/acl/acl.h", "lib64/libascendcl.so"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
}

#[test]
fn the_libraries_are_for_the_machine() {
    let libraries = ["libabsent.so", "libaclnn_scatter.so", "libhost_cann.so", "libopapi.so"];
    assert_libraries(&tree::path().join("lib64"), &libraries);
}

/// The tree can be copied to another place, and laid out again over itself.
#[test]
fn the_tree_can_be_copied() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("a tree");
    let status = Command::new("cp").arg("-a").arg(tree::path()).arg(&copy).status().unwrap();
    assert!(status.success());
    let program = Program::compile("scatter_add.cpp", &program::USUAL);
    let script = format!(". '{}/set_env.sh'; {}", copy.display(), machine::run_in_shell(&program.path()));
    assert!(succeed(&shell("bash", &script)).contains("out: 7"));
}

#[test]
fn the_operator_package_goes_before_canns_operators() {
    let package = tree::temporary().join("op-package");
    op_package::run(&package, &machine::build()).unwrap();
    assert_libraries(&package.join("op_api/lib"), &["libcust_opapi.so"]);
    for file in ["op_api/lib/libcust_opapi.so", "op_api/include/aclnnop/aclnn_scatter_add.h", "set_env.sh"] {
        assert!(package.join(file).is_file(), "{file}");
    }
    // The program links the runtime, but not the operators.
    let program = Program::compile("op_package.cpp", &["-lascendcl", "-lnnopbase", "-ldl"]);
    program.run_with(|command| {
        command.env("ASCEND_CUSTOM_OPP_PATH", format!("{}:/elsewhere", package.display()));
    });
    let search = format!("-L{}/op_api/lib", package.display());
    let linked = [&[search.as_str(), "-ldl", "-lcust_opapi"], program::USUAL.as_slice()].concat();
    for program in [program, Program::compile("linked_package.cpp", &linked)] {
        let script = format!(
            ". '{}/set_env.sh'; . '{}/set_env.sh'; {}",
            tree(),
            package.display(),
            machine::run_in_shell(&program.path())
        );
        assert!(succeed(&shell("bash", &script)).contains("self: 1 1 6"));
    }
    // The package can be laid out again over itself.
    op_package::run(&package, &machine::build()).unwrap();
    assert!(package.join("op_api/lib/libcust_opapi.so").is_file());
}
