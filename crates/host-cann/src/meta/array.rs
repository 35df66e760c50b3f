//! Arrays of integers, floats and truth values.

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, aclBoolArray, aclFloatArray, aclIntArray};

use super::{copied, none_left, unknown};
use crate::entry::Out;
use crate::failure::{NnFallible, ensure, failure};
use crate::handle::{Kind, Table};

/// The arrays of one kind.
pub(crate) struct Arrays<T> {
    what: &'static str,
    table: Table<Box<[T]>>,
}

/// `aclIntArray`.
pub(crate) static INTEGERS: Arrays<i64> = Arrays { what: "integer array", table: Table::new(Kind::IntArray) };
/// `aclFloatArray`.
pub(crate) static FLOATS: Arrays<f32> = Arrays { what: "float array", table: Table::new(Kind::FloatArray) };
/// `aclBoolArray`; bytes, because C may store other values than 0 and 1.
pub(crate) static BOOLS: Arrays<u8> = Arrays { what: "bool array", table: Table::new(Kind::BoolArray) };

/// The C type of an array.
pub(crate) trait Handle {}
impl Handle for aclIntArray {}
impl Handle for aclFloatArray {}
impl Handle for aclBoolArray {}

impl<T: Copy> Arrays<T> {
    /// Makes an array of a copy of the values.
    ///
    /// # Safety
    /// The values are null or can be read.
    pub(crate) unsafe fn create<H: Handle>(&self, values: *const T, count: u64) -> NnFallible<*mut H> {
        // SAFETY: the values are null, or `count` of them can be read.
        let values = unsafe { copied(values, count, "value") }?;
        let handle = self.table.insert(values).ok_or_else(|| none_left("arrays"))?;
        Ok(core::ptr::without_provenance_mut(handle))
    }

    /// Destroys an array; null is nothing to destroy.
    pub(crate) fn destroy<H: Handle>(&self, array: *const H) -> NnFallible {
        if array.is_null() {
            return Ok(());
        }
        self.table.remove(array.addr()).map(drop).ok_or_else(|| unknown(self.what, array))
    }

    /// Returns how many values there are.
    pub(crate) fn size<H: Handle>(&self, array: *const H, size: Out<u64>) -> NnFallible {
        ensure!(!array.is_null(), ACLNN_ERR_PARAM_NULLPTR, "array is null");
        let size = size.required_nn()?;
        let count = self.table.with(array.addr(), |values| values.len());
        size.put(count.ok_or_else(|| unknown(self.what, array))? as u64);
        Ok(())
    }

    /// Returns the value at a place.
    pub(crate) fn read<H: Handle>(&self, array: *const H, index: u64, value: Out<T>) -> NnFallible {
        ensure!(!array.is_null(), ACLNN_ERR_PARAM_NULLPTR, "array is null");
        let to = value.required_nn()?;
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let found = self.table.with(array.addr(), |values| (values.get(place).copied(), values.len()));
        let (value, size) = found.ok_or_else(|| unknown(self.what, array))?;
        let value = value
            .ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "index {index} is not within {size} values"))?;
        to.put(value);
        Ok(())
    }
}

/// How many arrays live.
pub(crate) fn count() -> usize {
    INTEGERS.table.len() + FLOATS.table.len() + BOOLS.table.len()
}
