//! `cargo xtask dist`: an archive for people who have no Rust.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::folder::Folder;
use crate::{Build, Error, host_toolkit, op_package, root, third_party};

/// The list of what was written.
const LIST: &str = ".dist";

/// The files that are written as they are here.
const TEXTS: [(&str, &str); 3] = [
    ("README.md", include_str!("../templates/dist/README.md")),
    ("example/CMakeLists.txt", include_str!("../templates/dist/example/CMakeLists.txt")),
    ("example/scatter_add.cpp", include_str!("../templates/dist/example/scatter_add.cpp")),
];

/// How the archive is made.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct Options {
    /// How the libraries are built.
    #[command(flatten)]
    pub build: Build,
    /// Take the libraries as `cargo build` makes them, for tests: they have debugging information,
    /// and name folders of this machine.
    #[arg(long)]
    pub with_paths: bool,
}

/// Writes the archive and its checksum into a folder, and returns how to use them.
///
/// # Errors
/// The folder was not made by this command, the libraries can't be built, or a tool is missing.
pub fn run(folder: &Path, options: &Options) -> Result<String, Error> {
    Folder::check(folder, LIST)?;
    let build = Build { anonymous: !options.with_paths, locked: true, ..options.build.clone() };
    let scratch = tempfile::tempdir().map_err(|error| Error::Failed(error.to_string()))?;
    let name = format!("scatter-ascend-{}-{}", env!("CARGO_PKG_VERSION"), build.triple());
    lay_out(&scratch.path().join(&name), &build)?;
    let archive = format!("{name}.tar.gz");
    pack(scratch.path(), &name, &archive)?;
    let sum = checksums(scratch.path(), std::slice::from_ref(&archive))?;
    let mut folder_of_archive = Folder::open(folder, LIST)?;
    folder_of_archive.copy(&scratch.path().join(&archive), &archive)?;
    folder_of_archive.write(&format!("{archive}.sha256"), &sum)?;
    folder_of_archive.close()?;
    Ok(format!("{}\n", folder.join(archive).display()))
}

/// Lays out what is packed.
fn lay_out(tree: &Path, build: &Build) -> Result<(), Error> {
    let mut folder = Folder::open(tree, LIST)?;
    let third_party = third_party::text(build)?;
    let texts = TEXTS.map(|(name, text)| (name, text.replace("@VERSION@", env!("CARGO_PKG_VERSION"))));
    for (name, text) in texts {
        folder.write(name, &text.replace("@MACHINE@", build.machine()))?;
    }
    folder.write("THIRD-PARTY.txt", &third_party)?;
    third_party::standard_library(&mut folder)?;
    folder.write("VERSION", &version())?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        folder.copy(&root().join(licence), licence)?;
    }
    folder.close()?;
    host_toolkit::run(&tree.join("host-cann"), build)?;
    op_package::run(&tree.join("op-package"), build)?;
    // The lists say what the commands may remove again, which they don't in an archive.
    for list in [LIST, "host-cann/.host-toolkit", "op-package/.op-package"] {
        let list = tree.join(list);
        fs::remove_file(&list).map_err(|error| Error::Failed(format!("{}: {error}", list.display())))?;
    }
    let mut files = Vec::new();
    names(tree, Path::new(""), &mut files)?;
    files.sort();
    let sums = tree.join("SHA256SUMS");
    let text = checksums(tree, &files)?;
    fs::write(&sums, text).map_err(|error| Error::Failed(format!("{}: {error}", sums.display())))
}

/// The version, and the commit where git knows it.
fn version() -> String {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]).current_dir(root());
    let commit = git.stdin(Stdio::null()).stderr(Stdio::null()).output().ok();
    let commit = commit.filter(|output| output.status.success()).map(|output| output.stdout);
    let commit =
        commit.map_or(String::new(), |commit| format!("commit {}", String::from_utf8_lossy(&commit)));
    format!("scatter {}\n{commit}", env!("CARGO_PKG_VERSION"))
}

/// The names of all files in a folder and those below; links are none.
fn names(root: &Path, folder: &Path, found: &mut Vec<String>) -> Result<(), Error> {
    let path = root.join(folder);
    let failed = |error: std::io::Error| Error::Failed(format!("{}: {error}", path.display()));
    for entry in fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, kind) = (folder.join(entry.file_name()), entry.file_type().map_err(failed)?);
        if kind.is_dir() {
            names(root, &name, found)?;
        } else if kind.is_file() {
            found.push(name.display().to_string());
        }
    }
    Ok(())
}

/// What `sha256sum` says of files in a folder.
fn checksums(folder: &Path, files: &[String]) -> Result<String, Error> {
    let mut command = Command::new("sha256sum");
    let output = succeed(command.arg("--").args(files).current_dir(folder))?;
    String::from_utf8(output).map_err(|error| Error::Failed(format!("sha256sum: {error}")))
}

/// Packs a folder so that the same files make the same archive: in the order of their names, of
/// nobody, with permissions that don't depend on the umask, and of the time `SOURCE_DATE_EPOCH`, or
/// else of 1980.
fn pack(folder: &Path, name: &str, archive: &str) -> Result<(), Error> {
    let time = std::env::var("SOURCE_DATE_EPOCH").unwrap_or_else(|_| "315532800".to_owned());
    let tar = archive.trim_end_matches(".gz");
    let mut command = Command::new("tar");
    command.args(["--create", "--format=gnu", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    command.args(["--mode=u=rwX,go=rX", "--file", tar]).arg(format!("--mtime=@{time}"));
    succeed(command.arg("--").arg(name).current_dir(folder))?;
    // Without the name and the time of the file.
    succeed(Command::new("gzip").args(["--no-name", "-9", tar]).current_dir(folder)).map(drop)
}

/// What a program prints, which must succeed.
pub(crate) fn succeed(command: &mut Command) -> Result<Vec<u8>, Error> {
    let name = PathBuf::from(command.get_program()).display().to_string();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Error::Failed(format!("{name}: {error}")))?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        let words = String::from_utf8_lossy(&output.stderr);
        Err(Error::Failed(format!("{name}: {}: {}", output.status, words.trim())))
    }
}
