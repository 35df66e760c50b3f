//! Slices along one axis.

use scatter::{Op, Scalar};

use super::run::run;
use super::tensors::Tensors;
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, Tensor, TensorBase};

impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// `out = self; out[i][index[j]][k] = source[i][j][k]` for rank 3 and dim 1: each slice of
    /// source goes to the place that index names (`self.index_copy(1, index, source)` in Python).
    /// Of several slices for one place the last stays.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let input = Tensor::<f32>::zeros([2, 3], &stream)?;
    /// let index = Tensor::<i64>::new([2, 0], &stream)?;
    /// let source = Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0]], &stream)?;
    /// let out = input.index_copy(1, &index, &source, &stream)?;
    /// assert_eq!(out.to_vec(&stream)?, [2.0, 0.0, 1.0, 4.0, 0.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_copy<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        source: &TensorBase<impl Hold, K>,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.index_copy_into(dim, index, source, &mut out, on)?;
        Ok(out)
    }

    /// [`index_copy`](TensorBase::index_copy) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_copy_into<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        source: &TensorBase<impl Hold, K>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), index.raw(), Some(source.raw()), out.raw());
        run(Op::IndexCopy { dim }, tensors, on.into())
    }

    /// `out = self; out[i][index[j]][k] += alpha * source[i][j][k]` for rank 3 and dim 1
    /// (`self.index_add(1, index, source, alpha=alpha)` in Python).
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let input = Tensor::<f32>::full([3, 2], 1.0, &stream)?;
    /// let index = Tensor::<i64>::new([2, 0], &stream)?;
    /// let source = Tensor::<f32>::new([[2.0, 4.0], [6.0, 8.0]], &stream)?;
    /// let out = input.index_add(0, &index, &source, 0.5, &stream)?;
    /// assert_eq!(out.to_vec(&stream)?, [4.0, 5.0, 1.0, 1.0, 2.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_add<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        source: &TensorBase<impl Hold, K>,
        alpha: impl Into<Scalar>,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.index_add_into(dim, index, source, alpha, &mut out, on)?;
        Ok(out)
    }

    /// [`index_add`](TensorBase::index_add) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_add_into<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        source: &TensorBase<impl Hold, K>,
        alpha: impl Into<Scalar>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), index.raw(), Some(source.raw()), out.raw());
        run(Op::IndexAdd { dim, alpha: alpha.into() }, tensors, on.into())
    }
}

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// [`index_copy`](TensorBase::index_copy) in place.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_copy_<'s>(
        &mut self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        source: &TensorBase<impl Hold, K>,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let tensors = Tensors::new(self.raw(), index.raw(), Some(source.raw()), self.raw());
        run(Op::IndexCopy { dim }, tensors, on.into())?;
        Ok(self)
    }

    /// [`index_add`](TensorBase::index_add) in place.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_add_<'s>(
        &mut self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        source: &TensorBase<impl Hold, K>,
        alpha: impl Into<Scalar>,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let tensors = Tensors::new(self.raw(), index.raw(), Some(source.raw()), self.raw());
        run(Op::IndexAdd { dim, alpha: alpha.into() }, tensors, on.into())?;
        Ok(self)
    }
}
