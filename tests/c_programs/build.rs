//! Tells the tests what machine they are compiled for, and whether that is another one than this.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let [host, target] = ["HOST", "TARGET"].map(|name| env::var(name).unwrap_or_default());
    println!("cargo::rustc-env=BUILT_TARGET={target}");
    if target != host {
        println!("cargo::rustc-env=OTHER_TARGET={target}");
    }
}
