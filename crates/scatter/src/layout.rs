//! Where the elements of a tensor lie in its storage.

use core::ops::{Range, RangeInclusive};

use crate::overlap::self_overlap;
use crate::shape::{MAX_RANK, Shape, element_count};

/// Shape, strides in elements, storage offset and storage length of a tensor; no data.
///
/// Every element's address is proved to lie inside the storage when a layout is made, so an engine
/// that steps through it needs no checks of its own. Strides may be 0 (an expanded tensor) or
/// negative (a flipped one).
///
/// ```
/// use scatter::Layout;
/// // A row of three, expanded to four rows: element [i][j] is element j of the storage.
/// let expanded = Layout::new(&[4, 3], &[0, 1], 0, 3)?;
/// assert_eq!(expanded.address(&[2, 1]), 1);
/// assert!(Layout::new(&[4, 3], &[3, 1], 0, 11).is_err());
/// # Ok::<(), scatter::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Shape,
    strides: [isize; MAX_RANK],
    offset: usize,
    storage_len: usize,
}

/// Why there is no such layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// More axes than a tensor can have.
    #[error("rank {expected} at most expected, got {got}")]
    Rank {
        /// The most axes, [`MAX_RANK`].
        expected: usize,
        /// The axes given.
        got: usize,
        /// Whether a tensor of that shape would have no elements.
        empty: bool,
    },
    /// Another number of strides than of sizes.
    #[error("{expected} strides expected, one per axis, got {got}")]
    Strides {
        /// The number of sizes.
        expected: usize,
        /// The number of strides.
        got: usize,
    },
    /// The number of elements, or an element's address, doesn't fit the machine's address type.
    #[error("axis {axis}: size {size} with stride {stride} overflows the address arithmetic")]
    Overflow {
        /// The axis at which it overflows.
        axis: usize,
        /// Its size.
        size: usize,
        /// Its stride.
        stride: isize,
    },
    /// An element lies outside the storage.
    #[error("elements {lowest} to {highest} of the storage are addressed, expected 0 to below {storage_len}")]
    Outside {
        /// The lowest address, in elements.
        lowest: isize,
        /// The highest address, in elements.
        highest: isize,
        /// The elements in the storage.
        storage_len: usize,
    },
}

impl LayoutError {
    fn rank(shape: &[usize]) -> Self {
        Self::Rank { expected: MAX_RANK, got: shape.len(), empty: element_count(shape) == Some(0) }
    }
}

impl Layout {
    /// A tensor of `shape` whose element `[i…]` is element `offset + i·strides` of a storage of
    /// `storage_len` elements.
    ///
    /// # Errors
    /// [`LayoutError`], in this order: strides that don't go with the shape, arithmetic that
    /// overflows, an element outside the storage, more than [`MAX_RANK`] axes. A tensor without
    /// elements addresses nothing, so any offset will do; its other sizes, and its strides, must
    /// not overflow all the same.
    pub fn new(
        shape: &[usize],
        strides: &[isize],
        offset: usize,
        storage_len: usize,
    ) -> Result<Self, LayoutError> {
        expect_strides(shape, strides)?;
        prove_inside(shape, strides, offset, storage_len)?;
        let Some(sizes) = Shape::new(shape) else {
            return Err(LayoutError::rank(shape));
        };
        let mut fixed = [0; MAX_RANK];
        fixed[..strides.len()].copy_from_slice(strides);
        Ok(Self { shape: sizes, strides: fixed, offset, storage_len })
    }

    /// A contiguous tensor of `shape`, in row-major order, at the start of a storage of
    /// `storage_len` elements.
    ///
    /// # Errors
    /// As [`Layout::new`].
    pub fn contiguous(shape: &[usize], storage_len: usize) -> Result<Self, LayoutError> {
        let (mut few, mut many) = ([1_isize; MAX_RANK], Vec::new());
        let strides = few.get_mut(..shape.len()).unwrap_or_else(|| {
            // Too many axes, but the rules before that one have their turn.
            many.resize(shape.len(), 1);
            &mut many
        });
        // Sizes whose product overflows give strides that `new` refuses.
        for axis in (1..shape.len()).rev() {
            let size = isize::try_from(shape[axis].max(1)).unwrap_or(isize::MAX);
            strides[axis - 1] = strides[axis].saturating_mul(size);
        }
        Self::new(shape, strides, 0, storage_len)
    }

    /// A tensor of `shape` in the smallest storage that holds it: from its lowest element to its
    /// highest.
    ///
    /// Element `[0…]` is [`offset`](Layout::offset) elements behind the lowest, so that its address
    /// alone tells where the storage begins, however the strides run. A tensor without elements has
    /// a storage of none.
    ///
    /// ```
    /// use scatter::Layout;
    /// let flipped = Layout::enclosing(&[2, 3], &[4, -1])?;
    /// assert_eq!((flipped.offset(), flipped.storage_len()), (2, 7));
    /// assert_eq!(flipped.span(), Some(0..=6));
    /// # Ok::<(), scatter::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Layout::new`]; no element is outside.
    pub fn enclosing(shape: &[usize], strides: &[isize]) -> Result<Self, LayoutError> {
        expect_strides(shape, strides)?;
        let (lowest, highest) = reach(shape, strides, 0)?;
        if shape.contains(&0) {
            return Self::new(shape, strides, 0, 0);
        }
        // Neither is above isize::MAX, so that the sum fits; `new` refuses one that no address
        // fits.
        let (before, behind) = (lowest.unsigned_abs(), highest.unsigned_abs());
        Self::new(shape, strides, before, before + behind + 1)
    }

    /// The sizes of the axes.
    #[must_use]
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The strides of the axes, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.rank()]
    }

    /// The address of element `[0…]` in the storage, in elements.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The elements in the storage.
    #[must_use]
    pub const fn storage_len(&self) -> usize {
        self.storage_len
    }

    /// The number of axes.
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The number of elements that the layout addresses, an expanded one as often as it is
    /// addressed.
    #[must_use]
    pub fn elements(&self) -> usize {
        // Proved not to overflow at construction.
        self.shape.iter().product()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The lowest and the highest element of the storage that the layout addresses; `None` where it
    /// has no element.
    #[must_use]
    pub fn span(&self) -> Option<RangeInclusive<usize>> {
        if self.is_empty() {
            return None;
        }
        // Proved to be addresses in the storage at construction.
        let (mut lowest, mut highest) = (self.offset, self.offset);
        for (&size, &stride) in self.shape.iter().zip(self.strides()) {
            let reach = (size - 1) * stride.unsigned_abs();
            if stride < 0 { lowest -= reach } else { highest += reach }
        }
        Some(lowest..=highest)
    }

    /// Whether two elements have one address; true also where that would take too long to tell.
    #[must_use]
    pub fn overlaps_itself(&self) -> bool {
        self_overlap(self).is_some()
    }

    /// The address in the storage, in elements, of the element at these coordinates: one for each
    /// axis, below its size. For others the number means nothing.
    #[must_use]
    pub fn address(&self, coordinates: &[usize]) -> usize {
        coordinates.iter().zip(self.strides()).fold(self.offset, |address, (&i, &stride)| {
            address.wrapping_add_signed((i as isize).wrapping_mul(stride))
        })
    }

    /// The same tensor with at least one axis: rank 0 counts as `[1]`.
    pub(crate) fn at_least_1d(mut self) -> Self {
        if self.rank() == 0 {
            self.shape = Shape::zeros(1);
            self.shape.sizes_mut()[0] = 1;
            self.strides[0] = 1;
        }
        self
    }

    /// The same tensor with one more axis, the last, of one element; `None` where it has all the
    /// axes that there can be.
    pub(crate) fn with_axis_of_one(mut self) -> Option<Self> {
        let (mut sizes, rank) = ([1; MAX_RANK], self.rank());
        sizes[..rank].copy_from_slice(&self.shape);
        self.shape = Shape::new(sizes.get(..rank + 1)?)?;
        self.strides[rank] = 1;
        Some(self)
    }

    /// The same tensor with one more axis, the first, of one element; `None` where it has all the
    /// axes that there can be.
    pub(crate) fn as_one_row(mut self) -> Option<Self> {
        let rank = self.rank();
        let mut sizes = [1; MAX_RANK];
        sizes.get_mut(1..=rank)?.copy_from_slice(&self.shape);
        self.shape = Shape::new(sizes.get(..=rank)?)?;
        self.strides.copy_within(..rank, 1);
        Some(self)
    }

    /// One element, as a tensor of a shape.
    pub(crate) const fn one_for_all(shape: Shape) -> Self {
        Self { shape, strides: [0; MAX_RANK], offset: 0, storage_len: 1 }
    }

    /// The shape without repetitions: along an axis with a stride of 0 all elements are the first.
    pub(crate) fn distinct(&self) -> Shape {
        let mut shape = self.shape;
        for (size, stride) in shape.sizes_mut().iter_mut().zip(self.strides()) {
            if *stride == 0 {
                *size = (*size).min(1);
            }
        }
        shape
    }

    /// This tensor of one axis, repeated to a shape in which `axis` has its size: all other axes
    /// get a stride of 0. `None` where there would be too many elements to count.
    pub(crate) fn repeated(&self, shape: &Shape, axis: usize) -> Option<Self> {
        let mut strides = [0; MAX_RANK];
        strides[axis] = self.strides[0];
        Self::new(shape, &strides[..shape.rank()], self.offset, self.storage_len).ok()
    }

    /// The contiguous elements of a shape, repeated, with strides of 0, along the axes on which
    /// another shape is longer.
    pub(crate) fn repeating(distinct: &Shape, shape: &Shape) -> Result<Self, LayoutError> {
        let dense = Self::contiguous(distinct, distinct.elements().unwrap_or(usize::MAX))?;
        let mut strides = dense.strides;
        for (axis, stride) in strides.iter_mut().enumerate().take(shape.rank()) {
            if distinct[axis] != shape[axis] {
                *stride = 0;
            }
        }
        Self::new(shape, &strides[..shape.rank()], 0, dense.storage_len)
    }

    /// This tensor of two axes, repeated along a third, the last.
    pub(crate) fn with_axis_of_zeros(mut self, size: usize) -> Self {
        let [rows, columns] = [0, 1].map(|axis| self.shape[axis]);
        self.shape = Shape::zeros(3);
        self.shape.sizes_mut().copy_from_slice(&[rows, columns, size]);
        self.strides[2] = 0;
        self
    }

    /// The same tensor with neighbouring axes moved to an earlier position.
    pub(crate) fn with_axes_ahead(mut self, axes: Range<usize>, place: usize) -> Self {
        let moved = place..axes.end;
        self.shape.sizes_mut()[moved.clone()].rotate_right(axes.len());
        self.strides[moved].rotate_right(axes.len());
        self
    }

    /// The same tensor with its first `count` axes as one; `None` where they don't follow one
    /// another by a single step.
    pub(crate) fn with_leading_merged(&self, count: usize) -> Option<Self> {
        let last = count.checked_sub(1)?;
        let (mut size, mut step) = (1_usize, self.strides[last]);
        for axis in (0..count).rev() {
            let (own, stride) = (*self.shape.get(axis)?, self.strides[axis]);
            if size == 1 {
                step = stride;
            } else if own != 1 && Some(stride) != step.checked_mul(isize::try_from(size).ok()?) {
                return None;
            }
            size = size.checked_mul(own)?;
        }
        let mut merged = *self;
        let mut sizes = [0; MAX_RANK];
        let rank = self.rank() - last;
        sizes[..rank].copy_from_slice(&self.shape[last..]);
        sizes[0] = size;
        merged.shape = Shape::new(&sizes[..rank])?;
        merged.strides.copy_within(last.., 0);
        merged.strides[0] = step;
        Some(merged)
    }

    /// Broadcasts this tensor to `shape` by NumPy's rules, with strides of 0. The error names the
    /// axis that doesn't match, or no axis if there are too many, and the size expected there, or
    /// the expected rank.
    pub(crate) fn broadcast(mut self, shape: &Shape) -> Result<Self, (Option<usize>, usize)> {
        let (rank, own) = (shape.rank(), self.rank());
        let Some(new) = rank.checked_sub(own) else { return Err((None, rank)) };
        let mut strides = [0; MAX_RANK];
        for axis in 0..own {
            let (expected, got) = (shape[new + axis], self.shape[axis]);
            if got == expected {
                strides[new + axis] = self.strides[axis];
            } else if got != 1 {
                return Err((Some(axis), expected));
            }
        }
        (self.shape, self.strides) = (*shape, strides);
        Ok(self)
    }

    /// The leading block of this tensor with the sizes of `shape`, none of which is larger, and no
    /// fewer axes.
    pub(crate) const fn leading_block(mut self, shape: &Shape) -> Self {
        self.shape = *shape;
        self
    }
}

/// One stride for each axis.
fn expect_strides(shape: &[usize], strides: &[isize]) -> Result<(), LayoutError> {
    let (expected, got) = (shape.len(), strides.len());
    if expected == got { Ok(()) } else { Err(LayoutError::Strides { expected, got }) }
}

/// The lowest and the highest address of the elements, where element `[0…]` has the address
/// `start`: proves that the elements can be counted and reached without overflow. Axes of size 0
/// are left out.
fn reach(shape: &[usize], strides: &[isize], start: isize) -> Result<(isize, isize), LayoutError> {
    let (mut count, mut lowest, mut highest) = (1_usize, start, start);
    for (axis, (&size, &stride)) in shape.iter().zip(strides).enumerate().filter(|(_, (size, _))| **size != 0)
    {
        let overflow = LayoutError::Overflow { axis, size, stride };
        count = count.checked_mul(size).filter(|&count| isize::try_from(count).is_ok()).ok_or(overflow)?;
        let reach =
            isize::try_from(size - 1).ok().and_then(|steps| steps.checked_mul(stride)).ok_or(overflow)?;
        let end = if reach < 0 { &mut lowest } else { &mut highest };
        // Each end can be counted from the other side, too.
        *end = end.checked_add(reach).filter(|end| *end != isize::MIN).ok_or(overflow)?;
    }
    Ok((lowest, highest))
}

/// Proves [`reach`], and that each element lies inside the storage.
fn prove_inside(
    shape: &[usize],
    strides: &[isize],
    offset: usize,
    storage_len: usize,
) -> Result<(), LayoutError> {
    let outside = |lowest, highest| LayoutError::Outside { lowest, highest, storage_len };
    let is_empty = shape.contains(&0);
    // An empty tensor's offset is ignored.
    let offset = if is_empty { 0 } else { offset };
    let start = isize::try_from(offset).map_err(|_| outside(isize::MAX, isize::MAX))?;
    let (lowest, highest) = reach(shape, strides, start)?;
    let is_inside = is_empty || (lowest >= 0 && highest.unsigned_abs() < storage_len);
    if is_inside { Ok(()) } else { Err(outside(lowest, highest)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_error() {
        let big = isize::MAX as usize;
        let outside = |lowest, highest, storage_len| LayoutError::Outside { lowest, highest, storage_len };
        let overflow = |axis, size, stride| LayoutError::Overflow { axis, size, stride };
        for (shape, strides, offset, len, error) in [
            (&[2, 3][..], &[3][..], 0, 6, LayoutError::Strides { expected: 2, got: 1 }),
            (&[2, 3], &[3, 1], 0, 5, outside(0, 5, 5)),
            (&[2, 3], &[3, 1], 1, 6, outside(1, 6, 6)),
            (&[3], &[-1], 1, 3, outside(-1, 1, 3)),
            (&[], &[], 1, 1, outside(1, 1, 1)),
            (&[1], &[0], usize::MAX, 1, outside(isize::MAX, isize::MAX, 1)),
            (&[3, big], &[0, 0], 0, 1, overflow(1, big, 0)),
            // 2^63 elements, though each is element 0 of the storage: more than an isize counts,
            // not more than a usize.
            (&[2, 1 << 62], &[0, 0], 0, 1, overflow(1, 1 << 62, 0)),
            (&[3], &[isize::MAX], 0, 9, overflow(0, 3, isize::MAX)),
            (&[3], &[isize::MIN], 0, 9, overflow(0, 3, isize::MIN)),
            (&[2, 2], &[isize::MAX, 1], 0, 9, overflow(1, 2, 1)),
            (&[usize::MAX], &[0], 0, 9, overflow(0, usize::MAX, 0)),
            (&[1 << 40, 0, 1 << 40], &[0, 0, 0], 0, 0, overflow(2, 1 << 40, 0)),
            (&[3, 0], &[isize::MAX, 1], 0, 0, overflow(0, 3, isize::MAX)),
            (&[1; 9], &[1; 9], 0, 1, LayoutError::Rank { expected: 8, got: 9, empty: false }),
            (&[0; 9], &[1; 9], 0, 1, LayoutError::Rank { expected: 8, got: 9, empty: true }),
        ] {
            assert_eq!(
                Layout::new(shape, strides, offset, len),
                Err(error),
                "{shape:?} {strides:?} {offset} {len}"
            );
        }
    }

    #[test]
    fn zero_and_negative_strides_are_addresses_like_any() {
        let flipped = Layout::new(&[2, 3], &[3, -1], 2, 6).unwrap();
        assert_eq!(flipped.address(&[1, 2]), 3);
        let expanded = Layout::new(&[1 << 40, 3], &[0, 1], 0, 3).unwrap();
        assert_eq!(expanded.address(&[12345, 2]), 2);
        assert!(Layout::new(&[0, 5], &[7, 7], 99, 0).unwrap().is_empty());
    }

    #[test]
    fn the_enclosing_storage_begins_and_ends_with_an_element() {
        for (shape, strides, offset, len) in [
            (&[][..], &[][..], 0, 1),
            (&[2, 3], &[3, 1], 0, 6),
            (&[2, 3], &[-3, 1], 3, 6),
            (&[2, 3], &[-5, -2], 9, 10),
            (&[1, 3, 9], &[isize::MIN, -2, 0], 4, 5),
            (&[3, 0, 2], &[-7, 1, 9], 0, 0),
        ] {
            let layout = Layout::enclosing(shape, strides).unwrap();
            assert_eq!((layout.offset(), layout.storage_len()), (offset, len), "{shape:?} {strides:?}");
            assert_eq!(layout.span(), len.checked_sub(1).map(|last| 0..=last), "{shape:?} {strides:?}");
            let addresses = layout.shape().coordinates().map(|at| layout.address(&at));
            let ends = addresses.clone().min().zip(addresses.max());
            assert_eq!(layout.span().map(RangeInclusive::into_inner), ends, "{shape:?} {strides:?}");
        }
        let overflow = |axis, size, stride| LayoutError::Overflow { axis, size, stride };
        for (shape, strides, error) in [
            (&[2, usize::MAX][..], &[1][..], LayoutError::Strides { expected: 2, got: 1 }),
            (&[2], &[isize::MIN], overflow(0, 2, isize::MIN)),
            (&[2, 2], &[isize::MAX, -1], overflow(0, 2, isize::MAX)),
            (&[2, 2], &[isize::MIN + 1, isize::MAX], overflow(1, 2, isize::MAX)),
            (&[usize::MAX, usize::MAX], &[0, 0], overflow(0, usize::MAX, 0)),
            (&[1; 9], &[1; 9], LayoutError::Rank { expected: 8, got: 9, empty: false }),
        ] {
            assert_eq!(Layout::enclosing(shape, strides), Err(error), "{shape:?} {strides:?}");
        }
    }

    #[test]
    fn the_span_is_what_is_addressed() {
        let part = Layout::new(&[2, 2], &[-10, 3], 15, 40).unwrap();
        assert_eq!(part.span(), Some(5..=18));
        assert_eq!(Layout::new(&[4, 0], &[1, 1], 99, 3).unwrap().span(), None);
        let last = isize::MAX as usize - 1;
        assert_eq!(Layout::new(&[2], &[-(last as isize)], last, last + 1).unwrap().span(), Some(0..=last));
    }

    #[test]
    fn contiguous_refuses_what_overflows() {
        assert!(Layout::contiguous(&[usize::MAX, usize::MAX, 2], usize::MAX).is_err());
        assert!(matches!(Layout::contiguous(&[1 << 40, 1 << 40, 0], 0), Err(LayoutError::Overflow { .. })));
        assert!(matches!(Layout::contiguous(&[2; 9], 511), Err(LayoutError::Outside { .. })));
        assert!(matches!(Layout::contiguous(&[2; 9], 512), Err(LayoutError::Rank { got: 9, .. })));
        assert_eq!(Layout::contiguous(&[2, 0, 3], 0).unwrap().elements(), 0);
        assert_eq!(Layout::contiguous(&[2, 4, 3], 24).unwrap().strides(), [12, 3, 1]);
    }
}
