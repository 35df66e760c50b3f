//! Tells the tests what machine they were compiled for, and on what machine.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["HOST", "TARGET"] {
        println!("cargo::rustc-env=BUILT_{name}={}", std::env::var(name).unwrap_or_default());
    }
}
