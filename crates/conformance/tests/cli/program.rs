//! Runs the program. Shared by several test programs, some of which use only a part.

#![allow(dead_code)]

use std::process::Stdio;

use assert_cmd::Command;

/// Runs the program with these arguments and returns the exit code, the output and the error
/// output.
pub(crate) fn conformance(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Expects exit code 2 and one line of error output, which is returned.
pub(crate) fn complaint(arguments: &[&str]) -> String {
    let (code, out, err) = conformance(arguments);
    assert_eq!((code, err.lines().count()), (2, 1), "{arguments:?}: {out}{err}");
    assert!(err.starts_with("error: "), "{err}");
    err
}

/// Runs the program with these arguments and a standard output that nobody reads: the exit code and
/// the error output.
pub(crate) fn without_reader(arguments: &[&str]) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_conformance"));
    let output = command.args(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}
