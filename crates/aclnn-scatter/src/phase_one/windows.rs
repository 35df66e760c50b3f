//! Functions whose index names where windows begin.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use scatter::{Argument, Error, Op};

use crate::executor::call::Call;
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::phase_one::nd::comes_before_ranks;
use crate::phase_one::tensors::Tensors;

/// The call of a function that computes `op`. As CANN does, it refuses tensors without elements.
pub(super) fn call(
    function: Function,
    op: Op,
    tensors: &Tensors,
) -> Result<Result<Box<Call>, Error>, Failure> {
    let given = tensors.call(function, op);
    if given.as_ref().is_err_and(comes_before_ranks) {
        return Ok(given);
    }
    for (argument, tensor) in [
        (Argument::SelfTensor, Some(&tensors.self_)),
        (Argument::Index, Some(&tensors.index)),
        (Argument::Src, tensors.src.as_ref()),
    ] {
        if tensor.is_some_and(|tensor| tensor.is_empty) {
            let (operator, name) = (op.operator(), function.parameter(argument));
            return Err(failure!(ACLNN_ERR_PARAM_INVALID, "{operator}: {name}: elements expected, got none"));
        }
    }
    Ok(given)
}
