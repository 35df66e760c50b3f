//! Where CANN is looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::library::Source;

/// The libraries that hold the functions of these headers, in the order in which they are asked. The runtime's newer name
/// stands before its older one, and so do the operators'.
const LIBRARIES: [&str; 6] =
    ["libacl_rt.so", "libascendcl.so", "libnnopbase.so", "libopapi_nn.so", "libopapi_math.so", "libopapi.so"];

/// The operators' libraries since CANN 8.5, and the one before that; an install that has both offers the newer alone.
const NEWER: &str = "libopapi_nn.so";
const OLDER: &str = "libopapi.so";

/// Where CANN installs itself.
pub(super) fn usual_folders() -> Vec<PathBuf> {
    ["cann", "ascend-toolkit/latest", "latest", "nnae/latest", "nnrt/latest"]
        .iter()
        .map(|folder| Path::new("/usr/local/Ascend").join(folder))
        .collect()
}

/// The list for [`Cann::load`](super::Cann::load).
pub(super) fn installed(variable: &dyn Fn(&str) -> Option<OsString>, usual: &[PathBuf]) -> Vec<Source> {
    let set = |name| variable(name).filter(|value: &OsString| !value.is_empty());
    if let Some(list) = set("ACLNN_LIBRARY_PATH") {
        let entries = std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty());
        return entries.flat_map(|path| entry(&path)).collect();
    }
    ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"]
        .into_iter()
        .filter_map(set)
        .map(PathBuf::from)
        .chain(usual.iter().cloned())
        .map(|folder| in_folder(&folder))
        .find(|libraries| !libraries.is_empty())
        .unwrap_or_else(|| LIBRARIES.map(PathBuf::from).to_vec())
        .into_iter()
        .map(Source::library)
        .collect()
}

/// What a path stands for: a folder for the libraries in it, anything else for itself.
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

/// CANN's libraries in the folder of an install or of its libraries.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    for libraries in [folder.join("lib64"), folder.to_path_buf()] {
        let mut found: Vec<PathBuf> =
            LIBRARIES.iter().map(|name| libraries.join(name)).filter(|path| path.is_file()).collect();
        if found.iter().any(|path| path.ends_with(NEWER)) {
            found.retain(|path| !path.ends_with(OLDER));
        }
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    type Env = Vec<(&'static str, OsString)>;

    fn names(env: &Env, usual: &[PathBuf]) -> Vec<String> {
        let variable =
            |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        installed(&variable, usual).iter().map(ToString::to_string).collect()
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
}
