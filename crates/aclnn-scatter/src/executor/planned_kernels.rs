//! What the kernels are told of a call.

use aclnn_sys::{ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR, aclrtStream};
use scatter_kernels::Memory as KernelMemory;
use scatter_kernels::launch::LaunchError;

use crate::executor::call::Call;
use crate::executor::scalar_fill::ScalarFill;
use crate::failure::{Failure, failure};
use crate::process::kernels::Launcher;

/// What the kernels are told of a call, and which they are: some 3 KiB, and so boxed wherever it
/// goes.
#[derive(Clone, Debug)]
pub(crate) struct PlannedKernels {
    launcher: &'static Launcher,
    /// `None` where there is nothing to do.
    plan: Option<scatter_kernels::Plan>,
}

impl PlannedKernels {
    /// What the kernels do for a call, with a scalar that only `fill` knows, if there is one.
    pub(crate) fn plan(
        launcher: &'static Launcher,
        call: &Call,
        fill: Option<&ScalarFill>,
    ) -> Result<Box<Self>, Failure> {
        let planned = call.work().map(|(problem, operands)| {
            let problem = fill.map_or(Ok(*problem), |fill| fill.problem(problem, operands))?;
            scatter_kernels::plan(&problem, &launcher.soc)
                .map_err(|error| failure!(ACLNN_ERR_PARAM_INVALID, "{error}"))
        });
        Ok(Box::new(Self { launcher, plan: planned.transpose()? }))
    }

    /// The same kernels for a call whose addresses have changed.
    pub(crate) fn again(&self, call: &Call) -> Result<Box<Self>, Failure> {
        Self::plan(self.launcher, call, None)
    }

    /// Bytes of workspace.
    pub(crate) fn workspace_bytes(&self) -> u64 {
        self.plan.as_ref().map_or(0, scatter_kernels::Plan::workspace_bytes) as u64
    }

    /// How many words the blocks leave.
    pub(crate) fn blocks(&self) -> usize {
        self.plan.as_ref().map_or(0, scatter_kernels::Plan::statuses)
    }

    /// Runs the blocks, on the stream of a device, or here on the host model.
    ///
    /// # Safety
    /// The memory is that of the problem, and nobody else's until the stream has passed this.
    pub(crate) unsafe fn run(&self, memory: &KernelMemory, stream: aclrtStream) -> Result<(), Failure> {
        let Some(plan) = &self.plan else { return Ok(()) };
        // SAFETY: the caller's word.
        let launched = unsafe { self.launcher.kernels.launch(plan, memory, stream.cast()) };
        launched.map_err(|error| match error {
            LaunchError::Device { .. } => failure!(ACLNN_ERR_RUNTIME_ERROR, "{error}"),
            error => failure!(ACLNN_ERR_INNER, "{error}"),
        })
    }
}
