//! The gradient of a scatter with respect to its src.

use aclnn_scatter::launch_src_grad;
use scatter::{Operator, SrcGrad};

use crate::call::of_aclnn;
use crate::error::Result;
use crate::stream::On;
use crate::stream::uses::{Access, Locked};
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, RawTensor, Tensor, TensorBase, empty};
use crate::trace::span;

/// The gradient of a scatter with respect to its src.
impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// The gradient with respect to src of `out = input.scatter_add(dim, index, src)`, or of
    /// `scatter` if no element receives more than one update. Here self is the gradient with
    /// respect to out, and `src_grad[i][j][k] = self[i][index[i][j][k]][k]` for rank 3 and dim 1.
    /// The result has the shape of index, which must be the shape of src.
    ///
    /// Only on `host-cann`. On an Ascend host, call CANN's `aclnnGather(self, dim, index, out)`,
    /// which computes the same, through an [`Executor`](crate::Executor).
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
    /// [`Error::Scatter`](crate::Error::Scatter) for the first rule broken;
    /// [`Error::Aclnn`](crate::Error::Aclnn) with code 561003 where CANN is not host-cann, and for
    /// engines other than [`Auto`](crate::Engine::Auto) and [`Cpu`](crate::Engine::Cpu);
    /// [`Error::Device`](crate::Error::Device); the pending error of an earlier drop.
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
    /// As [`scatter_src_grad`](TensorBase::scatter_src_grad).
    pub fn scatter_src_grad_into<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let on = on.into();
        let stream = on.stream;
        let tensors = [self.raw(), index.raw(), out.raw()];
        let operands = tensors.map(RawTensor::operand);
        let [grad, indices, written] = &operands;
        let problem = SrcGrad::new(grad, dim, indices, written)?;
        let name = Operator::ScatterSrcGrad.name();
        for tensor in tensors {
            stream.device().expect_same(name, tensor.buffer.device())?;
        }
        let _span = span!("launch", operator = name);
        let session = stream.device().runtime().session();
        let [grad, index, out] = tensors.map(|tensor| tensor.buffer.tracked().uses());
        let mut used = [(grad, Access::Read), (index, Access::Read), (out, tensors[2].write())];
        let launch = |place: crate::stream::core::Place| {
            // SAFETY: the stream belongs to the session's CANN. The tensors are on the stream's
            // device, and `operand` exposes their addresses; their layouts lie inside their
            // buffers, which are locked for this work and outlive it.
            let status = unsafe {
                launch_src_grad(session, on.engine(), &problem, &operands, place.stream, place.ticket)
            };
            of_aclnn(stream.device().cann(), name, status)
        };
        stream.core().enqueue(&mut Locked::new(&mut used), 0, launch).map(drop)
    }
}
