//! What stands in the tree for libraries of CANN's that host-cann doesn't have.

use std::path::Path;

use crate::exports::exported;
use crate::program::Program;
use crate::tree;

/// The lists of what clients link, by kind (`library`, `name`).
fn listed(kind: &str) -> Vec<String> {
    let lists = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/names");
    let texts = std::fs::read_dir(lists).unwrap().map(|entry| std::fs::read_to_string(entry.unwrap().path()));
    let lines = texts.flat_map(|text| text.unwrap().lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter_map(|line| line.strip_prefix(&format!("{kind} ")).map(str::to_owned)).collect()
}

#[test]
fn every_library_and_name_that_clients_link_is_there() {
    let lib64 = tree::path().join("lib64");
    for name in listed("library") {
        assert!(lib64.join(&name).is_file(), "{name}");
    }
    let names = exported(&lib64.join("libabsent.so"));
    for name in listed("name") {
        assert!(names.contains(&name), "{name}");
    }
    // Nothing is listed that host-cann has, for which of the two a client got would be chance.
    let both: Vec<_> = exported(&lib64.join("libhost_cann.so")).intersection(&names).cloned().collect();
    assert!(both.is_empty(), "{both:?}");
}

#[test]
fn a_function_that_host_cann_lacks_says_its_name() {
    let program = Program::compile("absent.cpp", &["-lgraph", "-lruntime", "-lhccl"]);
    let told = program.run(&[]).told;
    for name in ["ge::Operator::Operator(std::string const&)", "rtKernelLaunch", "HcclSetConfig(0, 3)"] {
        assert!(told.contains(&format!("host-cann does not implement {name}\n")), "{told}");
    }
}
