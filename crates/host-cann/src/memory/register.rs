//! The program's own host memory that is registered with devices.

use core::ffi::c_void;
use std::collections::BTreeMap;
use std::sync::Mutex;

use aclnn_sys::{
    ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_HOST_REGISTER_MAPPED, aclrtHostRegisterType,
};

use super::{Place, locate};
use crate::context;
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::sync::lock;

/// Length by start.
static REGISTERED: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// Registers memory with the devices, which access it at the same address.
pub(crate) fn register(
    memory: *mut c_void,
    size: u64,
    kind: aclrtHostRegisterType,
    device: Out<*mut c_void>,
) -> Fallible {
    ensure!(!memory.is_null(), ACL_ERROR_INVALID_PARAM, "ptr is null");
    let device = device.required()?;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let start = memory.expose_provenance();
    ensure!(size > 0 && start.checked_add(size).is_some(), ACL_ERROR_INVALID_PARAM, "size is {size}");
    ensure!(
        kind == ACL_HOST_REGISTER_MAPPED,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "host memory can only be registered as ACL_HOST_REGISTER_MAPPED"
    );
    context::current()?;
    ensure!(
        matches!(locate(start), Place::Pageable),
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
        "{memory:?} is known to the runtime already"
    );
    let mut registered = lock(&REGISTERED);
    let taken = registered.range(..start + size).next_back().is_some_and(|(from, len)| from + len > start);
    ensure!(
        !taken,
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
        "a part of these {size} bytes is registered already"
    );
    registered.insert(start, size);
    device.put(memory);
    Ok(())
}

/// Ends [`register`].
pub(crate) fn unregister(memory: *mut c_void) -> Fallible {
    ensure!(!memory.is_null(), ACL_ERROR_INVALID_PARAM, "ptr is null");
    match lock(&REGISTERED).remove(&memory.addr()) {
        Some(_) => Ok(()),
        None => Err(failure!(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "{memory:?} is not registered")),
    }
}

/// How many bytes a registered range has from an address on; 0 for an address in none.
pub(super) fn room(address: usize) -> usize {
    let registered = lock(&REGISTERED);
    let range = registered.range(..=address).next_back();
    range.map_or(0, |(start, len)| len.saturating_sub(address - start))
}

pub(crate) fn count() -> usize {
    lock(&REGISTERED).len()
}

pub(super) fn clear() {
    lock(&REGISTERED).clear();
}
