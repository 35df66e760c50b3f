//! Views: the same elements, or some of them, with another shape and other strides.

use core::ops::Range;

use scatter::{Layout, MAX_RANK};

use super::{IntoShape, Kind, TensorBase};
use crate::error::{Error, Result};

/// Views of a part of a tensor, or of its elements with other axes. None of these methods copies;
/// each takes a tensor by value and returns one of the same form: `tensor.view().transpose(0, 1)?`
/// reads, `tensor.view_mut().narrow(0, 2..4)?` writes, and `tensor.share().reshape([6])?` owns the
/// memory together with `tensor`.
impl<H, K: Kind> TensorBase<H, K> {
    /// The part of the tensor within a range of one axis.
    ///
    /// # Errors
    /// [`Error::Axis`], [`Error::Range`].
    pub fn narrow(self, axis: usize, range: Range<usize>) -> Result<Self> {
        let layout = slice("narrow", self.layout(), axis, range, 1)?;
        Ok(self.relaid(layout))
    }

    /// Every `step`-th element of a range of one axis, beginning with the first of the range.
    ///
    /// # Errors
    /// [`Error::Axis`], [`Error::Range`]; [`Error::Step`] for a step of 0.
    pub fn slice(self, axis: usize, range: Range<usize>, step: usize) -> Result<Self> {
        let layout = slice("slice", self.layout(), axis, range, step)?;
        Ok(self.relaid(layout))
    }

    /// Swaps two axes.
    ///
    /// # Errors
    /// [`Error::Axis`].
    pub fn transpose(self, first: usize, second: usize) -> Result<Self> {
        let layout = transpose(self.layout(), first, second)?;
        Ok(self.relaid(layout))
    }

    /// Broadcasts the tensor to `shape`: repeats its elements along axes of size 1, and along new
    /// axes in front.
    ///
    /// The result is meant to be read, as an index or a src; the repetitions use no memory.
    ///
    /// # Errors
    /// [`Error::Expand`] where a size other than 1 would change; [`Error::Shape`] where `shape` has
    /// fewer axes; [`Error::Layout`] for more than eight axes, or a number of elements that
    /// overflows.
    pub fn expand(self, shape: impl IntoShape) -> Result<Self> {
        let layout = expand(self.layout(), &shape.to_sizes())?;
        Ok(self.relaid(layout))
    }

    /// The elements in the same row-major order with another shape, where that needs no copy.
    ///
    /// # Errors
    /// [`Error::Shape`] for a shape with another number of elements, and for one that needs a copy
    /// ([`contiguous`](TensorBase::contiguous) makes one); [`Error::Layout`] for more than eight
    /// axes.
    pub fn reshape(self, shape: impl IntoShape) -> Result<Self> {
        let layout = reshape(self.layout(), &shape.to_sizes())?;
        Ok(self.relaid(layout))
    }
}

/// Whether the elements lie in row-major order, without gaps.
pub(super) fn is_contiguous(layout: &Layout) -> bool {
    let mut expected = 1_usize;
    layout.is_empty()
        || layout.shape().iter().zip(layout.strides()).rev().all(|(&size, &stride)| {
            let fits = size == 1 || usize::try_from(stride) == Ok(expected);
            expected = expected.wrapping_mul(size);
            fits
        })
}

/// Refuses an axis that the tensor does not have.
pub(super) fn check_axis(call: &'static str, layout: &Layout, axis: usize) -> Result<()> {
    let expected = layout.rank();
    if axis < expected { Ok(()) } else { Err(Error::Axis { call, expected, got: axis }) }
}

/// The layout of every `step`-th element of a range of an axis. `call` is the method's name for
/// errors.
fn slice(
    call: &'static str,
    layout: &Layout,
    axis: usize,
    range: Range<usize>,
    step: usize,
) -> Result<Layout> {
    check_axis(call, layout, axis)?;
    let (mut shape, mut strides) = (layout.shape().to_vec(), layout.strides().to_vec());
    let size = shape[axis];
    let Range { start, end } = range;
    if start > end || end > size {
        return Err(Error::Range { call, axis, expected: size, start, end });
    }
    if step == 0 {
        return Err(Error::Step { call });
    }
    let mut origin = [0; MAX_RANK];
    origin[axis] = start;
    // An empty range or tensor has no first element, and the address computed for one might lie
    // outside the storage.
    let offset = if start < size && !layout.is_empty() {
        layout.address(&origin[..layout.rank()])
    } else {
        layout.offset()
    };
    shape[axis] = (end - start).div_ceil(step);
    strides[axis] = strides[axis].saturating_mul(isize::try_from(step).unwrap_or(isize::MAX));
    if shape[axis] <= 1 {
        strides[axis] = layout.strides()[axis];
    }
    Ok(Layout::new(&shape, &strides, offset, layout.storage_len())?)
}

pub(super) fn transpose(layout: &Layout, first: usize, second: usize) -> Result<Layout> {
    check_axis("transpose", layout, first)?;
    check_axis("transpose", layout, second)?;
    let (mut shape, mut strides) = (layout.shape().to_vec(), layout.strides().to_vec());
    shape.swap(first, second);
    strides.swap(first, second);
    Ok(Layout::new(&shape, &strides, layout.offset(), layout.storage_len())?)
}

/// The error for a shape that a view or a copy can't have.
pub(crate) fn refused(call: &'static str, layout: &Layout, shape: &[usize], problem: &'static str) -> Error {
    Error::Shape { call, problem, from: layout.shape().to_vec(), to: shape.to_vec() }
}

fn expand(layout: &Layout, shape: &[usize]) -> Result<Layout> {
    let Some(new) = shape.len().checked_sub(layout.rank()) else {
        return Err(refused("expand", layout, shape, "the new shape has fewer axes"));
    };
    let mut strides = vec![0; shape.len()];
    for (axis, (&size, &stride)) in layout.shape().iter().zip(layout.strides()).enumerate() {
        let wanted = shape[new + axis];
        if size == wanted {
            strides[new + axis] = stride;
        } else if size != 1 {
            return Err(Error::Expand { axis: new + axis, expected: size, got: wanted });
        }
    }
    Ok(Layout::new(shape, &strides, layout.offset(), layout.storage_len())?)
}

fn reshape(layout: &Layout, shape: &[usize]) -> Result<Layout> {
    let refused = |problem| refused("reshape", layout, shape, problem);
    let count = shape.iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
    let is_empty = shape.contains(&0);
    if is_empty != layout.is_empty() || (!is_empty && count != Some(layout.elements())) {
        return Err(refused("another number of elements"));
    }
    let strides = restride(layout, shape).ok_or_else(|| refused("it needs a copy"))?;
    Ok(Layout::new(shape, &strides, layout.offset(), layout.storage_len())?)
}

/// The strides with which the elements have another shape; `None` if no strides can.
///
/// Divides the axes of both shapes into groups of equal product. The old axes of a group must fold
/// into a single axis with one stride, which the new axes of the group then split.
fn restride(layout: &Layout, shape: &[usize]) -> Option<Vec<isize>> {
    let mut strides = vec![1_isize; shape.len()];
    if layout.is_empty() {
        return Some(strides);
    }
    let mut old = layout
        .shape()
        .iter()
        .copied()
        .zip(layout.strides().iter().copied())
        .filter(|(size, _)| *size != 1)
        .rev();
    let mut axis = shape.len();
    while let Some((size, stride)) = old.next() {
        let (mut product, mut next) = (size, stride.checked_mul(size.try_into().ok()?));
        let (mut covered, mut step) = (1_usize, stride);
        while covered < product || axis > 0 && shape[axis - 1] == 1 {
            axis = axis.checked_sub(1)?;
            strides[axis] = step;
            covered = covered.checked_mul(shape[axis])?;
            step = step.checked_mul(shape[axis].try_into().ok()?)?;
            // The new axis extends into the next old axis, which must continue where this one ends.
            while covered > product {
                let (size, stride) = old.next().filter(|(_, stride)| Some(*stride) == next)?;
                product = product.checked_mul(size)?;
                next = stride.checked_mul(size.try_into().ok()?);
            }
        }
        if covered != product {
            return None;
        }
    }
    Some(strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contiguous(shape: &[usize]) -> Layout {
        Layout::contiguous(shape, shape.iter().product()).unwrap()
    }

    /// Every address of a layout, in row-major order.
    fn addresses(layout: &Layout) -> Vec<usize> {
        layout.shape().coordinates().map(|coordinates| layout.address(&coordinates)).collect()
    }

    #[test]
    fn a_reshape_keeps_the_order_or_refuses() {
        let base = contiguous(&[4, 6, 5]);
        let transposed = transpose(&base, 0, 1).unwrap();
        let narrow = slice("slice", &base, 1, 1..4, 1).unwrap();
        let every_second = slice("slice", &base, 2, 0..5, 2).unwrap();
        let expanded = expand(&contiguous(&[3, 1]), &[3, 4]).unwrap();
        let mut seen = [0, 0];
        for layout in [base, transposed, narrow, every_second, expanded, contiguous(&[]), contiguous(&[1, 1])]
        {
            for shape in [
                &[120][..],
                &[4, 30],
                &[24, 5],
                &[2, 2, 6, 5],
                &[4, 2, 3, 5],
                &[4, 6, 5, 1],
                &[1, 4, 6, 1, 5],
                &[8, 15],
                &[6, 4, 5],
                &[3, 2, 4, 5],
                &[6, 20],
                &[4, 15],
                &[60],
                &[4, 3, 5, 1],
                &[2, 2, 15],
                &[24, 3],
                &[12, 2, 3],
                &[72],
                &[4, 18],
                &[12],
                &[3, 2, 2],
                &[6, 2],
                &[3, 4, 1],
                &[],
                &[1],
                &[1, 1, 1],
            ] {
                if shape.iter().product::<usize>() != layout.elements() {
                    assert!(reshape(&layout, shape).is_err());
                    continue;
                }
                let wanted = addresses(&layout);
                match reshape(&layout, shape) {
                    Ok(reshaped) => {
                        assert_eq!(addresses(&reshaped), wanted, "{layout:?} to {shape:?}");
                        seen[0] += 1;
                    }
                    Err(_) => {
                        assert!(!is_contiguous(&layout), "{layout:?} to {shape:?}");
                        seen[1] += 1;
                    }
                }
            }
        }
        assert!(seen[0] > 20 && seen[1] > 5, "{seen:?}");
        // Axes can be folded where one continues the other, and nowhere else.
        assert!(reshape(&narrow, &[4, 15]).is_ok() && reshape(&narrow, &[60]).is_err());
        assert!(reshape(&expanded, &[3, 2, 2]).is_ok() && reshape(&expanded, &[12]).is_err());
    }

    #[test]
    fn slices_lie_where_they_should() {
        let base = contiguous(&[4, 5]);
        assert_eq!(addresses(&slice("slice", &base, 1, 1..5, 3).unwrap()), [1, 4, 6, 9, 11, 14, 16, 19]);
        assert_eq!(addresses(&slice("slice", &base, 0, 3..4, 1).unwrap()), [15, 16, 17, 18, 19]);
        assert!(slice("slice", &base, 0, 4..4, 1).unwrap().is_empty());
        assert!(slice("slice", &base, 0, 2..2, usize::MAX).unwrap().is_empty());
        assert_eq!(addresses(&slice("slice", &base, 1, 0..5, usize::MAX).unwrap()), [0, 5, 10, 15]);
        for (axis, range, step) in [(0, 0..5, 1), (0, Range { start: 3, end: 2 }, 1), (1, 5..6, 1)] {
            assert!(matches!(slice("slice", &base, axis, range, step), Err(Error::Range { .. })));
        }
        assert!(matches!(slice("slice", &base, 1, 0..5, 0), Err(Error::Step { .. })));
        assert!(matches!(slice("slice", &base, 2, 0..1, 1), Err(Error::Axis { expected: 2, got: 2, .. })));
    }

    #[test]
    fn expand_repeats_ones_alone() {
        let column = contiguous(&[3, 1]);
        assert_eq!(addresses(&expand(&column, &[2, 3, 2]).unwrap()), [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
        assert!(expand(&column, &[3, 0]).unwrap().is_empty());
        for shape in [&[4, 1][..], &[3], &[3, 1, 2], &[1; 9]] {
            assert!(expand(&column, shape).is_err(), "{shape:?}");
        }
    }
}
