//! The two operands of an elementwise operator: tensors, or a tensor and a scalar.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, IxDyn, Zip};

use super::{broadcast, promoted};
use crate::call::Call;
use crate::dtype::DType;
use crate::failure::{Failure, bug, failure};
use crate::held::Held;
use crate::tensor::Tensor;
use crate::values::{Scalar, Values, Wide};

/// The second operand.
#[derive(Clone, Copy, Debug)]
enum Right {
    /// The second tensor.
    Tensor,
    Scalar(Scalar),
}

/// The operands of a call, checked.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The dtype in which they meet.
    pub(super) dtype: DType,
    /// The shape to which they are broadcast.
    pub(super) shape: Vec<usize>,
    right: Right,
}

impl Pair {
    /// The operands of a call of three tensors, or of two and a scalar; the last tensor is out.
    pub(super) fn of(call: &Call) -> Result<(Self, &Tensor), Failure> {
        match call.all_tensors().as_slice() {
            [left, right, out] => {
                let (dtype, shape) = (promoted(left, right)?, broadcast(left, right)?);
                Ok((Self { dtype, shape, right: Right::Tensor }, *out))
            }
            [left, out] => {
                let (_, scalar) = *call.scalars().first().ok_or_else(|| bug("a scalar that isn't there"))?;
                let (dtype, shape) = (left.dtype.with_scalar(scalar.category), left.shape.clone());
                Ok((Self { dtype, shape, right: Right::Scalar(scalar) }, *out))
            }
            _ => Err(bug("another number of tensors")),
        }
    }

    /// The values of both in a computing type. Tensors are cast to the common dtype first; a scalar
    /// keeps its precision.
    pub(super) fn values<W: Wide>(&self, held: &Held<'_>) -> Result<(ArrayD<W>, ArrayD<W>), Failure> {
        let right = match self.right {
            Right::Tensor => held.values(1)?.convert(self.dtype),
            Right::Scalar(scalar) => scalar.values(),
        };
        Ok((W::of(held.values(0)?.convert(self.dtype)), W::of(right)))
    }

    /// The same pair, whose scalar is rounded to the common dtype.
    pub(super) fn rounded<W: Wide>(&self, held: &Held<'_>) -> Result<(ArrayD<W>, ArrayD<W>), Failure> {
        let (left, right) = self.values::<W>(held)?;
        let right = match self.dtype.bounds() {
            // An integer that the dtype hasn't is equal to none that it has.
            Some(_) => right,
            None => W::of(W::wrap(right).convert(self.dtype)),
        };
        Ok((left, right))
    }

    /// Applies a function to both, element by element.
    pub(super) fn zip<W: Wide, R>(
        &self,
        (left, right): &(ArrayD<W>, ArrayD<W>),
        function: &dyn Fn(W, W) -> R,
    ) -> Result<ArrayD<R>, Failure> {
        let shape = IxDyn(&self.shape);
        let (Some(left), Some(right)) = (left.broadcast(shape.clone()), right.broadcast(shape)) else {
            return Err(bug("operands of other shapes"));
        };
        Ok(Zip::from(left).and(right).map_collect(|left, right| function(*left, *right)))
    }
}

/// The scalar `alpha`, which must be one that the dtype's computing type holds.
pub(super) fn alpha(call: &Call, dtype: DType) -> Result<Scalar, Failure> {
    let (name, scalar) = *call.scalars().last().ok_or_else(|| bug("a scalar that isn't there"))?;
    let values = scalar.values();
    let same = |cast: Values| match (cast, &values) {
        (Values::Int(cast), Values::Double(values)) => cast.mapv(|value| value as f64) == *values,
        (Values::Int(cast), Values::ComplexDouble(values)) => {
            cast.mapv(|value| num_complex::Complex::from(value as f64)) == *values
        }
        (Values::Single(_) | Values::Double(_), Values::ComplexDouble(values)) => {
            values.iter().all(|value| value.im == 0.0)
        }
        _ => true,
    };
    let class = crate::values::in_class!(dtype.class(), W => W::wrap(W::of(values.clone())));
    if same(class) {
        return Ok(scalar);
    }
    Err(failure!(
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a number that {dtype} can hold expected, got {:?}",
        scalar.number
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_of_shapes_is_broadcast() {
        let pair = Pair { dtype: DType::F32, shape: vec![2, 3], right: Right::Tensor };
        let left = ArrayD::from_shape_vec(IxDyn(&[2, 1]), vec![1_f32, 2.0]).unwrap();
        let right = ArrayD::from_shape_vec(IxDyn(&[3]), vec![10_f32, 20.0, 30.0]).unwrap();
        let sums = pair.zip(&(left, right), &|left, right| left + right).unwrap();
        assert_eq!(sums.into_raw_vec_and_offset().0, [11.0, 21.0, 31.0, 12.0, 22.0, 32.0]);
    }
}
