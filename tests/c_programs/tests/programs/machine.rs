//! The machine that the programs are for: this one or, with `cargo test --target`, another one,
//! whose compilers `CC` and `CXX` name (`tests/aarch64/run` does).

use std::process::Command;

use xtask::{Build, Profile, Target};

/// How the libraries that the programs call are built.
pub(crate) fn build() -> Build {
    Build::new(Profile::Test, target())
}

/// `None` for this machine.
fn target() -> Option<Target> {
    option_env!("OTHER_TARGET").map(|name| name.parse().unwrap())
}

/// The compiler of a language, `CC` or `CXX`, with what else its variable says.
pub(crate) fn compiler(variable: &str) -> String {
    let usual = if variable == "CC" { "cc" } else { "c++" };
    std::env::var(variable).unwrap_or_else(|_| usual.to_owned())
}

/// The command of a compiler.
pub(crate) fn compile(variable: &str) -> Command {
    let named = compiler(variable);
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    command
}
