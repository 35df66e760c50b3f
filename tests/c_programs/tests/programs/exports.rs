//! Checks which symbols the libraries export, and which they import.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::program::{Program, USUAL};
use crate::tree;

/// The lines of a program's output for a file.
fn lines(program: &str, arguments: &[&str], file: &Path) -> Vec<String> {
    let output = Command::new(program).args(arguments).arg(file).output().expect("the tests need binutils");
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The names that a file exports.
pub(crate) fn exported(file: &Path) -> BTreeSet<String> {
    let lines = lines("nm", &["-D", "--defined-only", "--format=posix"], file);
    lines.iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

/// The names that a file imports and requires (strong undefined symbols).
fn needed(file: &Path) -> BTreeSet<String> {
    let lines = lines("nm", &["-D", "--undefined-only", "--format=posix"], file);
    let strong = lines.iter().filter(|line| line.split(' ').nth(1) == Some("U"));
    strong.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

fn is_of_c_or_cpp(name: &str) -> bool {
    // Of libstdc++ (@GLIBCXX, @CXXABI) too; which libraries may need it is looked at by its name.
    ["@GLIBC", "@GCC", "@CXXABI"].iter().any(|origin| name.contains(origin))
}

fn library(name: &str) -> std::path::PathBuf {
    tree::path().join("lib64").join(name)
}

/// The operators of `libopapi.so` beside those of aclnn-scatter, as `docs/host-ops.md` lists them.
fn of_sessions() -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/host-ops.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `aclnn"));
    let operators = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    operators.flat_map(|name| [name.to_owned(), format!("{name}GetWorkspaceSize")]).collect()
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn the_libraries_export_their_lists_and_nothing_else() {
    let of_operators = names(aclnn_scatter::table().map(|(name, _)| name.to_str().unwrap()));
    assert_eq!(exported(&library("libaclnn_scatter.so")), of_operators);
    let of_opapi = of_operators.union(&of_sessions()).cloned().collect();
    assert_eq!(exported(&library("libopapi.so")), of_opapi);
    // Everything that the headers declare, except the operators.
    let mut of_host_cann = names(aclnn_sys::FUNCTIONS.iter().map(|name| name.to_str().unwrap()));
    of_host_cann.retain(|name| !of_operators.contains(name));
    of_host_cann.extend(["hostcann_extension", "hostcann_hold_memory"].map(str::to_owned));
    // Of the operators the headers declare all, and host-cann has two names that they don't.
    assert_eq!(of_host_cann.len(), aclnn_sys::FUNCTIONS.len() - of_operators.len() + 2);
    assert_eq!(exported(&library("libhost_cann.so")), of_host_cann);
}

#[test]
fn the_libraries_need_nothing_but_c_and_cpp() {
    // The kernels' host model, which the workspace's features put into the operators' libraries.
    // tests/dist/run looks at what users get.
    let cpp = "[libstdc++.so";
    for (name, of_cann, of_cpp) in [
        ("libhost_cann.so", &[][..], &[][..]),
        ("libaclnn_scatter.so", &[], &[cpp]),
        // Clients look functions of these up through the handle of the operators.
        ("libopapi.so", &["[libnnopbase.so]", "[libascendcl.so]"], &[cpp]),
    ] {
        let file = library(name);
        let foreign: Vec<_> = needed(&file).into_iter().filter(|name| !is_of_c_or_cpp(name)).collect();
        assert!(foreign.is_empty(), "{name}: {foreign:?}");
        let dynamic = lines("readelf", &["-d"], &file);
        let of = |tag: &str| -> Vec<&String> { dynamic.iter().filter(|line| line.contains(tag)).collect() };
        // No search path may name a folder of the build machine. $ORIGIN, the library's own folder,
        // is allowed, and only as a RUNPATH, because LD_LIBRARY_PATH takes precedence over that.
        // But what is looked up through the handle of the operators must be of the same tree.
        let (path, other) =
            if of_cann.is_empty() { ("(RUNPATH)", "(RPATH)") } else { ("(RPATH)", "(RUNPATH)") };
        assert!(of(other).is_empty(), "{name}: {dynamic:?}");
        assert!(of(path).iter().all(|line| line.contains("[$ORIGIN]")), "{name}: {dynamic:?}");
        // Without a SONAME, programs depend on the name that they were linked with.
        assert!(of("(SONAME)").is_empty(), "{name}: {dynamic:?}");
        assert!(of("NODELETE").len() == 1, "{name}: {dynamic:?}");
        let needed = of("(NEEDED)");
        assert!(of_cann.iter().all(|own| needed.iter().any(|line| line.contains(own))), "{name}: {needed:?}");
        for line in needed {
            let mut known =
                vec!["[libc.so", "[libm.so", "[libgcc_s.so", "[ld-linux", "[libpthread.so", "[libdl.so"];
            known.extend(of_cann.iter().chain(of_cpp));
            assert!(known.iter().any(|library| line.contains(library)), "{name}: {line}");
        }
    }
}

#[test]
fn a_program_asks_for_the_names_that_it_was_linked_by() {
    let program = Program::compile("scatter_add.cpp", &USUAL);
    let ours: BTreeSet<_> =
        exported(&library("libhost_cann.so")).union(&exported(&library("libopapi.so"))).cloned().collect();
    let foreign: Vec<_> = needed(&program.path())
        .into_iter()
        .filter(|name| !is_of_c_or_cpp(name) && !ours.contains(name))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    let dynamic = lines("readelf", &["-d"], &program.path());
    for name in ["libascendcl.so", "libopapi.so"] {
        assert!(dynamic.iter().any(|line| line.contains(&format!("[{name}]"))), "{name}: {dynamic:?}");
    }
    assert!(!dynamic.iter().any(|line| line.contains("libhost_cann")), "{dynamic:?}");
}
