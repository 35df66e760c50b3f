//! For tests that run programs of a machine that may be another one than cargo's (`cargo test
//! --target`): there by what cargo runs the tests with, such as qemu.

#![allow(dead_code, clippy::unwrap_used)]

use std::process::Command;

/// The words before the path of a program for a machine, by what `uname -m` says there: what
/// cargo's variable for the target says.
pub(crate) fn words(machine: &str) -> Vec<String> {
    let target = format!("CARGO_TARGET_{}_", machine.to_uppercase());
    let is_runner = |name: &str| name.starts_with(&target) && name.ends_with("_RUNNER");
    let value = std::env::vars().find_map(|(name, value)| is_runner(&name).then_some(value));
    value.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// The command that runs this program again.
pub(crate) fn itself() -> Command {
    let mut words = words(std::env::consts::ARCH);
    words.push(std::env::current_exe().unwrap().to_str().unwrap().to_owned());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}
