//! Phase one: from a caller's arguments to an executor.

use core::ffi::c_void;

use aclnn_sys::{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, AclnnStatus, Cann, aclOpExecutor, aclScalar, aclTensor};
use scatter::{Argument, Op, Reduce};

use crate::check::{self, Tensors, Value};
use crate::executor;
use crate::failure::{Failure, failure};
use crate::fill::Fill;
use crate::function::Function;
use crate::kernel::Kernel;
use crate::launcher::{self, Launcher};
use crate::scalar;
use crate::scope;
use crate::session::{Session, session};
use crate::settings::{self, Engine};
use crate::tensor::{Strides, Tensor};

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
#[derive(Clone, Copy, Debug)]
enum Chosen {
    Cpu,
    Vendor,
    Kernel(&'static Launcher),
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
    // CANN's own operators have none that are negative.
    let is_ours = !matches!(chosen, Chosen::Vendor);
    let strides = if is_ours && scope::session().is_some() { Strides::Any } else { Strides::Natural };
    // SAFETY: the caller's word.
    let (tensors, value) = unsafe {
        (read(&session.cann, function, arguments, strides)?, read_value(session, function, arguments.value)?)
    };
    let plan = check::check(function, operator(function, arguments, reduce, value), value, &tensors)?;
    let (kernel, fill) = match chosen {
        Chosen::Vendor => return forward(),
        Chosen::Cpu => (None, None),
        Chosen::Kernel(launcher) => {
            // Of a call without updates nothing reads the value.
            let unreadable = plan.dtype_of_value().filter(|_| value == Value::Unreadable);
            let fill = match (unreadable, session.fill_scalar()) {
                (None, _) => None,
                (Some(dtype), Some(functions)) => {
                    // SAFETY: the caller says that the scalar is null, which was refused, or one of CANN's.
                    Some(unsafe { Fill::new(session, functions, dtype, arguments.value) }?)
                }
                // The kernels can't be told the value.
                (Some(_), None) => return forward(),
            };
            (Some(Kernel::plan(launcher, &plan, fill.as_ref())?), fill)
        }
    };
    let workspace = kernel.as_ref().map_or(0, |kernel| kernel.workspace_bytes());
    let workspace = workspace.max(fill.as_ref().map_or(0, Fill::workspace_bytes));
    let handle = executor::create(session, plan, kernel, fill)?;
    // SAFETY: neither is null, so by the caller's word both can be written to.
    unsafe {
        arguments.workspace_size.write(workspace);
        arguments.executor.write(handle);
    }
    Ok(AclnnStatus::SUCCESS)
}

/// Rules 1 and 2.
fn nulls(function: Function, arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { self_, index, src, value, out, workspace_size, executor, .. } = *arguments;
    let update: (_, *const c_void) =
        if function.takes_value() { (Argument::Value, value.cast()) } else { (Argument::Src, src.cast()) };
    check::present("workspaceSize", workspace_size)?;
    check::present("executor", executor)?;
    [
        (Argument::SelfTensor, self_.cast()),
        (Argument::Index, index.cast()),
        update,
        (Argument::Out, out.cast()),
    ]
    .into_iter()
    .try_for_each(|(argument, handle)| check::present(function.parameter(argument), handle))
}

/// Whether CANN's own operators would compute what a Rust program asks of this engine.
#[must_use]
pub fn is_vendor(session: &'static Session, engine: Engine) -> bool {
    matches!(choose(session, engine), Ok(Chosen::Vendor))
}

/// The engine that a setting means here.
fn choose(session: &'static Session, engine: Engine) -> Result<Chosen, Failure> {
    let refused = |words: &str| Err(failure!(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "engine {words}"));
    match (engine, session.host().is_some()) {
        (Engine::Auto | Engine::Cpu, true) => Ok(Chosen::Cpu),
        (Engine::Vendor, false) => Ok(Chosen::Vendor),
        (Engine::Auto, false) => match session.launcher() {
            Ok(launcher) => Ok(Chosen::Kernel(launcher)),
            // Whoever names kernels does not want other operators in silence.
            Err(why) if launcher::named().is_some() => Err(launcher::missing(why)),
            Err(_) => Ok(Chosen::Vendor),
        },
        (Engine::Vendor, true) => refused("vendor: host-cann is a CANN without operators of its own"),
        (Engine::Cpu, false) => refused("cpu: it needs host-cann, and this CANN is not that"),
        (Engine::Kernel, _) => session.launcher().map(Chosen::Kernel).map_err(launcher::missing),
    }
}

/// The tensors of a call.
///
/// # Safety
/// As the C functions say.
unsafe fn read(
    cann: &Cann,
    function: Function,
    arguments: &Arguments,
    strides: Strides,
) -> Result<Tensors, Failure> {
    let Arguments { self_, index, src, out, .. } = *arguments;
    let named = |argument, tensor| {
        // SAFETY: the caller's word.
        unsafe { Tensor::read(cann, tensor, strides) }.map_err(|Failure { code, message }| {
            failure!(code, "{}: {message}", function.parameter(argument))
        })
    };
    let self_tensor = named(Argument::SelfTensor, self_)?;
    Ok(Tensors {
        self_: self_tensor,
        index: named(Argument::Index, index)?,
        src: if function.takes_value() { None } else { Some(named(Argument::Src, src)?) },
        out: if out == self_ { self_tensor } else { named(Argument::Out, out)? },
        one_tensor: (out == self_).then(|| self_.addr()),
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
        None => scope::value().map_or(Value::Unreadable, Value::Known),
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
