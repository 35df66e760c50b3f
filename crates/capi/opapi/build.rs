//! How the library is linked.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// The libraries of CANN that it depends on by name. The host toolkit lays them out beside it.
const NEEDED: [&str; 2] = ["nnopbase", "ascendcl"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    // Its functions that wait in streams outlive a dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // It uses the CANN in its own folder, even where a process has loaded both by their paths, and
    // LD_LIBRARY_PATH names another CANN: as an RPATH this comes first, which a RUNPATH does not.
    // (What the process has already loaded by its name is used all the same.)
    println!("cargo::rustc-cdylib-link-arg=-Wl,--disable-new-dtags,-rpath,$ORIGIN");
    let folder = env::var("OUT_DIR").unwrap_or_default();
    for name in NEEDED {
        stand_in(Path::new(&folder), name);
    }
    // No symbol of theirs is used by the linker, which would leave them out.
    let names = NEEDED.map(|name| format!("-l{name}")).join(",");
    println!("cargo::rustc-cdylib-link-arg=-L{folder}");
    println!("cargo::rustc-cdylib-link-arg=-Wl,--push-state,--no-as-needed,{names},--pop-state");
}

/// Makes an empty library for the linker, which only takes its name.
fn stand_in(folder: &Path, name: &str) {
    let file = format!("lib{name}.so");
    let mut command: Command = cc::Build::new().cargo_warnings(false).get_compiler().to_command();
    command.args(["-shared", "-nostdlib", "-x", "c", "/dev/null"]);
    command.arg(format!("-Wl,-soname,{file}")).arg("-o").arg(folder.join(&file));
    let status = command.stdin(Stdio::null()).status();
    if !status.as_ref().is_ok_and(std::process::ExitStatus::success) {
        println!("cargo::error=the C compiler made no {file}: {status:?}");
    }
}
