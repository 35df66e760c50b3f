//! Functions with a list of index tensors.

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_NULLPTR};
use operator_abi::Extension;
use scatter::{Argument, Axes, Error, IndexList, Op, Operand, Problem};

use crate::executor::call::{Call, Operands};
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::phase_one::arguments::Arguments;
use crate::phase_one::tensor::Tensor;
use crate::phase_one::tensors::Tensors;
use crate::process::session::Session;

/// The call of a function with a list, whose other tensors have been read. Index of `tensors`
/// becomes one with all coordinates along its last axis, which is made when the work runs.
///
/// # Safety
/// The list was made by CANN, or is any value that is not a valid address.
pub(super) unsafe fn call(
    session: &Session,
    host: &Extension,
    function: Function,
    arguments: &Arguments,
    tensors: &mut Tensors,
) -> Result<Box<Call>, Failure> {
    // SAFETY: the caller guarantees that the list was made by CANN or is no valid address.
    let entries = unsafe { read(session, host, function, arguments) }?;
    // One without elements, whatever its dtype, stands for an axis without index.
    let present = |entry: &Tensor| (!entry.is_empty).then_some(entry.operand);
    let operands: Vec<Option<Operand>> = entries.iter().map(present).collect();
    let Operands { self_, src, out, .. } = tensors.operands();
    let list = match IndexList::in_call(&operands, &self_, src.as_ref(), &out) {
        Ok(list) => Box::new(list),
        Err(error) => {
            // An error about a layout is about the first that is wrong, which may be one that C
            // doesn't allow.
            let is_wrong = |(_, entry): &(usize, &Tensor)| !entry.is_empty && entry.operand.layout.is_err();
            let wrong = entries.iter().enumerate().find(is_wrong);
            return Err(match (error, wrong.and_then(|(place, entry)| Some((place, entry.refusal?)))) {
                (Error::Layout { argument: Argument::Index, .. }, Some((place, refusal))) => {
                    let name = function.parameter(Argument::Index);
                    failure!(ACLNN_ERR_INNER_NULLPTR, "{name}[{place}]: {refusal}")
                }
                _ => tensors.refused(function, &error),
            });
        }
    };
    tensors.index.operand = list.operand();
    let op = Op::IndexPut { axes: list.axes(), accumulate: arguments.accumulate };
    // As CANN does, without an index it does nothing.
    let new = if list.axes() == Axes::NONE { Problem::without_updates } else { Problem::new };
    let problem = new(op, &self_, &tensors.index.operand, src.as_ref(), &out);
    match list.apart_from(&out, problem) {
        Ok(problem) => {
            let call = Call::new(function, problem, tensors.operands(), tensors.one_tensor);
            Ok(Box::new(call.with_list(list)))
        }
        Err(error) => Err(tensors.refused(function, &error)),
    }
}

/// The tensors of the list.
///
/// # Safety
/// As [`call`].
unsafe fn read(
    session: &Session,
    host: &Extension,
    function: Function,
    arguments: &Arguments,
) -> Result<Vec<Tensor>, Failure> {
    let name = function.parameter(Argument::Index);
    let unreadable = |code| failure!(code, "{name}: {}", session.recent_message());
    let mut size = 0;
    // SAFETY: by the caller's contract CANN may look up the list; the size is written to a local.
    let status = unsafe { session.cann.aclGetTensorListSize(arguments.indices, &raw mut size) }?;
    if !status.is_success() {
        return Err(unreadable(status));
    }
    (0..size)
        .map(|place| {
            // SAFETY: the caller guarantees that the list was made by CANN or is no valid address.
            let tensor = unsafe { host.read_list(arguments.indices, place) }.map_err(unreadable)?;
            if tensor.is_null() {
                return Err(failure!(ACLNN_ERR_PARAM_NULLPTR, "{name}[{place}] is null"));
            }
            // SAFETY: CANN made the tensor, which is of its list.
            unsafe { Tensor::read(&session.cann, tensor) }
                .map_err(|Failure { code, message }| failure!(code, "{name}[{place}]: {message}"))
        })
        .collect()
}
