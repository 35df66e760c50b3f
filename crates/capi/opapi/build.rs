//! How the library is linked: like CANN's own, which needs the tensor API and the runtime.
//! torch_npu and MindSpore look `aclCreateTensor` and its like up through the handle of
//! `libopapi.so`, which finds what a library needs as well as what it has.

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

/// What it needs, by the names under which the tree has host-cann.
const NEEDED: [&str; 2] = ["nnopbase", "ascendcl"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS")? != "linux" {
        return Ok(());
    }
    // The linker wants files of these names; at run time the tree's libraries take their places.
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    let source = folder.join("empty.c");
    fs::write(&source, "")?;
    for name in NEEDED {
        let library = folder.join(format!("lib{name}.so"));
        let mut command = cc::Build::new().try_get_compiler()?.to_command();
        let status = command.arg("-shared").arg("-o").arg(&library).arg(&source).status()?;
        if !status.success() {
            return Err(format!("the C compiler made no {}: {status}", library.display()).into());
        }
    }
    println!("cargo::rustc-cdylib-link-arg=-L{}", folder.display());
    // Though none of their names is used.
    println!("cargo::rustc-cdylib-link-arg=-Wl,--no-as-needed");
    for name in NEEDED {
        println!("cargo::rustc-cdylib-link-arg=-l{name}");
    }
    // Those beside it, before any that LD_LIBRARY_PATH names: a process that loads the tree's
    // libraries by their paths has one CANN and not two.
    println!("cargo::rustc-cdylib-link-arg=-Wl,--disable-new-dtags,-rpath,$ORIGIN");
    // A callback may be running in the library's code when a program closes it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    Ok(())
}
