//! `cargo xtask host-toolkit`: a folder like an installation of CANN, with our headers and
//! libraries.

use std::path::Path;

use crate::folder::Folder;
use crate::libraries::{self, ACLNN_SCATTER, Build, HOST_CANN, OPAPI};
use crate::{Error, names, root};

/// The list of what was written.
const LIST: &str = ".host-toolkit";

/// The names under which CANN's programs link or open its runtime and its tensors.
const OF_HOST_CANN: [&str; 7] = [
    "libascendcl.so",
    "libacl_rt.so",
    "libnnopbase.so",
    "libacl_op_compiler.so",
    "libacl_tdt_channel.so",
    "libacl_tdt_queue.so",
    "libmsprofiler.so",
];
/// The other names under which they link its operators, of `libopapi.so`.
const OF_OPAPI: [&str; 2] = ["libopapi_nn.so", "libopapi_math.so"];
/// The file that stands for the libraries whose functions host-cann doesn't have.
const OF_NAMES: &str = "libabsent.so";

/// The files that are written as they are here.
const TEXTS: [(&str, &str); 7] = [
    ("opp/README", include_str!("../templates/toolkit/opp")),
    // MindSpore 2.7 wants the folder.
    ("opp_kernel/README", include_str!("../templates/toolkit/opp_kernel")),
    ("set_env.sh", include_str!("../templates/toolkit/set_env.sh")),
    ("share/cmake/host-cann/host-cann-config.cmake", include_str!("../templates/toolkit/config.cmake")),
    (
        "share/cmake/host-cann/host-cann-config-version.cmake",
        include_str!("../templates/toolkit/config-version.cmake"),
    ),
    ("lib64/pkgconfig/host-cann.pc", include_str!("../templates/toolkit/host-cann.pc")),
    // What torch_npu's report (torch_npu.utils.collect_env) calls the version of CANN.
    ("share/info/ascend_toolkit_install.info", include_str!("../templates/toolkit/install.info")),
];
/// Where clients look for the version of CANN: of each package (`aclsysGetCANNVersion`), and in
/// folders of which torch_npu asks that they are there.
const VERSIONS: [&str; 8] = [
    "share/info/runtime",
    "share/info/bisheng-compiler",
    "share/info/hccl",
    "share/info/oam-tools",
    "share/info/ops-legacy",
    "runtime",
    "compiler",
    "opp",
];

/// Lays out the folder, and returns how to use it.
///
/// # Errors
/// The folder was not made by this command, or the libraries can't be built.
pub fn run(root_of_tree: &Path, build: &Build) -> Result<String, Error> {
    Folder::check(root_of_tree, LIST)?;
    let [host_cann, aclnn_scatter, opapi] = libraries::build([HOST_CANN, ACLNN_SCATTER, OPAPI], build)?;
    let scratch = tempfile::tempdir().map_err(|error| Error::Failed(error.to_string()))?;
    let absent = names::build(scratch.path(), build)?;
    let of_absent: Vec<&str> =
        names::libraries().into_iter().filter(|name| !OF_HOST_CANN.contains(name)).collect();
    let mut folder = Folder::open(root_of_tree, LIST)?;
    for header in folder.copy_all(&root().join("sys/include"), "include")? {
        // Programs include operators with and without the folder, and some give the compiler one
        // folder only.
        if let Some(name) = header.strip_prefix("aclnnop/") {
            folder.write(&format!("include/{name}"), &format!("#include \"{header}\"\n"))?;
        }
    }
    for (library, own, names) in [
        (host_cann, "libhost_cann.so", &OF_HOST_CANN[..]),
        // As in an operator package, for programs that bring a CANN of their own.
        (aclnn_scatter, "libaclnn_scatter.so", &[]),
        (opapi, "libopapi.so", &OF_OPAPI),
        (absent, OF_NAMES, &of_absent),
    ] {
        folder.copy(&library, &format!("lib64/{own}"))?;
        // Links, so that a process that loads two of the names has one CANN and not two. The
        // libraries have no SONAME: at run time a program looks for the name that it was linked
        // with, as with CANN's own libraries.
        for name in names {
            folder.link(&format!("lib64/{name}"), own)?;
        }
    }
    // An installation of CANN also has both in a folder named after the machine, and some programs
    // look there. MindSpore takes for CANN's folder what ends with `cann`, or 2.7 with `latest`, in
    // the path from which the runtime was loaded.
    for both in ["include", "lib64"] {
        folder.link(&format!("{}-linux/{both}", build.machine()), &format!("../{both}"))?;
        folder.link(&format!("latest/{both}"), &format!("../{both}"))?;
        folder.link(&format!("latest/cann/{both}"), &format!("../../{both}"))?;
    }
    let version = include_str!("../templates/toolkit/version.info");
    let versions = VERSIONS.iter().map(|folder| (format!("{folder}/version.info"), version));
    for (name, text) in TEXTS.iter().map(|(name, text)| ((*name).to_owned(), *text)).chain(versions) {
        folder.write(&name, &text.replace("@VERSION@", env!("CARGO_PKG_VERSION")))?;
    }
    folder.close()?;
    let tree = root_of_tree.display();
    Ok(format!(
        "{tree}: CANN without an NPU\n  source {tree}/set_env.sh\n  c++ -std=c++17 program.cpp -I{tree}/include \
         -L{tree}/lib64 -lascendcl -lnnopbase -lopapi\n"
    ))
}
