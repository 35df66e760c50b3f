//! Executors: created by operator libraries, which register them here.
//!
//! An executor's handle is an address in its library. Here it is a number that nothing reads
//! through: the registry knows which numbers are executors, and a library unregisters an executor
//! before it reuses the address.

use core::ffi::c_void;
use std::collections::BTreeMap;
use std::sync::RwLock;

use aclnn_sys::{
    ACLNN_ERR_INNER, ACLNN_ERR_INNER_KEY_CONFLICT, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR, AclnnStatus, HOSTCANN_TENSOR_LIST, aclOpExecutor, aclTensor, aclTensorList,
    hostcannExecutorCalls,
};

use super::{list, tensor};
use crate::failure::{Failure, NnFallible, ensure, failure};
use crate::sync::{read, write};

/// An executor, with its library's functions.
#[derive(Clone, Copy, Debug)]
struct Executor {
    calls: hostcannExecutorCalls,
    /// Whether its library is destroying it.
    ending: bool,
}

static EXECUTORS: RwLock<BTreeMap<usize, Executor>> = RwLock::new(BTreeMap::new());

/// Registers an executor of a library.
///
/// # Safety
/// The calls are null or valid, and may be used until the executor is unregistered.
pub(crate) unsafe fn register(
    executor: *const aclOpExecutor,
    calls: *const hostcannExecutorCalls,
) -> NnFallible {
    ensure!(!executor.is_null(), ACLNN_ERR_PARAM_NULLPTR, "executor is null");
    // SAFETY: the calls are null or valid.
    let calls = unsafe { calls.as_ref() };
    let calls = *calls.ok_or_else(|| failure!(ACLNN_ERR_PARAM_NULLPTR, "calls is null"))?;
    let mut executors = write(&EXECUTORS);
    let taken = executors.contains_key(&executor.addr());
    ensure!(!taken, ACLNN_ERR_INNER_KEY_CONFLICT, "executor {executor:?} is registered already");
    executors.insert(executor.addr(), Executor { calls, ending: false });
    Ok(())
}

/// Ends [`register`]; the library does so before it frees the executor.
pub(crate) fn unregister(executor: *const aclOpExecutor) -> NnFallible {
    match write(&EXECUTORS).remove(&executor.addr()) {
        Some(_) => Ok(()),
        None => Err(unknown(executor)),
    }
}

fn find(executor: *const aclOpExecutor) -> NnFallible<hostcannExecutorCalls> {
    ensure!(!executor.is_null(), ACLNN_ERR_INNER_NULLPTR, "executor is null");
    let found = read(&EXECUTORS).get(&executor.addr()).copied().filter(|found| !found.ending);
    found.map(|found| found.calls).ok_or_else(|| unknown(executor))
}

fn unknown(executor: *const aclOpExecutor) -> Failure<AclnnStatus> {
    failure!(
        ACLNN_ERR_INNER,
        "executor {executor:?} does not exist: it was destroyed, ran already and was not repeatable, or is no operator's"
    )
}

/// Lets an executor run several times.
pub(crate) fn set_repeatable(executor: *mut aclOpExecutor) -> NnFallible {
    let call = find(executor)?.setRepeatable.ok_or_else(|| missing("repeated"))?;
    // SAFETY: the library registered the call for this executor.
    checked(unsafe { call(executor) })
}

/// Destroys an executor: the library frees it, and it is no longer registered.
pub(crate) fn destroy(executor: *mut aclOpExecutor) -> NnFallible {
    let call = find(executor)?.destroy.ok_or_else(|| missing("destroyed"))?;
    // Of two threads that destroy it only one gets further.
    let claimed = write(&EXECUTORS)
        .get_mut(&executor.addr())
        .is_some_and(|found| !core::mem::replace(&mut found.ending, true));
    ensure!(claimed, ACLNN_ERR_INNER, "executor {executor:?} is being destroyed");
    // SAFETY: the library registered the call for this executor, and `ending` allows it only once.
    let status = unsafe { call(executor) };
    // The library may have unregistered it, and another executor may have its address by now; only
    // a marked one is still this one.
    let mut executors = write(&EXECUTORS);
    if executors.get(&executor.addr()).is_some_and(|found| found.ending) {
        if status.is_success() {
            executors.remove(&executor.addr());
        } else if let Some(found) = executors.get_mut(&executor.addr()) {
            found.ending = false;
        }
    }
    checked(status)
}

/// Gives the executor a new address of a tensor, and changes the tensor unless the executor
/// refuses; `kind` is a `HOSTCANN_TENSOR_` number.
pub(crate) fn set_address(
    executor: *mut aclOpExecutor,
    kind: u32,
    index: usize,
    tensor: *mut aclTensor,
    address: *mut c_void,
) -> NnFallible {
    ensure!(!tensor.is_null(), ACLNN_ERR_INNER_NULLPTR, "tensor is null");
    let call = find(executor)?.setAddress.ok_or_else(|| missing("given other addresses"))?;
    tensor::check(tensor)?;
    // SAFETY: the library registered the call for this executor.
    checked(unsafe { call(executor, kind, index, tensor, address) })?;
    tensor::set_address(tensor, address)
}

/// [`set_address`] for the tensor at place `relative` of the list that is input `input`.
pub(crate) fn set_list_address(
    executor: *mut aclOpExecutor,
    input: usize,
    relative: usize,
    tensors: *mut aclTensorList,
    address: *mut c_void,
) -> NnFallible {
    let tensor = list::tensor_at(tensors, relative)?;
    let kind = u32::try_from(input).ok().and_then(|input| HOSTCANN_TENSOR_LIST.checked_add(input));
    let kind =
        kind.ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "irIndex {input} is not that of an input"))?;
    set_address(executor, kind, relative, tensor, address)
}

fn missing(what: &str) -> Failure<AclnnStatus> {
    failure!(ACLNN_ERR_INNER, "executors of this library can't be {what}")
}

/// The failure for a status that a library returned; its own message is noted before this one.
fn checked(status: AclnnStatus) -> NnFallible {
    ensure!(status.is_success(), status, "the operator's library refused");
    Ok(())
}

/// How many executors are registered.
pub(crate) fn count() -> usize {
    read(&EXECUTORS).len()
}
