//! The rules that need no data, in the contract's order (`docs/semantics.md`, "The order of
//! checks").

use super::{Operand, Operands, Problem, Relation, Updates};
use crate::shape::MAX_RANK;
use crate::{
    Addressing, Argument, DType, Element, Error, Layout, LayoutError, Op, Operator, Scalar, Shape,
    with_element,
};

/// A call that is to be checked. Where the operator takes no self, `self_` is out.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) op: &'a Op,
    pub(super) self_: &'a Operand,
    pub(super) index: &'a Operand,
    pub(super) src: Option<&'a Operand>,
    pub(super) out: &'a Operand,
}

/// The rules about a way to name targets, 9 to 14, and the updates that they leave; `None` where
/// index is empty. self and out may get another order of axes.
///
/// A function that computes one operator names its own, so that a program that calls it has no
/// others.
#[derive(Clone, Copy)]
pub(crate) struct Addressed(fn(&Rules<'_>, &mut Layout, &mut Layout) -> Result<Option<Updates>, Error>);

// A closure is for any lifetime of `Rules`, a method's path for one.
#[allow(clippy::redundant_closure_for_method_calls)]
impl Addressed {
    pub(crate) const DIM: Self = Self(|rules, self_, _| rules.dim_updates(self_));
    pub(crate) const ND: Self = Self(|rules, self_, _| rules.nd_updates(self_));
    pub(crate) const SLICES: Self = Self(|rules, self_, _| rules.slice_updates(self_));
    pub(crate) const WINDOWS: Self = Self(|rules, self_, out| rules.window_updates(self_, out));
    pub(crate) const AXES: Self = Self(|rules, self_, out| rules.axes_updates(self_, out));
    pub(crate) const ROWS: Self = Self(|rules, out, _| rules.row_updates(out));

    pub(super) const fn of(op: &Op) -> Self {
        match op.operator().signature().addressing {
            Addressing::Dim => Self::DIM,
            Addressing::Nd => Self::ND,
            Addressing::Slices => Self::SLICES,
            Addressing::Windows => Self::WINDOWS,
            Addressing::Axes => Self::AXES,
            Addressing::Rows => Self::ROWS,
        }
    }
}

impl Rules<'_> {
    /// Rules 1 to 14; the aliasing rules follow when the layouts are known. In the problem, self
    /// and out of rank 0 are `[1]`.
    pub(super) fn check(&self, Addressed(updates): Addressed) -> Result<Problem, Error> {
        let Self { op, self_: given_self, index, src, out: given_out } = *self;
        let operator = op.operator();
        let first = self.first();
        self.src_is_given()?;
        let dtype = self.dtypes()?;
        for (argument, operand) in [
            (first, Some(given_self)),
            (Argument::Index, Some(index)),
            (Argument::Src, src),
            (Argument::Out, Some(given_out)),
        ] {
            operand.map_or(Ok(()), |operand| inside_storage(operator, argument, operand))?;
        }
        let mut self_ = of_some_rank(operator, first, given_self)?;
        let mut out = if operator.signature().gathers {
            same_shape(operator, given_out, of_some_rank(operator, Argument::Index, index)?.shape())?
        } else {
            same_shape(operator, given_out, self_.shape())?
        };
        let of_scalar = has_no_axes(index);
        let mut updates = updates(self, &mut self_, &mut out)?;
        if let Some(updates) = &mut updates {
            updates.of_scalar = of_scalar;
        }
        if !operator.signature().has_self {
            // The operator takes no self: a zero takes its place.
            self_ = Layout::one_for_all(*self_.shape());
        }
        let operands = Operands { self_: *given_self, index: *index, src: src.copied(), out: *given_out };
        Ok(Problem { op: *op, dtype, operands, self_, out, updates, relation: Relation::Apart })
    }

    /// The axis of the call; 0 where the operator takes none.
    pub(super) fn dim(&self) -> i64 {
        self.op.dim().unwrap_or_default()
    }

    /// The tensor into which index points: self, or out where the operator takes no self.
    const fn first(&self) -> Argument {
        if self.op.operator().signature().has_self { Argument::SelfTensor } else { Argument::Out }
    }

    /// Rule 1: a tensor src exactly where the operator takes one.
    fn src_is_given(&self) -> Result<(), Error> {
        let expected = self.op.operator().signature().has_src;
        if self.src.is_some() == expected {
            return Ok(());
        }
        Err(Error::Operand { operator: self.op.operator(), argument: Argument::Src, expected })
    }

    /// Rules 2 to 6: dtypes, the value's among them, and the reduction's.
    fn dtypes(&self) -> Result<DType, Error> {
        let operator = self.op.operator();
        let Self { self_, index, src, out, .. } = *self;
        let dtype = known_dtype(operator, self.first(), self_)?;
        for (argument, operand) in [(Argument::Src, src), (Argument::Out, Some(out))] {
            operand.map_or(Ok(()), |operand| same_dtype(operator, argument, operand, dtype))?;
        }
        if let Some(value) = self.op.value() {
            convertible(operator, value, dtype)?;
        }
        if let Some(alpha) = self.op.alpha() {
            convertible(operator, alpha, dtype.accumulator())?;
        }
        let reduce = self.op.reduce();
        if reduce.missing_for(dtype).is_some() {
            return Err(Error::ReduceDType { operator, dtype, got: reduce });
        }
        let without_index = match operator.signature().addressing {
            Addressing::Dim => index.is_empty(),
            Addressing::Nd | Addressing::Axes => is_empty_nd(index),
            Addressing::Slices | Addressing::Windows | Addressing::Rows => false,
        };
        if !without_index {
            index_dtype(operator, index)?;
        }
        Ok(dtype)
    }

    /// Rules 11 to 14.
    fn dim_updates(&self, self_: &Layout) -> Result<Option<Updates>, Error> {
        let operator = self.op.operator();
        let Self { index, src, .. } = *self;
        if index.is_empty() {
            return Ok(None);
        }
        let index = same_rank(operator, Argument::Index, index, self_)?;
        let src = match src {
            Some(src) => Some(same_rank(operator, Argument::Src, src, self_)?),
            None => None,
        };
        if let Some(src) = &src {
            for (axis, (&got, &expected)) in index.shape().iter().zip(src.shape().iter()).enumerate() {
                if got > expected {
                    return Err(Error::IndexExceedsSrc { operator, axis, expected, got });
                }
            }
        }
        let dim = index_fits_self(operator, &index, self_, self.dim())?;
        let src = src.map(|src| src.leading_block(index.shape()));
        Ok(Some(Updates::along(dim, index, src)))
    }

    /// What takes the place of rules 10 to 14 where index has coordinates along its last axis:
    /// ranks, k, updates' shape, empty.
    fn nd_updates(&self, self_: &Layout) -> Result<Option<Updates>, Error> {
        let operator = self.op.operator();
        let Self { index, src, .. } = *self;
        let index = of_some_rank(operator, Argument::Index, index)?;
        let Some(updates) = src else {
            return Err(Error::Operand { operator, argument: Argument::Src, expected: true });
        };
        let mut updates = of_some_rank(operator, Argument::Src, updates)?;
        let axis = index.rank() - 1;
        let (rows, depth) = (&index.shape()[..axis], index.shape()[axis]);
        let Some(slice) = self_.shape().get(depth..) else {
            return Err(Error::IndexDepth { operator, axis, expected: self_.rank(), got: depth });
        };
        if self.is_scalar() && depth == 0 && updates.rank() == rows.len() {
            // From here on self counts as `[1]`, but updates' shape may end with self's own shape,
            // which has no axis.
            updates = updates.with_axis_of_one().unwrap_or(updates);
        }
        updates_shape(operator, rows, slice, updates.shape())?;
        let work = Updates::leading(depth, index, updates);
        Ok((!rows.contains(&0)).then_some(work))
    }

    /// Whether self has no axes.
    pub(super) fn is_scalar(&self) -> bool {
        has_no_axes(self.self_)
    }

    /// What takes the place of rules 10 to 14 where index names slices: its rank, source's shape,
    /// dim, and without a source the number of updates.
    fn slice_updates(&self, self_: &Layout) -> Result<Option<Updates>, Error> {
        let operator = self.op.operator();
        let Self { index, src, .. } = *self;
        let index = of_some_rank(operator, Argument::Index, index)?;
        if index.rank() > 1 {
            return Err(Error::Rank { operator, argument: Argument::Index, expected: 1, got: index.rank() });
        }
        let mut shape = *self_.shape();
        shape.sizes_mut()[clamped(self.dim(), self_.rank())] = index.shape()[0];
        let src = match src {
            Some(src) => {
                let src = of_some_rank(operator, Argument::Src, src)?;
                updates_shape(operator, &shape, &[], src.shape())?;
                Some(src)
            }
            None => None,
        };
        let dim = in_range(operator, self.dim(), self_.rank())?;
        // Each value stands for all updates of its slice.
        let index = repeated(operator, &index, &shape, dim)?;
        Ok((!index.is_empty()).then(|| Updates::along(dim, index, src)))
    }

    /// What takes the place of rules 9 to 14 where index names rows: out's rank, indices' and
    /// grad's, grad's shape.
    fn row_updates(&self, out: &Layout) -> Result<Option<Updates>, Error> {
        let operator = self.op.operator();
        let Self { index, src, .. } = *self;
        let [_, width] = **out.shape() else {
            return Err(Error::OutShape { operator, axis: None, expected: 2, got: out.rank() });
        };
        let is_scalar = has_no_axes(index);
        let index = of_some_rank(operator, Argument::Index, index)?;
        let Some(src) = src else {
            return Err(Error::Operand { operator, argument: Argument::Src, expected: true });
        };
        let mut src = of_some_rank(operator, Argument::Src, src)?;
        if is_scalar && src.rank() == 1 {
            // From here on indices counts as `[1]`, but grad's shape may begin with indices' own
            // shape, which has no axis.
            src = src.as_one_row().unwrap_or(src);
        }
        updates_shape(operator, index.shape(), &[width], src.shape())?;
        // grad has one axis more than indices, so there is room for one.
        let index = index.with_axis_of_one().unwrap_or(index);
        Ok((!src.is_empty()).then(|| Updates::leading(1, index, src)))
    }
}

/// Whether a tensor counts as `[1]` because it has no axes.
fn has_no_axes(operand: &Operand) -> bool {
    operand.layout.is_ok_and(|layout| layout.rank() == 0)
}

/// No rows of indices. (With `k == 0`, every row is an update of the whole of self.)
fn is_empty_nd(indices: &Operand) -> bool {
    match &indices.layout {
        Ok(layout) => layout.shape().split_last().is_some_and(|(_, rows)| rows.contains(&0)),
        Err(_) => false,
    }
}

fn known_dtype(operator: Operator, argument: Argument, operand: &Operand) -> Result<DType, Error> {
    operand.dtype.map_err(|got| Error::UnsupportedDType { operator, argument, got })
}

fn same_dtype(
    operator: Operator,
    argument: Argument,
    operand: &Operand,
    expected: DType,
) -> Result<(), Error> {
    match known_dtype(operator, argument, operand)? {
        got if got == expected => Ok(()),
        got => Err(Error::DTypeMismatch { operator, argument, expected, got }),
    }
}

pub(crate) fn index_dtype(operator: Operator, index: &Operand) -> Result<(), Error> {
    match known_dtype(operator, Argument::Index, index)? {
        got if got.is_index() => Ok(()),
        got => Err(Error::IndexDType { operator, got }),
    }
}

fn convertible(operator: Operator, value: Scalar, dtype: DType) -> Result<(), Error> {
    let converted = with_element!(dtype, T => T::from_scalar(value).is_some());
    if converted { Ok(()) } else { Err(Error::Value { operator, expected: dtype, got: value }) }
}

/// Rule 7. A rank that is too large is another rule's.
pub(crate) fn inside_storage(operator: Operator, argument: Argument, operand: &Operand) -> Result<(), Error> {
    match operand.layout {
        Ok(_) | Err(LayoutError::Rank { .. }) => Ok(()),
        Err(got) => Err(Error::Layout { operator, argument, got }),
    }
}

/// Rule 8.
pub(super) fn of_some_rank(
    operator: Operator,
    argument: Argument,
    operand: &Operand,
) -> Result<Layout, Error> {
    match operand.layout {
        Ok(layout) => Ok(layout.at_least_1d()),
        Err(LayoutError::Rank { expected, got, .. }) => {
            Err(Error::Rank { operator, argument, expected, got })
        }
        Err(got) => Err(Error::Layout { operator, argument, got }),
    }
}

/// Rule 9: out in this shape.
fn same_shape(operator: Operator, out: &Operand, expected: &Shape) -> Result<Layout, Error> {
    let rank = out.rank().unwrap_or(MAX_RANK + 1);
    match out.layout {
        Ok(layout) if rank == expected.rank() => {
            let layout = layout.at_least_1d();
            match first_difference(expected, layout.shape()) {
                None => Ok(layout),
                Some(axis) => {
                    let (expected, got) = (expected[axis], layout.shape()[axis]);
                    Err(Error::OutShape { operator, axis: Some(axis), expected, got })
                }
            }
        }
        _ => Err(Error::OutShape { operator, axis: None, expected: expected.rank(), got: rank }),
    }
}

/// Rule 11: index or src in self's rank.
pub(super) fn same_rank(
    operator: Operator,
    argument: Argument,
    operand: &Operand,
    self_: &Layout,
) -> Result<Layout, Error> {
    let expected = self_.rank();
    match operand.layout {
        Ok(layout) if layout.rank().max(1) == expected => Ok(layout.at_least_1d()),
        _ => {
            let got = operand.rank().unwrap_or(MAX_RANK + 1);
            Err(Error::RankMismatch { operator, argument, expected, got })
        }
    }
}

/// Rules 13 and 14: index within self off dim, and dim in range. Returns the axis.
fn index_fits_self(operator: Operator, index: &Layout, self_: &Layout, dim: i64) -> Result<usize, Error> {
    let clamped = clamped(dim, self_.rank());
    for (axis, (&got, &expected)) in index.shape().iter().zip(self_.shape().iter()).enumerate() {
        if axis != clamped && got > expected {
            return Err(Error::IndexExceedsSelf { operator, axis, expected, got });
        }
    }
    in_range(operator, dim, self_.rank())
}

/// The axis that dim means. One out of range is clamped until its own rule, the last, has its turn.
pub(super) fn clamped(dim: i64, rank: usize) -> usize {
    let rank = rank as i64;
    dim.clamp(-rank, rank - 1).rem_euclid(rank) as usize
}

/// The axis that dim means; refuses one out of range.
pub(super) fn in_range(operator: Operator, dim: i64, rank: usize) -> Result<usize, Error> {
    if (-(rank as i64)..rank as i64).contains(&dim) {
        Ok(clamped(dim, rank))
    } else {
        Err(Error::Dim { operator, expected: rank, got: dim })
    }
}

/// An index of one axis, repeated to the shape of the updates. These can be too many to count where
/// no src has their shape.
pub(super) fn repeated(
    operator: Operator,
    index: &Layout,
    updates: &Shape,
    axis: usize,
) -> Result<Layout, Error> {
    let (size, stride) = (index.shape()[0], index.strides()[0]);
    let got = LayoutError::Overflow { axis: 0, size, stride };
    let too_many = Error::Layout { operator, argument: Argument::Index, got };
    index.repeated(updates, axis).ok_or(too_many)
}

/// `updates.shape == indices.shape[:-1] + self.shape[k:]`, where no axis at all counts as `[1]`.
pub(super) fn updates_shape(
    operator: Operator,
    rows: &[usize],
    slice: &[usize],
    got: &Shape,
) -> Result<(), Error> {
    let expected = || rows.iter().chain(slice).copied().chain((rows.len() + slice.len() == 0).then_some(1));
    let rank = expected().count();
    if rank != got.rank() {
        return Err(Error::UpdatesShape { operator, axis: None, expected: rank, got: got.rank() });
    }
    match expected().zip(got.iter()).enumerate().find(|(_, (expected, got))| expected != *got) {
        None => Ok(()),
        Some((axis, (expected, &got))) => {
            Err(Error::UpdatesShape { operator, axis: Some(axis), expected, got })
        }
    }
}

fn first_difference(a: &Shape, b: &Shape) -> Option<usize> {
    a.iter().zip(b.iter()).position(|(a, b)| a != b)
}
