//! Helpers for tests that run programs that may be built for another machine
//! (`cargo test --target`). There they use cargo's runner, such as qemu.

#![allow(dead_code, clippy::unwrap_used)]

use std::process::Command;

/// The words before the path of a program for a machine (its name is that of `uname -m`), from
/// cargo's runner variable for the target; none if it isn't set.
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
