//! Blocks that begin where indices say.

use scatter::Op;

use super::run::run;
use super::tensors::Tensors;
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, Tensor, TensorBase};

impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// `out = self; out[i][indices[i] + j][k] = updates[i][j][k]` for rank 3 and axis 1: each block
    /// of updates goes to where indices says that it begins
    /// (`torch_npu.scatter_update(self, indices, updates, 1)` in Python). With two columns,
    /// `out[indices[i][0]][indices[i][1] + j][k]`; of several updates of one element the last
    /// stays. axis isn't 0.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let mut cache = Tensor::<f32>::zeros([2, 3], &stream)?;
    /// let lengths = Tensor::<i32>::new([2, 0], &stream)?;
    /// let keys = Tensor::<f32>::new([[1.0], [2.0]], &stream)?;
    /// cache.scatter_update_(&lengths, &keys, 1, &stream)?;
    /// assert_eq!(cache.to_vec(&stream)?, [0.0, 0.0, 1.0, 2.0, 0.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_update<'s>(
        &self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        axis: i64,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.scatter_update_into(indices, updates, axis, &mut out, on)?;
        Ok(out)
    }

    /// [`scatter_update`](TensorBase::scatter_update) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_update_into<'s>(
        &self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        axis: i64,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), indices.raw(), Some(updates.raw()), out.raw());
        run(Op::ScatterUpdate { dim: axis }, tensors, on.into())
    }
}

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// [`scatter_update`](TensorBase::scatter_update) in place.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_update_<'s>(
        &mut self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        axis: i64,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let tensors = Tensors::new(self.raw(), indices.raw(), Some(updates.raw()), self.raw());
        run(Op::ScatterUpdate { dim: axis }, tensors, on.into())?;
        Ok(self)
    }
}
