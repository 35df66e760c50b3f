//! Phase one: from a caller's arguments to an executor.

mod arguments;
mod nd;
mod rules;
mod scalar;
mod tensor;
mod tensors;
mod value;

use aclnn_sys::AclnnStatus;

use crate::executor::planned_kernels::PlannedKernels;
use crate::executor::scalar_fill::ScalarFill;
use crate::executor::{self, Executor};
use crate::failure::Failure;
use crate::function::Function;
use crate::process::current;
use crate::process::engine::{self, Chosen};
pub(crate) use arguments::Arguments;
pub use scalar::scalar_of;
use tensors::Tensors;
use value::Value;

/// Runs phase one of a function. `forward` makes the same call to CANN's own operator.
///
/// # Safety
/// The contract of the C functions, which `entry!` documents.
pub(crate) unsafe fn run(
    function: Function,
    arguments: &Arguments,
    forward: impl FnOnce() -> Result<AclnnStatus, Failure>,
) -> Result<AclnnStatus, Failure> {
    arguments.refuse_nulls(function)?;
    let reduce = arguments.reduce()?;
    let session = current::session();
    let chosen = engine::choose(session, current::engine()?, function.operator())?;
    // Only phase two needs the check, but a wrong setting is refused here already.
    current::check()?;
    // SAFETY: by the caller's contract, the tensors and the scalar are null, which was refused, or
    // made by CANN.
    let (mut tensors, value) = unsafe {
        (Tensors::read(&session.cann, function, arguments)?, Value::read(session, function, arguments.value)?)
    };
    let op = arguments.operator(function, reduce, value);
    let call = rules::check(function, op, value, &mut tensors)?;
    let (kernels, fill) = match chosen {
        Chosen::Vendor => return forward(),
        Chosen::Cpu => (None, None),
        Chosen::Kernel(launcher) => {
            // A call without updates does not need the value.
            let unreadable = call.dtype_of_value().filter(|_| value == Value::Unreadable);
            let fill = match (unreadable, session.fill_functions()) {
                (None, _) => None,
                (Some(dtype), Some(functions)) => {
                    // SAFETY: by the caller's contract, the scalar is null, which was refused, or
                    // made by CANN.
                    Some(unsafe { ScalarFill::new(session, functions, dtype, arguments.value) }?)
                }
                // There is no way to pass the value to the kernels.
                (Some(_), None) => return forward(),
            };
            (Some(PlannedKernels::plan(launcher, &call, fill.as_ref())?), fill)
        }
    };
    let executor = Executor { session, call, kernels, fill, is_repeatable: false };
    let workspace = executor.workspace_bytes();
    let handle = executor::create(executor)?;
    // SAFETY: neither pointer is null, so by the caller's contract both can be written to.
    unsafe {
        arguments.workspace_size.write(workspace);
        arguments.executor.write(handle);
    }
    Ok(AclnnStatus::SUCCESS)
}
