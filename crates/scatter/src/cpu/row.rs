//! One row of src, and rows to come.

use super::rows::Rows;
use crate::{Element, simd};

/// A row of more bytes is asked for in parts of so many.
const PART: usize = 1024;

/// The bytes of rows to come that are asked for.
const AHEAD: usize = 2048;

/// Rows of src as slices, also those that are stored as one element.
pub(super) struct Source<T> {
    /// Room for a row where they are.
    filled: Vec<T>,
    /// The element that it is filled with.
    from: *const T,
}

impl<T: Element> Source<T> {
    pub(super) fn new(rows: &Rows, width: usize) -> Self {
        let len = if rows.is_still { width } else { 0 };
        Self { filled: vec![T::zeroed(); len], from: core::ptr::null() }
    }

    /// The row at `at`.
    ///
    /// # Safety
    /// A row of src with so many elements; `width` is what [`Source::new`] got.
    #[inline(always)]
    pub(super) unsafe fn row(&mut self, at: *const T, width: usize) -> &[T] {
        if self.filled.is_empty() {
            // SAFETY: the caller's promise.
            return unsafe { core::slice::from_raw_parts(at, width) };
        }
        if self.from != at {
            // SAFETY: the caller's promise.
            self.filled.fill(unsafe { at.read() });
            self.from = at;
        }
        &self.filled
    }
}

/// The elements of a part of a long row: each part of the next one is asked for while the same part of this one is updated.
#[inline(always)]
pub(super) fn part<T>() -> usize {
    (PART / size_of::<T>()).max(1)
}

/// How many rows ahead to ask for.
#[inline(always)]
pub(super) fn ahead<T>(width: usize) -> usize {
    (AHEAD / (width * size_of::<T>()).max(1)).clamp(1, 16)
}

/// Asks for a row, or the start of one.
#[inline(always)]
pub(super) fn prefetch<T>(row: *const T, width: usize) {
    let bytes = (width * size_of::<T>()).min(PART);
    for line in (0..bytes).step_by(64) {
        simd::prefetch(row.cast::<u8>().wrapping_add(line));
    }
}
