//! Tells the program by which compiler it is built (in `CONFORMANCE_RUSTC` and
//! `CONFORMANCE_OPT_LEVEL`), and from which commit (in `CONFORMANCE_COMMIT`), if it is built in a
//! git repository and git is installed.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let git = |arguments: &[&str]| printed("git", arguments);
    // Cargo sets both, and runs this again where the compiler changes.
    if let Some(rustc) = env::var("RUSTC").ok().and_then(|rustc| printed(&rustc, &["--version"])) {
        println!("cargo::rustc-env=CONFORMANCE_RUSTC={rustc}");
    }
    if let Ok(level) = env::var("OPT_LEVEL") {
        println!("cargo::rustc-env=CONFORMANCE_OPT_LEVEL={level}");
    }
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

/// What a program prints, if it can be run and succeeds.
fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
