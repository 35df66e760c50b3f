//! Phase two with the Ascend C kernels.

use core::ffi::c_void;

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use scatter::{IndexList, Operand};
use scatter_kernels::LaunchMemory;
use scatter_kernels::launch::Range;

use crate::executor::Executor;
use crate::executor::call::Operands;
use crate::executor::planned_kernels::PlannedKernels;
use crate::executor::scalar_fill::ScalarFill;
use crate::failure::{Failure, ensure, failure};
use crate::phase_two::arguments::Launch;
use crate::phase_two::host_function;
use crate::phase_two::status_words::{Origin, StatusWords};
use crate::phase_two::stream_errors;
use crate::phase_two::work::{KernelWork, Work};
use crate::process::session::Session;
use crate::process::settings::Check;

/// A planned launch of kernels: what it computes, and the memory that it uses.
struct PlannedLaunch<'a> {
    session: &'static Session,
    kernels: Box<PlannedKernels>,
    memory: LaunchMemory,
    /// The tensors from which the kernels make index.
    list: Option<&'a IndexList>,
    origin: Origin,
    launch: &'a Launch,
}

/// Launches the kernels. On a device, lets the stream copy their status words if the launch's check
/// or the scalar's memory needs them.
///
/// # Safety
/// The contract of [`enqueue`](super::enqueue), for the executor from which `kernels` and `fill`
/// were taken.
pub(crate) unsafe fn enqueue(
    kernels: Box<PlannedKernels>,
    fill: Option<ScalarFill>,
    executor: &Executor,
    launch: &Launch,
) -> Result<(), Failure> {
    let Launch { workspace, workspace_size, .. } = *launch;
    let (session, call, of_kernel) = (executor.session, &executor.call, kernels.workspace_bytes());
    let needed = of_kernel.max(fill.as_ref().map_or(0, ScalarFill::workspace_bytes));
    ensure!(
        workspace_size >= needed,
        ACLNN_ERR_PARAM_INVALID,
        "workspace: at least {needed} bytes expected, as phase one returns for these addresses, got {workspace_size}"
    );
    let Some((problem, operands)) = call.work() else { return Ok(()) };
    let origin = Origin { function: call.function, problem: *problem, positions: call.positions };
    let list = call.list();
    let memory = memory(operands, list, workspace, of_kernel);
    let planned = PlannedLaunch { session, kernels, memory, list, origin, launch };
    // SAFETY: the caller guarantees the tensors, the workspace, which has at least the `needed`
    // bytes, and the stream. The tensors' addresses are aligned: whoever made the executor has
    // checked that, and so has `set_address` for an address that was changed since.
    unsafe { if session.is_host() { planned.enqueue_on_host() } else { planned.enqueue_on_device(fill) } }
}

impl PlannedLaunch<'_> {
    /// On host-cann, where a host function of the stream runs the kernels on the host model.
    ///
    /// # Safety
    /// At the addresses of the memory there are storages as the problem's layouts say, and a
    /// workspace as large as the kernels need, in memory of the stream's device, which nothing else
    /// uses until the work is done. The stream is one of the session's.
    unsafe fn enqueue_on_host(self) -> Result<(), Failure> {
        let Self { session, kernels, memory, list, origin, launch } = self;
        let list = list.copied().map(Box::new);
        let work = Work::Kernel(Box::new(KernelWork { kernels, memory, list, origin }));
        // SAFETY: the caller guarantees the memory and the stream.
        unsafe { host_function::enqueue(session, work, launch) }
    }

    /// On a device, with the scalar that CANN writes to a tensor of its own in place of src.
    ///
    /// # Safety
    /// As [`enqueue_on_host`](Self::enqueue_on_host); the workspace is as large as the fill needs,
    /// too.
    unsafe fn enqueue_on_device(self, fill: Option<ScalarFill>) -> Result<(), Failure> {
        let Self { session, kernels, mut memory, origin, launch, .. } = self;
        let Launch { workspace, stream, check, ticket, .. } = *launch;
        let blocks = kernels.blocks();
        // If no block checks index, no kernel reads the scalar.
        let fill = fill.filter(|_| blocks != 0);
        let reads_words = check != Check::Off;
        // The arrival of the words also shows that the scalar's memory can be freed.
        let needs_words = blocks != 0 && (reads_words || fill.is_some());
        let words = || StatusWords::new(session, origin, blocks, reads_words);
        let words = needs_words.then(words).transpose()?;
        let mut element = None;
        if let Some(fill) = fill {
            memory.src = fill.range();
            // SAFETY: the workspace has the bytes that the fill needs, and the stream finishes the
            // fill before the kernels use the workspace.
            element = Some(unsafe { fill.run(workspace, stream) }?);
        }
        // If this fails, the element is leaked, because the stream may still write it.
        // SAFETY: `memory` has the tensors of the call, which the caller guarantees, the scalar's
        // element, and a workspace of the size that the kernels need.
        unsafe { kernels.run(&memory, stream) }?;
        let Some(words) = words else { return Ok(()) };
        // SAFETY: the workspace begins with one status word for each of the blocks, and lives until
        // the stream has passed the copy.
        let words = unsafe { words.copy(workspace, element, stream) }?;
        if check != Check::Sync {
            stream_errors::watch(session, session.resolve(stream), ticket, words);
            return Ok(());
        }
        let waited = words.wait(stream);
        if waited.is_err() {
            // Kept until the copy is done.
            stream_errors::watch(session, session.resolve(stream), ticket, words.unread());
        }
        waited?.map_or(Ok(()), |bad| Err(failure!(ACLNN_ERR_PARAM_INVALID, "{}", bad.error())))
    }
}

/// The memory that the kernels of a call use.
fn memory(
    operands: &Operands,
    list: Option<&IndexList>,
    workspace: *mut c_void,
    workspace_bytes: u64,
) -> LaunchMemory {
    let range = |operand: &Operand| {
        // Only up to the tensor's last element, because only that memory is checked before the
        // kernels run.
        let span = operand.layout.ok().and_then(|layout| layout.span());
        let elements = span.map_or(0, |span| span.end() + 1);
        let bytes = elements * operand.dtype.map_or(0, scatter::DType::size);
        Range { address: core::ptr::with_exposed_provenance_mut(operand.address), bytes: bytes as u64 }
    };
    let Operands { self_, index, src, out } = operands;
    let mut indices = LaunchMemory::one_index(range(index));
    if let Some(list) = list {
        for (at, &(dtype, layout, address)) in indices.iter_mut().zip(list.tensors()) {
            *at = range(&Operand::new(dtype, layout, address));
        }
    }
    LaunchMemory {
        self_: range(self_),
        indices,
        src: src.as_ref().map_or(Range::NONE, range),
        out: range(out),
        workspace: Range { address: workspace, bytes: workspace_bytes },
    }
}
