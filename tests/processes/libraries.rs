//! Builds the shared libraries that tests load.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo's arguments for the packages and features that are built together: those of the whole
/// workspace, for which `cargo test --workspace` has built all but the libraries themselves, or those
/// in the variable `TEST_LIBRARIES`, where something else was built before.
pub(crate) fn packages() -> Vec<String> {
    let variable = std::env::var("TEST_LIBRARIES").unwrap_or_default();
    let words = if variable.is_empty() { "--workspace" } else { &variable };
    words.split_whitespace().map(str::to_owned).collect()
}

/// Builds the libraries into cargo's folder of build results, of which `temporary` is its folder for
/// files of tests, and returns the folder in which they are.
pub(crate) fn build(cargo: &str, temporary: &str) -> PathBuf {
    let target = Path::new(temporary).parent().unwrap();
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--profile", "test", "--target-dir"]).arg(target).args(packages());
    // With a test, cargo takes the features that tests ask for, as `cargo test` does.
    command.args(["--lib", "--test", "headers"]);
    if std::env::var("RUSTFLAGS").is_ok_and(|flags| flags.contains("sanitizer")) {
        // The libraries are built without the sanitizer that the test uses.
        command.env_remove("RUSTFLAGS");
    }
    assert!(command.status().unwrap().success());
    target.join("debug")
}
