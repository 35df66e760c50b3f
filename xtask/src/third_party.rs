//! The licences of what is linked into the libraries.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::dist::succeed;
use crate::folder::Folder;
use crate::libraries::{ACLNN_SCATTER, HOST_CANN, OPAPI};
use crate::{Build, Error, metadata, root};

/// How a file that has a licence begins, in capitals.
const BEGINNINGS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"];

/// The folder of the texts about the standard library.
const STANDARD_LIBRARY: &str = "rust-standard-library";

/// A list of the packages of others that are linked into the libraries, each with its licence, and
/// the texts of these.
///
/// # Errors
/// cargo can't tell the packages, or a package has no text of its licence.
pub(crate) fn text(build: &Build) -> Result<String, Error> {
    let metadata = metadata(&["--locked", "--filter-platform", &build.triple()])?;
    let mut list = format!(
        "The libraries contain these packages, each under one of the licences that it names. Their texts\n\
         follow, but for the standard library of Rust and what that contains in turn, which are in\n\
         {STANDARD_LIBRARY}/ as the Rust toolchain has them.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in linked(&metadata, &tree(build)?) {
        let word = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", word("name"), word("version"));
        let _ = writeln!(list, "- {name}: {}", word("license"));
        let found = licences(Path::new(word("manifest_path")))?;
        if found.is_empty() {
            return Err(Error::Failed(format!("{name}: the package has no text of its licence")));
        }
        for text in found {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    list += "- the standard library of Rust: MIT OR Apache-2.0, copyright of The Rust Project Developers\n";
    for (text, packages) in texts {
        let _ = write!(list, "\n{}\n{}\n\n{}\n", "=".repeat(80), packages.join(", "), text.trim_end());
    }
    Ok(list)
}

/// Copies what the Rust toolchain says of the licences of its standard library, which is linked
/// into each of the libraries.
///
/// # Errors
/// The toolchain lacks these texts.
pub(crate) fn standard_library(folder: &mut Folder) -> Result<(), Error> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let sysroot = succeed(rustc.args(["--print", "sysroot"]).current_dir(root()))?;
    let texts = Path::new(String::from_utf8_lossy(&sysroot).trim()).join("share/doc/rust");
    for (path, name) in texts_of_standard_library(&texts)? {
        folder.copy(&path, &format!("{STANDARD_LIBRARY}/{name}"))?;
    }
    Ok(())
}

/// The notices of the standard library, and those of the licences named in them that are there, in
/// a toolchain's folder of documentation: where they are, and under which name.
fn texts_of_standard_library(folder: &Path) -> Result<Vec<(PathBuf, String)>, Error> {
    // MIT's licence and Apache's have every copy of the code carry them, compiled code too.
    let lacks = |path: &Path, why: &dyn std::fmt::Display| {
        Error::Failed(format!(
            "{}: {why}; the archive must carry the licences of Rust's standard library, which toolchains of \
             rustup have there",
            path.display()
        ))
    };
    let notices = folder.join("COPYRIGHT-library.html");
    let text = fs::read_to_string(&notices).map_err(|error| lacks(&notices, &error))?;
    let mut found = vec![(notices, "COPYRIGHT-library.html".to_owned())];
    let licences = folder.join("licenses");
    for entry in fs::read_dir(&licences).map_err(|error| lacks(&licences, &error))? {
        let path = entry.map_err(|error| lacks(&licences, &error))?.path();
        let (Some(licence), Some(name)) = (path.file_stem(), path.file_name()) else { continue };
        // The folder also has those of the compiler, which isn't linked in.
        if text.contains(&*licence.to_string_lossy()) {
            let name = format!("licenses/{}", name.to_string_lossy());
            found.push((path, name));
        }
    }
    match found.len() {
        1 => Err(lacks(&licences, &"no licence that COPYRIGHT-library.html names")),
        _ => Ok(found),
    }
}

/// What `cargo tree` tells of the packages that are linked into the libraries: their names and
/// versions, each line one of them. It takes features as `cargo build` does for these libraries,
/// which `cargo metadata` can't, and leaves out macros, which run in the compiler.
fn tree(build: &Build) -> Result<String, Error> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "tree",
        "--color=never",
        "--locked",
        "--edges",
        "normal,no-proc-macro",
        "--prefix",
        "none",
        "--target",
    ]);
    cargo.arg(build.triple()).current_dir(root());
    for package in [HOST_CANN, ACLNN_SCATTER, OPAPI] {
        cargo.args(["--package", package]);
    }
    Ok(String::from_utf8_lossy(&succeed(&mut cargo)?).into_owned())
}

/// The packages of others that a tree names, in the order of the metadata.
fn linked<'a>(metadata: &'a Value, tree: &str) -> Vec<&'a Value> {
    // `rayon v1.12.0`, or `rayon v1.12.0 (*)` where it was named before.
    let named: BTreeSet<_> =
        tree.lines().filter_map(|line| line.split(" (").next()?.split_once(" v")).collect();
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_named = |package: &Value| {
        let word = |key: &str| package[key].as_str().unwrap_or_default();
        named.contains(&(word("name"), word("version")))
    };
    // Packages of this repository have no source.
    packages.iter().filter(|package| !package["source"].is_null() && is_named(package)).collect()
}

/// The texts of the licences in the folder of a manifest.
fn licences(manifest: &Path) -> Result<Vec<String>, Error> {
    let folder = manifest.parent().unwrap_or(manifest);
    let failed = |error: std::io::Error| Error::Failed(format!("{}: {error}", folder.display()));
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) && entry.path().is_file() {
            texts.insert(name, fs::read_to_string(entry.path()).map_err(failed)?);
        }
    }
    Ok(texts.into_values().collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_linked_and_nothing_else_is_listed() {
        let package = |name: &str, version: &str, source: Value| json!({"name": name, "version": version, "source": source});
        let metadata = json!({"packages": [
            package("own", "0.1.0", Value::Null),
            package("linked", "1.2.3", json!("registry")),
            package("linked", "2.0.0", json!("registry")),
            package("twice", "0.4.0+abc", json!("registry")),
            package("of-others", "1.0.0", json!("registry")),
        ]});
        let tree = "own v0.1.0 (/own)\nlinked v1.2.3\ntwice v0.4.0+abc\n\ntwice v0.4.0+abc (*)\n";
        let linked: Vec<_> = linked(&metadata, tree).iter().map(|package| &package["version"]).collect();
        assert_eq!(linked, ["1.2.3", "0.4.0+abc"]);
    }

    #[test]
    fn the_standard_library_has_its_notices_and_the_licences_that_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let texts = || {
            texts_of_standard_library(folder.path()).map(|found| {
                let mut names: Vec<_> = found.into_iter().map(|(_, name)| name).collect();
                names.sort();
                names
            })
        };
        let lacks = |what: &str| {
            let error = texts().unwrap_err().to_string();
            assert!(error.contains(what) && error.contains("licences of Rust's standard library"), "{error}");
        };
        lacks("COPYRIGHT-library.html");
        fs::write(folder.path().join("COPYRIGHT-library.html"), "License: MIT").unwrap();
        lacks("licenses");
        fs::create_dir(folder.path().join("licenses")).unwrap();
        fs::write(folder.path().join("licenses/GPL-2.0-only.txt"), "").unwrap();
        lacks("no licence that");
        fs::write(folder.path().join("licenses/MIT.txt"), "").unwrap();
        assert_eq!(texts().unwrap(), ["COPYRIGHT-library.html", "licenses/MIT.txt"]);
    }

    #[test]
    fn texts_of_licences_are_found_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["LICENSE-MIT", "copying", "src.rs"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        assert_eq!(licences(&folder.path().join("Cargo.toml")).unwrap(), ["copying", "LICENSE-MIT"]);
    }
}
