//! Launching plans: `launch.h` in Rust.

use core::ffi::{CStr, c_char, c_void};
use core::{fmt, ptr};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

#[cfg(feature = "model")]
use crate::model;
use crate::plan::{Kernel, Plan, Step};
use crate::tiling::{
    CopyTiling, ElementsTiling, GatherForm, GatherTiling, IndexTiling, RowsTiling, STATUS_BYTES, Tiling,
    WindowsTiling,
};

/// `SCATTER_KERNELS_VERSION`.
const VERSION: u32 = 12;
/// How the description of a device library begins, before its architecture (`launch_device.h`).
const ON_DEVICE: &str = "an NPU, ";
/// The bytes of each kernel's tiling, in the order of [`Kernel::number`].
const TILING_BYTES: [u32; Kernel::COUNT] = [
    size_of::<CopyTiling>() as u32,
    size_of::<Tiling>() as u32,
    size_of::<IndexTiling>() as u32,
    size_of::<RowsTiling>() as u32,
    size_of::<ElementsTiling>() as u32,
    size_of::<GatherTiling>() as u32,
    size_of::<WindowsTiling>() as u32,
];

/// A tensor's storage, or the status words.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Where it begins, in the memory of whoever runs the kernels.
    pub address: *mut c_void,
    /// How long it is. A device ignores it; the host model reports accesses beyond it.
    pub bytes: u64,
}

impl Range {
    /// No memory, for a tensor that the plan does not need.
    pub const NONE: Self = Self { address: ptr::null_mut(), bytes: 0 };
}

/// The memory of a call. self is not needed in place or where out starts from zeros, src not where
/// the call has a scalar instead, and indices, src and status not where index is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchMemory {
    /// self's storage.
    pub self_: Range,
    /// index's storage, the first; or those of the tensors of a list.
    pub indices: [Range; scatter::MAX_RANK],
    /// src's storage.
    pub src: Range,
    /// out's storage.
    pub out: Range,
    /// [`Plan::workspace_bytes`] bytes, aligned to 64: after the launch, [`Plan::statuses`] of
    /// [`crate::tiling::Status`] are at its start.
    pub workspace: Range,
}

impl LaunchMemory {
    /// The [`indices`](Self::indices) of a call with one index tensor.
    #[must_use]
    pub const fn one_index(index: Range) -> [Range; scatter::MAX_RANK] {
        let mut indices = [Range::NONE; scatter::MAX_RANK];
        indices[0] = index;
        indices
    }
}

#[repr(C)]
struct Launch {
    stream: *mut c_void,
    blocks: u32,
    reserved: u32,
    self_: Range,
    index: Range,
    src: Range,
    out: Range,
    status: Range,
    targets: Range,
    told: Range,
}

#[repr(C)]
struct Table {
    version: u32,
    reserved: u32,
    tiling_bytes: [u32; Kernel::COUNT],
    description: *const c_char,
    launch: unsafe extern "C" fn(*const Launch, u32, *const c_void) -> i32,
}

#[cfg(feature = "model")]
unsafe extern "C" {
    safe fn scatter_kernels_host_model() -> &'static Table;
    fn scatter_kernels_on_streams(runtime: &'static Runtime) -> &'static Table;
}

/// `ScatterRuntime` of `launch_streams.h`: what launches on streams need from the runtime.
#[cfg(feature = "model")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// Puts a call of a function with an argument into a stream; 0, or an error, and the function
    /// is never called.
    pub enqueue: unsafe extern "C" fn(
        stream: *mut c_void,
        run: unsafe extern "C" fn(argument: *mut c_void),
        argument: *mut c_void,
    ) -> i32,
    /// Called from that function: sets the address of each memory of a kernel to where this process
    /// can access it, and keeps it there until the function returns. Returns not 0 where the device
    /// could not access it: the stream has failed then.
    pub reach: unsafe extern "C" fn(kernel: *const c_char, uses: *const Use, count: u32) -> i32,
}

/// `ScatterUse` of `launch_memory.h`: memory that a kernel accesses.
#[cfg(feature = "model")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// Its name, for messages.
    pub name: *const c_char,
    /// Where it is; 0 bytes mean that there is none.
    pub memory: *mut Range,
    access: u32,
}

#[cfg(feature = "model")]
impl Use {
    /// Whether the kernel writes there.
    #[must_use]
    pub const fn is_written(&self) -> bool {
        self.access & 2 != 0
    }
}

/// What `scatter_kernels` returns in a library that stands in for a device library: a table of
/// `launch.h` whose launches run on the host model, in streams.
///
/// # Safety
/// The functions of `runtime` do what [`Runtime`] says, and can be called from any thread as long
/// as the process lives.
#[cfg(feature = "model")]
#[must_use]
pub unsafe fn on_streams(runtime: &'static Runtime) -> *const c_void {
    // SAFETY: `runtime` and its functions can be used from any thread as long as the process lives.
    let table = unsafe { scatter_kernels_on_streams(runtime) };
    ptr::from_ref(table).cast()
}

/// Kernels that can be launched: those of a device library, or the same on the host model.
pub struct Kernels {
    table: &'static Table,
    /// Keeps the table; `None` for the host model, which is linked in.
    library: Option<libloading::Library>,
}

// SAFETY: the table is constant, and its functions can be called from any thread, as CANN's
// launches and the host model can.
unsafe impl Send for Kernels {}
// SAFETY: the table is constant, and its functions can be called from several threads at once.
unsafe impl Sync for Kernels {}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernels")
            .field("description", &self.description())
            .field("is_model", &self.is_model())
            .finish()
    }
}

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

/// Why a launch failed. What out then holds is unspecified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A kernel broke a rule of Ascend C, on the host model.
    #[error("the host model of Ascend C reports:\n{reports}")]
    Model {
        /// One line per report.
        reports: String,
    },
    /// The device's runtime refused it.
    #[error("launching {kernel} returned {code}")]
    Device {
        /// The kernel.
        kernel: &'static str,
        /// What was returned.
        code: i32,
    },
    /// The workspace is too small, or not aligned for the status words.
    #[error("workspace: {expected} bytes aligned to 64 expected, got {got} at {address:#x}")]
    Workspace {
        /// The bytes that are needed.
        expected: usize,
        /// The bytes given.
        got: u64,
        /// Where they are.
        address: usize,
    },
}

impl Kernels {
    /// The kernels on the host model of Ascend C.
    #[cfg(feature = "model")]
    #[must_use]
    pub fn host_model() -> Self {
        Self { table: scatter_kernels_host_model(), library: None }
    }

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

    /// Whether this is the host model rather than a device.
    #[must_use]
    pub const fn is_model(&self) -> bool {
        self.library.is_none()
    }

    /// What runs the kernels.
    #[must_use]
    pub fn description(&self) -> String {
        // SAFETY: `launch.h` promises a string, which lives as long as the library.
        unsafe { CStr::from_ptr(self.table.description) }.to_string_lossy().into_owned()
    }

    /// The architecture that they are compiled for, as [`Soc::arch`](crate::Soc::arch) names it;
    /// `None` where they run on no device.
    #[must_use]
    pub fn arch(&self) -> Option<String> {
        self.description().strip_prefix(ON_DEVICE).map(ToOwned::to_owned)
    }

    /// Launches a plan on `stream`: its copy, and then its updates. The host model ignores the
    /// stream: it has run them, with the options that `model::configure` set on this thread, when
    /// this returns.
    ///
    /// # Errors
    /// [`LaunchError`].
    ///
    /// # Safety
    /// `memory` is that of the problem that `plan` was made for: as large as its layouts say. Until
    /// the stream has passed the launch, nobody else writes it, or reads out or the workspace.
    pub unsafe fn launch(
        &self,
        plan: &Plan,
        memory: &LaunchMemory,
        stream: *mut c_void,
    ) -> Result<(), LaunchError> {
        // SAFETY: `memory` is that of the plan's problem, and nobody else uses it until the stream
        // has passed the launch.
        unsafe { self.launch_each(plan, memory, stream, |_| ()) }
    }

    /// [`Kernels::launch`] that calls `launched` with each step after its launch; on the host model
    /// the step has run by then.
    ///
    /// # Errors
    /// [`LaunchError`].
    ///
    /// # Safety
    /// As for [`Kernels::launch`].
    pub unsafe fn launch_each(
        &self,
        plan: &Plan,
        memory: &LaunchMemory,
        stream: *mut c_void,
        mut launched: impl FnMut(&Step),
    ) -> Result<(), LaunchError> {
        let expected = plan.workspace_bytes();
        let LaunchMemory { self_, indices, src, out, workspace } = *memory;
        let Range { address, bytes } = workspace;
        if (bytes as usize) < expected || !address.addr().is_multiple_of(STATUS_BYTES) {
            return Err(LaunchError::Workspace { expected, got: bytes, address: address.addr() });
        }
        let part =
            |at: usize, bytes: usize| Range { address: address.wrapping_byte_add(at), bytes: bytes as u64 };
        let targets = part(plan.intermediate_offset(), plan.intermediate_bytes);
        let made = part(plan.index_offset(), plan.index_bytes);
        let index = if plan.index_bytes == 0 { indices[0] } else { made };
        let (mut at, mut told) = (0, Range::NONE);
        for step in &plan.steps {
            let bytes = if step.kernel.has_status() { step.blocks as usize * STATUS_BYTES } else { 0 };
            let status = part(at, bytes);
            at += bytes;
            let blocks = step.blocks;
            let (self_, out) = match step.kernel {
                Kernel::CopyOutOfSelf(_) => (self_, targets),
                Kernel::CopyIntoOut(_) => (targets, out),
                Kernel::Zeros(_) => (Range::NONE, out),
                Kernel::CopyIndex { number, .. } => {
                    (indices.get(number).copied().unwrap_or(Range::NONE), made)
                }
                _ => (self_, out),
            };
            let (index, status) = match step.kernel {
                Kernel::ElementsOfList(_) => {
                    let unread = step.blocks as usize * STATUS_BYTES;
                    let list = plan.intermediate_bytes.saturating_sub(unread);
                    let begin = plan.intermediate_offset();
                    (part(begin, list), part(begin.saturating_add(list), unread))
                }
                Kernel::Gather(GatherTiling { form: GatherForm::ListedRows, .. }) => (targets, status),
                _ => (index, status),
            };
            let launch =
                Launch { stream, blocks, reserved: 0, self_, index, src, out, status, targets, told };
            if matches!(step.kernel, Kernel::Index(_)) {
                told = status;
            }
            let tiling = match &step.kernel {
                Kernel::Copy(tiling)
                | Kernel::CopyOutOfSelf(tiling)
                | Kernel::CopyIntoOut(tiling)
                | Kernel::Zeros(tiling)
                | Kernel::CopyIndex { tiling, .. } => ptr::from_ref(tiling).cast(),
                Kernel::General(tiling) => ptr::from_ref(tiling).cast(),
                Kernel::Index(tiling) => ptr::from_ref(tiling).cast(),
                Kernel::Rows(tiling) => ptr::from_ref(tiling).cast(),
                Kernel::Elements(tiling) | Kernel::ElementsOfList(tiling) => ptr::from_ref(tiling).cast(),
                Kernel::Gather(tiling) => ptr::from_ref(tiling).cast(),
                Kernel::Windows(tiling) => ptr::from_ref(tiling).cast(),
            };
            // SAFETY: the memory is as large as the plan's problem says, and nobody else uses it
            // until the stream has passed the launch; the function is that of `launch.h`, and the
            // tiling is that of the kernel with this number.
            let code = unsafe { (self.table.launch)(&launch, step.kernel.number(), tiling) };
            self.check(step.kernel.name(), code)?;
            launched(step);
        }
        Ok(())
    }

    fn check(&self, kernel: &'static str, code: i32) -> Result<(), LaunchError> {
        match code {
            0 => Ok(()),
            #[cfg(feature = "model")]
            _ if self.is_model() => Err(LaunchError::Model { reports: model::reports() }),
            code => Err(LaunchError::Device { kernel, code }),
        }
    }
}
