//! Configurations of streams.
//!
//! A configuration is a struct whose fields the program may read, so its handle is an address; the
//! table says which exist. A destroyed one keeps its memory, so that no later one has its address:
//! they are small and few.

use core::ffi::c_void;
use std::collections::BTreeMap;
use std::sync::Mutex;

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_RT_STREAM_FLAG, ACL_RT_STREAM_PRIORITY,
    ACL_RT_STREAM_WORK_ADDR_PTR, ACL_RT_STREAM_WORK_SIZE, aclrtStream, aclrtStreamConfigAttr,
    aclrtStreamConfigHandle,
};

use super::create;
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::sync::lock;

/// A configuration, in memory that is never moved or freed.
struct Config {
    fields: Box<aclrtStreamConfigHandle>,
    living: bool,
}

// SAFETY: nothing here reads through the pointer in it.
unsafe impl Send for Config {}

static CONFIGS: Mutex<BTreeMap<usize, Config>> = Mutex::new(BTreeMap::new());

/// Makes a configuration with the values of `aclrtCreateStream`.
pub(crate) fn make() -> *mut aclrtStreamConfigHandle {
    let empty = aclrtStreamConfigHandle { workptr: core::ptr::null_mut(), workSize: 0, flag: 0, priority: 0 };
    let mut config = Config { fields: Box::new(empty), living: true };
    let pointer = &raw mut *config.fields;
    lock(&CONFIGS).insert(pointer.addr(), config);
    pointer
}

/// Destroys a configuration.
pub(crate) fn destroy(handle: *mut aclrtStreamConfigHandle) -> Fallible {
    ensure!(!handle.is_null(), ACL_ERROR_INVALID_PARAM, "handle is null");
    let mut configs = lock(&CONFIGS);
    let config = configs.get_mut(&handle.addr()).filter(|config| config.living);
    config.ok_or_else(|| unknown(handle))?.living = false;
    Ok(())
}

/// Sets a field.
///
/// # Safety
/// `value` is null or can be read for `size` bytes.
pub(crate) unsafe fn set(
    handle: *mut aclrtStreamConfigHandle,
    field: aclrtStreamConfigAttr,
    value: *const c_void,
    size: usize,
) -> Fallible {
    ensure!(!handle.is_null(), ACL_ERROR_INVALID_PARAM, "handle is null");
    ensure!(!value.is_null(), ACL_ERROR_INVALID_PARAM, "attrValue is null");
    let mut configs = lock(&CONFIGS);
    let config = configs.get_mut(&handle.addr()).filter(|config| config.living);
    let config = &mut config.ok_or_else(|| unknown(handle))?.fields;
    let wanted = match field {
        ACL_RT_STREAM_WORK_ADDR_PTR | ACL_RT_STREAM_WORK_SIZE | ACL_RT_STREAM_FLAG => size_of::<usize>(),
        ACL_RT_STREAM_PRIORITY => size_of::<u32>(),
        other => return Err(failure!(ACL_ERROR_INVALID_PARAM, "attr {} is unknown", other.0)),
    };
    ensure!(size == wanted, ACL_ERROR_INVALID_PARAM, "valueSize is {size}, not {wanted}");
    // SAFETY: `size` bytes can be read from the value, and each of these types may have any bits.
    unsafe {
        match field {
            ACL_RT_STREAM_WORK_ADDR_PTR => config.workptr = value.cast::<*mut c_void>().read_unaligned(),
            ACL_RT_STREAM_WORK_SIZE => config.workSize = value.cast::<usize>().read_unaligned(),
            ACL_RT_STREAM_FLAG => config.flag = value.cast::<usize>().read_unaligned(),
            _ => config.priority = value.cast::<u32>().read_unaligned(),
        }
    }
    Ok(())
}

/// Creates a stream with a configuration, or for null with that of `aclrtCreateStream`.
pub(crate) fn create_stream(stream: Out<aclrtStream>, handle: *const aclrtStreamConfigHandle) -> Fallible {
    let (flag, priority) = if handle.is_null() {
        (0, 0)
    } else {
        let configs = lock(&CONFIGS);
        let config = configs.get(&handle.addr()).filter(|config| config.living);
        let config = &config.ok_or_else(|| unknown(handle))?.fields;
        ensure!(
            config.workptr.is_null() && config.workSize == 0,
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "a stream here has no memory that its operators share"
        );
        (config.flag, config.priority)
    };
    create(stream, priority, u32::try_from(flag).unwrap_or(u32::MAX))
}

fn unknown(handle: *const aclrtStreamConfigHandle) -> crate::failure::Failure<aclnn_sys::AclError> {
    failure!(ACL_ERROR_INVALID_PARAM, "stream configuration {handle:?} does not exist, or was destroyed")
}

/// How many configurations live.
pub(crate) fn count() -> usize {
    lock(&CONFIGS).values().filter(|config| config.living).count()
}

/// Destroys all configurations.
pub(crate) fn clear() {
    lock(&CONFIGS).values_mut().for_each(|config| config.living = false);
}
