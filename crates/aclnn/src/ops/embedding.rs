//! The gradient of an embedding for its weights.

use scatter::Op;

use super::run::run;
use super::tensors::Tensors;
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, Tensor, TensorBase, empty};

/// Methods of the gradient of an embedding's result.
impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// The gradient for the weights of an embedding, of which self is the gradient of the result:
    /// `out[indices[i]][j] += self[i][j]` from zeros, where out is `[weights, width]`, and self has
    /// the shape of indices and `width`
    /// (`torch.ops.aten.embedding_dense_backward(self, indices, weights, padding, scale)` in
    /// Python, where -1 stands for no padding).
    ///
    /// The row `padding` stays zero. With `scale`, each row of out is divided by how often indices
    /// name it, which makes it the mean of rows of self instead of their sum.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let grad = Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], &stream)?;
    /// let indices = Tensor::<i64>::new([1, 3, 1], &stream)?;
    /// let weight_grad = grad.embedding_backward(&indices, 4, Some(3), false, &stream)?;
    /// assert_eq!(weight_grad.to_vec(&stream)?, [0.0, 0.0, 6.0, 8.0, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn embedding_backward<'s>(
        &self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        weights: usize,
        padding: Option<usize>,
        scale: bool,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let width = self.shape().last().copied().unwrap_or(1);
        let mut out = empty(self.dtype(), &[weights, width], self.device())?;
        self.embedding_backward_into(indices, padding, scale, &mut out, on)?;
        Ok(out)
    }

    /// [`embedding_backward`](TensorBase::embedding_backward) into `out`, whose first axis has the
    /// size `weights`. What out holds before has no meaning.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn embedding_backward_into<'s>(
        &self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        padding: Option<usize>,
        scale: bool,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors =
            Tensors { self_: None, index: indices.raw().into(), src: Some(self.raw()), out: out.raw() };
        run(Op::EmbeddingBackward { padding, scale }, tensors, on.into())
    }
}
