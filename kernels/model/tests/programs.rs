//! The host model's own tests, which are C++ as kernels are: compiled, linked to the model that
//! `build.rs` built, and run.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

#[path = "../../tests/compiler.rs"]
mod compiler;
use compiler::{compiler, succeed};

/// Every planted bug is reported by the rule that it names, and the same kernel without it is not.
#[test]
fn planted_bugs_are_reported() {
    run("planted");
}

/// Instructions compute what the documents say, and launches have the right counters and times.
#[test]
fn instructions_and_launches_give_what_they_should() {
    run("numerics");
}

/// A kernel in C can read the launch header, too.
#[test]
fn the_launch_header_is_c() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("header.c");
    fs::write(&file, "#include \"ascendc_model.h\"\n").unwrap();
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
    succeed(compiler("CC", "cc").args(flags).arg(include()).arg(&file));
}

/// The table of the model's page lists exactly the rules that the model can report.
#[test]
fn the_page_lists_every_rule() {
    let source = fs::read_to_string(folder().join("src/rules.h")).unwrap();
    let rules: Vec<&str> =
        source.lines().filter_map(|line| line.trim().strip_prefix("X(")?.split('"').nth(1)).collect();
    let page = fs::read_to_string(folder().join("README.md")).unwrap();
    let listed: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert!(rules.len() > 30, "rules.h is read as {rules:?}");
    assert_eq!(listed, rules);
}

/// The kernel of the book's page prints what the page says: as it is, with a queue left out, and
/// that without the model's rules.
#[test]
fn the_kernel_of_the_book_prints_what_its_page_says() {
    let pages = book::pages().unwrap();
    let page = pages.iter().find(|page| page.path == Path::new("docs/kernels/writing.md")).unwrap();
    let blocks = page.blocks();
    let program = &blocks.iter().find(|block| block.language == "cpp").unwrap().text;
    let queue = &blocks.iter().find(|block| block.text.trim_start().starts_with("out_.EnQue")).unwrap().text;
    assert!(program.contains(queue));
    let broken = program.replace(queue, &"\n".repeat(queue.lines().count()));
    let printed: Vec<&String> = blocks.iter().filter_map(|block| block.printed.as_ref()).collect();
    assert_eq!(printed.len(), 3);
    for ((text, mode), expected) in
        [(program, "strict"), (&broken, "strict"), (&broken, "fast")].iter().zip(printed)
    {
        let build = tempfile::tempdir().unwrap();
        let file = build.path().join("twice.cpp");
        fs::write(&file, text).unwrap();
        let binary = build.path().join("twice");
        // By the file's name alone, as the page has it, which reports repeat.
        let mut compiler = compiler("CXX", "c++");
        link(&mut compiler, &[PathBuf::from("twice.cpp")], &binary);
        succeed(compiler.current_dir(build.path()));
        let variables = ["SCATTER_MODEL_SEED", "SCATTER_MODEL_THREADS"];
        let mut command = Command::new(binary);
        for variable in variables {
            command.env_remove(variable);
        }
        let output = command.env("SCATTER_MODEL", mode).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), **expected);
        assert_eq!(output.status.success(), expected.starts_with("0 reports"));
    }
}

/// Compiles the sources whose names begin with `program`, and runs them; what they print says what
/// failed.
fn run(program: &str) {
    let build = tempfile::tempdir().unwrap();
    let binary = compile(program, &build);
    succeed(&mut Command::new(binary));
}

fn compile(program: &str, build: &TempDir) -> PathBuf {
    let binary = build.path().join(program);
    let mut sources: Vec<PathBuf> = fs::read_dir(folder().join("tests"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(program)))
        .collect();
    sources.sort();
    assert!(sources.len() > 1, "no sources of {program}");
    let mut compiler = compiler("CXX", "c++");
    link(&mut compiler, &sources, &binary);
    succeed(&mut compiler);
    binary
}

/// Adds what compiles these sources to a program with the model.
fn link(compiler: &mut Command, sources: &[PathBuf], binary: &Path) {
    compiler
        .args(["-std=c++17", "-O0", "-g", "-pthread", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"])
        .arg(include())
        .args(sources)
        .arg(Path::new(env!("OUT_DIR")).join("libscatter_kernels_host.a"))
        .arg("-o")
        .arg(binary);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/model")
}

fn include() -> String {
    format!("-I{}", folder().join("include").display())
}
