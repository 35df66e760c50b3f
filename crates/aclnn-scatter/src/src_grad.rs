//! The gradient of a scatter for src, which has no C function.

use aclnn_sys::{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_PARAM_INVALID, AclnnStatus, aclrtStream};
use scatter::{Operand, SrcGrad};

use crate::failure::{ensure, failure};
use crate::phase_two::{self, Launch};
use crate::process::guard::guarded_in;
use crate::process::session::Session;
use crate::process::settings::{Check, Engine};
use crate::refusal::{can_lie, has_address};

/// Gives `out = grad gathered by index` to a stream of host-cann, and returns at once:
/// `scatter_src_grad` of [`scatter`], for a Rust program. `operands` are grad, index and out.
///
/// `ticket` is the number of the call, by which [`take_stream_errors`](crate::take_stream_errors)
/// tells of an index out of range; 0 for none. It is computed on the CPU; on another CANN it is
/// refused with 561003, for there `aclnnGather` computes it, and so is another engine.
///
/// # Safety
/// `stream` is a stream of the session's CANN, or null, where the thread has a context of that
/// CANN, for its default stream. `problem` was made of `operands`. Their storages are memory of the
/// stream's device and as large as their layouts say, the provenance of their addresses is exposed,
/// and other than by work of streams that is ordered with this they are neither written nor, where
/// out is, read until the work is done.
pub unsafe fn launch_src_grad(
    session: &'static Session,
    engine: Engine,
    problem: &SrcGrad,
    operands: &[Operand; 3],
    stream: aclrtStream,
    ticket: u64,
) -> AclnnStatus {
    let launched = guarded_in(session, "scatter_src_grad", || {
        ensure!(
            session.is_host(),
            ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
            "it needs host-cann, and this CANN is not that; aclnnGather computes the same there"
        );
        ensure!(
            matches!(engine, Engine::Auto | Engine::Cpu),
            ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
            "engine {engine:?}: the CPU engine alone computes it"
        );
        for (name, operand) in ["grad", "index", "out"].into_iter().zip(operands) {
            has_address(name, operand)?;
            can_lie(name, operand)?;
        }
        let [grad, index, out] = operands;
        let bound = problem.rebind(grad.address, index.address, out.address);
        let bound = bound.map_err(|error| failure!(ACLNN_ERR_PARAM_INVALID, "{error}"))?;
        if bound.index_layout().is_some() {
            let (workspace, check) = (core::ptr::null_mut(), Check::Flag);
            let launch = Launch { workspace, workspace_size: 0, stream, check, ticket };
            // SAFETY: the caller's word; the problem is bound to these aligned addresses.
            unsafe { phase_two::launch_src_grad(session, bound, *operands, &launch) }?;
        }
        Ok(())
    });
    launched.err().unwrap_or(AclnnStatus::SUCCESS)
}
