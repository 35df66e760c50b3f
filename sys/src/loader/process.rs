//! The libraries that the process has loaded already.

use std::path::PathBuf;

/// The paths of the loaded libraries, in the order in which they were loaded, as the system's
/// loader has them: it finds the same library again under the same path, even if that is relative
/// and the process has changed its working directory.
#[cfg(target_os = "linux")]
pub(super) fn loaded() -> Vec<PathBuf> {
    use core::ffi::{CStr, c_int, c_void};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    /// Adds the path of one library to the list; no code here panics or calls the loader, which
    /// holds its lock.
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _size: usize, list: *mut c_void) -> c_int {
        // SAFETY: `loaded` passes its list, which nothing else uses meanwhile.
        let list = unsafe { &mut *list.cast::<Vec<PathBuf>>() };
        // SAFETY: the loader passes a description that is valid during this call.
        let name = unsafe { (*info).dlpi_name };
        if !name.is_null() {
            // SAFETY: the loader's names end with a NUL.
            let name = unsafe { CStr::from_ptr(name) };
            list.push(OsStr::from_bytes(name.to_bytes()).into());
        }
        0
    }

    let mut list = Vec::new();
    // SAFETY: `add` has the required type, and its last argument is this list.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut list).cast()) };
    list
}

/// The loaded libraries are not known here; CANN exists only for Linux.
#[cfg(not(target_os = "linux"))]
pub(super) fn loaded() -> Vec<PathBuf> {
    Vec::new()
}
