//! The machine that the programs are for: this one or, where `C_PROGRAMS_TARGET` has Rust's name of
//! it, another one (`tests/aarch64/run` names aarch64). The tests themselves run on this machine.
//! The other one's compilers are what the crate `cc` would take (`CXX_aarch64_unknown_linux_gnu`),
//! and its programs are run by what cargo would run them with (`CARGO_TARGET_…_RUNNER`). Without
//! these variables the tests fail, rather than take this machine's.

use std::path::Path;
use std::process::Command;

use xtask::{Build, Profile, Target};

use crate::runner;

/// How the libraries that the programs call are built.
pub(crate) fn build() -> Build {
    Build::new(Profile::Test, target())
}

/// `None` for this machine.
pub(crate) fn target() -> Option<Target> {
    let name = variable("C_PROGRAMS_TARGET")?;
    Some(name.parse().unwrap_or_else(|error| panic!("C_PROGRAMS_TARGET is {name}: {error}")))
}

/// What `uname -m` says there.
pub(crate) fn name() -> &'static str {
    target().map_or(std::env::consts::ARCH, |target| target.machine())
}

/// The number that ELF has for a machine.
pub(crate) fn number_in_elf(name: &str) -> u16 {
    match name {
        "aarch64" => 183,
        "x86_64" => 62,
        _ => panic!("no number known for {name}"),
    }
}

/// A variable; an empty one counts as unset.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// What a variable says that a target needs.
fn needed(target: &Target, name: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let triple = target.triple();
    variable(name).ok_or_else(|| format!("{name} must be set, for C_PROGRAMS_TARGET is {triple}"))
}

fn compiler_for(
    target: &Target,
    language: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    needed(target, &format!("{language}_{}", target.triple().replace('-', "_")), variable)
}

fn runner_for(target: &Target, variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let triple = target.triple().to_uppercase().replace('-', "_");
    needed(target, &format!("CARGO_TARGET_{triple}_RUNNER"), variable)
}

/// The compiler of a language, `CC` or `CXX`, with what else its variable says.
pub(crate) fn compiler(language: &str) -> String {
    if let Some(target) = target() {
        return compiler_for(&target, language, variable).unwrap_or_else(|error| panic!("{error}"));
    }
    let usual = if language == "CC" { "cc" } else { "c++" };
    variable(language).unwrap_or_else(|| usual.to_owned())
}

/// The words before the path of a program.
fn runner_words() -> Vec<String> {
    let Some(target) = target() else { return runner::words(name()) };
    let runner = runner_for(&target, variable).unwrap_or_else(|error| panic!("{error}"));
    runner.split_whitespace().map(str::to_owned).collect()
}

/// The command of a compiler.
pub(crate) fn compile(language: &str) -> Command {
    let named = compiler(language);
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    command
}

/// The command that runs a program.
pub(crate) fn run(program: &Path) -> Command {
    let mut words = runner_words();
    words.push(program.to_str().unwrap().to_owned());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// The command that runs a program, for a shell.
pub(crate) fn run_in_shell(program: &Path) -> String {
    let mut words = runner_words();
    words.push(format!("'{}'", program.display()));
    words.join(" ")
}

#[test]
fn what_another_machine_needs_is_named() {
    let target: Target = "aarch64-unknown-linux-gnu".parse().unwrap();
    let compiler = "CXX_aarch64_unknown_linux_gnu must be set, for C_PROGRAMS_TARGET is aarch64-unknown";
    assert!(compiler_for(&target, "CXX", |_| None).unwrap_err().starts_with(compiler));
    let runner = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER must be set";
    assert!(runner_for(&target, |_| None).unwrap_err().starts_with(runner));
    let named = |name: &str| Some(format!("value of {name}"));
    assert_eq!(compiler_for(&target, "CC", named).unwrap(), "value of CC_aarch64_unknown_linux_gnu");
}
