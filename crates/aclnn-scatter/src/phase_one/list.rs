//! Functions with a list of index tensors.

use aclnn_sys::ACLNN_ERR_PARAM_NULLPTR;
use scatter::{Argument, Axes, DType, Error, IndexList, Layout, Op, Operand, Problem};

use crate::executor::call::{Call, Operands, apart_from};
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::phase_one::arguments::Arguments;
use crate::phase_one::nd::comes_before_ranks;
use crate::phase_one::rules::refused;
use crate::phase_one::tensor::Tensor;
use crate::phase_one::tensors::Tensors;
use crate::process::host_extension::Host;
use crate::process::session::Session;

/// The call of a function with a list, whose other tensors have been read. Index of `tensors`
/// becomes one with all coordinates along its last axis, which is made when the work runs.
///
/// # Safety
/// The list was made by CANN, or is any value that is not a valid address.
pub(super) unsafe fn call(
    session: &Session,
    host: &Host,
    function: Function,
    arguments: &Arguments,
    tensors: &mut Tensors,
) -> Result<Box<Call>, Failure> {
    // SAFETY: the caller's contract.
    let entries = unsafe { read(session, host, function, arguments) }?;
    // One without elements, whatever its dtype, stands for an axis without index.
    let present = |entry: &Tensor| (!entry.is_empty).then_some(entry.operand);
    let operands: Vec<Option<Operand>> = entries.iter().map(present).collect();
    let refuse = |error: &Error, tensors: &Tensors| Err(refused(function, error, tensors));
    let list = match IndexList::new(&operands) {
        Ok(list) => Box::new(list),
        Err(error) => {
            let earlier = without_index(tensors).err().filter(|earlier| comes_before_list(earlier, &error));
            // The layout that is refused may be one that C doesn't allow.
            let entry = entries.iter().find(|entry| !entry.is_empty && entry.refusal.is_some());
            tensors.index = *entry.unwrap_or(&tensors.index);
            return refuse(&earlier.unwrap_or(error), tensors);
        }
    };
    tensors.index.operand = Operand { dtype: Ok(DType::I64), layout: list.layout(), address: 0 };
    let op = Op::IndexPut { axes: list.axes(), accumulate: arguments.accumulate };
    let operands = tensors.operands();
    let Operands { self_, index, src, out } = &operands;
    // As CANN does, without an index it does nothing.
    let new = if list.axes() == Axes::NONE { Problem::without_updates } else { Problem::new };
    match apart_from(Some(&list), out, new(op, self_, index, src.as_ref(), out)) {
        Ok(problem) => {
            Ok(Box::new(Call::new(function, problem, operands, tensors.one_tensor).with_list(list)))
        }
        Err(error) => refuse(&error, tensors),
    }
}

/// The tensors of the list.
///
/// # Safety
/// As [`call`].
unsafe fn read(
    session: &Session,
    host: &Host,
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
            // SAFETY: the caller's contract.
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

/// The rules about the other tensors, as if index had no elements.
fn without_index(tensors: &Tensors) -> Result<Problem, Error> {
    let operands = tensors.operands();
    let nothing = Operand { dtype: Ok(DType::I64), layout: Layout::contiguous(&[0], 0), address: 0 };
    let op = Op::IndexPut { axes: Axes::NONE, accumulate: false };
    Problem::without_updates(op, &operands.self_, &nothing, operands.src.as_ref(), &operands.out)
}

/// Whether an error about the other tensors is of a rule that comes before that of the list.
fn comes_before_list(other: &Error, of_list: &Error) -> bool {
    let is_of_dtype = matches!(of_list, Error::UnsupportedDType { .. } | Error::IndexDType { .. });
    comes_before_ranks(other)
        && !(is_of_dtype && matches!(other, Error::Layout { .. } | Error::OutShape { .. }))
}
