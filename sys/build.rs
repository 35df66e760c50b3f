//! Feature `linked`: links the libraries of the toolkit that the environment names, if it names
//! one. Without one nothing is linked, so that the crate can be checked, tested and documented
//! anywhere; the program itself must link a CANN then.

use std::path::{Path, PathBuf};

#[path = "src/loader/names.rs"]
mod names;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/loader/names.rs");
    if std::env::var_os("CARGO_FEATURE_LINKED").is_none() {
        return;
    }
    for variable in names::HOMES {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    // Of an install for several machines, the libraries of the one that is built for.
    let machine = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let folders: Vec<PathBuf> = names::HOMES
        .into_iter()
        .filter_map(std::env::var_os)
        .flat_map(|home| {
            [format!("{machine}-linux/lib64"), "lib64".to_owned()].map(|folder| Path::new(&home).join(folder))
        })
        .collect();
    if !folders.iter().any(|folder| link(folder)) {
        // So that an install that comes later is noticed.
        folders.iter().for_each(|folder| println!("cargo::rerun-if-changed={}", folder.display()));
    }
}

/// Links the libraries of a folder; false where there are none.
fn link(folder: &Path) -> bool {
    let found = names::among(folder);
    if !found.is_empty() {
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
    for name in &found {
        let name = name.trim_start_matches("lib").trim_end_matches(".so");
        println!("cargo::rustc-link-lib=dylib={name}");
    }
    !found.is_empty()
}
