//! Builds the shared libraries.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Error, Target, root};

/// How the libraries are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Profile {
    /// Optimised.
    #[default]
    Release,
    /// Unoptimised, which builds faster.
    Dev,
    /// As `cargo test` builds what it tests.
    Test,
}

impl Profile {
    const fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dev => "dev",
            Self::Test => "test",
        }
    }
}

/// How the libraries are built, and for what machine.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct Build {
    /// How the libraries are built.
    #[arg(long, value_enum, default_value_t)]
    pub profile: Profile,
    /// The machine that they are for, by Rust's name of it, such as aarch64-unknown-linux-gnu
    /// [default: this machine].
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<Target>,
    /// For other machines: without debugging information and without names of this machine's
    /// folders, in a build folder of their own.
    #[arg(skip)]
    pub(crate) anonymous: bool,
    /// With the dependencies that Cargo.lock names; where it doesn't fit, nothing is built.
    #[arg(skip)]
    pub(crate) locked: bool,
    /// Cargo's arguments for packages that are built together with the libraries' own, and for
    /// features, such as `--workspace --lib`: so nothing is built again that was built with them
    /// before.
    #[arg(skip)]
    pub(crate) together: Vec<String>,
}

impl Build {
    /// For this machine, or for another.
    #[must_use]
    pub fn new(profile: Profile, target: Option<Target>) -> Self {
        Self { profile, target, ..Self::default() }
    }

    /// Together with other packages, for which all but the libraries may have been built before:
    /// `packages` are cargo's arguments, such as `--workspace --lib`, and must include those of the
    /// libraries.
    #[must_use]
    pub fn together_with(mut self, packages: Vec<String>) -> Self {
        self.together = packages;
        self
    }

    /// What `uname -m` says on the machine that the libraries are for.
    pub(crate) fn machine(&self) -> &'static str {
        self.target.as_ref().map_or(std::env::consts::ARCH, Target::machine)
    }

    /// Rust's name of that machine.
    pub(crate) fn triple(&self) -> String {
        let own = || format!("{}-unknown-linux-gnu", self.machine());
        self.target.as_ref().map_or_else(own, |target| target.triple().to_owned())
    }

    /// What the environment of `cargo build` has beside this process's.
    fn environment(&self) -> Vec<(&'static str, String)> {
        if !self.anonymous {
            return Vec::new();
        }
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let root = root().display().to_string();
        let registry = Some(variable("CARGO_HOME")).filter(|home| !home.is_empty());
        let registry = registry.unwrap_or_else(|| variable("HOME") + "/.cargo");
        // In the order in which cargo looks for flags. The encoded ones may have spaces.
        let of_target = format!("CARGO_TARGET_{}_RUSTFLAGS", in_capitals(&self.triple()));
        let plain = ["RUSTFLAGS", &of_target, "CARGO_BUILD_RUSTFLAGS"];
        let plain = || plain.iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
        let mut flags: Vec<String> = match std::env::var("CARGO_ENCODED_RUSTFLAGS") {
            Ok(encoded) => encoded.split('\x1f').map(str::to_owned).collect(),
            Err(_) => plain().split_whitespace().map(str::to_owned).collect(),
        };
        flags.retain(|flag| !flag.is_empty());
        flags.extend(
            [(root.as_str(), "scatter"), (&registry, "cargo")]
                .map(|(from, to)| format!("--remap-path-prefix={from}={to}")),
        );
        vec![
            ("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")),
            ("CARGO_PROFILE_RELEASE_STRIP", "debuginfo".to_owned()),
            ("CARGO_TARGET_DIR", format!("{root}/target/dist")),
        ]
    }

    /// The arguments of `cargo build`.
    fn arguments(&self, packages: &[&str]) -> Vec<String> {
        let mut arguments =
            ["build", "--message-format", "json-render-diagnostics", "--profile"].map(str::to_owned).to_vec();
        arguments.push(self.profile.name().to_owned());
        if self.locked {
            arguments.push("--locked".to_owned());
        }
        if let Some(target) = &self.target {
            arguments.extend(["--target".to_owned(), target.triple().to_owned()]);
        }
        if !self.together.is_empty() {
            arguments.extend(self.together.iter().cloned());
            return arguments;
        }
        for package in packages {
            arguments.extend(["--package".to_owned(), (*package).to_owned()]);
        }
        arguments
    }

    /// What may be missing where a build failed.
    fn hint(&self) -> String {
        let Some(target) = &self.target else { return String::new() };
        let triple = target.triple();
        format!(
            "; a build for {triple} needs Rust for it (rustup target add {triple}) and a linker \
             (CARGO_TARGET_{}_LINKER)",
            in_capitals(triple)
        )
    }
}

/// The name of a target as the variables of cargo have it.
fn in_capitals(triple: &str) -> String {
    triple.to_uppercase().replace('-', "_")
}

/// CANN without an NPU: the crate of `libhost_cann.so`.
pub(crate) const HOST_CANN: &str = "host-cann-capi";
/// The scatter operators: the crate of `libaclnn_scatter.so`.
pub(crate) const ACLNN_SCATTER: &str = "aclnn-scatter-capi";

/// The scatter operators and those that sessions of clients need beside them: the crate of
/// `libopapi.so`.
pub(crate) const OPAPI: &str = "opapi-capi";

/// The stand-in for the device library of the kernels: the crate of
/// `libscatter_kernels_on_streams.so`.
pub(crate) const KERNELS: &str = "scatter-kernels-capi";

/// The stand-in for CANN's own operators: the crate of `libvendor_operators.so`.
pub(crate) const VENDOR: &str = "vendor-operators-capi";

/// Builds the library of each package and returns where they are.
pub(crate) fn build<const N: usize>(packages: [&str; N], options: &Build) -> Result<[PathBuf; N], Error> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(options.arguments(&packages)).envs(options.environment());
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Error::Failed(format!("cargo: {error}")))?;
    if !output.status.success() {
        return Err(Error::Failed(format!("cargo build: {}{}", output.status, options.hint())));
    }
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found: [_; N] = std::array::from_fn(|_| None);
    for message in messages.lines() {
        if let Some((place, path)) = library(message, &packages) {
            found[place] = Some(path);
        }
    }
    let mut libraries = std::array::from_fn(|_| PathBuf::new());
    for ((library, path), package) in libraries.iter_mut().zip(found).zip(packages) {
        *library = path.ok_or_else(|| Error::Failed(format!("cargo build made no library of {package}")))?;
    }
    Ok(libraries)
}

/// The library that a message of cargo reports, and the index of its package.
fn library(message: &str, packages: &[&str]) -> Option<(usize, PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    if message.get("reason")? != "compiler-artifact" {
        return None;
    }
    // `path+file:///…/crates/capi/host-cann#host-cann-capi@0.1.0`
    let package = message.get("package_id")?.as_str()?.rsplit('#').next()?.split('@').next()?;
    let place = packages.iter().position(|known| *known == package)?;
    let files = message.get("filenames")?.as_array()?;
    let path = files.iter().filter_map(|file| file.as_str()).find(|file| file.ends_with(".so"))?;
    Some((place, path.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_told_the_profile_and_the_target() {
        let (always, of_packages) =
            (["build", "--message-format", "json-render-diagnostics"], ["--package", "a"]);
        let build = Build::new(Profile::Test, None);
        let expected = [&always[..], &["--profile", "test"], &of_packages].concat();
        assert_eq!(build.arguments(&["a"]), expected);
        let build = Build::new(Profile::Test, "aarch64-unknown-linux-gnu".parse().ok());
        let target = ["--target", "aarch64-unknown-linux-gnu"];
        let expected = [&always[..], &["--profile", "test"], &target, &of_packages].concat();
        assert_eq!(build.arguments(&["a"]), expected);
        let expected = [&always[..], &["--profile", "test"], &target, &["--workspace", "--lib"]];
        let together = build.clone().together_with(["--workspace", "--lib"].map(str::to_owned).to_vec());
        assert_eq!(together.arguments(&["a"]), expected.concat());
        assert!(build.hint().contains("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER"), "{}", build.hint());
        let locked = Build { locked: true, ..build }.arguments(&["a"]);
        assert!(locked.contains(&"--locked".to_owned()), "{locked:?}");
    }

    #[test]
    fn libraries_are_found_in_the_messages_of_cargo() {
        let message = |reason: &str, id: &str, file: &str| {
            format!(r#"{{"reason":"{reason}","package_id":"{id}","filenames":["x.d","{file}"]}}"#)
        };
        let packages = [HOST_CANN, ACLNN_SCATTER];
        let id = "path+file:///somewhere/capi/aclnn-scatter#aclnn-scatter-capi@0.1.0";
        let found = Some((1, PathBuf::from("liba.so")));
        assert_eq!(library(&message("compiler-artifact", id, "liba.so"), &packages), found);
        assert_eq!(library(&message("compiler-artifact", id, "build-script-build"), &packages), None);
        assert_eq!(library(&message("build-script-executed", id, "liba.so"), &packages), None);
        assert_eq!(library(&message("compiler-artifact", "x#other@1", "liba.so"), &packages), None);
        assert_eq!(library("no message", &packages), None);
    }
}
