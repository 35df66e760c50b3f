//! The compiler of operators, of which there are none: its settings can be changed and read.

use core::ffi::{CStr, c_char};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Mutex;

use aclnn_sys::{
    ACL_ERROR_API_NOT_SUPPORT, ACL_ERROR_INVALID_PARAM, ACL_ERROR_OP_NOT_FOUND, ACL_OP_COMPILE_FUZZ,
    ACL_OP_DEBUG_OPTION, ACL_OP_JIT_COMPILE, aclCompileOpt, aclOpCompileFlag,
};

use super::text;
use crate::failure::{Failure, Fallible, ensure, failure};
use crate::sync::lock;

/// Whether operators are compiled when they are first used, in CANN's words: never, as on devices
/// of the present generations.
const JIT_COMPILE: &CStr = c"disable";

static SETTINGS: Mutex<BTreeMap<u32, CString>> = Mutex::new(BTreeMap::new());

fn check(setting: aclCompileOpt) -> Fallible {
    ensure!(setting.0 <= ACL_OP_DEBUG_OPTION.0, ACL_ERROR_INVALID_PARAM, "opt {} is unknown", setting.0);
    Ok(())
}

/// # Safety
/// The value is null or a text with a NUL behind it.
pub(crate) unsafe fn set(setting: aclCompileOpt, value: *const c_char) -> Fallible {
    check(setting)?;
    // SAFETY: the value is null or a text with a NUL behind it.
    let value = unsafe { text(value, "value") }?;
    lock(&SETTINGS).insert(setting.0, value.to_owned());
    Ok(())
}

/// The bytes of a setting with its NUL; 0 of one that was not set.
///
/// As in CANN (`aclGetCompileopt` in its sources): `ACL_OP_JIT_COMPILE` always reads as its
/// default, even after it was set, and of the other settings only `ACL_OP_DEBUG_OPTION` can be
/// read.
pub(crate) fn size(setting: aclCompileOpt) -> Fallible<usize> {
    check(setting)?;
    if setting == ACL_OP_JIT_COMPILE {
        return Ok(JIT_COMPILE.count_bytes() + 1);
    }
    Ok(lock(&SETTINGS).get(&setting.0).map_or(0, |value| value.count_bytes() + 1))
}

/// Writes a setting.
///
/// # Safety
/// The address is null or has room for `length` bytes.
pub(crate) unsafe fn get(setting: aclCompileOpt, address: *mut c_char, length: usize) -> Fallible {
    ensure!(!address.is_null(), ACL_ERROR_INVALID_PARAM, "value is null");
    check(setting)?;
    let value = match setting {
        ACL_OP_JIT_COMPILE => Some(JIT_COMPILE.to_owned()),
        ACL_OP_DEBUG_OPTION => lock(&SETTINGS).get(&setting.0).cloned(),
        _ => None,
    };
    let value =
        value.ok_or_else(|| failure!(ACL_ERROR_API_NOT_SUPPORT, "opt {} can't be read", setting.0))?;
    let bytes = value.as_bytes_with_nul();
    ensure!(
        length >= bytes.len(),
        ACL_ERROR_INVALID_PARAM,
        "length {length} is less than the {} bytes of opt {}",
        bytes.len(),
        setting.0
    );
    // SAFETY: there is room for at least these bytes.
    unsafe { address.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}

/// Chooses for which shapes operators are compiled.
pub(crate) fn set_flag(flag: aclOpCompileFlag) -> Fallible {
    ensure!(flag.0 <= ACL_OP_COMPILE_FUZZ.0, ACL_ERROR_INVALID_PARAM, "flag {} is unknown", flag.0);
    Ok(())
}

/// Why an operator can't be called.
///
/// # Safety
/// The name is null or a text with a NUL behind it.
pub(crate) unsafe fn absent(name: *const c_char) -> Failure<aclnn_sys::AclError> {
    // SAFETY: the name is null or a text with a NUL behind it.
    match unsafe { text(name, "opType") } {
        Ok(name) => failure!(
            ACL_ERROR_OP_NOT_FOUND,
            "host-cann does not have the operator {}",
            name.to_string_lossy()
        ),
        Err(null) => null,
    }
}

/// Forgets the settings.
pub(crate) fn clear() {
    lock(&SETTINGS).clear();
}
