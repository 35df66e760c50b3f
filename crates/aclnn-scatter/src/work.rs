//! What a stream of host-cann computes.

use core::ffi::CStr;

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use aclnn_sys::{ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR};
use scatter::{Error, Operand, SrcGrad};
use scatter_kernels::Memory;
use scatter_kernels::launch::Range;

use crate::cpu;
use crate::executor::Executor;
use crate::failure::{Failure, failure};
use crate::kernel::Kernel;
use crate::plan::Positions;
use crate::ranges::Ranges;
use crate::status::BadIndex;
use crate::words::Call;

/// Work for a stream.
pub(crate) enum Work {
    /// What phase one planned, by the CPU engine.
    Scatter(Box<Executor>),
    /// The gradient of grad, with index, into out, by the CPU engine.
    SrcGrad(Box<(SrcGrad, [Operand; 3])>),
    /// What phase one planned, by the kernels on the host model.
    Kernel(Box<OfKernel>),
    /// A bug of this library.
    #[cfg(test)]
    Panic,
}

/// The kernels' work.
pub(crate) struct OfKernel {
    pub(crate) kernel: Box<Kernel>,
    pub(crate) memory: Memory,
    pub(crate) call: Call,
    /// Set when they have left their words in the workspace.
    pub(crate) has_words: Arc<AtomicBool>,
}

/// Why work failed, and the index if that is why.
pub(crate) struct Problem {
    pub(crate) failure: Failure,
    pub(crate) bad: Option<Box<BadIndex>>,
    /// Whether the stream has failed with it already.
    pub(crate) has_failed_stream: bool,
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self { failure, bad: None, has_failed_stream: false }
    }
}

impl From<BadIndex> for Problem {
    fn from(bad: BadIndex) -> Self {
        let failure = failure!(ACLNN_ERR_PARAM_INVALID, "{}", bad.error());
        Self { failure, bad: Some(Box::new(bad)), has_failed_stream: false }
    }
}

impl Work {
    /// The C function, or of which there is none, the operator.
    pub(crate) fn name(&self) -> &'static CStr {
        match self {
            Self::Scatter(executor) => executor.plan.function.c_name(),
            Self::SrcGrad(_) => c"scatter_src_grad",
            Self::Kernel(work) => work.call.function.c_name(),
            #[cfg(test)]
            Self::Panic => c"aclnnScatterAdd",
        }
    }

    /// The memory that [`compute`](Self::compute) touches.
    pub(crate) fn ranges(&self) -> Option<Ranges> {
        match self {
            Self::Scatter(executor) => {
                let (problem, _) = executor.plan.work()?;
                Some(Ranges::of(problem, executor.plan.function))
            }
            Self::SrcGrad(gradient) => Some(Ranges::of_src_grad(&gradient.0, &gradient.1)),
            Self::Kernel(work) => {
                let Call { problem, function, .. } = &work.call;
                Some(Ranges::of(problem, *function).and_workspace(&work.memory.workspace))
            }
            #[cfg(test)]
            Self::Panic => None,
        }
    }

    /// Does the work, where the ranges say that its memory is.
    ///
    /// # Safety
    /// The [memory](Self::ranges) is there, aligned, and nobody else's until this returns.
    pub(crate) unsafe fn compute(&self, places: &Ranges) -> Result<(), Problem> {
        let done = match self {
            Self::Scatter(executor) => {
                let Some((problem, operands)) = executor.plan.work() else { return Ok(()) };
                // SAFETY: the caller's word.
                unsafe { cpu::run(problem, operands, places) }
            }
            Self::SrcGrad(gradient) => {
                let (problem, operands) = &**gradient;
                // SAFETY: the caller's word.
                unsafe { cpu::run_src_grad(problem, operands, places) }
            }
            Self::Kernel(work) => {
                let OfKernel { kernel, memory, call, has_words } = &**work;
                let memory = placed(memory, places);
                // SAFETY: the caller's word. The host model looks at no stream.
                unsafe { kernel.run(&memory, core::ptr::null_mut()) }?;
                has_words.store(true, Ordering::Release);
                // SAFETY: the workspace is memory of this process, and the kernels have written their words there.
                return unsafe { kernel.bad_index(&memory, call) }.map_or(Ok(()), |bad| Err(bad.into()));
            }
            #[cfg(test)]
            #[allow(clippy::panic)]
            Self::Panic => panic!("a bug"),
        };
        done.map_err(|error| self.problem(error))
    }

    /// What is told of an error.
    fn problem(&self, error: Error) -> Problem {
        let code = match error {
            Error::Memory { .. } => ACLNN_ERR_RUNTIME_ERROR,
            _ => ACLNN_ERR_INNER,
        };
        BadIndex::of(&error, self.name(), self.positions())
            .map_or_else(|| failure!(code, "{error}").into(), Problem::from)
    }

    /// From the problem's index to the caller's, where they differ.
    fn positions(&self) -> Option<Positions> {
        match self {
            Self::Scatter(executor) => Some(executor.plan.positions),
            Self::SrcGrad(_) => None,
            Self::Kernel(work) => Some(work.call.positions),
            #[cfg(test)]
            Self::Panic => None,
        }
    }
}

/// The memory of a call, where it is.
fn placed(memory: &Memory, places: &Ranges) -> Memory {
    let at = |range: Range| {
        let address = core::ptr::with_exposed_provenance_mut(places.place(range.address.addr()));
        Range { address, ..range }
    };
    let Memory { self_, index, src, out, workspace } = *memory;
    Memory { self_: at(self_), index: at(index), src: at(src), out: at(out), workspace: at(workspace) }
}
