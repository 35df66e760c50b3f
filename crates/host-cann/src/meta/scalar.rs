//! Scalars: one value with a dtype.

use core::ffi::c_void;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, aclDataType, aclScalar};

use super::tensor::element_size;
use super::{none_left, unknown};
use crate::entry::Out;
use crate::failure::{NnFallible, ensure};
use crate::handle::{Kind, Table};

/// Bytes of the largest value.
const LARGEST: usize = 16;

/// One value with a dtype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar {
    dtype: aclDataType,
    bytes: [u8; LARGEST],
}

static SCALARS: Table<Scalar> = Table::new(Kind::Scalar);

/// Creates a scalar from a value in host memory.
///
/// # Safety
/// The value is null or can be read as one of the dtype.
pub(crate) unsafe fn create(value: *const c_void, dtype: aclDataType) -> NnFallible<*mut aclScalar> {
    ensure!(!value.is_null(), ACLNN_ERR_PARAM_NULLPTR, "value is null");
    let size = element_size(dtype);
    ensure!(size > 0, ACLNN_ERR_PARAM_INVALID, "{dtype} has no whole number of bytes");
    let mut bytes = [0; LARGEST];
    // SAFETY: a value of this dtype can be read, and none is larger than the array.
    unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(value.cast(), size) };
    let handle = SCALARS.insert(Scalar { dtype, bytes }).ok_or_else(|| none_left("scalars"))?;
    Ok(core::ptr::without_provenance_mut(handle))
}

/// Destroys a scalar; null is nothing to destroy.
pub(crate) fn destroy(scalar: *const aclScalar) -> NnFallible {
    if scalar.is_null() {
        return Ok(());
    }
    SCALARS.remove(scalar.addr()).map(drop).ok_or_else(|| unknown("scalar", scalar))
}

/// Returns a scalar's dtype and value.
///
/// # Safety
/// `value` is null or has room for `size` bytes.
pub(crate) unsafe fn read(
    scalar: *const aclScalar,
    dtype: Out<aclDataType>,
    value: *mut u8,
    size: usize,
) -> NnFallible {
    ensure!(!scalar.is_null(), ACLNN_ERR_PARAM_NULLPTR, "scalar is null");
    ensure!(!value.is_null(), ACLNN_ERR_PARAM_NULLPTR, "value is null");
    let dtype = dtype.required_nn()?;
    let scalar = SCALARS.get(scalar.addr()).ok_or_else(|| unknown("scalar", scalar))?;
    let wanted = element_size(scalar.dtype);
    ensure!(
        size >= wanted,
        ACLNN_ERR_PARAM_INVALID,
        "a value of {} takes {wanted} bytes, not {size}",
        scalar.dtype
    );
    // SAFETY: `value` has room for `size` bytes, which are at least `wanted`; the array of a scalar
    // is as large as any value.
    unsafe { value.copy_from_nonoverlapping(scalar.bytes.as_ptr(), wanted) };
    dtype.put(scalar.dtype);
    Ok(())
}

/// How many scalars live.
pub(crate) fn count() -> usize {
    SCALARS.len()
}
