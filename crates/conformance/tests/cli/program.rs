//! Runs the program; shared by test programs, of which each takes what it needs.

use assert_cmd::Command;

/// The program with these arguments: exit code, output, complaint.
pub(crate) fn conformance(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Expects exit code 2 and one line, which is returned.
#[allow(dead_code)]
pub(crate) fn complaint(arguments: &[&str]) -> String {
    let (code, out, err) = conformance(arguments);
    assert_eq!((code, err.lines().count()), (2, 1), "{arguments:?}: {out}{err}");
    assert!(err.starts_with("error: "), "{err}");
    err
}
