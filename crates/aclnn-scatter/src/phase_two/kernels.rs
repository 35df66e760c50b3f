//! Phase two by the Ascend C kernels.

use core::ffi::c_void;
use core::sync::atomic::AtomicBool;
use std::sync::Arc;

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use scatter::Operand;
use scatter_kernels::Memory as KernelMemory;
use scatter_kernels::launch::Range;

use crate::executor::Executor;
use crate::executor::call::Operands;
use crate::executor::planned_kernels::PlannedKernels;
use crate::executor::scalar_fill::ScalarFill;
use crate::failure::{Failure, ensure, failure};
use crate::phase_two::host_function;
use crate::phase_two::launch::Launch;
use crate::phase_two::status_words::{Origin, StatusWords};
use crate::phase_two::stream_errors;
use crate::phase_two::work::{KernelWork, Work};
use crate::process::settings::Check;

/// Phase two: launches the kernels, and has their status words copied as `check` says.
///
/// # Safety
/// As [`launch`](super::launch) of the executor, whose kernels these are and whose scalar.
pub(crate) unsafe fn launch(
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
    let (mut memory, blocks) = (memory(operands, workspace, of_kernel), kernels.blocks());
    // Without a block that looks at index nothing reads the scalar.
    let fill = fill.filter(|_| blocks != 0);
    // What a device's kernels leave nobody knows before the words have come.
    let has_words = Arc::new(AtomicBool::new(!session.is_host() && check != Check::Off));
    let is_asked = check != Check::Off && !(session.is_host() && check == Check::Sync);
    // They also tell that the scalar's memory is free.
    let needs_words = blocks != 0 && (is_asked || fill.is_some());
    let words = || StatusWords::new(session, origin, blocks, Arc::clone(&has_words));
    let words = needs_words.then(words).transpose()?;
    let mut element = None;
    if session.is_host() {
        let work = KernelWork { kernels, memory, origin, has_words };
        let on_host = if check == Check::Sync { Check::Sync } else { Check::Off };
        let launch = Launch { check: on_host, ..*launch };
        // SAFETY: the caller's word; the workspace is as large as the kernels need, and a call's
        // addresses are aligned, as who made it has checked.
        unsafe { host_function::launch(session, Work::Kernel(Box::new(work)), &launch) }?;
    } else {
        if let Some(fill) = fill {
            memory.src = fill.range();
            // SAFETY: the workspace is as large as phase one has said, and the stream is done with
            // it before the kernels use it.
            element = Some(unsafe { fill.run(workspace, stream) }?);
        }
        // Where this fails the element is left where it is, for the stream may write it yet.
        // SAFETY: as above.
        unsafe { kernels.run(&memory, stream) }?;
    }
    let Some(words) = words else { return Ok(()) };
    // SAFETY: the workspace has the words of all of these blocks, and stays until the stream has
    // passed this.
    let words = unsafe { words.copy(workspace, element, stream) }?;
    if check != Check::Sync {
        stream_errors::watch(session, session.resolve(stream), ticket, words);
        return Ok(());
    }
    let bad = words.wait(stream)?;
    bad.map_or(Ok(()), |bad| Err(failure!(ACLNN_ERR_PARAM_INVALID, "{}", bad.error())))
}

/// The memory of a call.
fn memory(operands: &Operands, workspace: *mut c_void, workspace_bytes: u64) -> KernelMemory {
    let range = |operand: &Operand| {
        // To the tensor's end, which is checked before the kernels run: what the storage has behind
        // it is not theirs.
        let span = operand.layout.ok().and_then(|layout| layout.span());
        let elements = span.map_or(0, |span| span.end() + 1);
        let bytes = elements * operand.dtype.map_or(0, scatter::DType::size);
        Range { address: core::ptr::with_exposed_provenance_mut(operand.address), bytes: bytes as u64 }
    };
    let Operands { self_, index, src, out } = operands;
    KernelMemory {
        self_: range(self_),
        index: range(index),
        src: src.as_ref().map_or(Range::NONE, range),
        out: range(out),
        workspace: Range { address: workspace, bytes: workspace_bytes },
    }
}
