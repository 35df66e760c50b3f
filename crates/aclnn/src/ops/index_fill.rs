//! Slices that are set to one number.

use scatter::{Op, Scalar};

use super::run::run;
use super::tensors::Tensors;
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, Tensor, TensorBase};

impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// `out = self; out[i][index[j]][k] = value` for rank 3 and dim 1: each slice along `dim` that
    /// index, which has one axis, names is set to one number, which is converted to self's dtype
    /// (`self.index_fill(1, index, -9)` in Python).
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let scores = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &stream)?;
    /// let columns = Tensor::<i64>::new([0, -1], &stream)?;
    /// let masked = scores.index_fill(1, &columns, -9, &stream)?;
    /// assert_eq!(masked.to_vec(&stream)?, [-9.0, 2.0, -9.0, -9.0, 5.0, -9.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add); so is a number that the dtype can't represent.
    pub fn index_fill<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        value: impl Into<Scalar>,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.index_fill_into(dim, index, value, &mut out, on)?;
        Ok(out)
    }

    /// [`index_fill`](TensorBase::index_fill) into `out`.
    ///
    /// # Errors
    /// As [`index_fill`](TensorBase::index_fill).
    pub fn index_fill_into<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        value: impl Into<Scalar>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let op = Op::IndexFill { dim, value: value.into() };
        let tensors = Tensors::new(self.raw(), index.raw(), None, out.raw());
        run(op, tensors, on.into())
    }
}

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// [`index_fill`](TensorBase::index_fill) in place.
    ///
    /// # Errors
    /// As [`index_fill`](TensorBase::index_fill).
    pub fn index_fill_<'s>(
        &mut self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        value: impl Into<Scalar>,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let op = Op::IndexFill { dim, value: value.into() };
        let tensors = Tensors::new(self.raw(), index.raw(), None, self.raw());
        run(op, tensors, on.into())?;
        Ok(self)
    }
}
