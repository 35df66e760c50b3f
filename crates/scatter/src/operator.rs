//! The operators of the family, by name and with their parameters.

use core::fmt;

use crate::{Reduce, Scalar};

/// The name of an operator, for errors and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operator {
    /// `scatter_add(self, dim, index, src)`.
    ScatterAdd,
    /// `scatter(self, dim, index, src, reduce)`.
    Scatter,
    /// `scatter_value(self, dim, index, value, reduce)`.
    ScatterValue,
    /// `scatter_reduce(self, dim, index, src, reduce, include_self)`.
    ScatterReduce,
    /// `scatter_nd_add(self, indices, updates)`.
    ScatterNdAdd,
    /// `scatter_src_grad(grad, dim, index)`.
    ScatterSrcGrad,
}

impl Operator {
    /// The name in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ScatterAdd => "scatter_add",
            Self::Scatter => "scatter",
            Self::ScatterValue => "scatter_value",
            Self::ScatterReduce => "scatter_reduce",
            Self::ScatterNdAdd => "scatter_nd_add",
            Self::ScatterSrcGrad => "scatter_src_grad",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A scatter with its parameters; the tensors come with [`crate::Problem::new`].
///
/// For rank 3 and dim 1 each stands for a loop over `[i][j][k]` of index, in row-major order:
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Op {
    /// `out = self; out[i][index[i][j][k]][k] += src[i][j][k]` (CANN's `aclnnScatterAdd`,
    /// `Tensor.scatter_add`).
    ScatterAdd {
        /// The axis of self that index points into; negative counts from the last.
        dim: i64,
    },
    /// The same with `=`, `+=`, `*=` … by `reduce` (`aclnnScatter`, `Tensor.scatter_`); self is
    /// always included.
    Scatter {
        /// The axis of self that index points into.
        dim: i64,
        /// How src meets self.
        reduce: Reduce,
    },
    /// The same with one scalar for every `src[i][j][k]` (`aclnnScatterValue`).
    ScatterValue {
        /// The axis of self that index points into.
        dim: i64,
        /// The scalar, converted to self's dtype.
        value: Scalar,
        /// How the value meets self.
        reduce: Reduce,
    },
    /// The same as [`Op::Scatter`], but `include_self: false` starts every touched element at the
    /// reduction's identity (`aclnnScatterReduce`).
    ScatterReduce {
        /// The axis of self that index points into.
        dim: i64,
        /// How src meets self.
        reduce: Reduce,
        /// Whether self's value is reduced too; no meaning for [`Reduce::None`].
        include_self: bool,
    },
    /// `out = self; out[indices[i…][0], …, indices[i…][k-1], …] += updates[i…, …]`
    /// (`Tensor.scatter_add(indices, updates)`, `ops.scatter_nd_add`, `aclnnTfScatterAdd`), with
    /// `k = indices.shape[-1]`.
    ScatterNdAdd,
}

impl Op {
    /// The operator's name.
    #[must_use]
    pub const fn operator(&self) -> Operator {
        match self {
            Self::ScatterAdd { .. } => Operator::ScatterAdd,
            Self::Scatter { .. } => Operator::Scatter,
            Self::ScatterValue { .. } => Operator::ScatterValue,
            Self::ScatterReduce { .. } => Operator::ScatterReduce,
            Self::ScatterNdAdd => Operator::ScatterNdAdd,
        }
    }

    /// How an update meets its destination.
    #[must_use]
    pub const fn reduce(&self) -> Reduce {
        match *self {
            Self::ScatterAdd { .. } | Self::ScatterNdAdd => Reduce::Add,
            Self::Scatter { reduce, .. }
            | Self::ScatterValue { reduce, .. }
            | Self::ScatterReduce { reduce, .. } => reduce,
        }
    }

    /// Whether self's value takes part where an update touches it.
    #[must_use]
    pub const fn include_self(&self) -> bool {
        match *self {
            Self::ScatterReduce { include_self, .. } => include_self,
            _ => true,
        }
    }

    /// The axis that index points into, as given; `None` for `scatter_nd_add`.
    #[must_use]
    pub const fn dim(&self) -> Option<i64> {
        match *self {
            Self::ScatterAdd { dim }
            | Self::Scatter { dim, .. }
            | Self::ScatterValue { dim, .. }
            | Self::ScatterReduce { dim, .. } => Some(dim),
            Self::ScatterNdAdd => None,
        }
    }

    /// The scalar that stands for src, where one does.
    #[must_use]
    pub const fn value(&self) -> Option<Scalar> {
        match *self {
            Self::ScatterValue { value, .. } => Some(value),
            _ => None,
        }
    }
}
