//! Executors: made by operator libraries, which register them to be served here.
//!
//! An executor's handle is an address of its library's. It is a number here that nothing reads through: the registry knows
//! which are executors, and a library takes its own out before the address becomes anything else.

use core::ffi::c_void;
use std::collections::BTreeMap;
use std::sync::RwLock;

use aclnn_sys::{
    ACLNN_ERR_INNER, ACLNN_ERR_INNER_KEY_CONFLICT, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_NULLPTR,
    AclnnStatus, aclOpExecutor, aclTensor, aclTensorList,
};

use super::{list, tensor};
use crate::extension::{
    ADDRESS_DYNAMIC_INPUT, ADDRESS_DYNAMIC_OUTPUT, ADDRESS_DYNAMIC_TENSOR, AddressKind, ExecutorCallbacks,
};
use crate::failure::{Failure, NnFallible, ensure, failure};
use crate::sync::{read, write};

/// What a library gave for an executor.
#[derive(Clone, Copy, Debug)]
struct Executor {
    callbacks: ExecutorCallbacks,
    context: *mut c_void,
}

// SAFETY: a library that registers a pointer says that its callbacks take it on any thread.
unsafe impl Send for Executor {}
// SAFETY: as above.
unsafe impl Sync for Executor {}

static EXECUTORS: RwLock<BTreeMap<usize, Executor>> = RwLock::new(BTreeMap::new());

/// Serves an executor of a library.
///
/// # Safety
/// The callbacks are null or valid, and may be called with the context until the executor is taken out.
pub(crate) unsafe fn register(
    executor: *const aclOpExecutor,
    callbacks: *const ExecutorCallbacks,
    context: *mut c_void,
) -> NnFallible {
    ensure!(!executor.is_null(), ACLNN_ERR_PARAM_NULLPTR, "executor is null");
    // SAFETY: the caller says that it is null or valid.
    let callbacks = unsafe { callbacks.as_ref() };
    let callbacks = *callbacks.ok_or_else(|| failure!(ACLNN_ERR_PARAM_NULLPTR, "callbacks is null"))?;
    let mut executors = write(&EXECUTORS);
    let taken = executors.contains_key(&executor.addr());
    ensure!(!taken, ACLNN_ERR_INNER_KEY_CONFLICT, "executor {executor:?} is registered already");
    executors.insert(executor.addr(), Executor { callbacks, context });
    Ok(())
}

/// Ends [`register`]; the library does so before it frees the executor.
pub(crate) fn unregister(executor: *const aclOpExecutor) -> NnFallible {
    match write(&EXECUTORS).remove(&executor.addr()) {
        Some(_) => Ok(()),
        None => Err(unknown(executor)),
    }
}

fn find(executor: *const aclOpExecutor) -> NnFallible<Executor> {
    ensure!(!executor.is_null(), ACLNN_ERR_INNER_NULLPTR, "executor is null");
    read(&EXECUTORS).get(&executor.addr()).copied().ok_or_else(|| unknown(executor))
}

fn unknown(executor: *const aclOpExecutor) -> Failure<AclnnStatus> {
    failure!(
        ACLNN_ERR_INNER,
        "executor {executor:?} does not exist: it was destroyed, ran already and was not repeatable, or is no operator's"
    )
}

/// Lets an executor run again and again.
pub(crate) fn set_repeatable(executor: *mut aclOpExecutor) -> NnFallible {
    let Executor { callbacks, context } = find(executor)?;
    let callback = callbacks.set_repeatable.ok_or_else(|| missing("repeated"))?;
    // SAFETY: the library registered the callback for this executor and context.
    told(unsafe { callback(executor, context) })
}

/// Destroys an executor: the library frees it, and it is no longer served.
pub(crate) fn destroy(executor: *mut aclOpExecutor) -> NnFallible {
    let found = find(executor)?;
    let callback = found.callbacks.destroy.ok_or_else(|| missing("destroyed"))?;
    // Of two threads that destroy it only one gets here.
    unregister(executor)?;
    // SAFETY: the library registered the callback for this executor and context, and it is called once.
    told(unsafe { callback(executor, found.context) })
}

/// Changes the address of a tensor, and tells the executor.
pub(crate) fn set_address(
    executor: *mut aclOpExecutor,
    kind: AddressKind,
    index: usize,
    tensor: *mut aclTensor,
    address: *mut c_void,
) -> NnFallible {
    ensure!(!tensor.is_null(), ACLNN_ERR_INNER_NULLPTR, "tensor is null");
    change(executor, kind, (index, 0), tensor, address)
}

/// Changes the address of a tensor in a list, and tells the executor.
pub(crate) fn set_list_address(
    executor: *mut aclOpExecutor,
    kind: AddressKind,
    (index, relative): (usize, usize),
    tensors: *mut aclTensorList,
    address: *mut c_void,
) -> NnFallible {
    debug_assert!([ADDRESS_DYNAMIC_INPUT, ADDRESS_DYNAMIC_OUTPUT, ADDRESS_DYNAMIC_TENSOR].contains(&kind));
    let tensor = list::tensor_at(tensors, relative)?;
    change(executor, kind, (index, relative), tensor, address)
}

fn change(
    executor: *mut aclOpExecutor,
    kind: AddressKind,
    (index, relative): (usize, usize),
    tensor: *mut aclTensor,
    address: *mut c_void,
) -> NnFallible {
    let Executor { callbacks, context } = find(executor)?;
    let callback = callbacks.set_address.ok_or_else(|| missing("given other addresses"))?;
    tensor::set_address(tensor, address)?;
    // SAFETY: the library registered the callback for this executor and context.
    told(unsafe { callback(executor, context, kind, index, relative, tensor, address) })
}

fn missing(what: &str) -> Failure<AclnnStatus> {
    failure!(ACLNN_ERR_INNER, "executors of this library can't be {what}")
}

/// What a library's callback returned; its own message is noted before this one.
fn told(status: AclnnStatus) -> NnFallible {
    ensure!(status.is_success(), status, "the operator's library refused");
    Ok(())
}

/// How many executors are served.
pub(crate) fn count() -> usize {
    read(&EXECUTORS).len()
}
