//! The work that a stream of host-cann does.

use core::ffi::CStr;

use aclnn_sys::{ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR};
use scatter::{Error, IndexList};
use scatter_kernels::LaunchMemory;
use scatter_kernels::launch::Range;

use crate::executor::Executor;
use crate::executor::planned_kernels::PlannedKernels;
use crate::executor::positions::Positions;
use crate::failure::{Failure, failure};
use crate::phase_two::bad_index::BadIndex;
use crate::phase_two::cpu;
use crate::phase_two::ranges::Ranges;
use crate::phase_two::status_words::Origin;

/// Work for a stream.
pub(crate) enum Work {
    /// A planned scatter, computed by the CPU engine.
    Scatter(Box<Executor>),
    /// A planned scatter, computed by the kernels on the host model.
    Kernel(Box<KernelWork>),
    /// Panics, as a bug of this library might.
    #[cfg(test)]
    Panic,
}

/// The kernels of a launch on the host model, and their memory.
pub(crate) struct KernelWork {
    pub(crate) kernels: Box<PlannedKernels>,
    pub(crate) memory: LaunchMemory,
    /// The tensors from which the kernels make index.
    pub(crate) list: Option<Box<IndexList>>,
    pub(crate) origin: Origin,
}

/// Why work failed, and the index out of range if that is the reason.
pub(crate) struct WorkFailure {
    pub(crate) failure: Failure,
    pub(crate) bad: Option<Box<BadIndex>>,
    /// Whether host-cann has already failed the stream for it.
    pub(crate) has_failed_stream: bool,
}

impl From<Failure> for WorkFailure {
    fn from(failure: Failure) -> Self {
        Self { failure, bad: None, has_failed_stream: false }
    }
}

impl From<BadIndex> for WorkFailure {
    fn from(bad: BadIndex) -> Self {
        let failure = failure!(ACLNN_ERR_PARAM_INVALID, "{}", bad.error());
        Self { failure, bad: Some(Box::new(bad)), has_failed_stream: false }
    }
}

impl Work {
    /// The name of the C function.
    pub(crate) fn name(&self) -> &'static CStr {
        match self {
            Self::Scatter(executor) => executor.call.function.c_name(),
            Self::Kernel(work) => work.origin.function.c_name(),
            #[cfg(test)]
            Self::Panic => c"aclnnScatterAdd",
        }
    }

    /// The memory that [`compute`](Self::compute) accesses.
    pub(crate) fn ranges(&self) -> Option<Ranges> {
        match self {
            Self::Scatter(executor) => {
                let (problem, _) = executor.call.work()?;
                Some(Ranges::of(problem, executor.call.function, executor.call.list()))
            }
            Self::Kernel(work) => {
                let Origin { problem, function, .. } = &work.origin;
                Some(
                    Ranges::of(problem, *function, work.list.as_deref())
                        .and_workspace(&work.memory.workspace),
                )
            }
            #[cfg(test)]
            Self::Panic => None,
        }
    }

    /// Does the work. `places` says at which addresses the host can access the work's memory.
    ///
    /// # Safety
    /// The [memory](Self::ranges) exists at these addresses, and its provenance is exposed. The
    /// tensors are aligned for their dtypes; a workspace needs no alignment, because the launch
    /// refuses one that does not suit the kernels. Until this returns, nothing else writes the
    /// memory, or reads what the work writes.
    pub(crate) unsafe fn compute(&self, places: &Ranges) -> Result<(), WorkFailure> {
        let done = match self {
            Self::Scatter(executor) => {
                let Some((problem, operands)) = executor.call.work() else { return Ok(()) };
                // SAFETY: the caller guarantees that the tensors exist where `places` says, are
                // aligned and are used by nobody else, and that their provenance is exposed.
                unsafe { cpu::run(problem, operands, executor.call.list(), places) }
            }
            Self::Kernel(work) => {
                let KernelWork { kernels, memory, origin, .. } = &**work;
                let memory = placed(memory, places);
                // SAFETY: the caller guarantees that the memory exists and is not used otherwise;
                // the host model ignores the stream.
                unsafe { kernels.run(&memory, core::ptr::null_mut()) }?;
                // SAFETY: the workspace is memory of this process, and the kernels, which have
                // ended, have written one word for each block to its beginning. It is aligned for
                // these words: `run` refuses a workspace that is not aligned to 64 bytes.
                return unsafe { origin.bad_index(memory.workspace.address, kernels.blocks()) }
                    .map_or(Ok(()), |bad| Err(bad.into()));
            }
            #[cfg(test)]
            #[allow(clippy::panic)]
            Self::Panic => panic!("a bug"),
        };
        done.map_err(|error| self.failure(error))
    }

    /// Turns an error of the CPU engine into a failure.
    fn failure(&self, error: Error) -> WorkFailure {
        let code = match error {
            Error::Memory { .. } => ACLNN_ERR_RUNTIME_ERROR,
            _ => ACLNN_ERR_INNER,
        };
        BadIndex::of(&error, self.name(), self.positions())
            .map_or_else(|| failure!(code, "{error}").into(), WorkFailure::from)
    }

    /// The conversion from positions in the problem's index to the caller's, if there is one.
    fn positions(&self) -> Option<Positions> {
        match self {
            Self::Scatter(executor) => Some(executor.call.positions),
            Self::Kernel(work) => Some(work.origin.positions),
            #[cfg(test)]
            Self::Panic => None,
        }
    }
}

/// The memory of a call, with the addresses at which the host can access it.
fn placed(memory: &LaunchMemory, places: &Ranges) -> LaunchMemory {
    let at = |range: Range| {
        let address = core::ptr::with_exposed_provenance_mut(places.place(range.address.addr()));
        Range { address, ..range }
    };
    let LaunchMemory { self_, indices, src, out, workspace } = *memory;
    LaunchMemory {
        self_: at(self_),
        indices: indices.map(at),
        src: at(src),
        out: at(out),
        workspace: at(workspace),
    }
}
