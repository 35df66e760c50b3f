//! The storage of an index, and its values.

use crate::cpu::prefetch::prefetch_row;
use crate::{DType, Index};

/// Evaluates an expression with the values of an index, whose type the compiler knows there.
macro_rules! with_values {
    ($index:expr, $values:ident => $of:expr) => {
        match $index {
            $crate::cpu::index::storage::IndexStorage::I32($values) => $of,
            $crate::cpu::index::storage::IndexStorage::I64($values) => $of,
        }
    };
}

pub(in crate::cpu) use with_values;

/// The storage of an index.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum IndexStorage {
    I32(*const i32),
    I64(*const i64),
}

// SAFETY: the index is only read, and nobody writes it during a call.
unsafe impl Sync for IndexStorage {}

// SAFETY: the address belongs to no thread; the index is only read.
unsafe impl Send for IndexStorage {}

impl IndexStorage {
    /// The storage at `start`; an empty index, which is never read, may have no index dtype.
    pub(in crate::cpu) fn new(dtype: Option<DType>, start: *const u8) -> Self {
        if dtype == Some(DType::I32) { Self::I32(start.cast()) } else { Self::I64(start.cast()) }
    }

    /// The storage from element `at` on.
    #[inline(always)]
    pub(in crate::cpu) const fn from(self, at: isize) -> Self {
        match self {
            Self::I32(index) => Self::I32(index.wrapping_offset(at)),
            Self::I64(index) => Self::I64(index.wrapping_offset(at)),
        }
    }

    /// Prefetches a row of values, or the start of one; there need not be any.
    #[inline(always)]
    pub(in crate::cpu) fn prefetch(self, at: isize, len: usize) {
        #[inline(always)]
        fn row<I>(start: *const I, len: usize) {
            prefetch_row(start.cast(), len * size_of::<I>());
        }
        with_values!(self, index => row(index.wrapping_offset(at), len));
    }

    /// The value at `at`.
    ///
    /// # Safety
    /// `at` is an element of the storage, which nobody writes.
    pub(in crate::cpu) unsafe fn read(self, at: isize) -> i64 {
        // SAFETY: `at` is an element of the storage, which nobody writes.
        with_values!(self, index => unsafe { index.offset(at).read().to_i64() })
    }
}

/// A value counted from the start of an axis of `size` elements, and a number that is negative
/// unless it lies in the axis. Many of these are folded by `|`: unlike unsigned comparisons, every
/// instruction set has it for vectors of 64-bit integers.
#[inline(always)]
pub(in crate::cpu) fn wrap_signed(value: i64, size: i64) -> (i64, i64) {
    // Nothing overflows: `size`, which isn't negative, is added to a negative value only, so that
    // `wrapped` is at least `i64::MIN + size` and can be subtracted from `size - 1`.
    let wrapped = value + (value >> 63 & size);
    (wrapped, wrapped | (size - 1 - wrapped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_wrapped_without_overflow_and_its_sign_says_whether_it_is_valid() {
        for size in [0, 1, 2, 64, i64::from(u32::MAX), i64::MAX] {
            for near in [i64::MIN, -size, 0, size, i64::MAX] {
                for value in (-2..=2).filter_map(|step| near.checked_add(step)) {
                    let (wrapped, sign) = wrap_signed(value, size);
                    let expected = if value < 0 { value + size } else { value };
                    assert_eq!(wrapped, expected, "{value} of {size}");
                    assert_eq!(sign >= 0, (0..size).contains(&expected), "{value} of {size}");
                }
            }
        }
    }
}
