//! Phase one: from a caller's arguments to an executor.

use aclnn_sys::{
    ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus, Cann, aclOpExecutor, aclScalar,
    aclTensor,
};
use scatter::{Argument, Op, Reduce};

use crate::check::{self, Tensors, Value};
use crate::executor;
use crate::failure::{Failure, ensure, failure};
use crate::function::Function;
use crate::scalar;
use crate::session::{Session, session};
use crate::settings::{self, Engine};
use crate::tensor::Tensor;

/// What a phase one is called with; what a function does not take is null, or has the value that means nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments {
    pub(crate) self_: *const aclTensor,
    pub(crate) dim: i64,
    pub(crate) index: *const aclTensor,
    pub(crate) src: *const aclTensor,
    pub(crate) value: *const aclScalar,
    pub(crate) reduce: i64,
    pub(crate) include_self: bool,
    /// self, in place.
    pub(crate) out: *const aclTensor,
    pub(crate) workspace_size: *mut u64,
    pub(crate) executor: *mut *mut aclOpExecutor,
}

/// Who computes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    Cpu,
    Vendor,
}

/// Phase one of a function; `forward` is the same call to CANN's own.
///
/// # Safety
/// As the C functions say.
pub(crate) unsafe fn run(
    function: Function,
    arguments: &Arguments,
    forward: impl FnOnce() -> Result<AclnnStatus, Failure>,
) -> Result<AclnnStatus, Failure> {
    nulls(function, arguments)?;
    let reduce = check::reduce(arguments.reduce)?;
    let session = session();
    let chosen = choose(session, settings::engine()?)?;
    settings::check()?;
    // SAFETY: the caller's word.
    let (tensors, value) = unsafe {
        (read(&session.cann, function, arguments)?, read_value(session, function, arguments.value)?)
    };
    let plan = check::check(function, operator(function, arguments, reduce, value), value, &tensors)?;
    match chosen {
        Chosen::Vendor => forward(),
        Chosen::Cpu => {
            let handle = executor::create(session.host(), plan)?;
            // SAFETY: neither is null, so by the caller's word both can be written to.
            unsafe {
                arguments.workspace_size.write(0);
                arguments.executor.write(handle);
            }
            Ok(AclnnStatus::SUCCESS)
        }
    }
}

/// Rules 1 and 2.
fn nulls(function: Function, arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { self_, index, src, value, out, workspace_size, executor, .. } = *arguments;
    let update = if function.takes_value() {
        (Argument::Value, value.is_null())
    } else {
        (Argument::Src, src.is_null())
    };
    ensure!(!workspace_size.is_null(), ACLNN_ERR_PARAM_NULLPTR, "workspaceSize is null");
    ensure!(!executor.is_null(), ACLNN_ERR_PARAM_NULLPTR, "executor is null");
    for (argument, is_null) in [
        (Argument::SelfTensor, self_.is_null()),
        (Argument::Index, index.is_null()),
        update,
        (Argument::Out, out.is_null()),
    ] {
        ensure!(!is_null, ACLNN_ERR_PARAM_NULLPTR, "{} is null", function.parameter(argument));
    }
    Ok(())
}

/// The engine that a setting means here.
fn choose(session: &Session, engine: Engine) -> Result<Chosen, Failure> {
    let refused = |words: &str| Err(failure!(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "engine {words}"));
    match (engine, session.host().is_some()) {
        (Engine::Auto | Engine::Cpu, true) => Ok(Chosen::Cpu),
        (Engine::Auto | Engine::Vendor, false) => Ok(Chosen::Vendor),
        (Engine::Vendor, true) => refused("vendor: host-cann is a CANN without operators of its own"),
        (Engine::Cpu, false) => refused("cpu: it needs host-cann, and this CANN is not that"),
        (Engine::Kernel, _) => refused("kernel: the Ascend C kernels are not part of this library yet"),
    }
}

/// The tensors of a call.
///
/// # Safety
/// As the C functions say.
unsafe fn read(cann: &Cann, function: Function, arguments: &Arguments) -> Result<Tensors, Failure> {
    let Arguments { self_, index, src, out, .. } = *arguments;
    let named = |argument, tensor| {
        // SAFETY: the caller's word.
        unsafe { Tensor::read(cann, tensor) }.map_err(|Failure { code, message }| {
            failure!(code, "{}: {message}", function.parameter(argument))
        })
    };
    let self_tensor = named(Argument::SelfTensor, self_)?;
    Ok(Tensors {
        self_: self_tensor,
        index: named(Argument::Index, index)?,
        src: if function.takes_value() { None } else { Some(named(Argument::Src, src)?) },
        out: if out == self_ { self_tensor } else { named(Argument::Out, out)? },
    })
}

/// The scalar of a call, as far as it can be read.
///
/// # Safety
/// As the C functions say.
unsafe fn read_value(
    session: &Session,
    function: Function,
    value: *const aclScalar,
) -> Result<Value, Failure> {
    Ok(match session.host() {
        _ if !function.takes_value() => Value::None,
        None => Value::Unreadable,
        // SAFETY: the caller's word.
        Some(host) => match unsafe { scalar::read(host, value) }? {
            Ok(value) => Value::Known(value),
            Err(dtype) => Value::Unknown(dtype),
        },
    })
}

/// What the function computes.
fn operator(function: Function, arguments: &Arguments, reduce: Reduce, value: Value) -> Op {
    let Arguments { dim, include_self, .. } = *arguments;
    match function {
        Function::ScatterAdd => Op::ScatterAdd { dim },
        Function::Scatter | Function::InplaceScatter => Op::Scatter { dim, reduce },
        Function::ScatterValue | Function::InplaceScatterValue => {
            Op::ScatterValue { dim, value: value.for_problem(), reduce }
        }
        Function::ScatterReduce | Function::InplaceScatterReduce => {
            Op::ScatterReduce { dim, reduce, include_self }
        }
        Function::TfScatterAdd => Op::ScatterNdAdd,
    }
}
