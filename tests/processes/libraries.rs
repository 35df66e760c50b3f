//! Builds the shared libraries that tests load.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo's arguments for the libraries: which packages, with which features. What was built with
/// the same packages and features before is not built again. So they are those of the whole
/// workspace, as `cargo test --workspace` builds it, unless the variable `TEST_LIBRARIES` has
/// others, where something else was built before.
///
/// With a test (`headers`, of aclnn-sys) cargo also takes the features that tests ask for, as
/// `cargo test` does.
pub(crate) fn packages() -> Vec<String> {
    let variable = std::env::var("TEST_LIBRARIES").unwrap_or_default();
    let words = if variable.is_empty() { "--workspace" } else { &variable };
    words.split_whitespace().chain(["--lib", "--test", "headers"]).map(str::to_owned).collect()
}

/// Builds the libraries into the target directory to which `temporary` (`CARGO_TARGET_TMPDIR`)
/// belongs, and returns the folder that they are in.
pub(crate) fn build(cargo: &str, temporary: &str) -> PathBuf {
    let target = Path::new(temporary).parent().unwrap();
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--profile", "test", "--target-dir"]).arg(target).args(packages());
    if std::env::var("RUSTFLAGS").is_ok_and(|flags| flags.contains("sanitizer")) {
        // The libraries are built without the sanitizer that the test uses.
        command.env_remove("RUSTFLAGS");
    }
    assert!(command.status().unwrap().success());
    target.join("debug")
}
