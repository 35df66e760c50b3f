//! What cargo says of the packages.

use std::process::Command;

use crate::{Error, root};

/// `cargo metadata` of the workspace, with more arguments.
///
/// # Errors
/// cargo can't be run, fails, or says what is no JSON.
pub fn metadata(arguments: &[&str]) -> Result<serde_json::Value, Error> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version", "1"]).args(arguments).current_dir(root());
    let failed = |what: String| Error::Failed(format!("cargo metadata: {what}"));
    let output = cargo.output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
}
