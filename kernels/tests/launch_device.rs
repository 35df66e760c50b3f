//! The device's launch tables compile: with stand-ins for what CANN's build makes of the kernels, and by no compiler of CANN's.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
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
    command.args(["-DSCATTER_ARCH=\"dav-2201\"", "-D__vector__="]);
    command.arg("-I").arg(kernels().join("model/include")).arg("-I").arg(kernels());
    command
}

/// The names of the kernels, all of which each of their sources declares.
fn names() -> BTreeSet<String> {
    let text = succeed(cpp().args(["-E", "-P"]).arg(kernels().join("scatter/copy.cpp")));
    let declarations = text.split("extern \"C\"").skip(1);
    let names = declarations.filter_map(|one| one.split('(').next()?.split_whitespace().last());
    names.filter(|name| name.starts_with("scatter_")).map(str::to_owned).collect()
}

/// By ascendc_library, which makes a header for each kernel.
#[test]
fn the_table_for_ascendc_library_launches_every_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let names = names();
    assert!(names.len() > 70, "{names:?}");
    for name in &names {
        let header = format!(
            "#pragma once\n#include <cstdint>\n\
             template <class... Arguments> uint32_t aclrtlaunch_{name}(uint32_t blocks, void* stream, Arguments...);\n\
             #undef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel\n"
        );
        fs::write(folder.path().join(format!("aclrtlaunch_{name}.h")), header).unwrap();
    }
    let table = kernels().join("launch_device.cpp");
    let includes = fs::read_to_string(&table).unwrap().matches("aclrtlaunch_").count();
    assert_eq!(includes, names.len(), "launch_device.cpp includes the header of each kernel");
    let acl = kernels().join("../sys/include");
    succeed(cpp().arg("-fsyntax-only").arg("-I").arg(folder.path()).arg("-I").arg(acl).arg(table));
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
    succeed(cpp().arg("-fsyntax-only").arg(file));
}
