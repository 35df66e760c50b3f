//! Descriptions: dtype, shape, format and name of a tensor.

use core::ffi::{c_char, c_int, c_void};
use std::ffi::CString;

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT, aclDataType, aclFormat, aclMemType,
    aclTensorDesc,
};

use super::{pointer, text, unknown};
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::handle::{Kind, Table};
use crate::meta::tensor::element_size;

/// What is asked for again. The format and the shape in memory, and where the tensor lies, are for
/// operators alone.
struct Description {
    dtype: aclDataType,
    format: aclFormat,
    shape: Box<[i64]>,
    name: CString,
}

static DESCRIPTIONS: Table<Description> = Table::new(Kind::TensorDesc);

/// # Safety
/// The sizes are null, or `axes` of them can be read.
pub(crate) unsafe fn create(
    dtype: aclDataType,
    axes: c_int,
    sizes: *const i64,
    format: aclFormat,
) -> Fallible<*mut aclTensorDesc> {
    // SAFETY: the sizes are null, or `axes` of them can be read.
    let shape = unsafe { shape(axes, sizes) }?;
    let description = Description { dtype, format, shape: shape.into(), name: CString::default() };
    pointer("descriptions", DESCRIPTIONS.insert(description))
}

/// # Safety
/// The sizes are null, or `axes` of them can be read for as long as the result is used.
unsafe fn shape<'a>(axes: c_int, sizes: *const i64) -> Fallible<&'a [i64]> {
    let axes =
        usize::try_from(axes).map_err(|_| failure!(ACL_ERROR_INVALID_PARAM, "numDims {axes} is negative"))?;
    if axes == 0 {
        return Ok(&[]);
    }
    ensure!(!sizes.is_null(), ACL_ERROR_INVALID_PARAM, "dims is null, but there are {axes} of them");
    // SAFETY: the sizes are not null, and `axes` of them can be read.
    Ok(unsafe { core::slice::from_raw_parts(sizes, axes) })
}

/// Null is nothing to destroy.
pub(crate) fn destroy(description: *const aclTensorDesc) -> Fallible {
    if description.is_null() {
        return Ok(());
    }
    DESCRIPTIONS.remove(description.addr()).map(drop).ok_or_else(|| unknown("description", description))
}

fn look<R>(description: *const aclTensorDesc, look: impl FnOnce(&Description) -> R) -> Fallible<R> {
    DESCRIPTIONS.with(description.addr(), look).ok_or_else(|| unknown("description", description))
}

pub(crate) fn dtype(description: *const aclTensorDesc) -> Fallible<aclDataType> {
    look(description, |known| known.dtype)
}

pub(crate) fn format(description: *const aclTensorDesc) -> Fallible<aclFormat> {
    look(description, |known| known.format)
}

pub(crate) fn rank(description: *const aclTensorDesc) -> Fallible<usize> {
    look(description, |known| known.shape.len())
}

pub(crate) fn axis(description: *const aclTensorDesc, index: usize) -> Fallible<i64> {
    let (size, rank) = look(description, |known| (known.shape.get(index).copied(), known.shape.len()))?;
    size.ok_or_else(|| failure!(ACL_ERROR_INVALID_PARAM, "index {index} is not below {rank}, the axes"))
}

pub(crate) fn put_axis(description: *const aclTensorDesc, index: usize, size: Out<i64>) -> Fallible {
    let size = size.required()?;
    size.put(axis(description, index)?);
    Ok(())
}

/// The bytes of the tensor; 0 where they aren't known.
pub(crate) fn bytes(description: *const aclTensorDesc) -> Fallible<usize> {
    look(description, |known| {
        let mut sizes = known.shape.iter().map(|size| usize::try_from(*size).ok());
        sizes.try_fold(element_size(known.dtype), |bytes, size| bytes.checked_mul(size?)).unwrap_or(0)
    })
}

/// The name, which is valid until it is changed or the description destroyed.
pub(crate) fn name(description: *const aclTensorDesc) -> Fallible<*const c_char> {
    look(description, |known| known.name.as_ptr())
}

/// # Safety
/// The name is null or a text with a NUL behind it.
pub(crate) unsafe fn set_name(description: *mut aclTensorDesc, name: *const c_char) -> Fallible {
    // SAFETY: the name is null or a text with a NUL behind it.
    let name = unsafe { text(name, "name") }?.to_owned();
    DESCRIPTIONS
        .with_mut(description.addr(), |known| known.name = name)
        .ok_or_else(|| unknown("description", description))
}

/// Takes the format in memory.
pub(crate) fn set_format(description: *mut aclTensorDesc) -> Fallible {
    look(description, |_| ())
}

/// Takes the shape in memory.
///
/// # Safety
/// The sizes are null, or `axes` of them can be read.
pub(crate) unsafe fn set_shape(description: *mut aclTensorDesc, axes: c_int, sizes: *const i64) -> Fallible {
    // SAFETY: the sizes are null, or `axes` of them can be read.
    unsafe { shape(axes, sizes) }?;
    look(description, |_| ())
}

/// Takes the value of a constant.
pub(crate) fn set_value(description: *mut aclTensorDesc, data: *const c_void, bytes: usize) -> Fallible {
    ensure!(bytes == 0 || !data.is_null(), ACL_ERROR_INVALID_PARAM, "dataBuffer is null");
    look(description, |_| ())
}

/// Takes where the tensor lies.
pub(crate) fn set_place(description: *mut aclTensorDesc, place: aclMemType) -> Fallible {
    ensure!(
        place.0 <= ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT.0,
        ACL_ERROR_INVALID_PARAM,
        "memType {} is unknown",
        place.0
    );
    look(description, |_| ())
}

/// How many descriptions there are.
pub(crate) fn count() -> usize {
    DESCRIPTIONS.len()
}
