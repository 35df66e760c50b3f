//! The scatter by a list of index tensors.

use scatter::{Axes, Op};
use smallvec::SmallVec;

use super::run::run;
use super::tensors::{IndexTensors, Tensors};
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, RawTensor, Tensor, TensorBase};

/// The scatter by several index tensors.
impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// `out = self; out[indices[0][i…]][indices[1][i…]] = values[i…]` for rank 2, or `+=` to
    /// accumulate (`self.index_put((rows, columns), values, accumulate=True)` in Python).
    ///
    /// There is an index tensor, or `None`, for each leading axis of self. They are broadcast
    /// together, and values to the elements that they name. An axis without index is taken whole,
    /// as are those behind the last entry. What values are broadcast to has the shape of the index
    /// tensors where the indexed axes are, if these are neighbours, or else first, as in NumPy. Of
    /// several values for one element the last in row-major order stays, or they are added in that
    /// order.
    ///
    /// The tensors of the list have one type. Where some are views, or differ in dtype, make all
    /// of them so: `rows.view().into_any()`.
    ///
    /// The kernels compute it on an Ascend host, too. CANN's own operator, which the engine
    /// [`Vendor`](crate::Engine::Vendor) calls, leaves an index that is negative or out of range
    /// undefined, and does nothing without an index tensor.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let counts = Tensor::<f32>::zeros([2, 3], &stream)?;
    /// let (rows, columns) = (Tensor::<i64>::new([0, 1, 0], &stream)?, Tensor::new([2, 0, 2], &stream)?);
    /// let one = Tensor::<f32>::new([1.0], &stream)?;
    /// let out = counts.index_put(&[Some(&rows), Some(&columns)], &one, true, &stream)?;
    /// assert_eq!(out.to_vec(&stream)?, [0.0, 0.0, 2.0, 1.0, 0.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_put<'s>(
        &self,
        indices: &[Option<&TensorBase<impl Hold, impl IndexKind>>],
        values: &TensorBase<impl Hold, K>,
        accumulate: bool,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.index_put_into(indices, values, accumulate, &mut out, on)?;
        Ok(out)
    }

    /// [`index_put`](TensorBase::index_put) into `out`.
    ///
    /// CANN's own operator exists only in place, so self is first copied to out.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_put_into<'s>(
        &self,
        indices: &[Option<&TensorBase<impl Hold, impl IndexKind>>],
        values: &TensorBase<impl Hold, K>,
        accumulate: bool,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        put(self.raw(), &raw(indices), values.raw(), accumulate, out.raw(), on.into())
    }
}

/// In place.
impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// [`index_put`](TensorBase::index_put) in place
    /// (`cache.index_put_((blocks, None, slots), keys)`, or `cache[blocks, :, slots] = keys`, in
    /// Python).
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// // The keys of two tokens, for each of two heads, go to their blocks and slots of a cache.
    /// let mut cache = Tensor::<f32>::zeros([2, 2, 3], &stream)?;
    /// let (blocks, slots) = (Tensor::<i32>::new([1, 0], &stream)?, Tensor::<i32>::new([2, 0], &stream)?);
    /// let keys = Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0]], &stream)?;
    /// cache.index_put_(&[Some(&blocks), None, Some(&slots)], &keys, false, &stream)?;
    /// let blocks = [[3.0, 0.0, 0.0, 4.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 2.0]];
    /// assert_eq!(cache.to_vec(&stream)?, blocks.concat());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn index_put_<'s>(
        &mut self,
        indices: &[Option<&TensorBase<impl Hold, impl IndexKind>>],
        values: &TensorBase<impl Hold, K>,
        accumulate: bool,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        put(self.raw(), &raw(indices), values.raw(), accumulate, self.raw(), on.into())?;
        Ok(self)
    }
}

/// The index tensors without their types.
fn raw<'a>(
    indices: &[Option<&'a TensorBase<impl Hold, impl IndexKind>>],
) -> SmallVec<[Option<&'a RawTensor>; 4]> {
    indices.iter().map(|index| index.map(TensorBase::raw)).collect()
}

fn put(
    self_: &RawTensor,
    indices: &[Option<&RawTensor>],
    values: &RawTensor,
    accumulate: bool,
    out: &RawTensor,
    on: On<'_>,
) -> Result<()> {
    let given = indices.iter().enumerate().filter(|(_, index)| index.is_some());
    // Where there are too many, the list is refused.
    let axes = given.map(|(axis, _)| axis).try_fold(Axes::NONE, Axes::with).unwrap_or_default();
    let tensors = Tensors { self_: Some(self_), index: IndexTensors::List(indices), src: Some(values), out };
    run(Op::IndexPut { axes, accumulate }, tensors, on)
}
