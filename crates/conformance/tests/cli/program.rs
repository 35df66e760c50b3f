//! Runs the program. Shared by several test programs, some of which use only a part.

use assert_cmd::Command;

/// Runs the program with these arguments and returns the exit code, the output and the error
/// output.
pub(crate) fn conformance(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Expects exit code 2 and one line of error output, which is returned.
#[allow(dead_code)]
pub(crate) fn complaint(arguments: &[&str]) -> String {
    let (code, out, err) = conformance(arguments);
    assert_eq!((code, err.lines().count()), (2, 1), "{arguments:?}: {out}{err}");
    assert!(err.starts_with("error: "), "{err}");
    err
}
