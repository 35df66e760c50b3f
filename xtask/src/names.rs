//! The library of names that clients link and host-cann doesn't have.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Build, Error};

/// What each client wants, as `tests/clients/names.py` lists it.
const LISTS: [&str; 5] = [
    include_str!("../names/mindspore-2.10.0.txt"),
    include_str!("../names/mindspore-2.7.1.txt"),
    include_str!("../names/torch_npu-2.7.1.txt"),
    include_str!("../names/torch_npu-2.8.0.post5.txt"),
    include_str!("../names/torch_npu-2.9.0.post9.txt"),
];

/// The code around the names. It implements some of them itself.
const SOURCE: &str = include_str!("../templates/toolkit/names.cpp");

/// What the lists have of a kind, `library` or `name`.
fn listed(kind: &str) -> BTreeSet<&'static str> {
    let lines = LISTS.iter().flat_map(|list| list.lines());
    lines
        .filter_map(|line| line.split_once(' '))
        .filter(|(of, _)| *of == kind)
        .map(|(_, word)| word)
        .collect()
}

/// The libraries that clients need beside those of the runtime and the operators.
pub(crate) fn libraries() -> BTreeSet<&'static str> {
    listed("library")
}

/// The lines that give each name a function, but for those that the source has.
fn functions() -> String {
    let absent = listed("name").into_iter().filter(|name| !SOURCE.contains(&format!("\"{name}\"")));
    absent.map(|name| format!("NAME(\"{name}\")\n")).collect()
}

/// Compiles the library into a folder, and returns where it is.
pub(crate) fn build(folder: &Path, options: &Build) -> Result<PathBuf, Error> {
    let failed = |error: std::io::Error| Error::Failed(format!("{}: {error}", folder.display()));
    fs::write(folder.join("names.inc"), functions()).map_err(failed)?;
    let (source, library) = (folder.join("names.cpp"), folder.join("libnames.so"));
    fs::write(&source, SOURCE).map_err(failed)?;
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let target = options.triple();
    let target = target.as_str();
    let mut compiler = cc::Build::new();
    compiler.cpp(true).std("c++17").pic(true).opt_level(1).host(&host).target(target).cargo_metadata(false);
    let compiler =
        compiler.try_get_compiler().map_err(|error| Error::Failed(format!("C++ for {target}: {error}")))?;
    let mut command = compiler.to_command();
    command.args(["-D_GLIBCXX_USE_CXX11_ABI=0", "-shared"]);
    if options.anonymous {
        // A -g in CXXFLAGS would name folders.
        command.arg("-Wl,--strip-debug");
    }
    command.arg("-o").arg(&library).arg(&source);
    let status =
        command.status().map_err(|error| Error::Failed(format!("{:?}: {error}", compiler.path())))?;
    if status.success() {
        Ok(library)
    } else {
        Err(Error::Failed(format!("{:?}, a C++ compiler for {target}: {status}", compiler.path())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_is_a_function_once() {
        let functions = functions();
        for name in listed("name") {
            let quoted = format!("\"{name}\"");
            assert_eq!(functions.matches(&quoted).count() + SOURCE.matches(&quoted).count(), 1, "{name}");
        }
        assert!(libraries().contains("libge_runner.so"));
    }
}
