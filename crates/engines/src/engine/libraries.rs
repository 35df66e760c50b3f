//! Finds the shared libraries that engines open in addition to what is linked in.

use std::env;
use std::path::{Path, PathBuf};

/// The file name of host-cann.
pub(super) const HOST_CANN: &str = "libhost_cann.so";

/// The folder of these files: `given`, or the program's own if it has all of them.
///
/// # Errors
/// No folder is given, and the program's own lacks one of the files.
pub(super) fn folder(given: Option<&Path>, files: &[&str]) -> Result<PathBuf, String> {
    if let Some(folder) = given {
        return Ok(folder.to_path_buf());
    }
    let program = env::current_exe().map_err(|error| format!("this program's folder: {error}"))?;
    let folder = program.parent().ok_or_else(|| "this program has no folder".to_owned())?;
    match files.iter().all(|file| folder.join(file).is_file()) {
        true => Ok(folder.to_path_buf()),
        false => Err(format!("no {} in {}", files.join(" and "), folder.display())),
    }
}

/// The absolute path of a file. The loader would search other folders for a bare name.
///
/// # Errors
/// There is no such file.
pub(super) fn file(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}

/// The end of an engine's description if it opened no libraries; else empty.
pub(super) fn not_opened(missing: Option<&String>) -> String {
    missing.map_or_else(String::new, |missing| {
        format!("; dlopen not run: {missing} (`cargo build --release --workspace` makes them)")
    })
}

/// Keeps host-cann from printing what it is on stderr; reports say so already.
pub(crate) fn silence() {
    // SAFETY: no other thread may access the environment without std's lock meanwhile. In this
    // program only Rust's standard library reads it, under the lock that `set_var` takes too. The
    // libraries contain copies of std with locks of their own, but engines are made one after the
    // other before any case runs, so that no other thread is in a call of a library yet. No C
    // function that this program calls reads the environment.
    unsafe { env::set_var("HOST_CANN_QUIET", "1") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_taken_and_what_is_not_must_be_there() {
        assert_eq!(folder(Some(Path::new("somewhere")), &["no.so"]), Ok(PathBuf::from("somewhere")));
        let missing = folder(None, &["no.so", "none.so"]).unwrap_err();
        assert!(missing.starts_with("no no.so and none.so in "), "{missing}");
        let program = env::current_exe().unwrap();
        let name = program.file_name().unwrap().to_str().unwrap();
        let beside = folder(None, &[name]).unwrap();
        assert_eq!(file(&beside, name), Ok(program.canonicalize().unwrap()));
        assert!(file(&beside, "none.so").unwrap_err().contains("none.so: No such file"));
    }
}
