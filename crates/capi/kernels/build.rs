//! How the library is linked.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Its functions that wait in streams outlive a dlclose.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
