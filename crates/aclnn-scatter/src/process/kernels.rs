//! Finds the Ascend C kernels that a session launches.

use core::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use aclnn_sys::{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, Cann};
use scatter_kernels::{Kernels, Soc};

use crate::failure::{Failure, failure};

/// Kernels, and the chip that they run on.
#[derive(Debug)]
pub(crate) struct Launcher {
    pub(crate) kernels: Kernels,
    pub(crate) soc: Soc,
}

impl Launcher {
    /// The kernels for a processor: on host-cann those of the host model, elsewhere those of a
    /// device library.
    ///
    /// # Errors
    /// A message that says why there are none.
    pub(crate) fn find(name: &str, is_host: bool) -> Result<Self, String> {
        let soc = Soc::named(name).ok_or_else(|| format!("no kernels are planned for {name:?}"))?;
        let kernels = if is_host { model()? } else { library(&soc)? };
        Ok(Self { kernels, soc })
    }
}

/// The failure of a call that needs kernels when none were found.
pub(crate) fn missing(why: &str) -> Failure {
    failure!(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "engine kernel: {why}")
}

/// CANN's name of the chip.
///
/// # Errors
/// A message that says why it names none.
pub(crate) fn soc_name(cann: &Cann) -> Result<String, String> {
    // SAFETY: the function takes no argument and has no precondition.
    let name = unsafe { cann.aclrtGetSocName() }.map_err(|error| error.to_string())?;
    if name.is_null() {
        return Err("aclrtGetSocName names no processor".to_owned());
    }
    // SAFETY: CANN returns a NUL-terminated text that lives as long as the process; it is copied
    // here.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

#[cfg(feature = "model")]
#[allow(clippy::unnecessary_wraps)]
fn model() -> Result<Kernels, String> {
    Ok(Kernels::host_model())
}

#[cfg(not(feature = "model"))]
fn model() -> Result<Kernels, String> {
    Err("the host model of Ascend C was left out (feature `model`)".to_owned())
}

/// The file or folder that `ACLNN_SCATTER_KERNELS` names; `None` if it is unset or empty. The
/// variable is read once.
pub(crate) fn named() -> Option<&'static Path> {
    static NAMED: OnceLock<Option<PathBuf>> = OnceLock::new();
    let read =
        || std::env::var_os("ACLNN_SCATTER_KERNELS").filter(|path| !path.is_empty()).map(PathBuf::from);
    NAMED.get_or_init(read).as_deref()
}

/// The device library, which must be built for the chip's architecture.
fn library(soc: &Soc) -> Result<Kernels, String> {
    let path = kernel_library(soc.arch)?;
    // SAFETY: whoever installed a library of this name, or names one in the variable, guarantees
    // that it is the one that CMakeLists.txt builds.
    let kernels = unsafe { Kernels::load(&path) }.map_err(|error| error.to_string())?;
    match kernels.arch() {
        Some(arch) if arch != soc.arch => {
            let (path, Soc { name, arch: expected, .. }) = (path.display(), soc);
            Err(format!("{path}: kernels for {expected} expected, as {name} is, got kernels for {arch}"))
        }
        _ => Ok(kernels),
    }
}

/// The path at which the device library for an architecture is expected. `ACLNN_SCATTER_KERNELS`
/// can name the file itself or a folder. In a folder, which by default is this library's own, the
/// file has the name `libscatter_kernels_ARCH.so`.
///
/// # Errors
/// A message, where the variable is not set and this library's own folder is not known.
pub fn kernel_library(arch: &str) -> Result<PathBuf, String> {
    let file = Kernels::library_name(arch);
    Ok(match named() {
        Some(folder) if folder.is_dir() => folder.join(file),
        Some(path) => path.to_owned(),
        None => own_folder().ok_or("this library's own folder is not known")?.join(file),
    })
}

/// The folder of the library or program that contains this code.
fn own_folder() -> Option<PathBuf> {
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `dladdr` takes any address, and writes to a live local.
    let found = unsafe { libc::dladdr(own_folder as *const libc::c_void, info.as_mut_ptr()) };
    if found == 0 {
        return None;
    }
    // SAFETY: `info` was zeroed, which is a valid `Dl_info`, and then filled.
    let info = unsafe { info.assume_init() };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: `dladdr` found a NUL-terminated name, which lives as long as the library that
    // contains this code.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(name.to_bytes());
    Path::new(path).parent().map(Path::to_path_buf)
}
