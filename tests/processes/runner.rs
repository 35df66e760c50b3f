//! For tests that run programs of the machine that they are built for: where that is another one
//! than cargo's (`cargo test --target`), by what cargo runs the tests with, such as qemu.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

/// The words before the path of a program: what cargo's variable for the target says.
fn words() -> Vec<String> {
    let target = format!("CARGO_TARGET_{}_", std::env::consts::ARCH.to_uppercase());
    let is_runner = |name: &str| name.starts_with(&target) && name.ends_with("_RUNNER");
    let value = std::env::vars().find_map(|(name, value)| is_runner(&name).then_some(value));
    value.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// The command that runs a program.
pub(crate) fn command(program: &Path) -> Command {
    let mut words = words();
    words.push(program.to_str().unwrap().to_owned());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// The command that runs this program again.
pub(crate) fn itself() -> Command {
    command(&std::env::current_exe().unwrap())
}

/// The command that runs a program, for a shell.
pub(crate) fn in_shell(program: &Path) -> String {
    let mut words = words();
    words.push(format!("'{}'", program.display()));
    words.join(" ")
}
