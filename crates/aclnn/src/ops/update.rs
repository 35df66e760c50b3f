//! The src of a scatter: a tensor, or one number.

use core::marker::PhantomData;

use scatter::{Op, Reduce, Scalar};

use crate::tensor::{Kind, RawTensor, TensorBase};

/// The src of a scatter: a tensor (`&src`), or one number that stands for all its elements, which
/// is converted to self's dtype.
pub struct Update<'u, K> {
    source: Source<'u>,
    kind: PhantomData<fn() -> K>,
}

#[derive(Clone, Copy)]
enum Source<'u> {
    Tensor(&'u RawTensor),
    Value(Scalar),
}

impl<'u, K> Update<'u, K> {
    /// The operator that scatters this along `dim`, and the src tensor, if it is a tensor.
    pub(super) fn into_op(self, dim: i64, reduce: Reduce) -> (Op, Option<&'u RawTensor>) {
        match self.source {
            Source::Tensor(src) => (Op::Scatter { dim, reduce }, Some(src)),
            Source::Value(value) => (Op::ScatterValue { dim, value, reduce }, None),
        }
    }
}

impl<'u, H, K: Kind> From<&'u TensorBase<H, K>> for Update<'u, K> {
    fn from(tensor: &'u TensorBase<H, K>) -> Self {
        Self { source: Source::Tensor(tensor.raw()), kind: PhantomData }
    }
}

impl<K, V: Into<Scalar>> From<V> for Update<'_, K> {
    fn from(value: V) -> Self {
        Self { source: Source::Value(value.into()), kind: PhantomData }
    }
}

impl<K> core::fmt::Debug for Update<'_, K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.source {
            Source::Tensor(tensor) => write!(f, "Tensor({:?})", tensor.layout),
            Source::Value(value) => write!(f, "{value:?}"),
        }
    }
}
