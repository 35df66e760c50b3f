//! The one error type of the scatter family: a variant per rule of the contract.

use core::fmt;

use crate::{DType, LayoutError, Operator, Reduce, Scalar, Shape, UnsupportedDType};

/// An argument of an operator, under the name that the operator's documentation gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Argument {
    /// The tensor that is updated, or copied and then updated; the one that a gather reads.
    SelfTensor,
    /// Where the updates go, or what is gathered; called `indices` where it has coordinates along
    /// its last axis.
    Index,
    /// The updates; called `updates` where index is called `indices`.
    Src,
    /// The scalar update, or the scalar that src is multiplied by, which is called `alpha`.
    Value,
    /// The tensor that is written; the same as self in place.
    Out,
}

impl Argument {
    /// The name in the operator's documentation.
    #[must_use]
    pub const fn name(self, operator: Operator) -> &'static str {
        let [self_, index, src] = operator.signature().tensors;
        match self {
            Self::SelfTensor => self_,
            Self::Index => index,
            Self::Src => src,
            Self::Value if matches!(operator, Operator::IndexAdd) => "alpha",
            Self::Value => "value",
            Self::Out => "out",
        }
    }
}

/// Why a scatter is refused. Nothing has been written when one is returned.
///
/// Rules are checked in the contract's order (`docs/semantics.md`, "The order of checks"), so the
/// variant that comes back is that of the first rule broken. Sizes are in elements, axes count from
/// 0.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tensor src where the operator takes a value, or none where it takes a tensor.
    #[error("{operator}: {}: {} expected", argument.name(*operator), if *expected { "a tensor" } else { "no tensor" })]
    Operand {
        /// The operator.
        operator: Operator,
        /// The argument.
        argument: Argument,
        /// Whether the operator takes a tensor there.
        expected: bool,
    },
    /// A dtype that the family does not have.
    #[error("{operator}: {}: one of the twelve scatter dtypes expected, got {got}", argument.name(*operator))]
    UnsupportedDType {
        /// The operator.
        operator: Operator,
        /// The argument.
        argument: Argument,
        /// The caller's dtype.
        got: UnsupportedDType,
    },
    /// src or out in another dtype than self; nothing is promoted.
    #[error("{operator}: {}: dtype {expected} of {} expected, got {got}", argument.name(*operator), Argument::SelfTensor.name(*operator))]
    DTypeMismatch {
        /// The operator.
        operator: Operator,
        /// The argument.
        argument: Argument,
        /// self's dtype.
        expected: DType,
        /// The argument's dtype.
        got: DType,
    },
    /// A value that self's dtype, or an alpha that the dtype of its sums, can't represent.
    #[error("{operator}: {}: a number that {expected} can represent expected, got {got}", Argument::Value.name(*operator))]
    Value {
        /// The operator.
        operator: Operator,
        /// The dtype.
        expected: DType,
        /// The value.
        got: Scalar,
    },
    /// A reduction that self's dtype does not have.
    #[error("{operator}: reduce: {got} does not exist for {dtype}: {}", got.missing_for(*dtype).unwrap_or("refused"))]
    ReduceDType {
        /// The operator.
        operator: Operator,
        /// self's dtype.
        dtype: DType,
        /// The reduction.
        got: Reduce,
    },
    /// An index that is neither i32 nor i64.
    #[error("{operator}: {}: dtype i32 or i64 expected, got {got}", Argument::Index.name(*operator))]
    IndexDType {
        /// The operator.
        operator: Operator,
        /// The index's dtype.
        got: DType,
    },
    /// A tensor whose elements do not lie inside its storage.
    #[error("{operator}: {}: {got}", argument.name(*operator))]
    Layout {
        /// The operator.
        operator: Operator,
        /// The argument.
        argument: Argument,
        /// What is wrong with it.
        #[source]
        got: LayoutError,
    },
    /// More axes than a tensor can have.
    #[error("{operator}: {}: rank {expected} at most expected, got {got}", argument.name(*operator))]
    Rank {
        /// The operator.
        operator: Operator,
        /// The argument.
        argument: Argument,
        /// The most axes.
        expected: usize,
        /// The axes given.
        got: usize,
    },
    /// out in another shape than self, or for what gathers than index.
    #[error("{operator}: out: {} expected, got {got}", AxisSize(*axis, *expected))]
    OutShape {
        /// The operator.
        operator: Operator,
        /// The first axis that differs, or `None` where the ranks do.
        axis: Option<usize>,
        /// The size on that axis, or the rank.
        expected: usize,
        /// out's.
        got: usize,
    },
    /// index or src in another rank than self (rank 0 counts as 1).
    #[error("{operator}: {}: rank {expected} of {} expected, got {got}", argument.name(*operator), Argument::SelfTensor.name(*operator))]
    RankMismatch {
        /// The operator.
        operator: Operator,
        /// The argument.
        argument: Argument,
        /// self's rank.
        expected: usize,
        /// The argument's rank.
        got: usize,
    },
    /// index longer than src on an axis.
    #[error("{operator}: index: size {expected} of src at most expected on axis {axis}, got {got}")]
    IndexExceedsSrc {
        /// The operator.
        operator: Operator,
        /// The axis.
        axis: usize,
        /// src's size.
        expected: usize,
        /// index's size.
        got: usize,
    },
    /// index longer than self on an axis other than dim.
    #[error("{operator}: {}: size {expected} of {} at most expected on axis {axis}, got {got}", Argument::Index.name(*operator), Argument::SelfTensor.name(*operator))]
    IndexExceedsSelf {
        /// The operator.
        operator: Operator,
        /// The axis.
        axis: usize,
        /// self's size.
        expected: usize,
        /// index's size.
        got: usize,
    },
    /// dim outside `[-rank, rank)`.
    #[error("{operator}: {}: -{expected} to below {expected} expected, got {got}", operator.dim_name())]
    Dim {
        /// The operator.
        operator: Operator,
        /// self's rank (1 for rank 0).
        expected: usize,
        /// dim.
        got: i64,
    },
    /// More coordinates in a row of indices than self has axes.
    #[error(
        "{operator}: indices: size {expected} (the rank of self) at most expected on axis {axis}, got {got}"
    )]
    IndexDepth {
        /// The operator.
        operator: Operator,
        /// The last axis of indices.
        axis: usize,
        /// self's rank.
        expected: usize,
        /// The coordinates in a row of indices.
        got: usize,
    },
    /// An axis along which updates are counted, where index must point into another one.
    #[error("{operator}: {}: another axis than 0 expected, got {got}", operator.dim_name())]
    UpdatesAxis {
        /// The operator.
        operator: Operator,
        /// The axis, as given.
        got: i64,
    },
    /// index with another number of columns than coordinates.
    #[error("{operator}: {}: size {expected} on axis {axis} expected, got {got}", Argument::Index.name(*operator))]
    IndexShape {
        /// The operator.
        operator: Operator,
        /// The axis.
        axis: usize,
        /// The number of coordinates.
        expected: usize,
        /// index's size.
        got: usize,
    },
    /// An index for an axis that self doesn't have.
    #[error("{operator}: {}: an axis below {expected}, self's rank, expected, got one for axis {got}", Argument::Index.name(*operator))]
    IndexAxis {
        /// The operator.
        operator: Operator,
        /// self's rank.
        expected: usize,
        /// The axis.
        got: usize,
    },
    /// Index tensors that can't be broadcast together.
    #[error("{operator}: {}: size {expected} or 1 expected on axis {axis} of the one for axis {indexed} of self, got {got}", Argument::Index.name(*operator))]
    IndexBroadcast {
        /// The operator.
        operator: Operator,
        /// The axis of self that the tensor has coordinates for.
        indexed: usize,
        /// The axis of the tensor.
        axis: usize,
        /// The size of the tensors before.
        expected: usize,
        /// The tensor's.
        got: usize,
    },
    /// src in a shape that can't be broadcast to that of the elements that index names.
    #[error("{operator}: {}: {} expected, got {got}", Argument::Src.name(*operator), Broadcast(*axis, *expected))]
    SrcBroadcast {
        /// The operator.
        operator: Operator,
        /// The axis of src, or `None` where it has too many.
        axis: Option<usize>,
        /// The size on that axis, or the rank.
        expected: usize,
        /// src's.
        got: usize,
    },
    /// A window of updates that is longer than self.
    #[error("{operator}: {}: size {expected} of {} at most expected on axis {axis}, got {got}", Argument::Src.name(*operator), Argument::SelfTensor.name(*operator))]
    WindowExceedsSelf {
        /// The operator.
        operator: Operator,
        /// The axis.
        axis: usize,
        /// self's size.
        expected: usize,
        /// src's size.
        got: usize,
    },
    /// src in another shape than self and index demand: `indices.shape[:-1] + self.shape[k:]` for
    /// an operator with coordinates along the last axis of indices; self's, but for index's length
    /// along dim, for one whose index names slices.
    #[error("{operator}: {}: {} expected, got {got}", Argument::Src.name(*operator), AxisSize(*axis, *expected))]
    UpdatesShape {
        /// The operator.
        operator: Operator,
        /// The first axis that differs, or `None` where the ranks do.
        axis: Option<usize>,
        /// The size on that axis, or the rank.
        expected: usize,
        /// src's.
        got: usize,
    },
    /// A destination of which two elements share an address.
    #[error("{operator}: {}: elements that don't overlap expected, got size {size} with stride {stride} on axis {axis}", argument.name(*operator))]
    SelfOverlap {
        /// The operator.
        operator: Operator,
        /// The argument.
        argument: Argument,
        /// An axis along which elements meet.
        axis: usize,
        /// Its size.
        size: usize,
        /// Its stride.
        stride: isize,
    },
    /// A destination that shares memory with self (without being the same tensor), index or src.
    #[error("{operator}: out: memory apart from {} expected, got an overlap", argument.name(*operator))]
    Overlap {
        /// The operator.
        operator: Operator,
        /// The tensor that out overlaps.
        argument: Argument,
    },
    /// An index value outside `[-size, size)`.
    #[error("{operator}: {}: value at {position} expected in -{size} to below {size} (axis {axis} of {}), got {value}", Argument::Index.name(*operator), Argument::SelfTensor.name(*operator))]
    IndexOutOfRange {
        /// The operator.
        operator: Operator,
        /// The indexed axis of self.
        axis: usize,
        /// The coordinates in index of the first bad value, in row-major order.
        position: Shape,
        /// The value.
        value: i64,
        /// The size of the indexed axis, or the number of places where a window fits into it.
        size: usize,
    },
    /// The system has no memory for what an engine keeps beside the operands.
    #[error("{operator}: {bytes} bytes of host memory expected, got none")]
    Memory {
        /// The operator.
        operator: Operator,
        /// The bytes of the allocation that failed.
        bytes: usize,
    },
    /// An engine was given other memory than the problem was built for.
    #[error("{operator}: {}: the memory that the problem is bound to expected, got another tensor", argument.name(*operator))]
    Binding {
        /// The operator.
        operator: Operator,
        /// The argument.
        argument: Argument,
    },
}

/// What is expected of a shape that is broadcast: a size on an axis or 1, or a rank.
struct Broadcast(Option<usize>, usize);

impl fmt::Display for Broadcast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(Some(axis), size) => write!(f, "size {size} or 1 on axis {axis}"),
            Self(None, rank) => write!(f, "rank {rank} at most"),
        }
    }
}

/// What is expected of a shape: a size on an axis, or the rank.
struct AxisSize(Option<usize>, usize);

impl fmt::Display for AxisSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(Some(axis), size) => write!(f, "size {size} on axis {axis}"),
            Self(None, rank) => write!(f, "rank {rank}"),
        }
    }
}
