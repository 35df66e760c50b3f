//! The machine for which the programs are compiled: this one, or the one whose Rust target
//! `C_PROGRAMS_TARGET` names (`tests/aarch64/run` names aarch64). The tests themselves run on this
//! machine. The compilers for another machine come from the variables of the crate `cc`
//! (`CXX_aarch64_unknown_linux_gnu`), and its programs are run by cargo's runner
//! (`CARGO_TARGET_…_RUNNER`). Without these variables the tests fail instead of using this
//! machine's compilers.
//!
//! `C_PROGRAMS_OPTIONS` has more options for compiling and linking the programs, such as
//! `-fsanitize=address`. In `CC` and `CXX` the build scripts of the libraries would read them, too,
//! and build their C++ again.

use std::path::Path;
use std::process::Command;

use xtask::{Build, Profile, Target};

use crate::{libraries, runner};

/// The build of the libraries that the programs call.
pub(crate) fn build() -> Build {
    Build::new(Profile::Test, target()).together_with(libraries::packages())
}

/// The target of the programs; `None` for this machine.
pub(crate) fn target() -> Option<Target> {
    let name = variable("C_PROGRAMS_TARGET")?;
    Some(name.parse().unwrap_or_else(|error| panic!("C_PROGRAMS_TARGET is {name}: {error}")))
}

/// The machine's name, as `uname -m` prints it there.
pub(crate) fn name() -> &'static str {
    target().map_or(std::env::consts::ARCH, |target| target.machine())
}

/// ELF's number for a machine.
pub(crate) fn number_in_elf(name: &str) -> u16 {
    match name {
        "aarch64" => 183,
        "x86_64" => 62,
        _ => panic!("no number known for {name}"),
    }
}

/// The value of an environment variable; an empty one counts as unset.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The value of a variable that must be set for a target.
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

/// The compiler of a language, `CC` or `CXX`, with the options in its variable.
pub(crate) fn compiler(language: &str) -> String {
    if let Some(target) = target() {
        return compiler_for(&target, language, variable).unwrap_or_else(|error| panic!("{error}"));
    }
    let usual = if language == "CC" { "cc" } else { "c++" };
    variable(language).unwrap_or_else(|| usual.to_owned())
}

/// The words of `C_PROGRAMS_OPTIONS`.
pub(crate) fn options() -> String {
    variable("C_PROGRAMS_OPTIONS").unwrap_or_default()
}

/// The words of the runner, which come before the path of a program.
fn runner_words() -> Vec<String> {
    let Some(target) = target() else { return runner::words(name()) };
    let runner = runner_for(&target, variable).unwrap_or_else(|error| panic!("{error}"));
    runner.split_whitespace().map(str::to_owned).collect()
}

/// The command that compiles a program, with the words of `C_PROGRAMS_OPTIONS`.
pub(crate) fn compile(language: &str) -> Command {
    let named = compiler(language);
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(options().split_whitespace());
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

/// The command that runs a program, as text for a shell.
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
