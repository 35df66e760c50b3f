//! The engine `kernel`: phase two by the Ascend C kernels.

use core::ffi::c_void;
use core::sync::atomic::AtomicBool;
use std::sync::Arc;

use aclnn_sys::{ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR, aclrtStream};
use scatter::Operand;
use scatter_kernels::launch::{LaunchError, Range};
use scatter_kernels::{Memory, Plan as KernelPlan};

use crate::executor::Executor;
use crate::failure::{Failure, ensure, failure};
use crate::fill::Fill;
use crate::job;
use crate::launcher::Launcher;
use crate::plan::{Operands, Plan};
use crate::scope;
use crate::second::Launch;
use crate::settings::Check;
use crate::status::{self, BadIndex};
use crate::words::{Call, Words};
use crate::work::{OfKernel, Work};

/// What the kernels are told of a call, and which they are: some 3 KiB, and so boxed wherever it goes.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    launcher: &'static Launcher,
    /// `None` where there is nothing to do.
    plan: Option<KernelPlan>,
}

impl Kernel {
    /// What the kernels do for a plan, with a scalar that only `fill` knows, if there is one.
    pub(crate) fn plan(
        launcher: &'static Launcher,
        plan: &Plan,
        fill: Option<&Fill>,
    ) -> Result<Box<Self>, Failure> {
        let planned = plan.work().map(|(problem, operands)| {
            let problem = fill.map_or(Ok(*problem), |fill| fill.problem(problem, operands))?;
            scatter_kernels::plan(&problem, &launcher.soc)
                .map_err(|error| failure!(ACLNN_ERR_PARAM_INVALID, "{error}"))
        });
        Ok(Box::new(Self { launcher, plan: planned.transpose()? }))
    }

    /// The same kernels for a plan whose addresses have changed.
    pub(crate) fn again(&self, plan: &Plan) -> Result<Box<Self>, Failure> {
        Self::plan(self.launcher, plan, None)
    }

    /// Bytes of workspace.
    pub(crate) fn workspace_bytes(&self) -> u64 {
        self.plan.as_ref().map_or(0, KernelPlan::workspace_bytes) as u64
    }

    /// The bad index that the status words tell of.
    ///
    /// # Safety
    /// The launch is done, and its workspace is memory that the host can read.
    pub(crate) unsafe fn bad_index(&self, memory: &Memory, call: &Call) -> Option<BadIndex> {
        // SAFETY: the workspace has the words of so many blocks, aligned as `Kernels::launch` has checked.
        unsafe { call.bad_index(memory.workspace.address, self.blocks()) }
    }

    /// How many words the blocks leave.
    fn blocks(&self) -> usize {
        self.plan.as_ref().map_or(0, KernelPlan::statuses)
    }

    /// Runs the blocks, on the stream of a device, or here on the host model.
    ///
    /// # Safety
    /// The memory is that of the problem, and nobody else's until the stream has passed this.
    pub(crate) unsafe fn run(&self, memory: &Memory, stream: aclrtStream) -> Result<(), Failure> {
        let Some(plan) = &self.plan else { return Ok(()) };
        // SAFETY: the caller's word.
        let launched = unsafe { self.launcher.kernels.launch(plan, memory, stream.cast()) };
        launched.map_err(|error| match error {
            LaunchError::Device { .. } => failure!(ACLNN_ERR_RUNTIME_ERROR, "{error}"),
            error => failure!(ACLNN_ERR_INNER, "{error}"),
        })
    }
}

/// Phase two: launches the kernels, and has their status words copied as `check` says.
pub(crate) fn launch(
    kernel: Box<Kernel>,
    fill: Option<Fill>,
    executor: &Executor,
    launch: &Launch,
    check: Check,
) -> Result<(), Failure> {
    let Launch { workspace, workspace_size, stream, .. } = *launch;
    let (session, of_kernel) = (executor.session, kernel.workspace_bytes());
    let needed = of_kernel.max(fill.as_ref().map_or(0, Fill::workspace_bytes));
    ensure!(
        workspace_size >= needed,
        ACLNN_ERR_PARAM_INVALID,
        "workspace: {needed} bytes at least expected, as phase one tells for these addresses, got {workspace_size}"
    );
    let Some((problem, operands)) = executor.plan.work() else { return Ok(()) };
    let call =
        Call { function: executor.plan.function, problem: *problem, positions: executor.plan.positions };
    let (mut memory, blocks) = (memory(operands, workspace, of_kernel), kernel.blocks());
    // Without a block that looks at index nothing reads the scalar.
    let fill = fill.filter(|_| blocks != 0);
    // What a device's kernels leave nobody knows before the words have come.
    let has_words = Arc::new(AtomicBool::new(!session.is_host() && check != Check::Off));
    let is_asked = check != Check::Off && !(session.is_host() && check == Check::Sync);
    // They also tell that the scalar's memory is free.
    let needs_words = blocks != 0 && (is_asked || fill.is_some());
    let words = || Words::new(session, call, blocks, Arc::clone(&has_words));
    let words = needs_words.then(words).transpose()?;
    let mut element = None;
    if session.is_host() {
        let work = OfKernel { kernel, memory, call, has_words };
        let on_host = if check == Check::Sync { Check::Sync } else { Check::Off };
        job::launch(session, Work::Kernel(Box::new(work)), stream, on_host)?;
    } else {
        if let Some(fill) = fill {
            memory.src = fill.range();
            // SAFETY: the workspace is as large as phase one has said, and the stream is done with
            // it before the kernels use it.
            element = Some(unsafe { fill.run(workspace, stream) }?);
        }
        // Where this fails the element is left where it is, for the stream may write it yet.
        // SAFETY: phase one's caller has said that the tensors' storages are as large as they say until this is done, and
        // phase two's that the workspace is.
        unsafe { kernel.run(&memory, stream) }?;
    }
    let Some(words) = words else { return Ok(()) };
    // SAFETY: the workspace has the words of so many blocks, and stays until the stream has passed this.
    let words = unsafe { words.copy(workspace, element, stream) }?;
    if check != Check::Sync {
        status::watch(session, session.resolve(stream), scope::ticket(), words);
        return Ok(());
    }
    let bad = words.wait(stream)?;
    bad.map_or(Ok(()), |bad| Err(failure!(ACLNN_ERR_PARAM_INVALID, "{}", bad.error())))
}

/// The memory of a call.
fn memory(operands: &Operands, workspace: *mut c_void, workspace_bytes: u64) -> Memory {
    let range = |operand: &Operand| {
        // To the tensor's end, which is checked before the kernels run: what the storage has behind it is not theirs.
        let span = operand.layout.ok().and_then(|layout| layout.span());
        let elements = span.map_or(0, |span| span.end() + 1);
        let bytes = elements * operand.dtype.map_or(0, scatter::DType::size);
        Range { address: core::ptr::with_exposed_provenance_mut(operand.address), bytes: bytes as u64 }
    };
    let Operands { self_, index, src, out } = operands;
    Memory {
        self_: range(self_),
        index: range(index),
        src: src.as_ref().map_or(Range::NONE, range),
        out: range(out),
        workspace: Range { address: workspace, bytes: workspace_bytes },
    }
}
