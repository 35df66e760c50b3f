//! Launching plans: `launch.h` in Rust.

mod library;
#[cfg(feature = "model")]
mod streams;

use core::ffi::{CStr, c_char, c_void};
use core::{fmt, ptr};

#[cfg(feature = "model")]
use crate::model;
use crate::plan::{Kernel, Plan, Step};
use crate::tiling::{
    CopyTiling, ElementsTiling, GatherForm, GatherTiling, IndexTiling, RowsTiling, STATUS_BYTES, Tiling,
    WindowsTiling,
};

pub use library::LoadError;
pub(crate) use library::symbol;
#[cfg(feature = "model")]
pub use streams::{Runtime, Use, on_streams};

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
