//! The index tensors of `index_put`.

use crate::problem::{apart, extent, index_dtype, inside_storage};
use crate::{
    Argument, Axes, DType, Error, Layout, LayoutError, MAX_RANK, Op, Operand, Operator, Problem, Shape,
};

/// Index tensors for some axes of self, broadcast together; they name an element, or a slice, by
/// their values at one position.
///
/// Engines take one index, which has the coordinates along its last axis
/// ([`Op::IndexPut`](crate::Op::IndexPut)). [`layout`](IndexList::layout) returns the layout of
/// that index.
///
/// ```
/// use scatter::{DType, IndexList, Layout, Operand};
/// let tensor = |shape: &[usize]| Ok::<_, scatter::LayoutError>(Operand::new(DType::I64, Layout::contiguous(shape, 6)?, 0));
/// let list = IndexList::new(&[Some(tensor(&[2, 1])?), None, Some(tensor(&[3])?)])?;
/// assert_eq!((list.shape()[..].to_vec(), list.axes().to_string().as_str()), (vec![2, 3], "[0, 2]"));
/// assert_eq!(list.layout()?.shape()[..], [2, 3, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexList {
    shape: Shape,
    axes: Axes,
    entries: usize,
    /// For each axis of self the tensor's dtype, its layout, broadcast to the shape, and its
    /// address.
    parts: [Option<(DType, Layout, usize)>; MAX_RANK],
}

impl IndexList {
    /// A list with an entry for each leading axis of self; an axis without index is `None`.
    ///
    /// # Errors
    /// [`Error::IndexAxis`] for more entries than a tensor can have axes; of the first entry that
    /// is wrong [`Error::UnsupportedDType`], [`Error::IndexDType`], [`Error::Layout`],
    /// [`Error::Rank`] (one more axis is needed for the coordinates), or [`Error::IndexBroadcast`].
    pub fn new(indices: &[Option<Operand>]) -> Result<Self, Error> {
        let (operator, argument) = (Operator::IndexPut, Argument::Index);
        if indices.len() > MAX_RANK {
            return Err(Error::IndexAxis { operator, expected: MAX_RANK, got: indices.len() - 1 });
        }
        let mut list = Self {
            shape: Shape::default(),
            axes: Axes::NONE,
            entries: indices.len(),
            parts: [None; MAX_RANK],
        };
        for (axis, operand) in indices.iter().enumerate() {
            let Some(operand) = operand else { continue };
            index_dtype(operator, operand)?;
            inside_storage(operator, argument, operand)?;
            let (dtype, layout) = match (operand.dtype, operand.layout) {
                (Ok(dtype), Ok(layout)) if layout.rank() < MAX_RANK => (dtype, layout),
                _ => {
                    let (expected, got) = (MAX_RANK - 1, operand.rank().unwrap_or(MAX_RANK + 1));
                    return Err(Error::Rank { operator, argument, expected, got });
                }
            };
            list.shape = list.broadcast(axis, layout.shape())?;
            list.parts[axis] = Some((dtype, layout, operand.address));
            list.axes = list.axes.with(axis).unwrap_or(list.axes);
        }
        for (_, layout, _) in list.parts.iter_mut().flatten() {
            // Their shapes agree.
            *layout = layout.broadcast(&list.shape).unwrap_or(*layout);
        }
        Ok(list)
    }

    /// The same, but the error may be that of a rule about the call's other tensors which comes
    /// before those about the list.
    ///
    /// # Errors
    /// As [`new`](Self::new); and what [`Problem::new`] says of the dtypes and layouts of the
    /// others, and of self's rank and out's shape.
    pub fn in_call(
        indices: &[Option<Operand>],
        self_: &Operand,
        values: Option<&Operand>,
        out: &Operand,
    ) -> Result<Self, Error> {
        Self::new(indices).map_err(|error| {
            let nothing = Operand { dtype: Ok(DType::I64), layout: Layout::contiguous(&[0], 0), address: 0 };
            let op = Op::IndexPut { axes: Axes::NONE, accumulate: false };
            let others = Problem::without_updates(op, self_, &nothing, values, out);
            others.err().filter(|other| comes_first(other, &error)).unwrap_or(error)
        })
    }

    /// The shape of the tensors so far with that of one more, for an axis of self.
    fn broadcast(&self, indexed: usize, other: &Shape) -> Result<Shape, Error> {
        let rank = self.shape.rank().max(other.rank());
        let size = |shape: &Shape, axis: usize| match (axis + shape.rank()).checked_sub(rank) {
            Some(axis) => shape[axis],
            None => 1,
        };
        let mut shape = Shape::zeros(rank);
        for (axis, place) in shape.sizes_mut().iter_mut().enumerate() {
            *place = match (size(&self.shape, axis), size(other, axis)) {
                (1, only) | (only, 1) => only,
                (expected, got) if expected == got => got,
                (expected, got) => {
                    let (operator, axis) = (Operator::IndexPut, axis + other.rank() - rank);
                    return Err(Error::IndexBroadcast { operator, indexed, axis, expected, got });
                }
            };
        }
        Ok(shape)
    }

    /// The shape that the tensors have together.
    #[must_use]
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The axes of self that have an index.
    #[must_use]
    pub const fn axes(&self) -> Axes {
        self.axes
    }

    /// The layout of an index with all coordinates along its last axis, in row-major order.
    ///
    /// # Errors
    /// [`LayoutError::Overflow`] where it can't be addressed.
    pub fn layout(&self) -> Result<Layout, LayoutError> {
        let mut sizes = [0; MAX_RANK];
        let rank = self.shape.rank();
        sizes[..rank].copy_from_slice(&self.shape);
        sizes[rank] = self.axes.count();
        let len = crate::shape::element_count(&sizes[..=rank]).unwrap_or(usize::MAX);
        Layout::contiguous(&sizes[..=rank], len)
    }

    /// As [`layout`](Self::layout), but the coordinates for an axis are together, those for the
    /// first axis first.
    ///
    /// # Errors
    /// [`LayoutError::Overflow`] where it can't be addressed.
    pub fn layout_by_axis(&self) -> Result<Layout, LayoutError> {
        let layout = self.layout()?;
        let (shape, len) = (layout.shape(), layout.storage_len());
        let of_one = Layout::contiguous(&self.shape, len)?;
        let mut strides = [0; MAX_RANK];
        let rank = of_one.rank();
        strides[..rank].copy_from_slice(of_one.strides());
        strides[rank] = of_one.elements() as isize;
        Layout::new(shape, &strides[..=rank], 0, len)
    }

    /// The only tensor of the list, as an index of this list: with an axis of one coordinate behind
    /// its own. `None` where there are several, or none.
    #[must_use]
    pub fn only(&self) -> Option<Operand> {
        let mut tensors = self.tensors();
        let (Some(&(dtype, layout, address)), None) = (tensors.next(), tensors.next()) else { return None };
        Some(Operand::new(dtype, layout.with_axis_of_one()?, address))
    }

    /// The index that stands for the list in a [`Problem`]. It has no address until its values are
    /// made.
    #[must_use]
    pub fn operand(&self) -> Operand {
        Operand { dtype: Ok(DType::I64), layout: self.layout(), address: 0 }
    }

    /// What [`Problem::new`], or [`Problem::rebind`], has said of a call with this list and this
    /// out, with one rule more, that out shares no memory with the tensors of the list. It comes
    /// before the one that out shares none with src, and does not apply where there are no updates.
    ///
    /// # Errors
    /// [`Error::Overlap`]; the error of the problem.
    pub fn apart_from(&self, out: &Operand, problem: Result<Problem, Error>) -> Result<Problem, Error> {
        let is_of_src = |error: &Error| matches!(error, Error::Overlap { argument: Argument::Src, .. });
        if problem.as_ref().map_or_else(is_of_src, |problem| !problem.is_copy()) {
            self.tensors_apart_from(out)?;
        }
        problem
    }

    /// Refuses tensors that out shares memory with; an out whose dtype or layout was refused shares
    /// none.
    fn tensors_apart_from(&self, out: &Operand) -> Result<(), Error> {
        let (Ok(dtype), Ok(layout)) = (out.dtype, out.layout) else { return Ok(()) };
        let destination = extent(&layout, out, dtype);
        self.tensors().try_for_each(|&(dtype, layout, address)| {
            let index = Operand::new(dtype, layout, address);
            apart(Operator::IndexPut, &destination, Argument::Index, &index)
        })
    }

    /// The list with other addresses.
    #[must_use]
    pub fn moved(&self, address: impl Fn(usize) -> usize) -> Self {
        let mut moved = *self;
        moved.parts.iter_mut().flatten().for_each(|(_, _, at)| *at = address(*at));
        moved
    }

    /// The number of entries, with those without index.
    #[must_use]
    pub const fn entries(&self) -> usize {
        self.entries
    }

    /// The tensor for an axis: its dtype, its layout in the shape of all, and its address. `None`
    /// for an axis without index.
    #[must_use]
    pub fn tensor(&self, axis: usize) -> Option<&(DType, Layout, usize)> {
        self.parts.get(axis)?.as_ref()
    }

    /// Changes the address of the tensor for an axis, if there is one.
    pub fn set_address(&mut self, axis: usize, address: usize) {
        if let Some(Some((_, _, at))) = self.parts.get_mut(axis) {
            *at = address;
        }
    }

    /// The tensors, in the order of their axes: dtype, layout in the shape of all, and address.
    pub fn tensors(&self) -> impl Iterator<Item = &(DType, Layout, usize)> {
        self.parts.iter().flatten()
    }
}

/// Whether an error about the other tensors is of a rule that comes before that of the list's
/// error.
const fn comes_first(other: &Error, of_list: &Error) -> bool {
    match other {
        Error::Operand { .. } | Error::UnsupportedDType { .. } | Error::DTypeMismatch { .. } => true,
        Error::Layout { .. }
        | Error::Rank { argument: Argument::SelfTensor, .. }
        | Error::OutShape { .. } => {
            !matches!(of_list, Error::UnsupportedDType { .. } | Error::IndexDType { .. })
        }
        _ => false,
    }
}
