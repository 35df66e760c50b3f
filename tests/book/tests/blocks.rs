//! Every block of code is of a language that some test holds true, or says that it is plain text.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use book::{Block, Page};

/// The languages, and what holds their blocks true. A block of `text` is what a program printed, or
/// a drawing, or says in its text why nobody can run it.
fn is_known(block: &Block) -> bool {
    match block.language.as_str() {
        // The examples of `src/lib.rs`, tests/c_programs, tests/commands.rs, and below.
        "rust" | "cpp" | "sh" | "toml" | "text" => true,
        // xtask/tests/architecture.rs.
        language => language.split(' ').next() == Some("arrows"),
    }
}

/// The pages whose blocks are asked for: README.md and its like, the guides, and the crates' pages.
fn pages() -> Vec<Page> {
    let mut pages = book::pages().unwrap();
    let folders = ["", "docs", "crates", "sys"];
    pages.retain(|page| {
        folders.iter().any(|folder| page.path.parent() == Some(Path::new(folder)))
            || page.path.starts_with("docs")
            || page.path.starts_with("crates")
    });
    pages
}

#[test]
fn every_block_names_a_language_that_a_test_knows() {
    let blocks: Vec<Block> = pages().iter().flat_map(Page::blocks).collect();
    let unknown: Vec<String> = blocks
        .iter()
        .filter(|block| !is_known(block))
        .map(|block| format!("{}: ```{}", block.place, block.language))
        .collect();
    assert!(unknown.is_empty(), "no test knows:\n{}", unknown.join("\n"));
    assert!(blocks.len() > 50, "only {} blocks were found", blocks.len());
}

#[test]
fn a_block_without_a_language_or_with_a_way_out_is_refused() {
    let page =
        Page::of(Path::new("x.md"), "```\n```\n```rust,ignore\n```\n```text\n```\n```arrows of x\n```");
    let known: Vec<bool> = page.blocks().iter().map(is_known).collect();
    assert_eq!(known, [false, false, true, true]);
}

/// The pages with Rust are doc tests of this package.
#[test]
fn rust_of_every_page_is_compiled() {
    let source = fs::read_to_string(book::root().join("tests/book/src/lib.rs")).unwrap();
    let included: BTreeSet<&str> = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#[doc = include_str!(\"../../../")?.strip_suffix("\")]"))
        .collect();
    let pages = pages();
    let with_rust: BTreeSet<&str> = pages
        .iter()
        .filter(|page| page.blocks().iter().any(|block| block.language == "rust"))
        .map(|page| page.path.to_str().unwrap())
        .collect();
    assert_eq!(included, with_rust, "src/lib.rs (left), pages with Rust (right)");
}

/// A block of a shell is one that a shell can read.
#[test]
fn shells_can_read_their_blocks() {
    for block in pages().iter().flat_map(Page::blocks).filter(|block| block.language == "sh") {
        let mut shell =
            Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        shell.stdin.take().unwrap().write_all(block.text.as_bytes()).unwrap();
        let output = shell.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && words.is_empty(), "{}: {words}", block.place);
    }
}

/// README.md shows the example of `docs/clients.md`, which `tests/clients/torch_npu/run` runs.
#[test]
fn the_example_of_torch_npu_is_the_one_that_is_run() {
    let pages = book::pages().unwrap();
    let examples = |path: &str| -> Vec<(String, String)> {
        let page = pages.iter().find(|page| page.path == Path::new(path)).unwrap();
        let python = |block: Block| {
            let (_, text) = block.text.split_once("<<'PYTHON'\n")?;
            Some((text.to_owned(), block.printed.unwrap()))
        };
        page.blocks().into_iter().filter_map(python).collect()
    };
    let [example] = &examples("README.md")[..] else { panic!("README.md has one example in Python") };
    assert!(examples("docs/clients.md").contains(example));
}

/// A dependency that a page tells to write down is a crate of this repository with those features.
#[test]
fn dependencies_are_crates_of_the_repository() {
    let mut lines = 0;
    for block in pages().iter().flat_map(Page::blocks).filter(|block| block.language == "toml") {
        for line in block.text.lines().filter(|line| line.contains('{')) {
            let between =
                |start: &str, end: &str| line.split_once(start)?.1.split_once(end).map(|(text, _)| text);
            let name = line.split_once(' ').unwrap().0;
            let path =
                between("path = \"../scatter/", "\"").unwrap_or_else(|| panic!("{}: {line}", block.place));
            let manifest = fs::read_to_string(book::root().join(path).join("Cargo.toml")).unwrap();
            assert!(manifest.contains(&format!("\nname = \"{name}\"\n")), "{}: {line}", block.place);
            for feature in
                between("features = [", "]").unwrap_or_default().split(", ").filter(|text| !text.is_empty())
            {
                let declared = format!("\n{} = ", feature.trim_matches('"'));
                assert!(manifest.contains(&declared), "{}: {line}", block.place);
            }
            lines += 1;
        }
    }
    assert!(lines > 0, "no dependency was found");
}
