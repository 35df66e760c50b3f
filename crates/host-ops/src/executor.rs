//! The executors that phase one makes for phase two, and what CANN's executor functions do with
//! them.

use core::ffi::c_void;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aclnn_sys::{
    ACLNN_ERR_INNER, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, AclnnStatus, HOSTCANN_TENSOR_INPUT,
    HOSTCANN_TENSOR_OUTPUT, aclOpExecutor, aclTensor, hostcannExecutorCalls,
};

use crate::call::{Call, Work};
use crate::failure::{Failure, ensure, failure, present};
use crate::guard::guarded;
use crate::host::Host;

/// A planned call, which phase one makes for phase two.
#[derive(Clone, Debug)]
pub(crate) struct Executor {
    pub(crate) host: &'static Host,
    /// The name of phase two.
    pub(crate) name: &'static str,
    pub(crate) call: Call,
    pub(crate) work: Work,
    pub(crate) is_repeatable: bool,
}

/// What a handle begins with: no address of a process has these bits, and no handle is used twice,
/// so a call with an old one never finds another executor.
const FIRST: usize = 1 << 62;

#[derive(Default)]
struct Registry {
    live: HashMap<usize, Executor>,
    /// How many executors there have been.
    made: usize,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

/// Ignores poisoning: the table is changed in single steps, so a panic can't leave it half changed.
fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The functions that host-cann calls for CANN's executor functions.
static CALLS: hostcannExecutorCalls = hostcannExecutorCalls {
    setRepeatable: Some(set_repeatable),
    setAddress: Some(set_address),
    destroy: Some(destroy),
};

/// Stores an executor, and returns its handle, with which CANN's own executor functions work.
pub(crate) fn create(executor: Executor) -> Result<*mut aclOpExecutor, Failure> {
    let host = executor.host;
    let key = {
        let mut registry = registry();
        let key = FIRST + registry.made;
        registry.made += 1;
        registry.live.insert(key, executor);
        key
    };
    let handle = core::ptr::without_provenance_mut(key);
    host.register(handle, &CALLS).inspect_err(|_| {
        registry().live.remove(&key);
    })?;
    Ok(handle)
}

/// The executor to run for a handle. One that runs once ends with this call.
pub(crate) fn start(handle: *mut aclOpExecutor, name: &str) -> Result<Executor, Failure> {
    let mut registry = registry();
    let refused = |words: &str| Err(failure!(ACLNN_ERR_PARAM_INVALID, "executor: {words}"));
    match registry.live.get(&handle.addr()) {
        None => refused(
            "no phase one of these operators made it, it has run and is not repeatable, or it was destroyed",
        ),
        Some(other) if other.name != name => refused(&format!("one of {}GetWorkspaceSize", other.name)),
        Some(executor) if executor.is_repeatable => Ok(executor.clone()),
        Some(_) => {
            let Some(executor) = registry.live.remove(&handle.addr()) else { return refused("it has run") };
            drop(registry);
            executor.host.unregister(handle);
            Ok(executor)
        }
    }
}

/// Changes a live executor; fails for any other handle.
fn of_live(
    handle: *mut aclOpExecutor,
    change: impl FnOnce(&mut Executor) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut registry = registry();
    let executor = registry.live.get_mut(&handle.addr());
    executor.map_or_else(
        || Err(failure!(ACLNN_ERR_INNER_NULLPTR, "the executor has run or was destroyed")),
        change,
    )
}

/// `aclSetAclOpExecutorRepeatable`.
unsafe extern "C" fn set_repeatable(handle: *mut aclOpExecutor) -> AclnnStatus {
    guarded("aclSetAclOpExecutorRepeatable", || {
        of_live(handle, |executor| {
            // The addresses of a list's tensors can't be changed, and callers that repeat an
            // executor do so without looking at what is refused.
            ensure!(
                !executor.call.inputs.contains(&None),
                ACLNN_ERR_INNER,
                "{}: an executor without lists of tensors expected",
                executor.name
            );
            executor.is_repeatable = true;
            Ok(())
        })
    })
}

/// `aclSetInputTensorAddr` and its siblings.
unsafe extern "C" fn set_address(
    handle: *mut aclOpExecutor,
    kind: u32,
    index: usize,
    tensor: *mut aclTensor,
    address: *mut c_void,
) -> AclnnStatus {
    let name = match kind {
        HOSTCANN_TENSOR_INPUT => "aclSetInputTensorAddr",
        HOSTCANN_TENSOR_OUTPUT => "aclSetOutputTensorAddr",
        _ => "aclSetTensorAddr",
    };
    guarded(name, || {
        present("tensor", tensor)?;
        of_live(handle, |executor| {
            let (name, call) = (executor.name, &mut executor.call);
            let output = [call.output];
            // In the order of the prototype, and behind them the one that is written.
            let place = match kind {
                HOSTCANN_TENSOR_INPUT => call.inputs.get(index),
                HOSTCANN_TENSOR_OUTPUT => output.get(index),
                _ => call.inputs.iter().chain(&output).nth(index),
            };
            let place = place
                .copied()
                .flatten()
                .ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "{name} has no such tensor {index}"))?;
            // Phase two turns it back into a pointer.
            let address = address.expose_provenance();
            // A tensor that was given twice, such as for self and out, has one address.
            let same = call.operands.get(place).map(|operand| operand.handle);
            for (at, operand) in call.operands.iter_mut().enumerate() {
                if at == place || Some(operand.handle) == same && operand.handle == tensor.addr() {
                    operand.check_address(address)?;
                    operand.address = address;
                }
            }
            Ok(())
        })
    })
}

/// `aclDestroyAclOpExecutor`.
unsafe extern "C" fn destroy(handle: *mut aclOpExecutor) -> AclnnStatus {
    guarded("aclDestroyAclOpExecutor", || {
        let ended = registry().live.remove(&handle.addr());
        let ended = ended
            .ok_or_else(|| failure!(ACLNN_ERR_INNER_NULLPTR, "the executor has run or was destroyed"))?;
        ended.host.unregister(handle);
        Ok(())
    })
}
