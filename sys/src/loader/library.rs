//! One entry of the list.

use core::ffi::{CStr, c_void};
use core::fmt;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;
use std::collections::HashMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use super::search;

/// A library that was opened, or why it can't be. Never dropped, so never closed.
type Opened = Result<ManuallyDrop<Library>, String>;

/// Where functions come from.
pub(super) enum Source {
    /// A library by path or bare name, opened when a symbol is first looked for in it; not used
    /// where one before it in the list, of the name `unless`, can be opened.
    Library { path: PathBuf, unless: Option<&'static str>, opened: OnceLock<Opened> },
    /// A folder without libraries, to be named in errors.
    Nothing { folder: PathBuf },
    /// Functions of this process.
    Table(HashMap<CString, Address>),
}

/// The address of a function.
pub(super) struct Address(NonNull<c_void>);

// SAFETY: code may be called from any thread; the address itself is a number that nothing here
// reads through.
unsafe impl Send for Address {}
// SAFETY: the address never changes, and nothing here reads through it.
unsafe impl Sync for Address {}

impl Source {
    pub(super) fn library(path: PathBuf) -> Self {
        Self::Library { path, unless: None, opened: OnceLock::new() }
    }

    pub(super) fn library_unless(path: PathBuf, other: &'static str) -> Self {
        Self::Library { path, unless: Some(other), opened: OnceLock::new() }
    }

    pub(super) fn table<'a>(functions: impl IntoIterator<Item = (&'a CStr, *const c_void)>) -> Self {
        let mut table = HashMap::new();
        for (name, address) in functions {
            if let Some(address) = NonNull::new(address.cast_mut()) {
                table.entry(name.to_owned()).or_insert(Address(address));
            }
        }
        Self::Table(table)
    }

    /// Whether this is the library of that name, and open.
    fn is_open(&self, name: &str) -> bool {
        match self {
            Self::Library { path, opened, .. } => {
                path == Path::new(name) && matches!(opened.get(), Some(Ok(_)))
            }
            _ => false,
        }
    }

    /// The address of a symbol here, or why there is none; `before` are those before this in the
    /// list, where it was looked for already.
    ///
    /// # Safety
    /// The library may be opened, which runs its initialisers.
    pub(super) unsafe fn find(&self, name: &CStr, before: &[Self]) -> Result<NonNull<c_void>, String> {
        const MISSING: &str = "does not export it";
        match self {
            Self::Library { path, .. } if !search::may_have(path, name) => {
                Err("is not opened for it".to_owned())
            }
            Self::Library { unless: Some(other), .. }
                if before.iter().any(|source| source.is_open(other)) =>
            {
                Err(format!("is not used beside {other}"))
            }
            Self::Library { path, opened, .. } => {
                // SAFETY: by this function's contract the library's initialisers may run.
                let open =
                    || unsafe { Library::new(path) }.map(ManuallyDrop::new).map_err(|error| reason(&error));
                let library = opened.get_or_init(open).as_ref().map_err(Clone::clone)?;
                // SAFETY: only the address is taken, and not used as anything else.
                let symbol = unsafe { library.get::<*mut c_void>(name) }.map_err(|_| MISSING)?;
                Ok(NonNull::new(*symbol).ok_or(MISSING)?)
            }
            Self::Nothing { .. } => Err("none of CANN's libraries is in this folder".to_owned()),
            Self::Table(table) => Ok(table.get(name).map(|address| address.0).ok_or("does not have it")?),
        }
    }
}

/// The system's message for why a library can't be opened.
fn reason(error: &libloading::Error) -> String {
    let words = core::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    format!("can't be opened ({words})")
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library { path, .. } | Self::Nothing { folder: path } => path.display().fmt(f),
            Self::Table(table) => write!(f, "a table of {} functions", table.len()),
        }
    }
}
