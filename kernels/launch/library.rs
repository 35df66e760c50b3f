//! Libraries of kernels, and of probes: loading them, and why one is not used.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::{Kernels, TILING_BYTES, Table, VERSION};
use crate::plan::Kernel;

/// Why a library of kernels is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It was not found, or could not be loaded.
    #[error("{}: {source}{}", path.display(), reason(source))]
    Library {
        /// The library.
        path: PathBuf,
        /// What the loader says.
        source: libloading::Error,
    },
    /// It was built for another kind of machine.
    #[error("{}: a library for {expected} expected, got one for {got}", path.display())]
    Machine {
        /// The library.
        path: PathBuf,
        /// This machine.
        expected: String,
        /// The library's.
        got: String,
    },
    /// It was built for another version of this crate.
    #[error("{}: kernels of version {expected} expected, got {got}", path.display())]
    Version {
        /// The library.
        path: PathBuf,
        /// This crate's version and the sizes of its tilings.
        expected: String,
        /// The library's.
        got: String,
    },
}

/// The loader's own message, which libloading has as the source of its error.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default()
}

/// Where in an ELF file the number of its machine is.
const ELF_MACHINE: core::ops::Range<usize> = 18..20;
/// The machines that Ascend hosts are, with ELF's numbers for them.
const MACHINES: [(&str, u16); 2] = [("x86_64", 62), ("aarch64", 183)];

/// This machine and a file's, where the file is a library for another machine. The loader's own
/// message for that is that there is no such file.
fn other_machine(path: &Path) -> Option<(String, String)> {
    let mut head = [0; ELF_MACHINE.end];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    let number = u16::from_le_bytes(head.get(ELF_MACHINE)?.try_into().ok()?);
    let own = std::env::consts::ARCH;
    let (_, expected) = MACHINES.into_iter().find(|(name, _)| *name == own)?;
    if !head.starts_with(b"\x7fELF") || number == expected {
        return None;
    }
    let got = MACHINES.into_iter().find(|(_, known)| *known == number);
    let got = got.map_or_else(|| format!("ELF's machine {number}"), |(name, _)| name.to_owned());
    Some((own.to_owned(), got))
}

/// A library, and a function of it.
///
/// # Safety
/// Loading the library runs its initialisers; `F` is the type of a pointer to the function, which
/// is not called after the library is dropped.
pub(crate) unsafe fn symbol<F: Copy>(
    path: &Path,
    name: &[u8],
) -> Result<(libloading::Library, F), LoadError> {
    let failed = |source| match other_machine(path) {
        Some((expected, got)) => LoadError::Machine { path: path.to_owned(), expected, got },
        None => LoadError::Library { path: path.to_owned(), source },
    };
    // SAFETY: the caller allows the library's initialisers to run.
    let library = unsafe { libloading::Library::new(path) }.map_err(failed)?;
    // SAFETY: `F` is the type of a pointer to this function; it is returned with the library, which
    // must live as long.
    let function = unsafe { library.get::<F>(name) }.map(|function| *function);
    Ok((library, function.map_err(failed)?))
}

impl Kernels {
    /// The name of the device library for an architecture.
    #[must_use]
    pub fn library_name(arch: &str) -> String {
        format!("libscatter_kernels_{arch}.so")
    }

    /// The kernels of a device library.
    ///
    /// # Errors
    /// [`LoadError`].
    ///
    /// # Safety
    /// The library is one that `CMakeLists.txt` builds: loading it runs its initialisers, and its
    /// table is trusted.
    pub unsafe fn load(path: &Path) -> Result<Self, LoadError> {
        // SAFETY: the library is one that `CMakeLists.txt` builds, and this type of the function is
        // that of `launch.h`.
        let (library, get) =
            unsafe { symbol::<unsafe extern "C" fn() -> &'static Table>(path, b"scatter_kernels\0") }?;
        // SAFETY: the function takes nothing, and its table lives as long as the library
        // (`launch.h`).
        let table = unsafe { get() };
        let version =
            |version, bytes: [u32; Kernel::COUNT]| format!("{version} (tilings of {bytes:?} bytes)");
        let expected = version(VERSION, TILING_BYTES);
        // A table of another version has other fields.
        let bytes = if table.version == VERSION { table.tiling_bytes } else { [0; Kernel::COUNT] };
        let got = version(table.version, bytes);
        if got != expected {
            return Err(LoadError::Version { path: path.to_owned(), expected, got });
        }
        Ok(Self { table, library: Some(library) })
    }
}
