//! Source files of a crate need each other in no circle but those of a list ([`KNOWN`]), as
//! `docs/architecture.md` says.
//!
//! A file needs the files that have what the paths in it name, in `use`s, in code and in macros. A
//! module that only declares and re-exports others needs nothing. Not seen are calls of methods,
//! what a glob brings in beyond the file that it names, and tests.

#![allow(clippy::unwrap_used, clippy::panic)]

mod modules;
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use modules::{Modules, Needs, circles, closes_circle};

/// Crates that aren't checked. In host-cann streams, events and memory know each other, as the page
/// says of its folders, and so do contexts, devices and the process: half of its files are in one
/// circle, and `KNOWN` would need about thirty entries to open it. Most of aclnn-sys is generated.
/// The libraries of `crates/capi`, which have few files, aren't checked either.
const LEFT_OUT: [&str; 2] = ["aclnn-sys", "host-cann"];

/// Needs that close circles, and why they stay: of which crate, and which file needs which. Without
/// them there is no circle.
const KNOWN: &[(&str, &str, &str)] = &[
    // A runtime opens devices, which hold it; a device makes streams, which hold it.
    ("aclnn", "device.rs", "runtime.rs stream/mod.rs"),
    // An executor is made of a prepared call, which takes the function of its phase two.
    ("aclnn", "executor/prepared.rs", "executor/mod.rs"),
    // CANN's own operators may need a copy, which is an operator, too.
    ("aclnn", "ops/copy.rs", "ops/run.rs"),
    // A stream keeps events, failures and resources in use, and these name their streams.
    ("aclnn", "stream/core.rs", "event.rs stream/failures.rs stream/uses.rs"),
    // A tensor makes its descriptor, and asks for the shape of its layout.
    ("aclnn", "tensor/mod.rs", "tensor/descriptor.rs tensor/shape.rs"),
    // The root calls what takes its options.
    ("bench", "lib.rs", "growth.rs peers/mod.rs report.rs"),
    // So does the command `cost`.
    ("bench", "cost/mod.rs", "cost/report/json.rs"),
    // The choice among CANN's kernels, beside what their models share.
    ("bench", "cost/cann/mod.rs", "cost/cann/chunks.rs cost/cann/elements.rs cost/cann/gather/mod.rs"),
    ("bench", "cost/cann/mod.rs", "cost/cann/sorted.rs cost/cann/windows.rs"),
    // The choice among the kernels of a gather, beside what their models share.
    ("bench", "cost/cann/gather/mod.rs", "cost/cann/gather/by_columns.rs cost/cann/gather/last_axis.rs"),
    // The type of a row, beside what compares the rows.
    ("bench", "cost/published.rs", "cost/published/rows.rs"),
    // The choice among loops, beside what they share.
    ("bench", "limit/mod.rs", "limit/columns.rs limit/elements.rs limit/owned.rs"),
    ("bench", "limit/mod.rs", "limit/reads.rs limit/rows.rs"),
    // The type of a workload, beside the functions that list them.
    ("bench", "workload/mod.rs", "workload/table.rs"),
    // The workspace is found by a function of the root.
    ("book", "page.rs", "lib.rs"),
    // The trait, beside the list of all engines.
    ("engines", "engine/mod.rs", "engine/c_abi/mod.rs engine/cpu.rs engine/kernel.rs"),
    ("engines", "engine/mod.rs", "engine/reference.rs engine/safe_api/mod.rs"),
    // The forms of the API, beside the engine that has one.
    ("engines", "engine/safe_api/mod.rs", "engine/safe_api/expressible.rs engine/safe_api/methods.rs"),
    // Every element has a wide type, and arrays of that are made of elements.
    ("host-ops", "element.rs", "values.rs"),
    // Every element has loops of the CPU engine, which are for elements.
    ("scatter", "element.rs", "cpu/slot/loops.rs"),
    // `read_four` asks an element for its dtype.
    ("scatter", "simd/mod.rs", "element.rs"),
    // A layout tells whether it overlaps itself.
    ("scatter", "layout.rs", "overlap.rs"),
    // A problem is what the rules make of operands.
    ("scatter", "problem/mod.rs", "problem/rules.rs"),
    // The choice among plans, beside what they share.
    ("scatter-kernels", "plan.rs", "plan/copy.rs plan/entangled.rs plan/gather.rs plan/index.rs"),
    ("scatter-kernels", "plan.rs", "plan/rows.rs plan/windows.rs"),
    // The choice among plans of elements, beside what they share.
    ("scatter-kernels", "plan/elements.rs", "plan/elements/lanes.rs plan/elements/part.rs"),
    // A gather of listed rows is one of rows, of which the list is made before.
    ("scatter-kernels", "plan/gather.rs", "plan/gather/listed.rs"),
    // `FEWEST_BITS`, which could be the index's.
    ("scatter-kernels", "plan/index.rs", "plan/rows.rs"),
    // `LIST`, which could be beside the other names of lists.
    ("xtask", "device_kernels.rs", "op_package.rs"),
    // `succeed`, which could be in a file of its own.
    ("xtask", "third_party.rs", "dist.rs"),
];

/// The crates of the workspace that aren't left out, with what their files need.
fn held() -> impl Iterator<Item = (String, Needs)> {
    let metadata = xtask::metadata(&["--no-deps", "--offline"]).unwrap();
    let packages = metadata["packages"].as_array().unwrap().clone();
    packages.into_iter().filter_map(|package| {
        let name = package["name"].as_str().unwrap().to_owned();
        let mut targets = package["targets"].as_array().unwrap().iter();
        let root = targets.find(|target| target["kind"][0] == "lib" && !LEFT_OUT.contains(&name.as_str()))?;
        let folder = Path::new(root["src_path"].as_str().unwrap()).parent().unwrap();
        Some((name, Modules::new(&|file| fs::read_to_string(folder.join(file)).ok()).needs()))
    })
}

#[test]
fn files_need_each_other_in_no_circle() {
    let mut found = Vec::new();
    let mut crates = BTreeSet::new();
    for (name, mut needs) in held() {
        let known = KNOWN.iter().filter(|(of, ..)| *of == name);
        let known = known.flat_map(|&(_, from, to)| to.split(' ').map(move |to| (from, to)));
        let known: Vec<_> = known.collect();
        for (from, to) in &known {
            assert!(closes_circle(&needs, from, to), "{name}: {from} -> {to} closes no circle any more");
        }
        for (from, to) in known {
            needs.get_mut(from).unwrap().remove(to);
        }
        found.extend(circles(&needs).iter().map(|circle| format!("{name}: {circle}")));
        crates.insert(name);
    }
    assert!(found.is_empty(), "circles:\n{}", found.join("\n"));
    assert!(KNOWN.iter().all(|(of, ..)| crates.contains(*of)), "a crate of the list isn't in {crates:?}");
}

/// What the files of a crate need, all of which are in `files` with their text.
fn needs(files: &[(&str, &str)]) -> Needs {
    let text = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned());
    Modules::new(&text).needs()
}

/// What `a.rs` with this text needs, in a crate that has a file or more of every kind.
fn needs_of_a(text: &str) -> String {
    let files = needs(&[
        ("lib.rs", "mod a; mod b; mod m; pub use b::B; use m::deep; fn in_root() {}"),
        ("a.rs", text),
        ("b.rs", "mod inner; use crate::m::Strategy; #[macro_export] macro_rules! exported { () => {} }"),
        ("b/inner.rs", ""),
        (
            "m/mod.rs",
            "mod deep; mod run; pub(super) use {deep::{Deep as Deeper, Plan}, run::run}; pub use Plan as P;",
        ),
        ("m/deep.rs", ""),
        ("m/run.rs", "pub(super) use super::deep::Strategy;"),
    ]);
    files["a.rs"].iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_path_is_found() {
    for (text, expected) in [
        ("use crate::{b::{self, inner::X}, m::deep::Y as _};", "b/inner.rs m/deep.rs"),
        ("use crate::b; use crate::m; fn f() { b::f(m::deep::X) }", "b.rs m/deep.rs"),
        ("use super::b::X; fn f() { super::m::deep::x(1) }", "b.rs m/deep.rs"),
        ("fn f(x: crate::b::inner::X<1>) -> [super::m::deep::Y; 1] {}", "b/inner.rs m/deep.rs"),
        ("macro_rules! m { () => { use $crate::b::X; f!([$crate::m::deep::Y]) } }", "b.rs m/deep.rs"),
        ("mod inner { use super::super::b::X; use super::Own; }", "b.rs"),
        ("use crate::b::*; use crate::in_root;", "b.rs lib.rs"),
    ] {
        assert_eq!(needs_of_a(text), expected, "{text}");
    }
}

#[test]
fn reexports_are_followed_to_the_file_that_has_the_item() {
    for (text, expected) in [
        ("use crate::{B, exported}; crate::exported!();", "b.rs"),
        ("use super::m::{Deeper, run};", "m/deep.rs m/run.rs"),
        ("fn f() { super::deep::x(crate::m::P::NEW) }", "m/deep.rs"),
        ("use crate::m::run::Strategy;", "m/deep.rs"),
        ("use crate::m::not_exported;", "m/mod.rs"),
        ("pub(crate) use crate::b::B;", ""),
        ("pub(crate) use crate::b::B; fn f(b: &B) {}", "b.rs"),
    ] {
        assert_eq!(needs_of_a(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_need_is_passed_over() {
    for text in [
        "// crate::b::X\n/// [`B`](crate::b::B)\n/* crate::b::X */ const TEXT: &str = \"crate::b::X\";",
        "pub(in crate::b) struct X { pub(super) y: u8 }",
        "use std::fmt; use crate::a::X; fn f() { fmt::f(Self::b(), b.m::<u8>()) }",
        "#[cfg(test)] use crate::b::X; #[cfg(test)] mod tests { use crate::b::X; }",
        "#[cfg(test)] mod tests; #[cfg(all(test, unix))] fn f() { crate::b::f() }",
        "use crate::{b, m};",
        "use crate::b; use ::b::X; fn f(x: ::b::X) { <T as Trait>::b::f() }",
    ] {
        assert_eq!(needs_of_a(text), "", "{text}");
    }
}

#[test]
fn circles_are_found_with_a_way_through_each() {
    let mut needs = needs(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
        ("a.rs", "use crate::b::B; use crate::e::E;"),
        ("b.rs", "fn f() { crate::c::f() }"),
        ("c.rs", "use super::{a::X, b::X as Y};"),
        ("d.rs", "use crate::a::X;"),
        ("e.rs", ""),
    ]);
    let all = "a.rs, b.rs, c.rs, such as a.rs -> b.rs -> c.rs -> a.rs";
    assert_eq!(circles(&needs), [all]);
    assert!(closes_circle(&needs, "c.rs", "a.rs") && !closes_circle(&needs, "d.rs", "a.rs"));
    needs.get_mut("c.rs").unwrap().remove("a.rs");
    assert_eq!(circles(&needs), ["b.rs, c.rs, such as b.rs -> c.rs -> b.rs"]);
}
