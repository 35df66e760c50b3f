//! The machine that the programs are for: this one or, with `cargo test --target`, another one. Its
//! compilers are named by the variables that the `cc` crate reads, and what runs its programs by
//! the variable that cargo reads (`tests/aarch64/run` has an example).

use std::path::Path;
use std::process::Command;

use xtask::{Build, Profile, Target};

/// How the libraries that the programs call are built.
pub(crate) fn build() -> Build {
    Build::new(Profile::Test, target())
}

/// `None` for this machine.
fn target() -> Option<Target> {
    (env!("BUILT_TARGET") != env!("BUILT_HOST")).then(|| env!("BUILT_TARGET").parse().unwrap())
}

/// The words of the first variable that is set.
fn words(variables: &[&str]) -> Option<Vec<String>> {
    let value = variables.iter().find_map(|name| std::env::var(name).ok())?;
    Some(value.split_whitespace().map(str::to_owned).collect())
}

/// The compiler of a language, `CC` or `CXX`, with what else its variable says.
pub(crate) fn compiler(variable: &str) -> Vec<String> {
    let of_target = format!("{variable}_{}", env!("BUILT_TARGET").replace('-', "_"));
    let usual = if variable == "CC" { "cc" } else { "c++" };
    words(&[&of_target, variable]).unwrap_or_else(|| vec![usual.to_owned()])
}

/// What the path of a program is given to, to run it.
fn runner() -> Vec<String> {
    let target = env!("BUILT_TARGET").to_uppercase().replace('-', "_");
    words(&[&format!("CARGO_TARGET_{target}_RUNNER")]).unwrap_or_default()
}

/// The command of words, of which the first is the program.
pub(crate) fn command(words: &[String]) -> Command {
    let (program, arguments) = words.split_first().unwrap();
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// The command that runs a program.
pub(crate) fn run(program: &Path) -> Command {
    let mut words = runner();
    words.push(program.to_str().unwrap().to_owned());
    command(&words)
}

/// The command that runs a program, for a shell.
pub(crate) fn run_in_shell(program: &Path) -> String {
    let mut words = runner();
    words.push(format!("'{}'", program.display()));
    words.join(" ")
}
