//! The repository's documents as text: pages, their code blocks, the commands that they name, and
//! their links.
//!
//! Nothing here judges. Tests of several packages do, each with what it knows: the command lines of
//! the suite its parser, C++ the compiler, and so on. `docs/README.md` lists them.

mod commands;
mod page;

pub use commands::{Command, of as commands_of};
pub use page::{Block, Link, Page};

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folder of the repository.
pub fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_path_buf()
}

/// Every page: those of the repository itself, those in `docs`, and the README.md of crates and of
/// other folders. (That of the archive of `cargo xtask dist` is a template.)
///
/// # Errors
///
/// When a folder or a page can't be read.
pub fn pages() -> io::Result<Vec<Page>> {
    let own = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
    let mut paths: Vec<PathBuf> = own.map(PathBuf::from).into();
    for folder in [".github", "docs", "crates"] {
        markdown_below(Path::new(folder), &mut paths)?;
    }
    let others = ["sys", "kernels", "kernels/model", "tests/oracle", "benches/peers", "xtask/include"];
    paths.extend(others.map(|folder| Path::new(folder).join("README.md")));
    paths.sort();
    paths.into_iter().map(Page::read).collect()
}

/// The commands of all pages: of their `sh` blocks, and those between backticks in the text.
///
/// # Errors
///
/// When a folder or a page can't be read.
pub fn commands() -> io::Result<Vec<Command>> {
    // The changelog tells of commands as they were.
    let pages = pages()?.into_iter().filter(|page| page.path != Path::new("CHANGELOG.md"));
    Ok(pages.flat_map(|page| commands::of(&page)).collect())
}

/// The arguments of each command that begins with these words, and where it stands.
///
/// # Errors
///
/// When a folder or a page can't be read.
pub fn arguments_of(words: &[&str]) -> io::Result<Vec<(String, Vec<String>)>> {
    let found = commands()?.into_iter().filter_map(|command| {
        let rest = command
            .words
            .strip_prefix(words.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice())?;
        Some((command.place.clone(), rest.to_vec()))
    });
    Ok(found.collect())
}

/// Adds the Markdown files in a folder of the repository and in those below.
fn markdown_below(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root().join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            markdown_below(&path, paths)?;
        } else if path.extension().is_some_and(|ending| ending == "md") {
            paths.push(path);
        }
    }
    Ok(())
}

/// The Rust examples of the pages are tests. `tests/blocks.rs` finds a page that is missing here.
#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../crates/scatter/README.md")]
    struct OfScatter;
    #[doc = include_str!("../../../crates/aclnn/README.md")]
    struct Aclnn;
    #[doc = include_str!("../../../docs/safe-api.md")]
    struct SafeApi;
    #[doc = include_str!("../../../docs/scatter.md")]
    struct Scatter;
    #[doc = include_str!("../../../docs/start.md")]
    struct Start;
}
