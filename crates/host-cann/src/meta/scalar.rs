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

/// Makes a scalar of a value in host memory.
///
/// # Safety
/// The value is null or can be read as one of the dtype.
pub(crate) unsafe fn create(value: *const c_void, dtype: aclDataType) -> NnFallible<*mut aclScalar> {
    ensure!(!value.is_null(), ACLNN_ERR_PARAM_NULLPTR, "value is null");
    let size = element_size(dtype);
    ensure!(size > 0, ACLNN_ERR_PARAM_INVALID, "{dtype} has no whole number of bytes");
    let mut bytes = [0; LARGEST];
    // SAFETY: the caller says that a value of this dtype can be read, and none is larger than the array.
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

/// Tells a scalar's dtype, and its value in 16 bytes of which the dtype's are used.
pub(crate) fn read(
    scalar: *const aclScalar,
    dtype: Out<aclDataType>,
    value: Out<[u8; LARGEST]>,
) -> NnFallible {
    ensure!(!scalar.is_null(), ACLNN_ERR_PARAM_NULLPTR, "scalar is null");
    let (dtype, value) = (dtype.required_nn()?, value.required_nn()?);
    let scalar = SCALARS.get(scalar.addr()).ok_or_else(|| unknown("scalar", scalar))?;
    dtype.put(scalar.dtype);
    value.put(scalar.bytes);
    Ok(())
}

/// How many scalars live.
pub(crate) fn count() -> usize {
    SCALARS.len()
}
