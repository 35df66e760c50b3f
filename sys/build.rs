//! Feature `linked`: links the libraries of the toolkit that the environment names, if it names
//! one. Without one nothing is linked, so that the crate can be checked, tested and documented
//! anywhere; the program itself must link a CANN then.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_LINKED").is_none() {
        return;
    }
    for variable in ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    for variable in ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"] {
        let Some(home) = std::env::var_os(variable) else { continue };
        let folder = Path::new(&home).join("lib64");
        let has = |name: &&str| folder.join(format!("lib{name}.so")).is_file();
        let mut names: Vec<&str> = ["acl_rt", "ascendcl", "nnopbase", "opapi_nn", "opapi_math", "opapi"]
            .into_iter()
            .filter(has)
            .collect();
        if names.contains(&"opapi_nn") {
            names.retain(|name| *name != "opapi");
        }
        if !names.is_empty() {
            println!("cargo::rustc-link-search=native={}", folder.display());
            for name in names {
                println!("cargo::rustc-link-lib=dylib={name}");
            }
            return;
        }
    }
}
