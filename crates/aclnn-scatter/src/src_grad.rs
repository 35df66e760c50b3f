//! The gradient of a scatter with respect to src, which has no C function.

use aclnn_sys::{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_PARAM_INVALID, AclnnStatus, aclrtStream};
use scatter::{Operand, SrcGrad};

use crate::failure::{ensure, failure};
use crate::phase_two::{self, Launch};
use crate::process::guard::guarded_in;
use crate::process::session::Session;
use crate::process::settings::{Check, Engine};
use crate::refusal::{can_lie, has_address};

/// Enqueues [`scatter`]'s `scatter_src_grad`, which gathers grad by index into out, to a stream of
/// host-cann, and returns at once. `operands` are grad, index and out.
///
/// `ticket` is a number for this call, with which [`take_stream_errors`](crate::take_stream_errors)
/// reports an index out of range; 0 for none. Only the CPU engine computes it, so other engines,
/// and other CANNs, where `aclnnGather` computes the same, are refused with 561003.
///
/// # Safety
/// `stream` is a stream of the session's CANN, or null for the default stream of the thread's
/// context of that CANN. `problem` was made from `operands`. Their storages are memory of the
/// stream's device of the size that their layouts say, and the provenance of their addresses is
/// exposed. Until the work is done, only work that is ordered with it writes them, or reads out.
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
            has_address(|| name, operand)?;
            can_lie(name, operand)?;
        }
        let [grad, index, out] = operands;
        let bound = problem.rebind(grad.address, index.address, out.address);
        let bound = bound.map_err(|error| failure!(ACLNN_ERR_PARAM_INVALID, "{error}"))?;
        if bound.index_layout().is_some() {
            let (workspace, check) = (core::ptr::null_mut(), Check::Flag);
            let launch = Launch { workspace, workspace_size: 0, stream, check, ticket };
            // SAFETY: the caller guarantees what `phase_two::launch_src_grad` needs of the stream
            // and the storages; `can_lie` and `rebind` have checked the addresses that the problem
            // is bound to.
            unsafe { phase_two::launch_src_grad(session, bound, *operands, &launch) }?;
        }
        Ok(())
    });
    launched.err().unwrap_or(AclnnStatus::SUCCESS)
}
