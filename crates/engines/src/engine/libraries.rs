//! Where the shared libraries are that engines open beside what is linked in.

use std::env;
use std::path::{Path, PathBuf};

/// host-cann's file.
pub(super) const HOST_CANN: &str = "libhost_cann.so";

/// The folder of these files: the one that is given, or the program's own if they are all there.
///
/// # Errors
/// Why there is none, where none is given.
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

/// A file's absolute path, for the loader would look for a bare name elsewhere.
///
/// # Errors
/// The path and why there is no such file.
pub(super) fn file(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}

/// The end of an engine's description, where it does without libraries.
pub(super) fn not_opened(missing: Option<&String>) -> String {
    missing.map_or_else(String::new, |missing| {
        format!("; dlopen not run: {missing} (`cargo build --release --workspace` makes them)")
    })
}

/// Lets no host-cann say on stderr what it is: the reports do.
pub(super) fn silence() {
    // SAFETY: all that reads the environment here is Rust's standard library, under the lock that
    // this takes too, but for the copies of it in the libraries, which are opened after this and
    // before another thread can call them. No C function that is called in this program reads it.
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
