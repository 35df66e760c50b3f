//! A layout with its data.

use crate::{Bool, Layout, LayoutError};

/// A read-only tensor over a slice: strides may be 0 or negative.
///
/// ```
/// use scatter::View;
/// let data = [1.0_f32, 2.0, 3.0];
/// let rows = View::strided(&data, &[1000, 3], &[0, 1], 0)?; // one row, a thousand times
/// assert_eq!(rows.layout().elements(), 3000);
/// # Ok::<(), scatter::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    data: &'a [T],
    layout: Layout,
}

/// A tensor over a slice that a scatter can write.
///
/// ```
/// use scatter::ViewMut;
/// let mut data = [0.0_f32; 6];
/// let transposed = ViewMut::strided(&mut data, &[3, 2], &[1, 3], 0)?;
/// assert_eq!(transposed.layout().address(&[2, 1]), 5);
/// # Ok::<(), scatter::LayoutError>(())
/// ```
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    data: &'a mut [T],
    layout: Layout,
}

impl<'a, T> View<'a, T> {
    /// A contiguous tensor of `shape`, in row-major order, at the start of `data`.
    ///
    /// # Errors
    /// [`LayoutError`] where `data` is shorter than the shape asks for.
    pub fn new(data: &'a [T], shape: &[usize]) -> Result<Self, LayoutError> {
        Ok(Self { layout: Layout::contiguous(shape, data.len())?, data })
    }

    /// A tensor of `shape` whose element `[i…]` is `data[offset + i·strides]`.
    ///
    /// # Errors
    /// As [`Layout::new`].
    pub fn strided(
        data: &'a [T],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, LayoutError> {
        Ok(Self { layout: Layout::new(shape, strides, offset, data.len())?, data })
    }

    /// The layout; its storage is the slice.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The storage.
    #[must_use]
    pub const fn data(&self) -> &'a [T] {
        self.data
    }
}

impl<'a> View<'a, Bool> {
    /// A contiguous bool tensor of `shape` over a slice of Rust's `bool` ([`Bool::slice`] for other
    /// layouts).
    ///
    /// # Errors
    /// As [`View::new`].
    pub fn from_bools(data: &'a [bool], shape: &[usize]) -> Result<Self, LayoutError> {
        Self::new(Bool::slice(data), shape)
    }
}

impl<'a, T> ViewMut<'a, T> {
    /// A contiguous tensor of `shape`, in row-major order, at the start of `data`.
    ///
    /// # Errors
    /// [`LayoutError`] where `data` is shorter than the shape asks for.
    pub fn new(data: &'a mut [T], shape: &[usize]) -> Result<Self, LayoutError> {
        Ok(Self { layout: Layout::contiguous(shape, data.len())?, data })
    }

    /// A tensor of `shape` whose element `[i…]` is `data[offset + i·strides]`. Whether elements
    /// overlap is for [`crate::Problem`] to say.
    ///
    /// # Errors
    /// As [`Layout::new`].
    pub fn strided(
        data: &'a mut [T],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, LayoutError> {
        Ok(Self { layout: Layout::new(shape, strides, offset, data.len())?, data })
    }

    /// The layout; its storage is the slice.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The storage.
    #[must_use]
    pub const fn data(&self) -> &[T] {
        self.data
    }

    /// The storage, to write.
    pub const fn data_mut(&mut self) -> &mut [T] {
        self.data
    }

    /// The same tensor, to read.
    #[must_use]
    pub const fn as_view(&self) -> View<'_, T> {
        View { data: self.data, layout: self.layout }
    }
}
