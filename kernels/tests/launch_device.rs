//! The device's launch tables compile, and the script of CANN 8.1 can read the kernels. CANN's own
//! compiler and script are not used, but stand-ins for what its build generates.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

mod compiler;
use compiler::{compiler, succeed};

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

fn cpp() -> Command {
    let mut command = compiler("CXX", "c++");
    command.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]);
    command.args(["-DSCATTER_ARCH=\"dav-2201\"", "-DSCATTER_PROBES", "-D__vector__="]);
    command.arg("-I").arg(kernels().join("model/include")).arg("-I").arg(kernels());
    command
}

/// What `kernel_operator.h` is to the preprocessor, as bisheng compiles for a device.
const KERNEL_OPERATOR: &str = "#pragma once
#include <stdint.h>
#define __global__ __attribute__((cce_kernel))
#define __aicore__ [aicore]
#define __gm__ __attribute__((cce_global))
#define GM_ADDR __gm__ uint8_t*
#define KERNEL_TASK_TYPE_DEFAULT(value) auto __enable_feature_for_compile_default = value;
";

/// A source after the preprocessor, with its line markers: what the script of ascendc_library
/// reads.
fn preprocessed(source: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kernel_operator.h"), KERNEL_OPERATOR).unwrap();
    let mut command = compiler("CXX", "c++");
    succeed(command.args(["-std=c++17", "-E"]).arg("-I").arg(folder.path()).arg(source))
}

fn sources() -> Vec<PathBuf> {
    let folders = ["scatter", "probes"].map(|folder| fs::read_dir(kernels().join(folder)).unwrap());
    let files = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut sources: Vec<_> = files.filter(|path| path.extension().is_some_and(|of| of == "cpp")).collect();
    sources.sort();
    sources
}

/// A kernel, read from its declaration.
struct Entry {
    name: String,
    /// The type and the name of each parameter; memory has no type.
    parameters: Vec<(Option<String>, String)>,
}

/// The kernels that a preprocessed source defines. The script takes the text between a kernel's
/// attribute and the next brace for the kernel's declaration, and knows no more of C++: whatever it
/// would misread is refused here.
fn entries(text: &str) -> Vec<Entry> {
    let kernels = text.split("__attribute__((cce_kernel))").skip(1);
    kernels.map(|kernel| entry(kernel.split_once('{').expect("a kernel has a body"))).collect()
}

fn entry((head, body): (&str, &str)) -> Entry {
    assert!(!head.contains(';'), "declared before its definition: {head}");
    assert!(!head.contains('#'), "a line marker in a kernel's head: {head}");
    let after = head.trim().strip_prefix("[aicore]").expect("__aicore__ follows __global__").trim();
    let (start, parameters) = after.split_once('(').unwrap();
    let [kind, name] = words(start)[..] else { panic!("more than a type and a name: {start}") };
    assert_eq!(kind, "void", "{head}");
    let parameters = parameters.strip_suffix(')').expect("only a body follows the parameters");
    let task = body.split(';').next().unwrap().trim();
    assert_eq!(task, "auto __enable_feature_for_compile_default = KERNEL_TYPE_AIV_ONLY", "{name}");
    let parameter = |parameter: &str| match words(parameter)[..] {
        ["__attribute__((cce_global))", "uint8_t*", name] => (None, name.to_owned()),
        [tiling, name] => (Some(tiling.to_owned()), name.to_owned()),
        _ => panic!("{name}: neither GM_ADDR nor a struct: {parameter}"),
    };
    Entry { name: name.to_owned(), parameters: parameters.split(',').map(parameter).collect() }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A struct's definition as the script finds it: from `struct Name {` at the start of a line to its
/// closing brace.
fn definition<'text>(text: &'text str, name: &str) -> &'text str {
    let start = format!("\nstruct {name} {{");
    let at = text.find(&start).unwrap_or_else(|| panic!("{name}: no struct that begins a line")) + 1;
    let length = text[at..].find('}').unwrap() + 1;
    &text[at..at + length]
}

/// Adds the definitions of a struct and of its members' structs, in the order of their use; the
/// script copies no others.
fn collect(text: &str, name: &str, known: &mut BTreeSet<String>, definitions: &mut String) {
    if !known.insert(name.to_owned()) {
        return;
    }
    let whole = definition(text, name);
    assert!(!whole.contains('#'), "a line marker in {whole}");
    let (_, members) = whole.strip_suffix('}').unwrap().split_once('{').unwrap();
    for member in members.split(';').filter(|member| !member.trim().is_empty()) {
        let [of, declared] = words(member)[..] else { panic!("{name}: not one type and one name: {member}") };
        if !["int64_t", "uint32_t", "uint64_t"].contains(&of) {
            collect(text, of, known, definitions);
        }
        let length = declared.split_once('[').map_or("0", |(_, length)| length.trim_end_matches(']'));
        assert!(length.parse::<u32>().is_ok(), "{name}: the length of {declared} is no number");
    }
    writeln!(definitions, "{whole};").unwrap();
}

/// The header of a launch, as ascendc_library makes it: a struct becomes a pointer, and is not
/// declared.
fn launch_header(entry: &Entry) -> String {
    let name = &entry.name;
    let parameters = entry.parameters.iter().map(|(tiling, parameter)| match tiling {
        Some(tiling) => format!(", {tiling}* {parameter}"),
        None => format!(", void* {parameter}"),
    });
    let parameters: String = parameters.collect();
    format!(
        "#pragma once\n#include \"acl/acl_base.h\"\n#ifndef ACLRT_LAUNCH_KERNEL\n\
         #define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel\n#endif\n\
         extern \"C\" uint32_t aclrtlaunch_{name}(uint32_t blockDim, aclrtStream stream{parameters});\n"
    )
}

/// By ascendc_library, which makes a header for each kernel.
#[test]
fn the_table_for_ascendc_library_launches_every_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let table = kernels().join("launch_device.cpp");
    let text = fs::read_to_string(&table).unwrap();
    let mut kernels_found = 0;
    for entry in sources().iter().flat_map(|source| entries(&preprocessed(source))) {
        let header = format!("aclrtlaunch_{}.h", entry.name);
        assert!(
            text.contains(&format!("#include \"{header}\"\n")),
            "launch_device.cpp doesn't include {header}"
        );
        fs::write(folder.path().join(header), launch_header(&entry)).unwrap();
        kernels_found += 1;
    }
    assert!(kernels_found > 85);
    let includes = text.matches("#include \"aclrtlaunch_").count();
    assert_eq!(includes, kernels_found, "launch_device.cpp includes the header of each kernel once");
    let acl = kernels().join("../sys/include");
    succeed(cpp().arg("-fsyntax-only").arg("-I").arg(folder.path()).arg("-I").arg(acl).arg(table));
}

/// The script of ascendc_library copies the structs that kernels take by value to its own source,
/// which is C++11 and includes none of our headers.
#[test]
fn the_tilings_compile_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let (mut known, mut definitions, mut sizes) = (BTreeSet::new(), String::new(), String::new());
    for source in sources() {
        let text = preprocessed(&source);
        for (tiling, _) in entries(&text).into_iter().flat_map(|entry| entry.parameters) {
            let Some(tiling) = tiling else { continue };
            if !known.contains(&tiling) {
                let same = format!("sizeof(copied::{tiling}) == sizeof({tiling})");
                writeln!(sizes, "static_assert({same}, \"\");").unwrap();
            }
            collect(&text, &tiling, &mut known, &mut definitions);
        }
    }
    assert_eq!(sizes.lines().count(), 8);
    let file = folder.path().join("host_stub.cpp");
    let ours = "#include \"include/scatter_tiling.h\"\n#include \"include/scatter_probes.h\"";
    let unit = format!("#include <stdint.h>\nnamespace copied {{\n{definitions}}}\n{ours}\n{sizes}");
    fs::write(&file, unit).unwrap();
    succeed(cpp().args(["-std=c++11", "-fsyntax-only"]).arg(file));
}

/// By bisheng, which takes kernels and table as one unit. A call stands for a launch.
#[test]
fn the_table_for_bisheng_compiles_with_the_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let unit = fs::read_to_string(kernels().join("launch_device.asc")).unwrap();
    let launch = "kernel<<<(what)->blocks, nullptr, (what)->stream>>>(__VA_ARGS__)";
    assert!(unit.contains(launch));
    let file = folder.path().join("launch_device.cpp");
    fs::write(&file, unit.replace(launch, "kernel(__VA_ARGS__)")).unwrap();
    succeed(cpp().arg("-fsyntax-only").arg(&file));
    succeed(cpp().args(["-USCATTER_PROBES", "-fsyntax-only"]).arg(file));
}
