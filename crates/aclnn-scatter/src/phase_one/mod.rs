//! Phase one: from a caller's arguments to an executor.

mod arguments;
mod index;
mod list;
mod nd;
mod rules;
mod scalar;
mod tensor;
mod tensors;
mod value;
mod windows;

use aclnn_sys::{AclnnStatus, aclScalar};
use scatter::Parameter;

use crate::executor::call::Call;
use crate::executor::planned_kernels::PlannedKernels;
use crate::executor::scalar_fill::ScalarFill;
use crate::executor::{self, Executor};
use crate::failure::Failure;
use crate::function::Function;
use crate::process::current;
use crate::process::engine::{self, Chosen};
use crate::process::session::Session;
use crate::process::settings::Engine;
pub(crate) use arguments::Arguments;
use index::GivenIndex;
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
    let (operator, engine) = (function.operator(), current::engine()?);
    let index = GivenIndex::of(function, session);
    // Without host-cann alpha can't be read.
    let is_alpha_known = session.host().is_some() || !operator.takes(Parameter::Alpha);
    let has_kernel = !matches!(index, GivenIndex::Unreadable) && is_alpha_known;
    let chosen = engine::choose(session, engine, operator, has_kernel)?;
    // Only phase two needs the setting `ACLNN_SCATTER_CHECK`, but a wrong one is refused here
    // already.
    current::check()?;
    if let GivenIndex::Unreadable = index {
        return forward();
    }
    // SAFETY: by the caller's contract, the tensors and the scalar are null, which was refused, or
    // made by CANN.
    let (mut tensors, value) = unsafe {
        let tensors = Tensors::read(&session.cann, function, arguments, index)?;
        (tensors, Value::read(session, function, arguments.value)?)
    };
    let op = arguments.operator(function, reduce, value);
    let call = match index {
        // SAFETY: by the caller's contract, the list is null, which was refused, or made by CANN.
        GivenIndex::List(host) => unsafe { list::call(session, host, function, arguments, &mut tensors) }?,
        _ => rules::check(function, op, value, &mut tensors)?,
    };
    arguments.refuse_rows(&op, &tensors.out.operand)?;
    // SAFETY: by the caller's contract, the scalar is null, which was refused, or made by CANN.
    let Some(executor) = unsafe { prepared(session, engine, chosen, call, value, arguments.value) }? else {
        return forward();
    };
    let workspace = executor.workspace_bytes();
    let handle = executor::create(executor)?;
    // SAFETY: neither pointer is null, so by the caller's contract both can be written to.
    unsafe {
        arguments.workspace_size.write(workspace);
        arguments.executor.write(handle);
    }
    Ok(AclnnStatus::SUCCESS)
}

/// The executor of a valid call; `None` where CANN's own operator does it.
///
/// # Safety
/// `scalar` is null, or made by CANN and alive.
unsafe fn prepared(
    session: &'static Session,
    engine: Engine,
    chosen: Chosen,
    call: Box<Call>,
    value: Value,
    scalar: *const aclScalar,
) -> Result<Option<Box<Executor>>, Failure> {
    let (kernels, fill) = match chosen {
        Chosen::Vendor => return Ok(None),
        Chosen::Cpu => (None, None),
        Chosen::Kernel(launcher) => {
            // A call without updates does not need the value.
            let unreadable = call.dtype_of_value().filter(|_| value == Value::Unreadable);
            let fill = match (unreadable, session.fill_functions()) {
                (None, _) => None,
                (Some(dtype), Some(functions)) => {
                    // SAFETY: the scalar was made by CANN: `run` has refused a null of a function
                    // that takes one.
                    Some(unsafe { ScalarFill::new(session, functions, dtype, scalar) }?)
                }
                // There is no way to pass the value to the kernels.
                (Some(_), None) => return Ok(None),
            };
            let Some(kernels) = PlannedKernels::plan_for(engine, launcher, &call, fill.as_ref())? else {
                return Ok(None);
            };
            (Some(kernels), fill)
        }
    };
    Ok(Some(Box::new(Executor { session, call, kernels, fill, is_repeatable: false })))
}
