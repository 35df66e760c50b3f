//! The probes, which measure a device's costs: `probes.h` in Rust.

use core::ffi::{CStr, c_char, c_void};
use core::{fmt, slice};
use std::path::Path;

#[cfg(feature = "model")]
use crate::launch::Runtime;
use crate::launch::{LaunchError, LoadError, Range, symbol};
#[cfg(feature = "model")]
use crate::model;

/// `SCATTER_PROBES_VERSION`.
const VERSION: u32 = 1;
/// `kScatterProbeData`: where the memory begins that a probe works on.
pub const DATA: usize = 512;
/// `kScatterProbeRoom`: bytes of UB that the probes of copies fill.
pub const ROOM: usize = 128 * 1024;

/// What a probe does, and how often; `include/scatter_probes.h` has the meaning of each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Blocks, of one core each.
    pub blocks: u32,
    /// How often the operation is done.
    pub rounds: u32,
    /// Instructions in a round, where a round has several.
    pub repeats: u32,
    /// Bytes or elements of an instruction.
    pub size: u32,
    /// A further parameter; each probe's own comment has its meaning.
    pub form: u32,
}

#[repr(C)]
struct Launch {
    stream: *mut c_void,
    work: [u32; 5],
    reserved: u32,
    memory: Range,
}

#[repr(C)]
struct Table {
    version: u32,
    count: u32,
    names: *const *const c_char,
    launch: unsafe extern "C" fn(*const Launch, u32) -> i32,
}

#[cfg(feature = "model")]
unsafe extern "C" {
    safe fn scatter_probes_host_model() -> &'static Table;
    fn scatter_probes_on_streams(runtime: &'static Runtime) -> &'static Table;
}

/// What `scatter_probes` returns in a library that stands in for a device library.
///
/// # Safety
/// As of [`launch::on_streams`](crate::launch::on_streams).
#[cfg(feature = "model")]
#[must_use]
pub unsafe fn on_streams(runtime: &'static Runtime) -> *const c_void {
    // SAFETY: `runtime` and its functions can be used from any thread as long as the process lives.
    let table = unsafe { scatter_probes_on_streams(runtime) };
    core::ptr::from_ref(table).cast()
}

/// Probes that can be launched: those of a device library, or the same on the host model.
pub struct Probes {
    table: &'static Table,
    /// Keeps the table; `None` for the host model, which is linked in.
    library: Option<libloading::Library>,
}

// SAFETY: the table is constant, and its function can be called from any thread, as a launch can.
unsafe impl Send for Probes {}
// SAFETY: the table is constant, and its function can be called from several threads at once.
unsafe impl Sync for Probes {}

impl fmt::Debug for Probes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        f.debug_struct("Probes").field("names", &names).field("is_model", &self.library.is_none()).finish()
    }
}

impl Probes {
    /// The probes on the host model of Ascend C.
    #[cfg(feature = "model")]
    #[must_use]
    pub fn host_model() -> Self {
        Self { table: scatter_probes_host_model(), library: None }
    }

    /// The probes of a device library.
    ///
    /// # Errors
    /// [`LoadError`], such as of a library that was built without probes.
    ///
    /// # Safety
    /// As of [`Kernels::load`](crate::Kernels::load).
    pub unsafe fn load(path: &Path) -> Result<Self, LoadError> {
        // SAFETY: the library is one that `CMakeLists.txt` builds, and this type of the function is
        // that of `probes.h`.
        let (library, get) =
            unsafe { symbol::<unsafe extern "C" fn() -> &'static Table>(path, b"scatter_probes\0") }?;
        // SAFETY: the function takes nothing, and its table lives as long as the library
        // (`probes.h`).
        let table = unsafe { get() };
        if table.version != VERSION {
            let path = path.to_owned();
            let version = |version| format!("{version} of the probes");
            return Err(LoadError::Version { path, expected: version(VERSION), got: version(table.version) });
        }
        Ok(Self { table, library: Some(library) })
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        // SAFETY: `names` points to `count` names, which live as long as the library (`probes.h`).
        let names = unsafe { slice::from_raw_parts(self.table.names, self.table.count as usize) };
        // SAFETY: each name is a C string that lives as long as the library (`probes.h`).
        names.iter().map(|&name| unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default())
    }

    /// Launches the probe of this name on `stream`; `Ok(false)` where there is none. The host model
    /// ignores the stream: it has run the probe when this returns.
    ///
    /// # Errors
    /// [`LaunchError`].
    ///
    /// # Safety
    /// `memory` is memory of the stream's device, as large as the work needs with its first
    /// [`DATA`] bytes, and nobody else uses it until the stream has passed the launch.
    pub unsafe fn launch(
        &self,
        name: &str,
        work: &Work,
        memory: Range,
        stream: *mut c_void,
    ) -> Result<bool, LaunchError> {
        let Some((number, kernel)) = self.names().enumerate().find(|(_, known)| *known == name) else {
            return Ok(false);
        };
        let Work { blocks, rounds, repeats, size, form } = *work;
        let launch = Launch { stream, work: [blocks, rounds, repeats, size, form], reserved: 0, memory };
        // SAFETY: the memory is as large as the work needs, and nobody else uses it until the
        // stream has passed the launch; the function is that of `probes.h`.
        match unsafe { (self.table.launch)(&launch, number as u32) } {
            0 => Ok(true),
            #[cfg(feature = "model")]
            _ if self.library.is_none() => Err(LaunchError::Model { reports: model::reports() }),
            code => Err(LaunchError::Device { kernel, code }),
        }
    }
}
