//! Valid calls, from which cases for refusals are made by breaking rules.

use engines::case::{Case, Expected};
use engines::storage::Storage;
use engines::tensor::{FILLER, Tensor};
use scatter::{Addressing, Axes, DType, Numbers, Op, Operator, Reduce};

/// Shapes of a valid call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) self_: [usize; 2],
    pub(super) index: [usize; 2],
}

/// An index that is smaller than self. [`call`] also makes src larger than index, for operators
/// whose index and src have the rank of self.
pub(super) const SMALL: Sizes = Sizes { self_: [3, 4], index: [2, 3] };

/// Shapes so large that several threads check the index values.
pub(super) const LARGE: Sizes = Sizes { self_: [300, 140], index: [300, 140] };

/// The axis that index points into, or the number of coordinates along its last axis.
pub(super) const DIM: usize = 1;

/// A valid call out of place, if the operator takes a self, whose index values are all 0. The
/// caller sets what is expected.
///
/// The reduction is a sum, except the maximum for `scatter_reduce` where the dtype has one.
pub(super) fn call(operator: Operator, dtype: DType, index_dtype: DType, sizes: &Sizes) -> Case {
    let signature = operator.signature();
    let Sizes { mut self_, index } = *sizes;
    let (index, src) = match signature.addressing {
        Addressing::Nd => (vec![index[0], 1], vec![index[0], self_[1]]),
        Addressing::Rows => {
            // Src has a row for each element of index, so long rows would take most of the suite's
            // memory.
            self_[1] = self_[1].min(SMALL.self_[1]);
            (index.to_vec(), vec![index[0], index[1], self_[1]])
        }
        Addressing::Slices => (vec![index[1]], vec![self_[0], index[1]]),
        Addressing::Windows => (vec![index[0]], vec![index[0], 2]),
        Addressing::Axes => (vec![index[0], 1], vec![self_[0], index[0]]),
        _ => (index.to_vec(), vec![index[0] + 1, index[1] + 2]),
    };
    of_shapes(operator, dtype, index_dtype, [&self_, &index, &src])
}

/// A valid call along the last axis, of an index without axes, whose only value is 0; for
/// `index_put` of index tensors without axes.
pub(super) fn of_scalar_index(operator: Operator, dtype: DType, index_dtype: DType) -> Case {
    let shapes: [&[usize]; 3] = match operator.signature().addressing {
        Addressing::Nd | Addressing::Rows => [&[3, 4], &[], &[4]],
        Addressing::Slices => [&[3, 4], &[], &[3, 1]],
        Addressing::Windows => [&[3, 4], &[], &[1, 1]],
        // The axis of index is the one along which the coordinates lie.
        Addressing::Axes => [&[3, 4], &[1], &[3]],
        _ => [&[3], &[], &[]],
    };
    of_shapes(operator, dtype, index_dtype, shapes)
}

/// A valid call whose index, of zeros, has rows of two columns, which are coordinates along both
/// axes of self; `None` where an index has no columns.
pub(super) fn of_columns(operator: Operator, dtype: DType, index_dtype: DType) -> Option<Case> {
    let src: &[usize] = match operator.signature().addressing {
        Addressing::Nd | Addressing::Axes => &[3],
        Addressing::Windows => &[3, 2],
        _ => return None,
    };
    let mut case = of_shapes(operator, dtype, index_dtype, [&SMALL.self_, &[3, 2], src]);
    if let Op::IndexPut { axes, .. } = &mut case.op {
        *axes = Axes::new(&[0, DIM])?;
    }
    Some(case)
}

/// A call with tensors of the shapes of self, index and src.
fn of_shapes(operator: Operator, dtype: DType, index_dtype: DType, shapes: [&[usize]; 3]) -> Case {
    let is_maximum = operator == Operator::ScatterReduce && !dtype.is_complex();
    let [self_, index, src] = shapes;
    let numbers = Numbers {
        dim: self_.len() as i64 - 1,
        reduce: if is_maximum { Reduce::Max } else { Reduce::Add },
        include_self: false,
        axes: Axes::one(DIM).unwrap_or_default(),
        ..Numbers::default()
    };
    let signature = operator.signature();
    Case {
        name: String::new(),
        op: operator.with(&numbers),
        // Without a self, the tensor in its place is the one that is written.
        out: signature.has_self.then(|| other_tensor(dtype, if signature.gathers { index } else { self_ })),
        self_: Tensor::filler(dtype, self_),
        src: signature.has_src.then(|| Tensor::filler(dtype, src)),
        index: zeros(index_dtype, index),
        claim: None,
        expected: Expected::Reference,
    }
}

/// A tensor whose values are other than the filler's, so that a copy of self to out is detected.
fn other_tensor(dtype: DType, shape: &[usize]) -> Tensor {
    Tensor::framed(&Storage::filled(dtype, shape.iter().product(), !FILLER), shape)
}

/// An index whose values are all 0.
pub(super) fn zeros(dtype: DType, shape: &[usize]) -> Tensor {
    Tensor::contiguous(Storage::zeroed(dtype, shape.iter().product()), shape)
}
