//! Phase two with the Ascend C kernels.

use core::ffi::c_void;
use core::sync::atomic::AtomicBool;
use std::sync::Arc;

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use scatter::{IndexList, Operand};
use scatter_kernels::LaunchMemory as KernelMemory;
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
use crate::process::settings::Check;

/// Launches the kernels, and lets the stream copy their status words if `check` or the scalar's
/// memory needs them.
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
    let Launch { workspace, workspace_size, stream, check, ticket } = *launch;
    let (session, of_kernel) = (executor.session, kernels.workspace_bytes());
    let needed = of_kernel.max(fill.as_ref().map_or(0, ScalarFill::workspace_bytes));
    ensure!(
        workspace_size >= needed,
        ACLNN_ERR_PARAM_INVALID,
        "workspace: {needed} bytes at least expected, as phase one tells for these addresses, got {workspace_size}"
    );
    let Some((problem, operands)) = executor.call.work() else { return Ok(()) };
    let origin =
        Origin { function: executor.call.function, problem: *problem, positions: executor.call.positions };
    let list = executor.call.list();
    let (mut memory, blocks) = (memory(operands, list, workspace, of_kernel), kernels.blocks());
    // If no block checks index, no kernel reads the scalar.
    let fill = fill.filter(|_| blocks != 0);
    // Whether to read the copied words: on a device unless `check` is off; on host-cann the work
    // sets this once the kernels have left them.
    let has_words = Arc::new(AtomicBool::new(!session.is_host() && check != Check::Off));
    let is_asked = check != Check::Off && !(session.is_host() && check == Check::Sync);
    // Their arrival also shows that the scalar's memory can be freed.
    let needs_words = blocks != 0 && (is_asked || fill.is_some());
    let words = || StatusWords::new(session, origin, blocks, Arc::clone(&has_words));
    let words = needs_words.then(words).transpose()?;
    let mut element = None;
    if session.is_host() {
        let list = list.copied().map(Box::new);
        let work = KernelWork { kernels, memory, list, origin, has_words };
        let on_host = if check == Check::Sync { Check::Sync } else { Check::Off };
        let launch = Launch { check: on_host, ..*launch };
        // SAFETY: the caller guarantees the tensors, the workspace and the stream. The workspace
        // has at least the `needed` bytes. The tensors' addresses are aligned: whoever made the
        // executor has checked that, and so has `set_address` for an address that was changed
        // since.
        unsafe { host_function::enqueue(session, Work::Kernel(Box::new(work)), &launch) }?;
    } else {
        if let Some(fill) = fill {
            memory.src = fill.range();
            // SAFETY: the workspace has at least the `needed` bytes, and the stream finishes the
            // fill before the kernels use the workspace.
            element = Some(unsafe { fill.run(workspace, stream) }?);
        }
        // If this fails, the element is leaked, because the stream may still write it.
        // SAFETY: `memory` has the tensors of the call, which the caller guarantees, the scalar's
        // element, and a workspace of the size that the kernels need.
        unsafe { kernels.run(&memory, stream) }?;
    }
    let Some(words) = words else { return Ok(()) };
    // SAFETY: the workspace begins with one status word for each of the blocks, and lives until the
    // stream has passed the copy.
    let words = unsafe { words.copy(workspace, element, stream) }?;
    if check != Check::Sync {
        stream_errors::watch(session, session.resolve(stream), ticket, words);
        return Ok(());
    }
    let bad = words.wait(stream)?;
    bad.map_or(Ok(()), |bad| Err(failure!(ACLNN_ERR_PARAM_INVALID, "{}", bad.error())))
}

/// The memory that the kernels of a call use.
fn memory(
    operands: &Operands,
    list: Option<&IndexList>,
    workspace: *mut c_void,
    workspace_bytes: u64,
) -> KernelMemory {
    let range = |operand: &Operand| {
        // Only up to the tensor's last element, because only that memory is checked before the
        // kernels run.
        let span = operand.layout.ok().and_then(|layout| layout.span());
        let elements = span.map_or(0, |span| span.end() + 1);
        let bytes = elements * operand.dtype.map_or(0, scatter::DType::size);
        Range { address: core::ptr::with_exposed_provenance_mut(operand.address), bytes: bytes as u64 }
    };
    let Operands { self_, index, src, out } = operands;
    let mut indices = KernelMemory::one_index(range(index));
    if let Some(list) = list {
        for (at, &(dtype, layout, address)) in indices.iter_mut().zip(list.tensors()) {
            *at = range(&Operand::new(dtype, layout, address));
        }
    }
    KernelMemory {
        self_: range(self_),
        indices,
        src: src.as_ref().map_or(Range::NONE, range),
        out: range(out),
        workspace: Range { address: workspace, bytes: workspace_bytes },
    }
}
