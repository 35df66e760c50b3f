//! The gradient of a scatter for src, which has no C function.

use aclnn_sys::{
    ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, AclnnStatus,
    aclrtStream,
};
use scatter::{Operand, SrcGrad};

use crate::failure::{ensure, failure};
use crate::phase_two;
use crate::process::current;
use crate::process::guard::guarded;
use crate::process::session::Session;
use crate::process::settings::Engine;
use crate::refusal::{address_of, has_address};

/// Gives `out = grad gathered by index` to a stream of host-cann, and returns at once: `scatter_src_grad` of [`scatter`], for a
/// Rust program. `operands` are grad, index and out.
///
/// It is computed on the CPU; on another CANN it is refused with 561003, for there `aclnnGather` computes it, and so is another
/// engine. A bad index comes back as that of a scatter does.
///
/// # Safety
/// `problem` was made of `operands`. Their storages are as large as their layouts say, and other than by work of streams that
/// is ordered with this neither written nor, where out is, read until the work is done.
pub unsafe fn launch_src_grad(
    session: &'static Session,
    problem: &SrcGrad,
    operands: &[Operand; 3],
    stream: aclrtStream,
) -> AclnnStatus {
    guarded("scatter_src_grad", || {
        ensure!(
            session.is_host(),
            ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
            "it needs host-cann, and this CANN is not that; aclnnGather computes the same there"
        );
        let engine = current::engine()?;
        ensure!(
            matches!(engine, Engine::Auto | Engine::Cpu),
            ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
            "engine {engine:?}: the CPU engine alone computes it"
        );
        for (name, operand) in ["grad", "index", "out"].into_iter().zip(operands) {
            has_address(name, operand)?;
            address_of(operand.layout, operand.dtype.ok(), operand.address)
                .map_err(|refusal| failure!(ACLNN_ERR_INNER_NULLPTR, "{name}: {refusal}"))?;
        }
        let [grad, index, out] = operands;
        let bound = problem.rebind(grad.address, index.address, out.address);
        let bound = bound.map_err(|error| failure!(ACLNN_ERR_PARAM_INVALID, "{error}"))?;
        if bound.index_layout().is_some() {
            phase_two::launch_src_grad(session, bound, *operands, stream)?;
        }
        Ok(AclnnStatus::SUCCESS)
    })
}
