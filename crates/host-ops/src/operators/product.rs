//! Products of matrices.

use core::ops::RangeInclusive;

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{Array3, ArrayD, ArrayView1, Axis, IxDyn};

use super::{REAL, check_category, check_out, check_scalars, common_dtype, common_shape, promoted};
use crate::call::{Call, Work};
use crate::dtype::{Category, DType};
use crate::failure::{Failure, bug, ensure, failure};
use crate::held::Held;
use crate::tensor::Tensor;
use crate::values::{Scalar, Values, Wide};

/// `out = self @ mat2`, of one to six axes each by PyTorch's rules: all but the last two are
/// broadcast; a tensor of one axis is a row on the left, and a column on the right, and out lacks
/// that axis.
pub(crate) fn matmul(call: &Call) -> Result<Work, Failure> {
    of_rank(call, 1..=6)
}

/// `out = self @ mat2`, of two matrices.
pub(crate) fn mm(call: &Call) -> Result<Work, Failure> {
    of_rank(call, 2..=2)
}

/// `out[i] = self[i] @ mat2[i]`; a first axis of 1 is broadcast.
pub(crate) fn batch_matmul(call: &Call) -> Result<Work, Failure> {
    of_rank(call, 3..=3)
}

/// `out = beta * self + alpha * (mat1 @ mat2)`, not rounded in between; self is not read for a
/// `beta` of 0.
pub(crate) fn addmm(call: &Call) -> Result<Work, Failure> {
    let [self_, left, right, out] = call.tensors()?;
    check_floats(call)?;
    let product = Product::of(left, right, 2..=2)?;
    let dtype = common_dtype(product.dtype, &format!("{} and {}", left.name, right.name), self_)?;
    let shape = &product.shape;
    ensure!(
        common_shape(&self_.shape, shape).as_ref() == Some(shape),
        ACLNN_ERR_PARAM_INVALID,
        "{}: a shape that can be broadcast to {shape:?} expected, got {:?}",
        self_.name,
        self_.shape
    );
    check_out(out, shape, dtype)?;
    let [(_, beta), (_, alpha)] = *call.scalars() else { return Err(bug("other scalars")) };
    let [beta, alpha] = [beta, alpha].map(Scalar::to::<f64>);
    Ok(Work::new(move |held| {
        let mut sums = product.compute(held, [1, 2], dtype)?.mapv_into(|element| alpha * element);
        if beta != 0.0 {
            let added = f64::of(held.values(0)?.convert(dtype));
            let added = added.broadcast(sums.raw_dim()).ok_or_else(|| bug("another shape"))?.to_owned();
            sums += &added.mapv_into(|element| beta * element);
        }
        held.put(dtype, Values::Double(sums))
    }))
}

fn of_rank(call: &Call, ranks: RangeInclusive<usize>) -> Result<Work, Failure> {
    let [left, right, out] = call.tensors()?;
    check_floats(call)?;
    let product = Product::of(left, right, ranks)?;
    check_out(out, &product.shape, product.dtype)?;
    Ok(Work::new(move |held| {
        held.put(product.dtype, Values::Double(product.compute(held, [0, 1], product.dtype)?))
    }))
}

/// Refuses what is no real float.
fn check_floats(call: &Call) -> Result<(), Failure> {
    let tensors = call.all_tensors();
    tensors.iter().try_for_each(|tensor| check_category(tensor, "real floats", &[Category::Float]))?;
    check_scalars(call, "a real number", &REAL)
}

/// A checked product of two tensors.
#[derive(Clone, Debug)]
struct Product {
    /// The dtype to which both are promoted.
    dtype: DType,
    /// The shape of the result.
    shape: Vec<usize>,
    /// The shapes of both as stacks of matrices, to which they are broadcast.
    stacks: [Vec<usize>; 2],
    /// How many matrices there are, and rows of the left ones, numbers in each, and columns of the
    /// right ones.
    sizes: [usize; 4],
}

impl Product {
    fn of(left: &Tensor, right: &Tensor, ranks: RangeInclusive<usize>) -> Result<Self, Failure> {
        let dtype = promoted(left, right)?;
        for Tensor { name, shape, .. } in [left, right] {
            let (least, most) = (ranks.start(), ranks.end());
            let expected = if least == most { format!("{most}") } else { format!("{least} to {most}") };
            ensure!(
                ranks.contains(&shape.len()),
                ACLNN_ERR_PARAM_INVALID,
                "{name}: {expected} axes expected, got {shape:?}"
            );
        }
        let (left_stack, rows, inner) = match *left.shape.as_slice() {
            [ref stack @ .., rows, inner] => (stack, Some(rows), inner),
            [inner] => (&[][..], None, inner),
            [] => return Err(bug("no axes")),
        };
        let (right_stack, length, columns) = match *right.shape.as_slice() {
            [ref stack @ .., length, columns] => (stack, length, Some(columns)),
            [length] => (&[][..], length, None),
            [] => return Err(bug("no axes")),
        };
        ensure!(
            length == inner,
            ACLNN_ERR_PARAM_INVALID,
            "{}: columns of {inner} numbers expected, as many as a row of {} has, got shape {:?}",
            right.name,
            left.name,
            right.shape
        );
        let stack = common_shape(left_stack, right_stack).ok_or_else(|| {
            failure!(
                ACLNN_ERR_PARAM_INVALID,
                "{}: leading axes that can be broadcast with {left_stack:?} of {} expected, got {right_stack:?}",
                right.name,
                left.name
            )
        })?;
        let with = |ends: &[usize]| [stack.as_slice(), ends].concat();
        let shape = stack.iter().copied().chain(rows).chain(columns).collect();
        let (rows, columns) = (rows.unwrap_or(1), columns.unwrap_or(1));
        let sizes = [stack.iter().product(), rows, inner, columns];
        Ok(Self { dtype, shape, stacks: [with(&[rows, inner]), with(&[inner, columns])], sizes })
    }

    /// The product in `f64`, of operands that are cast to a dtype first. Each element is summed
    /// from the first product to the last.
    fn compute(
        &self,
        held: &Held<'_>,
        [left, right]: [usize; 2],
        dtype: DType,
    ) -> Result<ArrayD<f64>, Failure> {
        let [count, rows, inner, columns] = self.sizes;
        let [left_stack, right_stack] = &self.stacks;
        let left = f64::of(held.values(left)?.convert(dtype));
        let mut right = f64::of(held.values(right)?.convert(dtype));
        if right.ndim() == 1 {
            right.insert_axis_inplace(Axis(1));
        }
        let left = stacked(&left, left_stack, [count, rows, inner])?;
        let right = stacked(&right, right_stack, [count, inner, columns])?;
        let mut elements = Vec::with_capacity(self.shape.iter().product());
        for (left, right) in left.outer_iter().zip(right.outer_iter()) {
            for row in left.rows() {
                let dot = |column: ArrayView1<'_, f64>| {
                    row.iter().zip(column).fold(0.0, |sum, (left, right)| sum + left * right)
                };
                elements.extend(right.columns().into_iter().map(dot));
            }
        }
        ArrayD::from_shape_vec(IxDyn(&self.shape), elements).map_err(|_| bug("another number of elements"))
    }
}

/// A tensor as one stack of matrices.
fn stacked(
    tensor: &ArrayD<f64>,
    stack: &[usize],
    [count, rows, columns]: [usize; 3],
) -> Result<Array3<f64>, Failure> {
    let tensor = tensor.broadcast(IxDyn(stack)).ok_or_else(|| bug("another shape"))?;
    let tensor = tensor.to_shape((count, rows, columns)).map_err(|_| bug("another number of elements"))?;
    Ok(tensor.into_owned())
}
