//! What the commands refuse, and how.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use assert_cmd::Command;

/// The one line that a refused command line leaves.
fn refusal(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(arguments).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.starts_with("error: ") && message.ends_with('\n') && message.lines().count() == 1,
        "{message}"
    );
    message
}

#[test]
fn bad_arguments_are_one_line_and_code_2() {
    for command in ["host-toolkit", "op-package", "dist"] {
        assert!(refusal(&[command]).contains("<DIR>"));
        assert!(refusal(&[command, ""]).contains("DIR"));
        assert!(refusal(&[command, "a", "b"]).contains("'b'"));
        assert!(refusal(&[command, "a", "--profile", "fast"]).contains("'fast'"));
        assert!(refusal(&[command, "a", "--target", "aarch64"]).contains("for Linux on aarch64 or x86_64"));
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
    for command in ["host-toolkit", "op-package", "dist", "device-kernels"] {
        for path in [folder.path(), &file] {
            let path = path.display().to_string();
            assert!(refusal(&[command, &path]).contains(&path));
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(&file).unwrap(), "words");
}

/// What cargo is called with, by a program in its place that pretends to have built libraries; so
/// does one in the place of the C++ compiler, for a machine may lack one for others.
fn calls_of_cargo(folder: &Path, arguments: &[&str]) -> String {
    let (cargo, calls, library) = (folder.join("cargo"), folder.join("calls"), folder.join("library.so"));
    let messages = ["host-cann-capi", "aclnn-scatter-capi", "opapi-capi"].map(|package| {
        let library = library.display();
        format!(r#"{{"reason":"compiler-artifact","package_id":"x#{package}@1","filenames":["{library}"]}}"#)
    });
    let calls_named = calls.display();
    let script =
        format!("#!/bin/sh\necho \"$@\" >'{calls_named}'\ncat <<END\n{}\nEND\n", messages.join("\n"));
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(library, "").unwrap();
    let compiler = folder.join("c++");
    // The file that follows -o is made.
    let script = "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" != -o ] || : >\"$2\"; shift; done\n";
    fs::write(&compiler, script).unwrap();
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.env("CARGO", cargo).env("CXX", compiler).args(arguments).assert().success();
    fs::read_to_string(calls).unwrap()
}

#[test]
fn packages_are_for_the_machine_that_was_named() {
    let folder = tempfile::tempdir().unwrap();
    let (tree, package) = (folder.path().join("tree"), folder.path().join("package"));
    let own = format!("{}-linux", std::env::consts::ARCH);
    // By another machine's name, and then again for this one.
    let other = if std::env::consts::ARCH == "x86_64" { "aarch64" } else { "x86_64" };
    let triple = format!("{other}-unknown-linux-gnu");
    for (target, machine) in [(Some(&triple), format!("{other}-linux")), (None, own)] {
        let option = target.map(|target| format!("--target={target}"));
        let expected = target.map_or(String::new(), |target| format!(" --target {target}"));
        for (command, path) in [("host-toolkit", &tree), ("op-package", &package)] {
            let arguments = [Some(command), path.to_str(), option.as_deref()];
            let calls = calls_of_cargo(folder.path(), &arguments.into_iter().flatten().collect::<Vec<_>>());
            assert!(calls.contains(&format!("--profile release{expected} --package ")), "{calls}");
        }
        let folders =
            fs::read_dir(&tree).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let machines: Vec<_> = folders.filter(|name| name.ends_with("-linux")).collect();
        assert_eq!(machines, std::slice::from_ref(&machine));
        for file in
            ["include/acl/acl.h", "lib64/libascendcl.so", "lib64/libopapi_nn.so", "lib64/libge_runner.so"]
        {
            assert!(tree.join(&machine).join(file).is_file(), "{machine}/{file}");
        }
        assert!(package.join("op_api/lib/libcust_opapi.so").is_file());
    }
}

#[test]
fn help_is_no_error() {
    Command::new(env!("CARGO_BIN_EXE_xtask")).arg("--help").assert().success();
}
