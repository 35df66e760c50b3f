//! Tests which CANN the operators use where a process could find several.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::program::{Program, USUAL};
use crate::tree;

/// What the decoy prints on the standard error when it is opened.
const OPENED: &str = "the decoy was opened";

/// An installation of a CANN that no program here should use, and that prints a message when it is
/// opened.
fn decoy() -> (TempDir, PathBuf) {
    let text = format!(
        "#include <cstdio>\n__attribute__((constructor)) static void opened() {{ std::fputs(\"{OPENED}\\n\", stderr); }}\n"
    );
    let library = Program::compile_text(&text, &["-shared", "-fPIC"]).unwrap();
    let home = tempfile::tempdir_in(tree::temporary()).unwrap();
    let libraries = home.path().join("lib64");
    fs::create_dir(&libraries).unwrap();
    for name in ["libacl_rt.so", "libascendcl.so", "libnnopbase.so", "libopapi.so"] {
        fs::copy(library.path(), libraries.join(name)).unwrap();
    }
    (home, libraries)
}

/// Runs the program with variables of an installation that name the decoy, which must not be
/// opened.
fn run_beside(decoy: &Path, program: &Program, change: impl FnOnce(&mut Command)) {
    let run = program.run_with(|command| {
        command.env("ASCEND_HOME_PATH", decoy).env("ASCEND_TOOLKIT_HOME", decoy);
        change(command);
    });
    assert!(!run.told.contains(OPENED), "{}", run.told);
}

#[test]
fn what_a_program_is_linked_with_goes_before_the_variables() {
    let (decoy, _) = decoy();
    for libraries in [&USUAL[..], &["-lhost_cann", "-laclnn_scatter"]] {
        run_beside(decoy.path(), &Program::compile("scatter_add.cpp", libraries), |_| {});
    }
    let path = format!("-Wl,-rpath,{}", tree::path().join("lib64").display());
    let libraries: Vec<&str> = USUAL.into_iter().chain([path.as_str()]).collect();
    run_beside(decoy.path(), &Program::compile("scatter_add.cpp", &libraries), |command| {
        command.env_remove("LD_LIBRARY_PATH");
    });
}

#[test]
fn libraries_that_are_loaded_by_their_paths_go_before_the_variables() {
    let (decoy, libraries) = decoy();
    run_beside(decoy.path(), &Program::compile("loaded.cpp", &["-ldl"]), |command| {
        command.env("LD_LIBRARY_PATH", libraries).arg(tree::path().join("lib64"));
    });
}

#[test]
fn what_is_asked_for_by_name_goes_before_all() {
    let (_decoy, libraries) = decoy();
    let program = Program::compile("scatter_add.cpp", &USUAL);
    let words = program
        .try_run(|command| {
            command.env("ACLNN_LIBRARY_PATH", &libraries);
        })
        .unwrap_err();
    assert!(words.contains(OPENED), "{words}");
}
