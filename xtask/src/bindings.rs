//! `cargo xtask bindings`: the Rust of `aclnn-sys` from its headers.
//!
//! bindgen reads `sys/include` and returns a list of items; [`model`] sorts them, [`emit`] writes
//! them. It reads the headers as C11 for one fixed target, with the standard types of
//! `xtask/include`, so that the result depends neither on the machine nor on the version of
//! libclang.

mod docs;
mod emit;
mod model;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::generated::{self, Outcome};

/// Writes the generated files, or compares them with `check`.
pub(crate) fn run(check: bool) -> Outcome {
    let root = generated::root()?;
    let include = root.join("sys/include");
    let headers = headers(&include)?;
    let model = model::Model::parse(&read(root, &include, &headers)?, &docs::of(&include, &headers)?)?;
    let files = [
        ("sys/src/generated/bindings.rs".to_owned(), emit::bindings(&model)?),
        ("sys/src/generated/functions.rs".to_owned(), emit::functions(&model)?),
    ];
    let stale = "the bindings are not those of sys/include; run `cargo xtask bindings`";
    let report = generated::put(&files, check, stale)?;
    Ok(format!("{report}{} functions, {} constants\n", model.functions.len(), model.constants.len()))
}

/// The headers of a folder as includes name them, in order.
fn headers(include: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut found = Vec::new();
    let mut folders = vec![include.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path: PathBuf = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "h") {
                let name = path.strip_prefix(include)?.to_str().ok_or("a header's name is not UTF-8")?;
                found.push(name.replace('\\', "/"));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What bindgen makes of the headers.
#[cfg(feature = "bindings")]
fn read(root: &Path, include: &Path, headers: &[String]) -> Result<String, Box<dyn Error>> {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let includes: String = headers.iter().map(|header| format!("#include \"{header}\"\n")).collect();
    let builder = bindgen::Builder::default()
        .header_contents("aclnn_sys.h", &includes)
        .clang_args(["-x", "c", "-std=c11", "--target=x86_64-unknown-linux-gnu", "-nostdinc"])
        .clang_arg(format!("-I{}", include.display()))
        .clang_arg(format!("-isystem{}", root.join("xtask/include").display()))
        .rust_edition(bindgen::RustEdition::Edition2024)
        .rust_target(bindgen::RustTarget::stable(85, 0).map_err(|_| "bindgen refuses Rust 1.85")?)
        .use_core()
        .allowlist_item("(acl|Acl|ACL|hostcann|HOSTCANN).*")
        .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: true })
        .prepend_enum_name(false)
        .generate_comments(false)
        .impl_debug(true)
        .layout_tests(false)
        .disable_header_comment()
        .formatter(bindgen::Formatter::None);
    // Without libclang bindgen panics, after printing where it has looked.
    let bindings = catch_unwind(AssertUnwindSafe(|| builder.generate()))
        .map_err(|_| "bindgen needs libclang: install libclang-dev, or set LIBCLANG_PATH to its folder")??;
    Ok(bindings.to_string())
}

/// Without bindgen the headers can't be read.
#[cfg(not(feature = "bindings"))]
fn read(_root: &Path, _include: &Path, _headers: &[String]) -> Result<String, Box<dyn Error>> {
    Err("xtask was built without its feature `bindings`; `cargo xtask` sets it".into())
}
