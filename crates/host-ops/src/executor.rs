//! The executors that phase one makes for phase two, and what CANN's executor functions do with
//! them.

use core::ffi::c_void;
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aclnn_sys::{
    ACLNN_ERR_INNER, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, AclnnStatus, HOSTCANN_TENSOR_ANY,
    HOSTCANN_TENSOR_INPUT, HOSTCANN_TENSOR_OUTPUT, aclOpExecutor, aclTensor, hostcannExecutorCalls,
};

use crate::call::{Call, Work};
use crate::failure::{Failure, ensure, failure, present};
use crate::guard::guarded;
use crate::host::Host;

/// A planned call, which phase one makes for phase two.
#[derive(Clone, Debug)]
pub(crate) struct Executor {
    pub(crate) host: Host,
    /// The name of phase two.
    pub(crate) name: &'static str,
    pub(crate) call: Call,
    pub(crate) work: Work,
    pub(crate) is_repeatable: bool,
}

/// How many ended handles are kept unused before the first is used again, so that a call with an
/// old one gets an error instead of running another executor.
const RESTING: usize = 256;

/// The handles without an executor, the one that ended first in front. A handle is the address of a
/// number that nothing reads or writes: no other library of the process has an executor there, not
/// even another copy of this one.
#[derive(Default)]
struct Handles(VecDeque<usize>);

impl Handles {
    fn take(&mut self) -> usize {
        let rested = if self.0.len() > RESTING { self.0.pop_front() } else { None };
        // It is never freed, because other memory could get the address of an old handle then.
        rested.unwrap_or_else(|| core::ptr::from_mut(Box::leak(Box::new(0_u64))).addr())
    }
}

#[derive(Default)]
struct Registry {
    live: HashMap<usize, Executor>,
    handles: Handles,
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
        let key = registry.handles.take();
        registry.live.insert(key, executor);
        key
    };
    let handle = core::ptr::without_provenance_mut(key);
    // SAFETY: the table has the executor, and `rest` unregisters it.
    unsafe { host.register(handle, &CALLS) }.inspect_err(|_| {
        let mut registry = registry();
        registry.live.remove(&key);
        registry.handles.0.push_back(key);
    })?;
    Ok(handle)
}

/// Keeps a handle for another executor, after its own has been taken out of the table.
fn rest(host: Host, handle: *mut aclOpExecutor) {
    // First, because another executor may get the handle as soon as it is kept.
    host.unregister(handle);
    registry().handles.0.push_back(handle.addr());
}

/// The executor to run for a handle. One that runs once ends with this call.
pub(crate) fn start(handle: *mut aclOpExecutor, name: &str) -> Result<Executor, Failure> {
    let mut registry = registry();
    let refused = |got: &str| {
        Err(failure!(
            ACLNN_ERR_PARAM_INVALID,
            "executor: one of {name}GetWorkspaceSize expected, got one {got}"
        ))
    };
    match registry.live.get(&handle.addr()) {
        None => refused(
            "that no phase one of these operators made, that has run and is not repeatable, or that was destroyed",
        ),
        Some(other) if other.name != name => refused(&format!("of {}GetWorkspaceSize", other.name)),
        Some(executor) if executor.is_repeatable => Ok(executor.clone()),
        Some(_) => {
            let Some(executor) = registry.live.remove(&handle.addr()) else { return refused("that has run") };
            drop(registry);
            rest(executor.host, handle);
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
    guarded(operator_abi::address_setter(kind), || {
        present("tensor", tensor)?;
        of_live(handle, |executor| {
            let (name, call) = (executor.name, &mut executor.call);
            let output = [call.output];
            // In the order of the prototype, and behind them the one that is written.
            let place = match kind {
                HOSTCANN_TENSOR_INPUT => call.inputs.get(index),
                HOSTCANN_TENSOR_OUTPUT => output.get(index),
                HOSTCANN_TENSOR_ANY => call.inputs.iter().chain(&output).nth(index),
                // The addresses of a list can't be changed.
                _ => None,
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
        rest(ended.host, handle);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_not_used_again_soon() {
        // Static, so that AddressSanitizer finds the memory of the handles, which is never freed.
        static HANDLES: Mutex<Handles> = Mutex::new(Handles(VecDeque::new()));
        let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
        let first = handles.take();
        handles.0.push_back(first);
        for _ in 0..RESTING {
            let next = handles.take();
            assert_ne!(next, first);
            handles.0.push_back(next);
        }
        let again = handles.take();
        handles.0.push_back(again);
        assert_eq!(again, first);
    }
}
