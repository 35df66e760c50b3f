//! The two operands of an elementwise operator: tensors, or a tensor and a scalar.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use ndarray::{ArrayD, IxDyn, Zip};

use super::{broadcast, promoted};
use crate::call::Call;
use crate::dtype::{Category, Class, DType};
use crate::failure::{Failure, bug, ensure};
use crate::held::Held;
use crate::tensor::Tensor;
use crate::values::{Number, Scalar, Wide};

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
    /// The dtype to which they are promoted.
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
                let (dtype, shape) = (left.dtype.with_scalar(scalar.dtype, out.dtype), left.shape.clone());
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

    /// The same pair, whose scalar wraps or is rounded to the common dtype.
    pub(super) fn rounded<W: Wide>(&self, held: &Held<'_>) -> Result<(ArrayD<W>, ArrayD<W>), Failure> {
        let (left, right) = self.values::<W>(held)?;
        Ok((left, W::of(W::wrap(right).convert(self.dtype))))
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

/// The scalar `alpha`, of which the dtype must lose neither a fraction nor an imaginary part; f16
/// and bf16 are computed in f32. Of bools, another number than 0 stands for true.
pub(super) fn alpha(call: &Call, dtype: DType) -> Result<Scalar, Failure> {
    let (name, mut scalar) = *call.scalars().last().ok_or_else(|| bug("a scalar that isn't there"))?;
    let real: f64 = scalar.to();
    let is_whole = dtype.category() > Category::Integer || real.fract() == 0.0;
    let computing = if dtype.class() == Class::Single { DType::F32 } else { dtype };
    ensure!(
        is_whole && scalar.fits(computing),
        ACLNN_ERR_PARAM_INVALID,
        "{name}: a number that {computing} can hold expected, got {}",
        scalar.number
    );
    if dtype == DType::Bool {
        scalar.number = Number::Int((scalar.to::<i128>() != 0).into());
    }
    Ok(scalar)
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
