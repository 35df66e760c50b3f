//! What a stream of host-cann computes.

use core::ffi::CStr;

use aclnn_sys::{ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID};
use scatter::{Error, Operand, SrcGrad};
use scatter_kernels::Memory;

use crate::cpu;
use crate::executor::Executor;
use crate::failure::{Failure, failure};
use crate::kernel::Kernel;
use crate::plan::Positions;
use crate::status::BadIndex;
use crate::words::Call;

/// Work for a stream.
pub(crate) enum Work {
    /// What phase one planned, by the CPU engine.
    Scatter(Box<Executor>),
    /// The gradient of grad, with index, into out, by the CPU engine.
    SrcGrad(Box<(SrcGrad, [Operand; 3])>),
    /// What phase one planned, by the kernels on the host model.
    Kernel(Box<(Box<Kernel>, Memory, Call)>),
}

/// Why work failed, and the index if that is why.
pub(crate) struct Problem {
    pub(crate) failure: Failure,
    pub(crate) bad: Option<Box<BadIndex>>,
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self { failure, bad: None }
    }
}

impl From<BadIndex> for Problem {
    fn from(bad: BadIndex) -> Self {
        Self { failure: failure!(ACLNN_ERR_PARAM_INVALID, "{}", bad.error()), bad: Some(Box::new(bad)) }
    }
}

impl Work {
    /// The C function, or of which there is none, the operator.
    pub(crate) fn name(&self) -> &'static CStr {
        match self {
            Self::Scatter(executor) => executor.plan.function.c_name(),
            Self::SrcGrad(_) => c"scatter_src_grad",
            Self::Kernel(kernel) => kernel.2.function.c_name(),
        }
    }

    /// Does the work.
    ///
    /// # Safety
    /// The tensors' storages are aligned, as large as they say, and nobody else's until this returns; the kernels' workspace too.
    pub(crate) unsafe fn compute(&self) -> Result<(), Problem> {
        let done = match self {
            Self::Scatter(executor) => {
                let Some((problem, operands)) = executor.plan.work() else { return Ok(()) };
                // SAFETY: the caller's word.
                unsafe { cpu::run(problem, operands) }
            }
            Self::SrcGrad(gradient) => {
                let (problem, operands) = &**gradient;
                // SAFETY: the caller's word.
                unsafe { cpu::run_src_grad(problem, operands) }
            }
            Self::Kernel(kernel) => {
                let (kernel, memory, call) = &**kernel;
                // SAFETY: the caller's word. The host model looks at no stream.
                unsafe { kernel.run(memory, core::ptr::null_mut()) }?;
                // SAFETY: the workspace is memory of this process, and the kernels have written their words there.
                return unsafe { kernel.bad_index(memory, call) }.map_or(Ok(()), |bad| Err(bad.into()));
            }
        };
        done.map_err(|error| self.problem(error))
    }

    /// What is told of an error.
    fn problem(&self, error: Error) -> Problem {
        BadIndex::of(&error, self.name(), self.positions())
            .map_or_else(|| failure!(ACLNN_ERR_INNER, "{error}").into(), Problem::from)
    }

    /// From the problem's index to the caller's, where they differ.
    fn positions(&self) -> Option<Positions> {
        match self {
            Self::Scatter(executor) => Some(executor.plan.positions),
            Self::SrcGrad(_) => None,
            Self::Kernel(kernel) => Some(kernel.2.positions),
        }
    }
}
