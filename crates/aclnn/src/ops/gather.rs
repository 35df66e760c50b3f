//! The gather, and the gradient of a scatter with respect to its src, which is the same.

use scatter::Op;

use super::run::run;
use super::tensors::Tensors;
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, Tensor, TensorBase, empty};

/// Operators that read self where index says.
impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// `out[i][j][k] = self[i][index[i][j][k]][k]` for rank 3 and dim 1
    /// (`torch.gather(self, 1, index)` in Python). The result has the shape of index, which along
    /// axes other than dim may be shorter than self.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let logits = Tensor::<f32>::new([[0.1, 0.9], [0.7, 0.3]], &stream)?;
    /// let chosen = logits.gather(1, &Tensor::<i64>::new([[1], [0]], &stream)?, &stream)?;
    /// assert_eq!(chosen.to_vec(&stream)?, [0.9, 0.7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn gather<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = empty(self.dtype(), index.shape(), self.device())?;
        self.gather_into(dim, index, &mut out, on)?;
        Ok(out)
    }

    /// [`gather`](TensorBase::gather) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn gather_into<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), index.raw(), None, out.raw());
        run(Op::Gather { dim }, tensors, on.into())
    }

    /// The gradient with respect to src of `out = input.scatter_add(dim, index, src)`, or of
    /// `scatter` if no element receives more than one update. Here self is the gradient with
    /// respect to out, and `src_grad[i][j][k] = self[i][index[i][j][k]][k]` for rank 3 and dim 1,
    /// which is [`gather`](TensorBase::gather) (`torch.gather(grad, 0, index)` in Python). The
    /// result has the shape of index, which must be the shape of src.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let grad = Tensor::<f32>::new([1.0, 2.0, 3.0], &stream)?;
    /// let src_grad = grad.scatter_src_grad(0, &Tensor::<i64>::new([2, 0, 2], &stream)?, &stream)?;
    /// assert_eq!(src_grad.to_vec(&stream)?, [3.0, 1.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_src_grad<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = empty(self.dtype(), index.shape(), self.device())?;
        self.scatter_src_grad_into(dim, index, &mut out, on)?;
        Ok(out)
    }

    /// [`scatter_src_grad`](TensorBase::scatter_src_grad) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_src_grad_into<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), index.raw(), None, out.raw());
        run(Op::ScatterSrcGrad { dim }, tensors, on.into())
    }
}
