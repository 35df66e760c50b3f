//! The machine that the programs are for: this one or, where `C_PROGRAMS_TARGET` has Rust's name of
//! it, another one (`tests/aarch64/run` names aarch64). The tests themselves run on this machine.
//! The other one's compilers are what the crate `cc` would take (`CXX_aarch64_unknown_linux_gnu`),
//! and its programs are run by what cargo would run them with (`CARGO_TARGET_…_RUNNER`).

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
    std::env::var("C_PROGRAMS_TARGET").ok().map(|name| name.parse().unwrap())
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

/// The compiler of a language, `CC` or `CXX`, with what else its variable says.
pub(crate) fn compiler(variable: &str) -> String {
    let of_target = target()
        .and_then(|target| std::env::var(format!("{variable}_{}", target.triple().replace('-', "_"))).ok());
    let usual = if variable == "CC" { "cc" } else { "c++" };
    of_target.or_else(|| std::env::var(variable).ok()).unwrap_or_else(|| usual.to_owned())
}

/// The command of a compiler.
pub(crate) fn compile(variable: &str) -> Command {
    let named = compiler(variable);
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    command
}

/// The command that runs a program.
pub(crate) fn run(program: &Path) -> Command {
    let mut words = runner::words(name());
    words.push(program.to_str().unwrap().to_owned());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// The command that runs a program, for a shell.
pub(crate) fn run_in_shell(program: &Path) -> String {
    let mut words = runner::words(name());
    words.push(format!("'{}'", program.display()));
    words.join(" ")
}
