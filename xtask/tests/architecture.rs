//! The crates, and the top folders of each, use each other as `docs/architecture.md` says.

#![allow(clippy::unwrap_used, clippy::panic)]

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
    let found = page.split_once(&format!("```{heading}\n"));
    let (_, list) = found.unwrap_or_else(|| panic!("docs/architecture.md has no `{heading}`"));
    let list = list.split("```").next().unwrap();
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

/// Whether a path of this source, which is `depth` modules below the crate, goes beyond the module
/// at the top that it is in, without naming it.
fn leaves_its_part(source: &str, depth: usize) -> bool {
    // Tests at the end of a file are a module of their own.
    let (source, tests) = source.split_once("mod tests {").unwrap_or((source, ""));
    let leaves = |mut rest: &str, depth: usize| {
        while let Some(place) = rest.find("super::") {
            rest = &rest[place..];
            let mut up = 0;
            while let Some(outer) = rest.strip_prefix("super::").or_else(|| rest.strip_prefix("{super::")) {
                (rest, up) = (outer, up + 1);
            }
            if up >= depth {
                return true;
            }
        }
        false
    };
    leaves(source, depth) || leaves(tests, depth + 1)
}

/// How the parts of a crate use each other, where `part` names the part that a module at the top is
/// in, if it is in one.
fn of_source(source: &Path, part: impl Fn(&str) -> Option<String>) -> Arrows {
    let mut files = Vec::new();
    rust_files(source, &mut files);
    let mut arrows = Arrows::new();
    for file in files {
        let inside = file.strip_prefix(source).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let Some(from) = part(first.trim_end_matches(".rs")) else { continue };
        let text = without_comments(&fs::read_to_string(&file).unwrap());
        let depth = inside.components().count() - usize::from(inside.ends_with("mod.rs"));
        // Such paths would not be seen.
        assert!(depth < 1 || !leaves_its_part(&text, depth), "{}: write crate:: instead", file.display());
        let mut used: BTreeSet<_> = used_modules(&text).iter().filter_map(|module| part(module)).collect();
        used.remove(&from);
        arrows.entry(from).or_default().extend(used);
    }
    arrows
}

/// The documented arrows of a crate's parts, and the part of each module that is none by itself.
fn parts_of(source: &str) -> (Arrows, BTreeMap<String, String>) {
    let (mut arrows, mut parts) = (Arrows::new(), BTreeMap::new());
    for (from, to) in documented(&format!("arrows of {source}")) {
        let (part, files) = from.split_once(':').unwrap_or((&from, ""));
        parts.extend(names(files).map(|file| (file, part.to_owned())));
        arrows.insert(part.to_owned(), to);
    }
    (arrows, parts)
}

/// Folders and files.
#[test]
fn parts_of_aclnn_scatter_use_each_other_as_the_page_says() {
    let source = "crates/aclnn-scatter/src";
    let (expected, parts) = parts_of(source);
    let part = |module: &str| Some(parts.get(module).map_or(module, String::as_str).to_owned());
    let found = of_source(&root().join(source), part);
    assert_eq!(found, expected, "source (left), docs/architecture.md (right)");
}

/// Folders of modules right below a crate's source.
fn top_folders(source: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path());
    let is_module = |folder: &PathBuf| folder.join("mod.rs").exists() || folder.with_extension("rs").exists();
    let folders = entries.filter(|path| path.is_dir() && is_module(path));
    folders.map(|folder| folder.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn folders_of_every_crate_use_each_other_as_the_page_says() {
    let metadata = xtask::metadata(&["--no-deps", "--offline"]).unwrap();
    let targets = metadata["packages"].as_array().unwrap().iter().flat_map(|package| {
        package["targets"].as_array().unwrap().iter().filter(|target| target["kind"][0] == "lib")
    });
    let mut checked = BTreeSet::from(["crates/aclnn-scatter/src".to_owned()]);
    for target in targets {
        let source = Path::new(target["src_path"].as_str().unwrap()).parent().unwrap();
        let name = source.strip_prefix(root()).unwrap().to_str().unwrap();
        let folders = top_folders(source);
        if folders.len() < 2 || !checked.insert(name.to_owned()) {
            continue;
        }
        let found = of_source(source, |module| folders.get(module).cloned());
        let (expected, _) = parts_of(name);
        assert_eq!(found, expected, "{name} (left), docs/architecture.md (right)");
    }
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let lists = page.lines().filter_map(|line| line.strip_prefix("```arrows of "));
    assert_eq!(checked, lists.map(str::to_owned).collect(), "crates with folders, and with a list");
}

#[test]
fn a_path_that_leaves_its_folder_without_naming_it_is_seen() {
    for (source, depth) in [
        ("use super::a;", 1),
        ("use super::*;", 1),
        ("use super::super::a;", 2),
        ("use super::{super::a, b};", 2),
        ("mod tests { use super::super::a; }", 1),
    ] {
        assert!(leaves_its_part(source, depth), "{source}");
    }
    assert!(!leaves_its_part("use super::a; super::b();\nmod tests { use super::super::a; }", 2));
}

#[test]
fn every_path_of_a_list_is_found() {
    let source = "use crate::{a::X, b::{c, d}, e};\nlet _ = $crate::f::g(crate::h!());";
    let expected = ["a", "b", "e", "f", "h"].map(str::to_owned);
    assert_eq!(used_modules(source), BTreeSet::from(expected));
}
