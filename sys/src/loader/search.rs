//! Where CANN is looked for.

use core::ffi::CStr;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::library::Source;
use super::names::{self, HOMES, LIBRARIES, NEWER, OLDER};

/// host-cann under its own name.
const HOST_CANN: &str = "libhost_cann.so";

/// A process that has loaded one of these has a CANN; a library of operators alone may be of
/// another vendor.
const RUNTIME: [&str; 4] = ["libacl_rt.so", "libascendcl.so", "libnnopbase.so", HOST_CANN];

/// Libraries that few programs need and that bring much with them, such as the graph compiler, and
/// how the names of their functions begin. They are opened for these functions alone.
const OF_FEW: [(&str, &[&str]); 2] = [
    ("libacl_op_compiler.so", &["aclop", "aclSetCompileopt", "aclGetCompileopt", "aclGenGraph"]),
    ("libacl_tdt_channel.so", &["acltdt"]),
];

/// Whether a function may be in a library.
pub(super) fn may_have(path: &Path, function: &CStr) -> bool {
    let Some((_, beginnings)) = OF_FEW.iter().find(|(library, _)| is(path, library)) else { return true };
    beginnings.iter().any(|beginning| function.to_bytes().starts_with(beginning.as_bytes()))
}

/// Where CANN installs itself.
pub(super) fn usual_folders() -> Vec<PathBuf> {
    ["cann", "ascend-toolkit/latest", "latest", "nnae/latest", "nnrt/latest"]
        .iter()
        .map(|folder| Path::new("/usr/local/Ascend").join(folder))
        .collect()
}

/// The list for [`Cann::load`](super::Cann::load), of a process that has loaded these libraries.
pub(super) fn installed(
    variable: &dyn Fn(&str) -> Option<OsString>,
    loaded: &[PathBuf],
    usual: &[PathBuf],
) -> Vec<Source> {
    let set = |name| variable(name).filter(|value: &OsString| !value.is_empty());
    if let Some(list) = set("ACLNN_LIBRARY_PATH") {
        let entries = std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty());
        return entries.flat_map(|path| entry(&path)).collect();
    }
    let homes = HOMES.into_iter().filter_map(set).map(PathBuf::from);
    let folders = homes.chain(usual.iter().cloned()).map(|folder| in_folder(&folder));
    let found = std::iter::once(in_process(loaded)).chain(folders).find(|libraries| !libraries.is_empty());
    match found {
        Some(libraries) => libraries.into_iter().map(Source::library).collect(),
        None => by_name(),
    }
}

/// The libraries' bare names, which the system's loader looks for.
fn by_name() -> Vec<Source> {
    let source = |name: &str| match name {
        OLDER => Source::library_unless(name.into(), NEWER[0]),
        _ => Source::library(name.into()),
    };
    LIBRARIES.into_iter().map(source).collect()
}

/// The libraries that a path means: a folder means those in it, anything else is a library itself.
pub(super) fn entry(path: &Path) -> Vec<Source> {
    if !path.is_dir() {
        return vec![Source::library(path.to_path_buf())];
    }
    let libraries = in_folder(path);
    if libraries.is_empty() {
        return vec![Source::Nothing { folder: path.to_path_buf() }];
    }
    libraries.into_iter().map(Source::library).collect()
}

/// The CANN of a process: its libraries that are loaded, followed by those in the folder of its
/// runtime.
fn in_process(loaded: &[PathBuf]) -> Vec<PathBuf> {
    let named = |name: &'static str| loaded.iter().filter(move |path| is(path, name)).cloned();
    let Some(runtime) = RUNTIME.into_iter().flat_map(named).next() else { return Vec::new() };
    let mut list: Vec<PathBuf> = LIBRARIES.into_iter().chain([HOST_CANN]).flat_map(named).collect();
    let Some(folder) = runtime.parent() else { return list };
    let mut beside = among(folder);
    let is_loaded = |name: &str| list.iter().any(|path| path.parent() == Some(folder) && is(path, name));
    if is_loaded(OLDER) {
        beside.retain(|path| !NEWER.iter().any(|name| is(path, name)));
    }
    beside.retain(|path| path.file_name().and_then(OsStr::to_str).is_none_or(|name| !is_loaded(name)));
    list.extend(beside);
    list
}

/// Whether a path is that of a library of this name, or of this name with a version behind it
/// (`libacl_rt.so.1`), which a process loads where libraries have versions in their SONAMEs.
fn is(path: &Path, name: &str) -> bool {
    let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match file.strip_prefix(name) {
        Some("") => true,
        Some(version) => version.strip_prefix('.').is_some_and(|version| version.split('.').all(is_number)),
        None => false,
    }
}

/// CANN's libraries in the folder of an install or of its libraries.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    [folder.join("lib64"), folder.join(of_this_machine()).join("lib64"), folder.to_path_buf()]
        .iter()
        .map(|libraries| among(libraries))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// The folder of an install that has its files for this machine; `lib64` beside it is a link into
/// it, where there is one.
fn of_this_machine() -> String {
    format!("{}-linux", std::env::consts::ARCH)
}

/// CANN's libraries among the files of a folder.
fn among(folder: &Path) -> Vec<PathBuf> {
    names::among(folder).into_iter().map(|name| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    type Env = Vec<(&'static str, OsString)>;

    fn names(env: &Env, usual: &[PathBuf]) -> Vec<String> {
        let variable =
            |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        of(&variable, &[], usual)
    }

    fn of(variable: &dyn Fn(&str) -> Option<OsString>, loaded: &[PathBuf], usual: &[PathBuf]) -> Vec<String> {
        installed(variable, loaded, usual).iter().map(ToString::to_string).collect()
    }

    /// The list of a process that has loaded these, in the sight of another CANN.
    fn in_process_of(loaded: &[PathBuf], other: &Path) -> Vec<String> {
        of(&|name| (name == "ASCEND_HOME_PATH").then(|| other.into()), loaded, &[other.to_path_buf()])
    }

    fn install(root: &Path, name: &str, libraries: &[&str]) -> PathBuf {
        let folder = root.join(name);
        fs::create_dir_all(folder.join("lib64")).unwrap();
        for library in libraries {
            fs::write(folder.join("lib64").join(library), "").unwrap();
        }
        folder
    }

    fn libraries(folder: &Path, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| folder.join("lib64").join(name).display().to_string()).collect()
    }

    #[test]
    fn the_first_place_with_a_library_is_taken_and_no_other() {
        let root = tempfile::tempdir().unwrap();
        let empty = install(root.path(), "empty", &[]);
        let home = install(root.path(), "home", &["libascendcl.so", "libopapi.so"]);
        let toolkit = install(root.path(), "toolkit", &["libacl_rt.so", "libnnopbase.so"]);
        let usual = install(root.path(), "usual", &["libacl_rt.so"]);
        let both = |home: &Path| -> Env {
            vec![("ASCEND_HOME_PATH", home.into()), ("ASCEND_TOOLKIT_HOME", toolkit.clone().into())]
        };
        let of_home = libraries(&home, &["libascendcl.so", "libopapi.so"]);
        let of_toolkit = libraries(&toolkit, &["libacl_rt.so", "libnnopbase.so"]);
        assert_eq!(names(&both(&home), std::slice::from_ref(&usual)), of_home);
        assert_eq!(names(&both(&empty), std::slice::from_ref(&usual)), of_toolkit);
        assert_eq!(names(&both(&root.path().join("gone")), std::slice::from_ref(&usual)), of_toolkit);
        assert_eq!(names(&vec![], &[empty.clone(), usual.clone()]), libraries(&usual, &["libacl_rt.so"]));
        assert_eq!(names(&vec![], &[empty]), LIBRARIES);
        assert_eq!(names(&vec![("ASCEND_HOME_PATH", "".into())], &[]), LIBRARIES);
    }

    #[test]
    fn the_override_is_taken_as_it_stands() {
        let root = tempfile::tempdir().unwrap();
        let home = install(root.path(), "home", &["libascendcl.so"]);
        let empty = install(root.path(), "empty", &[]);
        let single = PathBuf::from("/no/such/libaclnn_scatter.so");
        let list = std::env::join_paths([&single, &home.join("lib64"), &empty]).unwrap();
        let env = vec![("ACLNN_LIBRARY_PATH", list), ("ASCEND_HOME_PATH", home.clone().into())];
        let mut expected = vec![single.display().to_string()];
        expected.extend(libraries(&home, &["libascendcl.so"]));
        expected.push(empty.display().to_string());
        assert_eq!(names(&env, &[]), expected);
    }

    #[test]
    fn the_older_operators_are_left_out_beside_the_newer() {
        let root = tempfile::tempdir().unwrap();
        let home = install(root.path(), "home", &["libopapi.so", "libopapi_math.so", "libopapi_nn.so"]);
        let env = vec![("ASCEND_TOOLKIT_HOME", home.clone().into())];
        assert_eq!(names(&env, &[]), libraries(&home, &["libopapi_nn.so", "libopapi_math.so"]));
    }

    #[test]
    fn a_loaded_runtime_goes_before_every_folder_and_brings_what_lies_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let other = install(root.path(), "other", &["libacl_rt.so", "libopapi_nn.so"]);
        let one = install(root.path(), "one", &["libascendcl.so", "libnnopbase.so", "libopapi.so"]);
        let all = libraries(&one, &["libascendcl.so", "libnnopbase.so", "libopapi.so"]);
        let lib = |name: &str| one.join("lib64").join(name);
        let (program, foreign) = (PathBuf::new(), PathBuf::from("/lib/libascendcl.so.old"));
        assert_eq!(in_process_of(&[program, foreign.clone(), lib("libascendcl.so")], &other), all);
        // Without a runtime there is no CANN in the process, whoever's the operators are.
        let of_other = libraries(&other, &["libacl_rt.so", "libopapi_nn.so"]);
        assert_eq!(in_process_of(&[foreign, lib("libopapi.so")], &other), of_other);
        // Under its own name, with names of CANN's beside it.
        let host = lib("libhost_cann.so").display().to_string();
        let expected: Vec<String> = std::iter::once(host).chain(all).collect();
        assert_eq!(in_process_of(&[lib("libhost_cann.so")], &other), expected);
        // The loader knows it by a name that needs no file.
        let gone = PathBuf::from("gone/libnnopbase.so");
        assert_eq!(in_process_of(&[gone], &other), ["gone/libnnopbase.so"]);
    }

    #[test]
    fn a_loaded_library_may_have_a_version_in_its_name() {
        let root = tempfile::tempdir().unwrap();
        let cann = install(root.path(), "cann", &["libacl_rt.so", "libnnopbase.so", "libopapi_nn.so"]);
        let versioned = cann.join("lib64/libacl_rt.so.1.8");
        let mut expected = libraries(&cann, &["libacl_rt.so.1.8", "libnnopbase.so", "libopapi_nn.so"]);
        assert_eq!(in_process_of(std::slice::from_ref(&versioned), &cann), expected);
        expected[1] += ".2";
        assert_eq!(in_process_of(&[PathBuf::from(&expected[1]), versioned], &cann), expected);
        for other in ["libacl_rt.so.", "libacl_rt.so.1a", "libacl_rt.so1", "xlibacl_rt.so"] {
            assert!(!is(Path::new(other), "libacl_rt.so"), "{other}");
        }
    }

    #[test]
    fn an_install_may_keep_its_libraries_in_the_folder_of_this_machine() {
        let root = tempfile::tempdir().unwrap();
        let own = format!("home/{}-linux", std::env::consts::ARCH);
        let own = install(root.path(), &own, &["libacl_rt.so", "libopapi_nn.so"]);
        let env = vec![("ASCEND_HOME_PATH", root.path().join("home").into())];
        assert_eq!(names(&env, &[]), libraries(&own, &["libacl_rt.so", "libopapi_nn.so"]));
    }

    #[test]
    fn operators_in_the_place_of_cann_s_stand_before_them() {
        let root = tempfile::tempdir().unwrap();
        let cann = install(root.path(), "cann", &["libacl_rt.so", "libopapi_nn.so", "libopapi.so"]);
        let lib = |name: &str| cann.join("lib64").join(name);
        let own = root.path().join("libopapi.so");
        let mut expected = libraries(&cann, &["libacl_rt.so", "libopapi_nn.so"]);
        expected.insert(1, own.display().to_string());
        assert_eq!(in_process_of(&[own, lib("libacl_rt.so")], &cann), expected);
        // CANN's own older ones are not mixed with the newer.
        let loaded = [lib("libopapi.so"), lib("libacl_rt.so")];
        assert_eq!(in_process_of(&loaded, &cann), libraries(&cann, &["libacl_rt.so", "libopapi.so"]));
    }

    #[test]
    fn the_override_goes_before_what_is_loaded() {
        let env = |name: &str| (name == "ACLNN_LIBRARY_PATH").then(|| OsString::from("/no/such/cann.so"));
        assert_eq!(of(&env, &[PathBuf::from("/one/libacl_rt.so")], &[]), ["/no/such/cann.so"]);
    }
}
