//! How the library is linked.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Work in streams, and the function that runs at the end of the process, outlive a dlclose.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        // Calls of `hostcann_extension` inside this library go to its own, even where a process has
        // linked host-cann's.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    }
}
