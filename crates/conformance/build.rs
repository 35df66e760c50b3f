//! Tells the program which commit it is built from (in `CONFORMANCE_COMMIT`), if it is built in a
//! git repository and git is installed.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").args(arguments).output().ok().filter(|output| output.status.success());
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    // Files that change with each commit and each checkout.
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) =
            git(&["rev-parse", "--git-path", file]).filter(|path| std::path::Path::new(path).exists())
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    if let Some(commit) = git(&["describe", "--always", "--tags", "--abbrev=12"]) {
        println!("cargo::rustc-env=CONFORMANCE_COMMIT={commit}");
    }
}
