//! The operators of the family, by name and with their parameters.

use core::fmt;

use crate::{Axes, Reduce, Scalar};

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
    /// `scatter_nd_update(self, indices, updates)`.
    ScatterNdUpdate,
    /// `index_copy(self, dim, index, source)`.
    IndexCopy,
    /// `index_add(self, dim, index, source, alpha)`.
    IndexAdd,
    /// `index_fill(self, dim, index, value)`.
    IndexFill,
    /// `scatter_update(data, indices, updates, axis)`.
    ScatterUpdate,
    /// `index_put(self, indices, values, accumulate)`.
    IndexPut,
    /// `gather(self, dim, index)`.
    Gather,
    /// `scatter_src_grad(grad, dim, index)`.
    ScatterSrcGrad,
    /// `embedding_backward(grad, indices, padding, scale)`.
    EmbeddingBackward,
}

/// What distinguishes an operator from the others, as far as code that serves all of them asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signature {
    /// The operator's name in snake case.
    pub name: &'static str,
    /// The names of self, index and src in its documentation. out has the place of a self that the
    /// operator doesn't take.
    pub tensors: [&'static str; 3],
    /// How an entry of index names its target.
    pub addressing: Addressing,
    /// Whether it takes a tensor self. Otherwise out starts as zeros.
    pub has_self: bool,
    /// Whether it takes a tensor src.
    pub has_src: bool,
    /// Whether it reads self where index says, and out has the shape of index.
    pub gathers: bool,
    /// The parameters that it takes beside the tensors.
    pub parameters: &'static [Parameter],
}

/// How an entry of index names its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Addressing {
    /// A value is the coordinate along dim; the others are those of the value itself.
    Dim,
    /// The values along the last axis are the leading coordinates of a slice of self.
    Nd,
    /// index has one axis; a value is the coordinate along dim of a slice of self, which the slice
    /// of src at the value's own place goes to.
    Slices,
    /// index has an entry for each element of src along axis 0: the coordinate along dim at which a
    /// window of self begins, and, with two columns, before it the coordinate along axis 0.
    Windows,
    /// The values along the last axis are the coordinates along chosen axes, of slices of self; src
    /// is broadcast to the shape of what they name together.
    Axes,
    /// self has two axes; a value is the row of self that the row of src at the value's own place
    /// goes to.
    Rows,
}

/// A parameter of an operator that is no tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parameter {
    /// The axis of self that index points into.
    Dim,
    /// How an update meets its target.
    Reduce,
    /// Whether self's values are part of the reduction.
    IncludeSelf,
    /// The scalar that takes the place of src.
    Value,
    /// The scalar that src is multiplied by.
    Alpha,
    /// The axes of self that index has coordinates for.
    Axes,
    /// Whether src is added, or replaces.
    Accumulate,
    /// The row of out that stays zero.
    Padding,
    /// Whether a sum is divided by the number of its updates.
    Scale,
}

/// The parameters of a call that are no tensors. One that the operator doesn't take has no effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// The axis of self that index points into; negative counts from the last.
    pub dim: i64,
    /// How an update meets its target.
    pub reduce: Reduce,
    /// Whether self's values are part of the reduction.
    pub include_self: bool,
    /// The scalar that takes the place of src, or that src is multiplied by.
    pub scalar: Scalar,
    /// The axes of self that index has coordinates for.
    pub axes: Axes,
    /// The row of out that stays zero.
    pub padding: Option<usize>,
    /// Whether a sum is divided by the number of its updates.
    pub scale: bool,
}

/// The first axis, replacing, with self, 1, and no axes; no padding, and no scale.
impl Default for Numbers {
    fn default() -> Self {
        Self {
            dim: 0,
            reduce: Reduce::None,
            include_self: true,
            scalar: Scalar::Int(1),
            axes: Axes::NONE,
            padding: None,
            scale: false,
        }
    }
}

impl Operator {
    /// Every operator.
    pub const ALL: [Self; 14] = [
        Self::ScatterAdd,
        Self::Scatter,
        Self::ScatterValue,
        Self::ScatterReduce,
        Self::ScatterNdAdd,
        Self::ScatterNdUpdate,
        Self::IndexCopy,
        Self::IndexAdd,
        Self::IndexFill,
        Self::ScatterUpdate,
        Self::IndexPut,
        Self::Gather,
        Self::ScatterSrcGrad,
        Self::EmbeddingBackward,
    ];

    /// The operator's properties.
    #[must_use]
    pub const fn signature(self) -> &'static Signature {
        const ALONG_DIM: Signature = Signature {
            name: "",
            tensors: ["self", "index", "src"],
            addressing: Addressing::Dim,
            has_self: true,
            has_src: true,
            gathers: false,
            parameters: &[Parameter::Dim],
        };
        const ND: Signature = Signature {
            tensors: ["self", "indices", "updates"],
            addressing: Addressing::Nd,
            parameters: &[],
            ..ALONG_DIM
        };
        const SLICES: Signature =
            Signature { tensors: ["self", "index", "source"], addressing: Addressing::Slices, ..ALONG_DIM };
        const GATHER: Signature = Signature { has_src: false, gathers: true, ..ALONG_DIM };
        match self {
            Self::ScatterAdd => &const { Signature { name: "scatter_add", ..ALONG_DIM } },
            Self::Scatter => {
                const PARAMETERS: &[Parameter] = &[Parameter::Dim, Parameter::Reduce];
                &const { Signature { name: "scatter", parameters: PARAMETERS, ..ALONG_DIM } }
            }
            Self::ScatterValue => {
                const PARAMETERS: &[Parameter] = &[Parameter::Dim, Parameter::Value, Parameter::Reduce];
                &const { Signature { name: "scatter_value", has_src: false, parameters: PARAMETERS, ..ALONG_DIM } }
            }
            Self::ScatterReduce => {
                const PARAMETERS: &[Parameter] = &[Parameter::Dim, Parameter::Reduce, Parameter::IncludeSelf];
                &const { Signature { name: "scatter_reduce", parameters: PARAMETERS, ..ALONG_DIM } }
            }
            Self::ScatterNdAdd => &const { Signature { name: "scatter_nd_add", ..ND } },
            Self::ScatterNdUpdate => &const { Signature { name: "scatter_nd_update", ..ND } },
            Self::IndexCopy => &const { Signature { name: "index_copy", ..SLICES } },
            Self::IndexAdd => {
                const PARAMETERS: &[Parameter] = &[Parameter::Dim, Parameter::Alpha];
                &const { Signature { name: "index_add", parameters: PARAMETERS, ..SLICES } }
            }
            Self::IndexFill => {
                const PARAMETERS: &[Parameter] = &[Parameter::Dim, Parameter::Value];
                &const { Signature { name: "index_fill", has_src: false, parameters: PARAMETERS, ..SLICES } }
            }
            Self::ScatterUpdate => {
                const TENSORS: [&str; 3] = ["data", "indices", "updates"];
                const WINDOWS: Signature =
                    Signature { tensors: TENSORS, addressing: Addressing::Windows, ..ALONG_DIM };
                &const { Signature { name: "scatter_update", ..WINDOWS } }
            }
            Self::IndexPut => {
                const TENSORS: [&str; 3] = ["self", "indices", "values"];
                const PARAMETERS: &[Parameter] = &[Parameter::Axes, Parameter::Accumulate];
                const AXES: Signature =
                    Signature { tensors: TENSORS, addressing: Addressing::Axes, ..ALONG_DIM };
                &const { Signature { name: "index_put", parameters: PARAMETERS, ..AXES } }
            }
            Self::Gather => &const { Signature { name: "gather", ..GATHER } },
            Self::ScatterSrcGrad => {
                const TENSORS: [&str; 3] = ["grad", "index", "src"];
                &const { Signature { name: "scatter_src_grad", tensors: TENSORS, ..GATHER } }
            }
            Self::EmbeddingBackward => {
                const EMBEDDING: Signature = Signature {
                    name: "embedding_backward",
                    tensors: ["out", "indices", "grad"],
                    addressing: Addressing::Rows,
                    has_self: false,
                    parameters: &[Parameter::Padding, Parameter::Scale],
                    ..ALONG_DIM
                };
                &EMBEDDING
            }
        }
    }

    /// The name in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.signature().name
    }

    /// The operator with its parameters.
    #[must_use]
    pub const fn with(self, numbers: &Numbers) -> Op {
        let Numbers { dim, reduce, include_self, scalar, axes, padding, scale } = *numbers;
        match self {
            Self::ScatterAdd => Op::ScatterAdd { dim },
            Self::Scatter => Op::Scatter { dim, reduce },
            Self::ScatterValue => Op::ScatterValue { dim, value: scalar, reduce },
            Self::ScatterReduce => Op::ScatterReduce { dim, reduce, include_self },
            Self::ScatterNdAdd => Op::ScatterNdAdd,
            Self::ScatterNdUpdate => Op::ScatterNdUpdate,
            Self::IndexCopy => Op::IndexCopy { dim },
            Self::IndexAdd => Op::IndexAdd { dim, alpha: scalar },
            Self::IndexFill => Op::IndexFill { dim, value: scalar },
            Self::ScatterUpdate => Op::ScatterUpdate { dim },
            Self::IndexPut => Op::IndexPut { axes, accumulate: matches!(reduce, Reduce::Add) },
            Self::Gather => Op::Gather { dim },
            Self::ScatterSrcGrad => Op::ScatterSrcGrad { dim },
            Self::EmbeddingBackward => Op::EmbeddingBackward { padding, scale },
        }
    }

    /// The name of the axis that index points into, in the operator's documentation.
    pub(crate) const fn dim_name(self) -> &'static str {
        if matches!(self, Self::ScatterUpdate) { "axis" } else { "dim" }
    }

    /// Whether the operator takes a parameter.
    #[must_use]
    pub fn takes(self, parameter: Parameter) -> bool {
        self.signature().parameters.contains(&parameter)
    }

    /// Whether the operator takes a scalar: a value, or alpha.
    #[must_use]
    pub fn takes_scalar(self) -> bool {
        self.takes(Parameter::Value) || self.takes(Parameter::Alpha)
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
    /// The same with `=` (`aclnnScatterNd`, in place `aclnnScatterNdUpdate`; ONNX's `ScatterND`).
    ScatterNdUpdate,
    /// `out = self; out[i][index[j]][k] = source[i][j][k]` (`aclnnIndexCopy`, `Tensor.index_copy`).
    IndexCopy {
        /// The axis of self that index points into; negative counts from the last.
        dim: i64,
    },
    /// `out = self; out[i][index[j]][k] += alpha * source[i][j][k]` (`aclnnIndexAdd`,
    /// `Tensor.index_add`).
    IndexAdd {
        /// The axis of self that index points into; negative counts from the last.
        dim: i64,
        /// The scalar that source is multiplied by, converted to the type in which sums are
        /// accumulated. If that is 1, nothing is multiplied.
        alpha: Scalar,
    },
    /// `out = self; out[i][index[j]][k] = value` (`aclnnIndexFill`, `Tensor.index_fill`).
    IndexFill {
        /// The axis of self that index points into; negative counts from the last.
        dim: i64,
        /// The scalar, converted to self's dtype.
        value: Scalar,
    },
    /// `out = data; out[i][indices[i] + j][k] = updates[i][j][k]`, or with two columns
    /// `out[indices[i][0]][indices[i][1] + j][k] = updates[i][j][k]` (`aclnnInplaceScatterUpdate`,
    /// `torch_npu.scatter_update`).
    ScatterUpdate {
        /// The axis of self that index points into, called axis; negative counts from the last. Not
        /// the first.
        dim: i64,
    },
    /// `out = self; out[indices[i…][0]][:][indices[i…][1]] = values[i…][:]` for the axes 0 and 2,
    /// or `+=` (`aclnnIndexPutImpl`, `Tensor.index_put`). The last axis of indices has the
    /// coordinates along the axes; [`IndexList`](crate::IndexList) makes it of several tensors.
    IndexPut {
        /// The axes of self that index has coordinates for.
        axes: Axes,
        /// Whether values are added; else they replace.
        accumulate: bool,
    },
    /// `out[i][j][k] = self[i][index[i][j][k]][k]` (`aclnnGather`, `torch.gather`).
    Gather {
        /// The axis of self that index points into; negative counts from the last.
        dim: i64,
    },
    /// The same as [`Op::Gather`], by which the gradient for src of a scatter by Add, or by Replace
    /// where no two updates meet, comes from the gradient of its result; src has index's shape.
    ScatterSrcGrad {
        /// The axis of grad that index points into; negative counts from the last.
        dim: i64,
    },
    /// `out = 0; out[indices[i]][j] += grad[i][j]`, the gradient of an embedding for its weights
    /// (`aclnnEmbeddingDenseBackward`, `torch.ops.aten.embedding_dense_backward`); indices may have
    /// more axes. There is no self.
    EmbeddingBackward {
        /// The row of out that stays zero. One that out doesn't have has no effect.
        padding: Option<usize>,
        /// Whether each row is divided by the number of its updates.
        scale: bool,
    },
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
            Self::ScatterNdUpdate => Operator::ScatterNdUpdate,
            Self::IndexCopy { .. } => Operator::IndexCopy,
            Self::IndexAdd { .. } => Operator::IndexAdd,
            Self::IndexFill { .. } => Operator::IndexFill,
            Self::ScatterUpdate { .. } => Operator::ScatterUpdate,
            Self::IndexPut { .. } => Operator::IndexPut,
            Self::Gather { .. } => Operator::Gather,
            Self::ScatterSrcGrad { .. } => Operator::ScatterSrcGrad,
            Self::EmbeddingBackward { .. } => Operator::EmbeddingBackward,
        }
    }

    /// How an update meets its destination; a gather replaces.
    #[must_use]
    pub const fn reduce(&self) -> Reduce {
        match *self {
            Self::ScatterAdd { .. }
            | Self::ScatterNdAdd
            | Self::IndexAdd { .. }
            | Self::IndexPut { accumulate: true, .. }
            | Self::EmbeddingBackward { scale: false, .. } => Reduce::Add,
            Self::EmbeddingBackward { scale: true, .. } => Reduce::Mean,
            Self::ScatterNdUpdate
            | Self::IndexCopy { .. }
            | Self::IndexFill { .. }
            | Self::ScatterUpdate { .. }
            | Self::IndexPut { accumulate: false, .. }
            | Self::Gather { .. }
            | Self::ScatterSrcGrad { .. } => Reduce::None,
            Self::Scatter { reduce, .. }
            | Self::ScatterValue { reduce, .. }
            | Self::ScatterReduce { reduce, .. } => reduce,
        }
    }

    /// Whether self's value takes part where an update touches it. (A zero that is there from the
    /// start may take part in a sum, but isn't counted.)
    #[must_use]
    pub const fn include_self(&self) -> bool {
        match *self {
            Self::ScatterReduce { include_self, .. } => include_self,
            Self::EmbeddingBackward { scale, .. } => !scale,
            _ => true,
        }
    }

    /// The axis that index points into, as given; `None` for operators that take none.
    #[must_use]
    pub const fn dim(&self) -> Option<i64> {
        match *self {
            Self::ScatterAdd { dim }
            | Self::Scatter { dim, .. }
            | Self::ScatterValue { dim, .. }
            | Self::ScatterReduce { dim, .. }
            | Self::IndexCopy { dim }
            | Self::IndexAdd { dim, .. }
            | Self::IndexFill { dim, .. }
            | Self::ScatterUpdate { dim }
            | Self::Gather { dim }
            | Self::ScatterSrcGrad { dim } => Some(dim),
            Self::ScatterNdAdd
            | Self::ScatterNdUpdate
            | Self::IndexPut { .. }
            | Self::EmbeddingBackward { .. } => None,
        }
    }

    /// The axes that index has coordinates for; `None` for operators that take none.
    #[must_use]
    pub const fn axes(&self) -> Option<Axes> {
        match *self {
            Self::IndexPut { axes, .. } => Some(axes),
            _ => None,
        }
    }

    /// The scalar that stands for src, where one does.
    #[must_use]
    pub const fn value(&self) -> Option<Scalar> {
        match *self {
            Self::ScatterValue { value, .. } | Self::IndexFill { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The operator that takes a src in the place of this one's [`value`](Self::value): a src that
    /// has the value in all places gives the same. Without a value it is the operator itself.
    #[must_use]
    pub const fn with_src(self) -> Self {
        match self {
            Self::ScatterValue { dim, reduce, .. } => Self::Scatter { dim, reduce },
            Self::IndexFill { dim, .. } => Self::IndexCopy { dim },
            _ => self,
        }
    }

    /// The scalar that the operator takes: a value, or alpha.
    #[must_use]
    pub const fn scalar(&self) -> Option<Scalar> {
        match self.value() {
            Some(value) => Some(value),
            None => self.alpha(),
        }
    }

    /// The scalar that src is multiplied by, where the operator takes one.
    #[must_use]
    pub const fn alpha(&self) -> Option<Scalar> {
        match *self {
            Self::IndexAdd { alpha, .. } => Some(alpha),
            _ => None,
        }
    }

    /// The row of out that stays zero, where there may be one.
    #[must_use]
    pub const fn padding(&self) -> Option<usize> {
        match *self {
            Self::EmbeddingBackward { padding, .. } => padding,
            _ => None,
        }
    }

    /// The same operator along another axis; one that takes no axis stays as it is.
    #[must_use]
    pub fn along(self, dim: i64) -> Self {
        if self.dim().is_none() {
            return self;
        }
        let (reduce, include_self) = (self.reduce(), self.include_self());
        let scalar = self.scalar().unwrap_or(Numbers::default().scalar);
        self.operator().with(&Numbers { dim, reduce, include_self, scalar, ..Numbers::default() })
    }
}

/// The operator and its parameters: `scatter_reduce(dim = 1, reduce = mean, include_self = false)`.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut parameter = |f: &mut fmt::Formatter<'_>, name: &str, value: &dyn fmt::Display| {
            write!(f, "{separator}{name} = {value}")?;
            separator = ", ";
            Ok(())
        };
        write!(f, "{}(", self.operator())?;
        if let Some(dim) = self.dim() {
            parameter(f, self.operator().dim_name(), &dim)?;
        }
        if let Some(value) = self.value() {
            parameter(f, "value", &value)?;
        }
        if let Some(alpha) = self.alpha() {
            parameter(f, "alpha", &alpha)?;
        }
        if let Self::IndexPut { axes, accumulate } = self {
            parameter(f, "axes", axes)?;
            parameter(f, "accumulate", accumulate)?;
        }
        if self.operator().takes(Parameter::Reduce) {
            parameter(f, "reduce", &self.reduce())?;
        }
        if let Self::ScatterReduce { include_self: false, .. } = self {
            parameter(f, "include_self", &false)?;
        }
        if let Some(padding) = self.padding() {
            parameter(f, "padding", &padding)?;
        }
        if let Self::EmbeddingBackward { scale: true, .. } = self {
            parameter(f, "scale", &true)?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `match` with `_` would let a new operator go without one of its parameters.
    #[test]
    fn a_call_has_the_parameters_that_its_operator_takes() {
        let (scalar, axes) = (Scalar::Int(9), Axes::one(2).unwrap());
        let numbers = Numbers {
            dim: 5,
            reduce: Reduce::Max,
            include_self: false,
            scalar,
            axes,
            padding: Some(3),
            scale: true,
        };
        for operator in Operator::ALL {
            let op = operator.with(&numbers);
            let takes = |parameter| operator.takes(parameter);
            let (value, alpha) = (takes(Parameter::Value), takes(Parameter::Alpha));
            assert_eq!(op.operator(), operator);
            assert_eq!(op.dim(), takes(Parameter::Dim).then_some(5), "{operator}");
            assert_eq!(op.value(), value.then_some(scalar), "{operator}");
            assert_eq!(op.alpha(), alpha.then_some(scalar), "{operator}");
            assert_eq!(op.scalar(), operator.takes_scalar().then_some(scalar), "{operator}");
            let with_src = op.with_src();
            assert!(with_src.operator().signature().has_src || !value, "{operator}");
            assert_eq!(with_src.operator().signature().addressing, operator.signature().addressing);
            assert_eq!((with_src.dim(), with_src.reduce()), (op.dim(), op.reduce()), "{operator}");
            assert_eq!(with_src == op, !value, "{operator}");
            assert_eq!(op.axes(), takes(Parameter::Axes).then_some(axes), "{operator}");
            assert_eq!(op.padding(), takes(Parameter::Padding).then_some(3), "{operator}");
            // A mean by `scale` is of the updates alone.
            let leaves_self_out = takes(Parameter::IncludeSelf) || takes(Parameter::Scale);
            assert_eq!(op.include_self(), !leaves_self_out, "{operator}");
        }
    }
}
