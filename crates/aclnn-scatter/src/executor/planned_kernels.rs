//! The kernels that compute a call, and the plan for their launches.

use aclnn_sys::{ACLNN_ERR_INNER, ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_RUNTIME_ERROR, aclrtStream};
use scatter_kernels::LaunchMemory;
use scatter_kernels::launch::LaunchError;

use crate::executor::call::Call;
use crate::executor::scalar_fill::ScalarFill;
use crate::failure::{Failure, failure};
use crate::process::kernels::{self, Launcher};
use crate::process::settings::Engine;

/// The kernels that compute a call, and the plan for their launches. It is boxed everywhere,
/// because it has about 3 KiB.
#[derive(Clone, Debug)]
pub(crate) struct PlannedKernels {
    launcher: &'static Launcher,
    /// `None` where there is nothing to do.
    plan: Option<scatter_kernels::Plan>,
}

impl PlannedKernels {
    /// Plans a call for the kernels, which the setting `engine` has selected. `None` where they
    /// can't compute it, and `auto` leaves it to CANN.
    pub(crate) fn plan_for(
        engine: Engine,
        launcher: &'static Launcher,
        call: &Call,
        fill: Option<&ScalarFill>,
    ) -> Result<Option<Box<Self>>, Failure> {
        match Self::plan(launcher, call, fill) {
            Err(Failure { code: ACLNN_ERR_INNER_FIND_KERNEL_ERROR, .. }) if engine == Engine::Auto => {
                Ok(None)
            }
            planned => planned.map(Some),
        }
    }

    /// Plans a call. With `fill`, the kernels read the scalar from the device memory that `fill`
    /// writes.
    fn plan(
        launcher: &'static Launcher,
        call: &Call,
        fill: Option<&ScalarFill>,
    ) -> Result<Box<Self>, Failure> {
        let planned = call.work().map(|(problem, operands)| {
            let problem = fill.map_or(Ok(*problem), |fill| fill.problem(problem, operands))?;
            let planned = match call.list() {
                Some(list) => scatter_kernels::plan_list(&problem, list, &launcher.soc),
                None => scatter_kernels::plan(&problem, &launcher.soc),
            };
            planned.map_err(|error| kernels::missing(&error.to_string()))
        });
        Ok(Box::new(Self { launcher, plan: planned.transpose()? }))
    }

    /// Plans the call again, after its addresses have changed.
    pub(crate) fn again(&self, call: &Call) -> Result<Box<Self>, Failure> {
        Self::plan(self.launcher, call, None)
    }

    /// Bytes of workspace that the kernels need.
    pub(crate) fn workspace_bytes(&self) -> u64 {
        self.plan.as_ref().map_or(0, scatter_kernels::Plan::workspace_bytes) as u64
    }

    /// How many blocks leave a status word.
    pub(crate) fn blocks(&self) -> usize {
        self.plan.as_ref().map_or(0, scatter_kernels::Plan::statuses)
    }

    /// Launches the kernels on the stream of a device, or runs them at once on the host model.
    ///
    /// # Safety
    /// `memory` is that of the planned problem and a workspace of
    /// [`workspace_bytes`](Self::workspace_bytes). Until the stream has passed this work, nothing
    /// else writes it, or reads what this writes.
    pub(crate) unsafe fn run(&self, memory: &LaunchMemory, stream: aclrtStream) -> Result<(), Failure> {
        let Some(plan) = &self.plan else { return Ok(()) };
        // SAFETY: the caller guarantees that the memory is that of the plan's problem, and that
        // nothing else writes it, or reads what the kernels write, meanwhile.
        let launched = unsafe { self.launcher.kernels.launch(plan, memory, stream.cast()) };
        launched.map_err(|error| match error {
            LaunchError::Device { .. } => failure!(ACLNN_ERR_RUNTIME_ERROR, "{error}"),
            error => failure!(ACLNN_ERR_INNER, "{error}"),
        })
    }
}

#[cfg(all(test, feature = "model"))]
mod tests {
    use super::*;

    use std::sync::LazyLock;

    use scatter::{DType, Layout, Op, Operand, Problem, Reduce};
    use scatter_kernels::{Kernels, Soc};

    use crate::executor::call::Operands;
    use crate::function::Function;

    #[test]
    fn auto_leaves_to_cann_what_the_kernels_cannot_compute() {
        static LAUNCHER: LazyLock<Launcher> =
            LazyLock::new(|| Launcher { kernels: Kernels::host_model(), soc: Soc::default() });
        let out = Operand::new(DType::F32, Layout::contiguous(&[8], 8).unwrap(), 0x1000);
        let call = |updates: usize| {
            let expanded = |dtype| Operand::new(dtype, Layout::new(&[updates], &[0], 0, 1).unwrap(), 0x2000);
            let (index, src) = (expanded(DType::I64), expanded(DType::F32));
            let op = Op::ScatterReduce { dim: 0, reduce: Reduce::Mean, include_self: true };
            let problem = Problem::new(op, &out, &index, Some(&src), &out).unwrap();
            let operands = Operands { self_: out, index, src: Some(src), out };
            Call::new(Function::InplaceScatterReduce, problem, operands, None)
        };
        let planned = |engine, updates| PlannedKernels::plan_for(engine, &LAUNCHER, &call(updates), None);
        // The kernels count the updates of an element in 32 bits.
        assert!(planned(Engine::Auto, 1 << 33).unwrap().is_none());
        let refused = planned(Engine::Kernel, 1 << 33).unwrap_err();
        assert_eq!(refused.code, ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "{}", refused.message);
        assert!(planned(Engine::Auto, 3).unwrap().is_some());
    }
}
