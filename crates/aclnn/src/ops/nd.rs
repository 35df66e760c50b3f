//! Elements and slices that each row of indices names.

use scatter::Op;

use super::run::run;
use super::tensors::Tensors;
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, Tensor, TensorBase};

impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// `out = self; out[indices[i…][0], …, indices[i…][k-1], …] += updates[i…, …]`, with `k` the
    /// size of the last axis of indices: `Tensor.scatter_add(indices, updates)` and
    /// `ops.scatter_nd_add` of MindSpore.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let input = Tensor::<f32>::new([[-0.1, 0.3, 3.6], [0.4, 0.5, -3.2]], &stream)?;
    /// let indices = Tensor::<i32>::new([[0, 0], [0, 0]], &stream)?;
    /// let updates = Tensor::<f32>::new([1.0, 2.2], &stream)?;
    /// let output = input.scatter_nd_add(&indices, &updates, &stream)?;
    /// assert_eq!(output.to_vec(&stream)?, [3.1, 0.3, 3.6, 0.4, 0.5, -3.2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_nd_add<'s>(
        &self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.scatter_nd_add_into(indices, updates, &mut out, on)?;
        Ok(out)
    }

    /// [`scatter_nd_add`](TensorBase::scatter_nd_add) into `out`.
    ///
    /// CANN's own operator (`Engine::Vendor`) exists only in place, so self is first copied to out.
    /// Where an index is out of range, out holds that copy with whatever CANN's operator did to it.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_nd_add_into<'s>(
        &self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), indices.raw(), Some(updates.raw()), out.raw());
        run(Op::ScatterNdAdd, tensors, on.into())
    }

    /// `out = self; out[indices[i…][0], …, indices[i…][k-1], …] = updates[i…, …]`, with `k` the
    /// size of the last axis of indices: ONNX's ScatterND, `tf.tensor_scatter_nd_update`, and
    /// `aclnnScatterNd` (in Python `cache[places[:, 0]] = keys`, where `k` is 1). Of several
    /// updates of one element the last in row-major order of indices stays.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let cache = Tensor::<f32>::zeros([4, 2], &stream)?;
    /// let places = Tensor::<i64>::new([[3], [0]], &stream)?;
    /// let keys = Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0]], &stream)?;
    /// let filled = cache.scatter_nd_update(&places, &keys, &stream)?;
    /// assert_eq!(filled.to_vec(&stream)?, [3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    #[doc(alias = "scatter_nd")]
    pub fn scatter_nd_update<'s>(
        &self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.scatter_nd_update_into(indices, updates, &mut out, on)?;
        Ok(out)
    }

    /// [`scatter_nd_update`](TensorBase::scatter_nd_update) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_nd_update_into<'s>(
        &self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), indices.raw(), Some(updates.raw()), out.raw());
        run(Op::ScatterNdUpdate, tensors, on.into())
    }
}

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// [`scatter_nd_add`](TensorBase::scatter_nd_add) in place.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_nd_add_<'s>(
        &mut self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let tensors = Tensors::new(self.raw(), indices.raw(), Some(updates.raw()), self.raw());
        run(Op::ScatterNdAdd, tensors, on.into())?;
        Ok(self)
    }

    /// [`scatter_nd_update`](TensorBase::scatter_nd_update) in place.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_nd_update_<'s>(
        &mut self,
        indices: &TensorBase<impl Hold, impl IndexKind>,
        updates: &TensorBase<impl Hold, K>,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let tensors = Tensors::new(self.raw(), indices.raw(), Some(updates.raw()), self.raw());
        run(Op::ScatterNdUpdate, tensors, on.into())?;
        Ok(self)
    }
}
