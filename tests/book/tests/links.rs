//! Links between the pages, and from them to files of the repository, lead somewhere.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use book::Page;

/// Why a link leads nowhere, if it does; nothing is asked of links to other places than the
/// repository.
fn dead(page: &Page, target: &str, anchors: &HashMap<PathBuf, Vec<String>>) -> Option<String> {
    if ["https://", "http://", "mailto:"].iter().any(|start| target.starts_with(start)) {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() {
        page.path.clone()
    } else {
        without_dots(&page.path.parent().unwrap_or(Path::new("")).join(path))?
    };
    if !book::root().join(&file).exists() {
        return Some(format!("no file {}", file.display()));
    }
    let anchor = anchor?;
    let there = anchors.get(&file).is_some_and(|of| of.iter().any(|other| other == anchor));
    (!there).then(|| format!("no heading #{anchor} in {}", file.display()))
}

/// The path without `.` and `..`; none where it leaves the repository.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => plain.pop().then_some(())?,
            Component::Normal(part) => plain.push(part),
            _ => {}
        }
    }
    Some(plain)
}

fn anchors(pages: &[Page]) -> HashMap<PathBuf, Vec<String>> {
    pages.iter().map(|page| (page.path.clone(), page.anchors())).collect()
}

#[test]
fn no_link_is_dead() {
    let pages = book::pages().unwrap();
    let anchors = anchors(&pages);
    let mut links = 0;
    let mut found = Vec::new();
    for page in &pages {
        for link in page.links() {
            links += 1;
            if let Some(why) = dead(page, &link.target, &anchors) {
                found.push(format!("{}: {}: {why}", link.place, link.target));
            }
        }
    }
    assert!(found.is_empty(), "dead links:\n{}", found.join("\n"));
    assert!(links > 100, "only {links} links were found");
}

#[test]
fn dead_links_are_found() {
    let text = "# A `b`: c\n## A\n## A\n[x](#a-b-c) [y](#a-1) [z](docs/start.md) [w](#nothing) [v](none.md)\n\
        [u](docs/start.md#threads) [t](docs/start.md#none) `[s](code.md)` ![p](docs/none.svg) [o](https://x/y)";
    let page = Page::of(Path::new("README.md"), text);
    let mut anchors = anchors(&book::pages().unwrap());
    anchors.insert(page.path.clone(), page.anchors());
    let found: Vec<_> =
        page.links().into_iter().filter(|link| dead(&page, &link.target, &anchors).is_some()).collect();
    let targets: Vec<&str> = found.iter().map(|link| link.target.as_str()).collect();
    assert_eq!(targets, ["#nothing", "none.md", "docs/start.md#none", "docs/none.svg"]);
}

/// A page that the book doesn't list would not be in it.
#[test]
fn the_table_of_contents_has_every_page() {
    let pages = book::pages().unwrap();
    let summary = pages.iter().find(|page| page.path == Path::new("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<PathBuf> =
        summary.links().iter().map(|link| Path::new("docs").join(&link.target)).collect();
    let mut there: Vec<PathBuf> =
        pages.iter().map(|page| page.path.clone()).filter(|path| path.starts_with("docs")).collect();
    there.retain(|path| *path != summary.path);
    listed.sort();
    there.sort();
    assert_eq!(listed, there, "docs/SUMMARY.md (left), docs (right)");
}

/// Comments of the sources name pages, too.
#[test]
fn pages_that_sources_name_are_there() {
    let mut folders = vec![book::root()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let (path, name) = (entry.path(), entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                let name = name.to_string_lossy();
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|ending| {
                ["rs", "cpp", "h", "hpp", "c", "py", "sh", "txt", "toml", "asc"]
                    .iter()
                    .any(|known| ending == *known)
            }) {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for (number, line) in text.lines().enumerate() {
                    for named in line.split("docs/").skip(1) {
                        let name = named.split_once(".md").map_or("", |(name, _)| name);
                        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-/_".contains(letter);
                        // Pages of other projects have names in capitals, or stand in longer paths.
                        let is_ours =
                            !name.is_empty() && name.chars().all(is_name) && !name.starts_with("zh/");
                        let is_ours = is_ours && name.chars().any(char::is_lowercase);
                        if is_ours && !book::root().join(format!("docs/{name}.md")).exists() {
                            found.push(format!("{}:{}: docs/{name}.md", path.display(), number + 1));
                        }
                    }
                }
            }
        }
    }
    // This file's own examples.
    found.retain(|place| !place.contains("tests/book/"));
    assert!(found.is_empty(), "no such pages:\n{}", found.join("\n"));
}
