//! The rules of docs/semantics.md for a call whose tensors have been read.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use scatter::{Addressing, Argument, DType, Error, Op};

use crate::executor::call::Call;
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::phase_one::nd;
use crate::phase_one::tensor::Tensor;
use crate::phase_one::tensors::Tensors;
use crate::phase_one::value::Value;
use crate::phase_one::windows;

/// The rules of docs/semantics.md that need no data, 1 to 16, in their order.
pub(crate) fn check(
    function: Function,
    op: Op,
    value: Value,
    tensors: &mut Tensors,
) -> Result<Box<Call>, Failure> {
    forgive_empty_index(&op, &mut tensors.index);
    let call = match op.operator().signature().addressing {
        Addressing::Nd => nd::call(function, op, tensors)?,
        Addressing::Windows => windows::call(function, op, tensors)?,
        _ => tensors.call(function, op),
    };
    if let Value::Unknown(dtype) = value
        && !call.as_ref().is_err_and(comes_before_the_value)
    {
        let name = function.parameter(Argument::Value);
        return Err(failure!(ACLNN_ERR_PARAM_INVALID, "{name}: a number expected, got {dtype}"));
    }
    call.map_err(|error| tensors.refused(function, &error))
}

/// Gives an empty index a good dtype if it has neither a good dtype nor a good layout: an operator
/// that doesn't check the dtype of an empty index must then refuse the layout.
fn forgive_empty_index(op: &Op, index: &mut Tensor) {
    let is_empty = match op.operator().signature().addressing {
        Addressing::Dim => index.is_empty,
        Addressing::Nd => index.has_no_rows,
        _ => false,
    };
    if is_empty && index.operand.layout.is_err() && index.operand.dtype.is_err() {
        index.operand.dtype = Ok(DType::I64);
    }
}

/// Whether the error is of a rule that comes before the rule about the value.
const fn comes_before_the_value(error: &Error) -> bool {
    match error {
        Error::UnsupportedDType { argument, .. } => !matches!(argument, Argument::Index),
        Error::DTypeMismatch { .. } => true,
        _ => false,
    }
}
