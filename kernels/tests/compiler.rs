//! The compilers that the tests run.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::expect_used, clippy::panic)]

use std::process::Command;

/// The compiler that a variable names, with the flags that it may carry.
pub(crate) fn compiler(variable: &str, usual: &str) -> Command {
    let named = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(usual));
    command.args(words);
    command
}

/// What the command prints; it is to succeed.
pub(crate) fn succeed(command: &mut Command) -> String {
    let output = command.output().expect("the tests need a C and a C++ compiler");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out.into_owned()
}
