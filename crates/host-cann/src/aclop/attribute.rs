//! Attributes of operators. No operator reads any, so their values aren't kept.

use core::ffi::{c_char, c_int};

use aclnn_sys::{ACL_ERROR_INVALID_PARAM, aclopAttr};

use super::{pointer, text, unknown};
use crate::failure::{Fallible, ensure};
use crate::handle::{Kind, Table};

static ATTRIBUTES: Table<()> = Table::new(Kind::OpAttr);

pub(crate) fn create() -> Fallible<*mut aclopAttr> {
    pointer("attributes", ATTRIBUTES.insert(()))
}

/// Null is nothing to destroy.
pub(crate) fn destroy(attributes: *const aclopAttr) -> Fallible {
    if attributes.is_null() {
        return Ok(());
    }
    ATTRIBUTES.remove(attributes.addr()).ok_or_else(|| unknown("attr", attributes))
}

/// Takes a value.
///
/// # Safety
/// The name is null or a text with a NUL behind it.
pub(crate) unsafe fn set(attributes: *mut aclopAttr, name: *const c_char) -> Fallible {
    // SAFETY: the name is null or a text with a NUL behind it.
    unsafe { text(name, "attrName") }?;
    ATTRIBUTES.get(attributes.addr()).ok_or_else(|| unknown("attr", attributes))
}

/// Takes values, of which there are `count` at an address.
///
/// # Safety
/// The name is null or a text with a NUL behind it.
pub(crate) unsafe fn set_list<T>(
    attributes: *mut aclopAttr,
    name: *const c_char,
    count: c_int,
    values: *const T,
) -> Fallible {
    ensure!(count >= 0, ACL_ERROR_INVALID_PARAM, "the number of values, {count}, is negative");
    ensure!(count == 0 || !values.is_null(), ACL_ERROR_INVALID_PARAM, "values is null");
    // SAFETY: the name is null or a text with a NUL behind it.
    unsafe { set(attributes, name) }
}

/// How many sets of attributes there are.
pub(crate) fn count() -> usize {
    ATTRIBUTES.len()
}
