//! The crates use each other as `docs/architecture.md` says.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Each package of the workspace, and those of the workspace that it uses outside of its tests.
type Arrows = BTreeMap<String, BTreeSet<String>>;

fn documented(root: &Path) -> Arrows {
    let page = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let list = page.split("```arrows\n").nth(1).unwrap().split("```").next().unwrap();
    let arrow = |line: &str| {
        let (from, to) = line.split_once("->").unwrap();
        let to = to.split(',').map(str::trim).filter(|name| !name.is_empty());
        (from.trim().to_owned(), to.map(str::to_owned).collect())
    };
    list.lines().map(arrow).collect()
}

fn of_manifests(root: &Path) -> Arrows {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]).current_dir(root);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let own: BTreeSet<_> = packages.iter().map(name).collect();
    let used = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let of_code = dependencies.filter(|dependency| dependency["kind"] != "dev").map(name);
        of_code.filter(|name| own.contains(name)).collect()
    };
    packages.iter().map(|package| (name(package), used(package))).collect()
}

#[test]
fn crates_use_each_other_as_the_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    assert_eq!(of_manifests(root), documented(root), "manifests (left), docs/architecture.md (right)");
}
