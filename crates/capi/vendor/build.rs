//! How the library is linked.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Work in streams and what is told at the end of the process outlive a dlclose.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        // Its own `hostcann_extension` is its own also where a process has linked host-cann's.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    }
}
