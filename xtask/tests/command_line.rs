//! What the commands refuse, and how.

#![allow(clippy::unwrap_used)]

use std::fs;

use assert_cmd::Command;

/// The one line that a refused command line leaves.
fn refusal(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(arguments).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: ") && told.ends_with('\n') && told.lines().count() == 1, "{told}");
    told
}

#[test]
fn bad_arguments_are_one_line_and_code_2() {
    for command in ["host-toolkit", "op-package"] {
        assert!(refusal(&[command]).contains("<DIR>"));
        assert!(refusal(&[command, ""]).contains("DIR"));
        assert!(refusal(&[command, "a", "b"]).contains("'b'"));
        assert!(refusal(&[command, "a", "--profile", "fast"]).contains("'fast'"));
        assert!(refusal(&[command, "a", "--nonsense"]).contains("--nonsense"));
    }
    assert!(refusal(&["device-kernels"]).contains("<DIR>"));
    for (option, value) in [("--arch", "dav-1"), ("--route", "gcc"), ("--toolkit", "no-such-folder")] {
        assert!(refusal(&["device-kernels", "no-such-dir", option, value]).contains(value));
    }
    assert!(refusal(&["nonsense"]).contains("nonsense"));
    assert!(refusal(&[]).contains("subcommand"));
}

#[test]
fn a_folder_of_someone_else_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("thesis.txt");
    fs::write(&file, "words").unwrap();
    for command in ["host-toolkit", "op-package", "device-kernels"] {
        for path in [folder.path(), &file] {
            let path = path.display().to_string();
            assert!(refusal(&[command, &path]).contains(&path));
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(&file).unwrap(), "words");
}

#[test]
fn help_is_no_error() {
    Command::new(env!("CARGO_BIN_EXE_xtask")).arg("--help").assert().success();
}
