//! The crates, and the top folders of `aclnn-scatter`, use each other as `docs/architecture.md`
//! says.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Each package of the workspace, or part of a crate, and those of the same kind that it uses.
type Arrows = BTreeMap<String, BTreeSet<String>>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The lines of the page's code block with this heading, each split at its arrow.
fn documented(heading: &str) -> Vec<(String, BTreeSet<String>)> {
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let list = page.split(&format!("```{heading}\n")).nth(1).unwrap().split("```").next().unwrap();
    let arrow = |line: &str| {
        let (from, to) = line.split_once("->").unwrap();
        (from.trim().to_owned(), names(to).collect())
    };
    list.lines().map(arrow).collect()
}

/// The names of a list with commas.
fn names(list: &str) -> impl Iterator<Item = String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned)
}

fn of_manifests() -> Arrows {
    let metadata = xtask::metadata(&["--no-deps", "--offline"]).unwrap();
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
    let documented: Arrows = documented("arrows").into_iter().collect();
    assert_eq!(of_manifests(), documented, "manifests (left), docs/architecture.md (right)");
}

/// Every Rust file below a folder.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The source without its comments.
fn without_comments(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules at the top of the crate that the paths of a source begin with: `a` and `b` for
/// `crate::a::X` and `crate::{a, b::Y}`.
fn used_modules(source: &str) -> BTreeSet<String> {
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let name_of =
        |path: &str| path.trim_start().split(|letter| !is_of_name(letter)).next().unwrap().to_owned();
    let mut used = BTreeSet::new();
    for path in source.split("crate::").skip(1) {
        let Some(list) = path.strip_prefix('{') else {
            used.insert(name_of(path));
            continue;
        };
        let mut depth = 0;
        let mut is_first = true;
        for (place, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => is_first = true,
                _ if is_first && is_of_name(letter) => {
                    used.insert(name_of(&list[place..]));
                    is_first = false;
                }
                _ => {}
            }
        }
    }
    used
}

/// How the parts of a crate use each other, where `parts` names the part of each module that is not
/// a part by itself.
fn of_source(source: &Path, parts: &BTreeMap<String, String>) -> Arrows {
    let part = |module: &str| parts.get(module).cloned().unwrap_or_else(|| module.to_owned());
    let mut files = Vec::new();
    rust_files(source, &mut files);
    let mut arrows = Arrows::new();
    for file in files {
        let inside = file.strip_prefix(source).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let from = part(first.trim_end_matches(".rs"));
        let text = without_comments(&fs::read_to_string(&file).unwrap());
        // Paths that leave a folder without naming it would not be seen.
        assert!(!text.contains("super::super"), "{}: write crate:: instead", inside.display());
        if inside.ends_with("mod.rs") && inside.components().count() == 2 {
            let is_outward = |line: &str| line.contains("super::") && !line.contains("super::*");
            assert!(!text.lines().any(is_outward), "{}: write crate:: instead", inside.display());
        }
        let mut used: BTreeSet<_> = used_modules(&text).iter().map(|module| part(module)).collect();
        used.remove(&from);
        arrows.entry(from).or_default().extend(used);
    }
    arrows
}

#[test]
fn folders_of_aclnn_scatter_use_each_other_as_the_page_says() {
    let source = "crates/aclnn-scatter/src";
    let mut parts = BTreeMap::new();
    let mut expected = Arrows::new();
    for (from, to) in documented(&format!("arrows of {source}")) {
        let (part, files) = from.split_once(':').unwrap_or((&from, ""));
        parts.extend(names(files).map(|file| (file, part.to_owned())));
        expected.insert(part.to_owned(), to);
    }
    let found = of_source(&root().join(source), &parts);
    assert_eq!(found, expected, "source (left), docs/architecture.md (right)");
}

#[test]
fn every_path_of_a_list_is_found() {
    let source = "use crate::{a::X, b::{c, d}, e};\nlet _ = $crate::f::g(crate::h!());";
    let expected = ["a", "b", "e", "f", "h"].map(str::to_owned);
    assert_eq!(used_modules(source), BTreeSet::from(expected));
}
