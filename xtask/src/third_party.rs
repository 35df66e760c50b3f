//! The licences of what is linked into the libraries.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::libraries::{ACLNN_SCATTER, HOST_CANN, OPAPI};
use crate::{Build, Error, metadata};

/// How a file that has a licence begins, in capitals.
const BEGINNINGS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"];

/// A list of the packages of others that are linked into the libraries, each with its licence, and
/// the texts of these.
///
/// # Errors
/// cargo can't tell the packages, or a package has no text of its licence.
pub(crate) fn text(build: &Build) -> Result<String, Error> {
    let metadata = metadata(&["--filter-platform", &build.triple()])?;
    let mut list = String::from(
        "The libraries contain these packages, each under one of the licences that it names. Their\n\
         texts follow, but for the standard library of Rust, which comes with other packages of its own: its\n\
         texts are share/doc/rust/COPYRIGHT-library.html of a Rust toolchain.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in linked(&metadata) {
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

/// The packages of others that are linked into the libraries, by name.
fn linked(metadata: &Value) -> Vec<&Value> {
    let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes = array(&metadata["resolve"]["nodes"]);
    let node = |id: &str| nodes.iter().find(|node| node["id"] == id);
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let package = |id: &str| packages.iter().find(|package| package["id"] == id);
    let is_macro =
        |package: &Value| array(&package["targets"]).iter().any(|target| target["kind"][0] == "proc-macro");
    let is_root =
        |package: &&Value| [HOST_CANN, ACLNN_SCATTER, OPAPI].iter().any(|name| package["name"] == *name);
    let mut open: Vec<String> = packages
        .iter()
        .filter(is_root)
        .filter_map(|package| Some(package["id"].as_str()?.to_owned()))
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        // Macros run in the compiler, and what they use is in no library.
        if package(&id).is_none_or(is_macro) || !seen.insert(id.clone()) {
            continue;
        }
        for dependency in node(&id).map(|node| array(&node["deps"])).unwrap_or_default() {
            let is_linked = array(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            if let (true, Some(id)) = (is_linked, dependency["pkg"].as_str()) {
                open.push(id.to_owned());
            }
        }
    }
    // Packages of this repository have no source.
    packages
        .iter()
        .filter(|package| {
            package["id"].as_str().is_some_and(|id| seen.contains(id)) && !package["source"].is_null()
        })
        .collect()
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
        let package = |name: &str, source: Value, kind: &str| json!({"id": name, "name": name, "source": source, "targets": [{"kind": [kind]}]});
        let node = |name: &str, used: &[(&str, Value)]| {
            let uses = |(name, kind): &(&str, Value)| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
            json!({"id": name, "deps": used.iter().map(uses).collect::<Vec<_>>()})
        };
        let registry = || json!("registry");
        let metadata = json!({
            "packages": [
                package(HOST_CANN, Value::Null, "cdylib"),
                package("own", Value::Null, "lib"),
                package("linked", registry(), "lib"),
                package("of-linked", registry(), "lib"),
                package("macro", registry(), "proc-macro"),
                package("of-macro", registry(), "lib"),
                package("of-build", registry(), "lib"),
                package("of-tests", registry(), "lib"),
                package("of-others", registry(), "lib"),
            ],
            "resolve": {"nodes": [
                node(HOST_CANN, &[("own", Value::Null), ("of-build", json!("build"))]),
                node("own", &[("linked", Value::Null), ("macro", Value::Null), ("of-tests", json!("dev"))]),
                node("linked", &[("of-linked", Value::Null)]),
                node("macro", &[("of-macro", Value::Null)]),
            ]},
        });
        let names: Vec<_> = linked(&metadata).into_iter().map(|package| &package["name"]).collect();
        assert_eq!(names, ["linked", "of-linked"]);
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
