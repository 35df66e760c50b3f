//! The lazy loader.

mod error;
mod library;
mod names;
mod process;
mod search;

use core::ffi::{CStr, c_void};
use core::fmt;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::path::Path;

use crate::FUNCTIONS;
pub use error::{LoadError, Searched};
use library::Source;

/// CANN's functions: an ordered list of libraries, and what has been found in them.
///
/// A library is opened when a function is looked for and no earlier library has it; a function is
/// looked up when it is first called, in the order of the list, and remembered. Neither changes
/// later, and no library is ever closed, so that an address stays valid to the end of the process.
/// All methods may be called from any thread.
///
/// # Safety
/// The constructors open nothing. Whoever calls a function, or asks for a symbol, guarantees three
/// things: that the libraries of the list (or the addresses of the table) are what their names say,
/// that they may be opened, and that the arguments are what CANN's documentation of that function
/// asks for.
///
/// # Without CANN
/// ```
/// use aclnn_sys::Cann;
///
/// let cann = Cann::load_from("/there/is/no/such/library.so");
/// // SAFETY: nothing is found, so nothing is called.
/// let error = unsafe { cann.aclFinalize() }.unwrap_err();
/// assert!(error.to_string().starts_with("aclFinalize not found"));
/// ```
pub struct Cann {
    sources: Vec<Source>,
    slots: Box<[AtomicPtr<c_void>]>,
}

impl Cann {
    /// The CANN of the process, or else the installed one. It is the first of these that exists,
    /// and no other:
    ///
    /// 1. `ACLNN_LIBRARY_PATH`, a list of libraries and folders, taken as it stands;
    /// 2. what the process has loaded already, whether it was linked or opened, by name or by path:
    ///    every library of CANN's (or `libhost_cann.so`), and behind them those that lie beside the
    ///    first of the runtime's. Operators without a runtime don't count;
    /// 3. CANN's libraries in `ASCEND_HOME_PATH`, in `ASCEND_TOOLKIT_HOME`, in the usual folders
    ///    under `/usr/local/Ascend`;
    /// 4. the libraries' bare names, which the system's loader looks for (`LD_LIBRARY_PATH`).
    ///
    /// In folders and by bare names the operators of CANN before 8.5 (`libopapi.so`) are not used
    /// where newer ones are. `libacl_op_compiler.so` and `libacl_tdt_channel.so` are opened for
    /// their functions alone.
    ///
    /// So a program that has a CANN gets functions of another one only where `ACLNN_LIBRARY_PATH`
    /// says so. The loaded libraries are listed by this call; those that are loaded later have no
    /// effect.
    #[must_use]
    pub fn load() -> Self {
        let variable = |name: &str| std::env::var_os(name);
        Self::of(search::installed(&variable, &process::loaded(), &search::usual_folders()))
    }

    /// One library, or the CANN in a folder: that of an install or that of its libraries.
    #[must_use]
    pub fn load_from(path: impl AsRef<Path>) -> Self {
        Self::of(search::entry(path.as_ref()))
    }

    /// A table of functions of this process, by name. Of two with the same name the first is used;
    /// null addresses are ignored.
    #[must_use]
    pub fn from_table<'a>(functions: impl IntoIterator<Item = (&'a CStr, *const c_void)>) -> Self {
        Self::of(vec![Source::table(functions)])
    }

    /// This list, followed by another.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self::of(self.sources.into_iter().chain(next.sources).collect())
    }

    fn of(sources: Vec<Source>) -> Self {
        let slots = FUNCTIONS.iter().map(|_| AtomicPtr::new(ptr::null_mut())).collect();
        Self { sources, slots }
    }

    /// The libraries of the list, in order, as an error names them.
    pub fn libraries(&self) -> impl Iterator<Item = String> {
        self.sources.iter().map(ToString::to_string)
    }

    /// The address of any symbol, such as another operator's; the first library that exports it.
    ///
    /// # Safety
    /// As [`Cann`] says: libraries are opened.
    ///
    /// # Errors
    /// No library of the list exports it.
    pub unsafe fn symbol(&self, name: &CStr) -> Result<NonNull<c_void>, LoadError> {
        // SAFETY: by this function's contract the list's libraries may be opened.
        unsafe { self.find(name, ptr::null()) }
    }

    /// The address that a symbol has in the first library that exports another one than `own`.
    ///
    /// A library that stands in for one of CANN's finds CANN's own function this way, by passing
    /// the address of its own.
    ///
    /// # Safety
    /// As [`Cann`] says: libraries are opened.
    ///
    /// # Errors
    /// No library of the list exports another one.
    pub unsafe fn next_symbol(&self, name: &CStr, own: *const c_void) -> Result<NonNull<c_void>, LoadError> {
        // SAFETY: by this function's contract the list's libraries may be opened.
        unsafe { self.find(name, own) }
    }

    unsafe fn find(&self, name: &CStr, except: *const c_void) -> Result<NonNull<c_void>, LoadError> {
        let mut searched = Vec::new();
        for (place, source) in self.sources.iter().enumerate() {
            // SAFETY: by this function's contract the list's libraries may be opened.
            match unsafe { source.find(name, &self.sources[..place]) } {
                Ok(address) if address.as_ptr().cast_const() != except => return Ok(address),
                Ok(_) => searched.push(Searched::new(source, "it is the one that asks")),
                Err(problem) => searched.push(Searched::new(source, problem)),
            }
        }
        Err(LoadError::new(name, searched))
    }

    /// The function of a slot, looked up the first time.
    ///
    /// # Safety
    /// As [`Cann`] says; `F` is the type of a pointer to the function whose name is
    /// `FUNCTIONS[slot]`.
    #[inline]
    pub(crate) unsafe fn slot<F: Copy>(&self, slot: usize) -> Result<F, LoadError> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
        let mut address = self.slots[slot].load(Ordering::Acquire);
        if address.is_null() {
            // SAFETY: by this function's contract the list's libraries may be opened.
            address = unsafe { self.look_up(slot) }?.as_ptr();
        }
        // SAFETY: `F` is as large as an address, and by this function's contract the type of a
        // pointer to what is there.
        Ok(unsafe { core::mem::transmute_copy(&address) })
    }

    /// Two threads may get here with the same slot; they find the same address.
    #[cold]
    unsafe fn look_up(&self, slot: usize) -> Result<NonNull<c_void>, LoadError> {
        // SAFETY: by this function's contract the list's libraries may be opened.
        let address = unsafe { self.symbol(FUNCTIONS[slot]) }?;
        self.slots[slot].store(address.as_ptr(), Ordering::Release);
        Ok(address)
    }
}

impl fmt::Debug for Cann {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cann")
            .field("libraries", &self.libraries().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
