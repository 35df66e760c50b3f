//! Our declarations against an installed toolkit's headers: set `ACLNN_TOOLKIT_INCLUDE` to their
//! folders.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use common::Language::Cpp17;

/// The toolkit's folders; their `aclnnop` folders too, as its own headers expect.
fn folders(list: &OsString) -> Vec<PathBuf> {
    std::env::split_paths(list)
        .flat_map(|folder| [folder.join("aclnnop"), folder])
        .filter(|folder| folder.is_dir())
        .collect()
}

/// What can be compared: the toolkit's headers among those that we have.
fn includes(folders: &[PathBuf]) -> String {
    common::headers()
        .iter()
        .filter(|header| folders.iter().any(|folder| folder.join(header).is_file()))
        .map(|header| format!("#include \"{header}\"\n"))
        .collect()
}

/// The C++ that compares, and the names of ours that the toolkit does not have.
fn comparison(includes: &str, arguments: &[&str]) -> (String, Vec<String>) {
    let mut preprocess = vec!["-E", "-P", "-dD"];
    preprocess.extend(arguments);
    let text = common::compile(Cpp17, includes, &preprocess).unwrap();
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut missing = Vec::new();
    let mut known = |name: &str| {
        let found = words.contains(name);
        if !found {
            missing.push(name.to_owned());
        }
        found
    };
    let mut source = includes.to_owned();
    for (name, value) in common::constants() {
        // The version is that of the headers themselves.
        let version =
            ["ACL_MAJOR_VERSION", "ACL_MINOR_VERSION", "ACL_PATCH_VERSION"].contains(&name.as_str());
        if !version && known(&name) {
            source += &format!("static_assert(static_cast<long long>({name}) == {value}LL, \"{name}\");\n");
        }
    }
    source += "extern \"C\" {\n";
    for (name, prototype) in common::prototypes() {
        if known(&name) {
            source += &format!("{prototype}\nextern type_{name} *const pointer_{name} = &{name};\n");
        }
    }
    source += "}\n";
    source += &common::layout_asserts(|name| words.contains(name));
    (source, missing)
}

#[test]
fn our_declarations_are_the_toolkit_s() {
    let Some(list) = std::env::var_os("ACLNN_TOOLKIT_INCLUDE").filter(|list| !list.is_empty()) else {
        println!("skipped: ACLNN_TOOLKIT_INCLUDE is not set");
        return;
    };
    let folders = folders(&list);
    assert!(folders.iter().any(|folder| folder.join("acl/acl.h").is_file()), "no acl/acl.h in {list:?}");
    let paths: Vec<String> = folders.iter().map(|folder| format!("-I{}", folder.display())).collect();
    let mut arguments: Vec<&str> = vec!["-w"];
    arguments.extend(paths.iter().map(String::as_str));
    let includes = includes(&folders);
    let (source, missing) = comparison(&includes, &arguments);
    println!("compared with:\n{includes}not in this toolkit: {}", missing.join(" "));
    // A symbol's address is only taken, so there is nothing to link.
    arguments.push("-fsyntax-only");
    common::compile(Cpp17, &source, &arguments).unwrap_or_else(|error| panic!("{error}"));
    println!(
        "{} comparisons hold",
        source.matches("static_assert").count() + source.matches("extern type_").count()
    );
}

/// The same comparison with our own headers as the toolkit, so that it runs everywhere, and with
/// one that differs.
#[test]
fn the_comparison_holds_for_ourselves_and_notices_differences() {
    let include = format!("-I{}", common::include().display());
    let includes = includes(&[common::include()]);
    let (source, missing) = comparison(&includes, &[&include]);
    assert!(missing.iter().all(|name| name == "aclnnScatterStreamStatus"), "{missing:?}");
    assert_eq!(source.matches("extern type_").count(), aclnn_sys::FUNCTIONS.len());
    let arguments = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", &include];
    common::compile(Cpp17, &source, &arguments).unwrap();
    for (ours, other) in [
        ("type_aclrtFree(void* devPtr)", "type_aclrtFree(const void* devPtr)"),
        ("aclrtMemcpyKind kind)", "int kind)"),
        ("uint64_t workspaceSize, aclOpExecutor", "uint32_t workspaceSize, aclOpExecutor"),
        ("sizeof(aclrtPhysicalMemProp) == 32", "sizeof(aclrtPhysicalMemProp) == 40"),
        ("(ACL_FORMAT_NCL) == 47LL", "(ACL_FORMAT_NCL) == 46LL"),
    ] {
        assert!(source.contains(ours), "{ours}");
        common::compile(Cpp17, &source.replace(ours, other), &arguments).unwrap_err();
    }
}

/// The list of the bindings is that of the headers, without libclang.
#[test]
fn the_functions_of_the_bindings_are_those_of_the_headers() {
    let ours: BTreeSet<String> =
        aclnn_sys::FUNCTIONS.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
    assert_eq!(ours, common::prototypes().into_keys().collect());
}
