//! Elements along one axis.

use scatter::{Op, Reduce};

use super::run::run;
use super::tensors::Tensors;
use super::update::Update;
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{Hold, HoldMut, IndexKind, Kind, Tensor, TensorBase};

/// The scatter family. A method whose name ends with `_` works in place, one whose name ends with
/// `_into` writes to a given tensor, and the others write to a new one; only the first kind writes
/// self.
///
/// The crate [`scatter`] defines what they compute, to the last bit, and what they refuse: rules
/// that need no data are checked before the call is given to the stream. An index out of range is
/// found while the stream works, and returned by
/// [`Stream::synchronize`](crate::Stream::synchronize). `on` is a `&Stream`, or
/// [`Stream::on`](crate::Stream::on) with an engine; no method waits for the stream.
///
/// index may hold `i32` or `i64`. Where it has self's rank, its axes may be shorter than those of
/// src and, except along `dim`, must not be longer than those of self. Indices may repeat; negative
/// ones count from the end.
impl<H: Hold, K: Kind> TensorBase<H, K> {
    /// `out = self; out[i][index[i][j][k]][k] += src[i][j][k]` for rank 3 and dim 1.
    ///
    /// The examples in the documentation of `mindspore.Tensor.scatter_add(dim, index, src)` and of
    /// CANN's `aclnnScatterAdd`:
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// # use aclnn::Tensor;
    /// let input = Tensor::<f32>::new([[1.0, 2.0, 3.0, 4.0, 5.0]], &stream)?;
    /// let src = Tensor::<f32>::new([[8.0, 8.0]], &stream)?;
    /// let index = Tensor::<i64>::new([[2, 4]], &stream)?;
    /// let out = input.scatter_add(1, &index, &src, &stream)?;
    /// assert_eq!(out.to_vec(&stream)?, [1.0, 2.0, 11.0, 4.0, 13.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// # use aclnn::Tensor;
    /// let input = Tensor::<f32>::zeros([5, 5], &stream)?;
    /// let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], &stream)?;
    /// let index = Tensor::<i64>::new([[0, 0, 0], [2, 2, 2], [4, 4, 4]], &stream)?;
    /// let out = input.scatter_add(0, &index, &src, &stream)?;
    /// let rows = [[1.0, 2.0, 3.0, 0.0, 0.0], [0.0; 5], [4.0, 5.0, 6.0, 0.0, 0.0], [0.0; 5], [7.0, 8.0, 9.0, 0.0, 0.0]];
    /// assert_eq!(out.to_vec(&stream)?, rows.concat());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// # use aclnn::Tensor;
    /// let input = Tensor::<f32>::zeros([5, 5], &stream)?;
    /// let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], &stream)?;
    /// let index = Tensor::<i64>::new([[0, 2, 4], [0, 2, 4], [0, 2, 4]], &stream)?;
    /// let out = input.scatter_add(1, &index, &src, &stream)?;
    /// let rows = [[1.0, 0.0, 2.0, 0.0, 3.0], [4.0, 0.0, 5.0, 0.0, 6.0], [7.0, 0.0, 8.0, 0.0, 9.0], [0.0; 5], [0.0; 5]];
    /// assert_eq!(out.to_vec(&stream)?, rows.concat());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// # use aclnn::Tensor;
    /// let input = Tensor::<i32>::new([[1, 2, 3], [4, 5, 6], [7, 8, 9]], &stream)?;
    /// let index = Tensor::<i32>::new([[0, 2, 1], [0, 0, 1]], &stream)?;
    /// let src = Tensor::<i32>::new([[10, 11, 12], [13, 14, 15]], &stream)?;
    /// let out = input.scatter_add(1, &index, &src, &stream)?;
    /// assert_eq!(out.to_vec(&stream)?, [11, 14, 14, 31, 20, 6, 7, 8, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Scatter`](crate::Error::Scatter) for the first rule broken;
    /// [`Error::Device`](crate::Error::Device); what CANN returns; the pending error of an earlier
    /// drop.
    pub fn scatter_add<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: &TensorBase<impl Hold, K>,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.scatter_add_into(dim, index, src, &mut out, on)?;
        Ok(out)
    }

    /// [`scatter_add`](TensorBase::scatter_add) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_add_into<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: &TensorBase<impl Hold, K>,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), index.raw(), Some(src.raw()), out.raw());
        run(Op::ScatterAdd { dim }, tensors, on.into())
    }

    /// `out = self; out[i][index[i][j][k]][k] = src[i][j][k]` for rank 3 and dim 1, or `+=`, `*=` …
    /// by `reduce`. src is a tensor, or one number for all its elements.
    ///
    /// With [`Reduce::None`] and repeated indices, the last update in row-major order wins.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter<'s, 'u>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: impl Into<Update<'u, K>>,
        reduce: Reduce,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.scatter_into(dim, index, src, reduce, &mut out, on)?;
        Ok(out)
    }

    /// [`scatter`](TensorBase::scatter) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_into<'s, 'u>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: impl Into<Update<'u, K>>,
        reduce: Reduce,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let (op, src) = src.into().into_op(dim, reduce);
        run(op, Tensors::new(self.raw(), index.raw(), src, out.raw()), on.into())
    }

    /// [`scatter`](TensorBase::scatter), where `include_self = false` starts every element that
    /// receives an update at the reduction's identity instead of self.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_reduce<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: &TensorBase<impl Hold, K>,
        reduce: Reduce,
        include_self: bool,
        on: impl Into<On<'s>>,
    ) -> Result<Tensor<K>> {
        let mut out = self.empty_like()?;
        self.scatter_reduce_into(dim, index, src, reduce, include_self, &mut out, on)?;
        Ok(out)
    }

    /// [`scatter_reduce`](TensorBase::scatter_reduce) into `out`.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    #[allow(clippy::too_many_arguments)]
    pub fn scatter_reduce_into<'s>(
        &self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: &TensorBase<impl Hold, K>,
        reduce: Reduce,
        include_self: bool,
        out: &mut TensorBase<impl HoldMut, K>,
        on: impl Into<On<'s>>,
    ) -> Result<()> {
        let tensors = Tensors::new(self.raw(), index.raw(), Some(src.raw()), out.raw());
        run(Op::ScatterReduce { dim, reduce, include_self }, tensors, on.into())
    }
}

/// The methods that work in place. They return the tensor, so that calls can be chained.
impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// `self[i][index[i][j][k]][k] += src[i][j][k]` for rank 3 and dim 1.
    ///
    /// The examples in the documentation of `mindspore.Tensor.scatter_add_`:
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// # use aclnn::Tensor;
    /// let mut input = Tensor::<f32>::new([[1.0, 2.0, 3.0, 4.0, 5.0]], &stream)?;
    /// let src = Tensor::<f32>::new([[8.0, 8.0]], &stream)?;
    /// let index = Tensor::<i64>::new([[2, 4]], &stream)?;
    /// let out = input.scatter_add_(1, &index, &src, &stream)?;
    /// assert_eq!(out.to_vec(&stream)?, [1.0, 2.0, 11.0, 4.0, 13.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// # use aclnn::Tensor;
    /// let mut input = Tensor::<f32>::zeros([5, 5], &stream)?;
    /// let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], &stream)?;
    /// let index = Tensor::<i64>::new([[0, 0, 0], [2, 2, 2], [4, 4, 4]], &stream)?;
    /// let out = input.scatter_add_(0, &index, &src, &stream)?;
    /// let rows = [[1.0, 2.0, 3.0, 0.0, 0.0], [0.0; 5], [4.0, 5.0, 6.0, 0.0, 0.0], [0.0; 5], [7.0, 8.0, 9.0, 0.0, 0.0]];
    /// assert_eq!(out.to_vec(&stream)?, rows.concat());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// # use aclnn::Tensor;
    /// let mut input = Tensor::<f32>::zeros([5, 5], &stream)?;
    /// let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], &stream)?;
    /// let index = Tensor::<i64>::new([[0, 2, 4], [0, 2, 4], [0, 2, 4]], &stream)?;
    /// let out = input.scatter_add_(1, &index, &src, &stream)?;
    /// let rows = [[1.0, 0.0, 2.0, 0.0, 3.0], [4.0, 0.0, 5.0, 0.0, 6.0], [7.0, 0.0, 8.0, 0.0, 9.0], [0.0; 5], [0.0; 5]];
    /// assert_eq!(out.to_vec(&stream)?, rows.concat());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_add_<'s>(
        &mut self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: &TensorBase<impl Hold, K>,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let tensors = Tensors::new(self.raw(), index.raw(), Some(src.raw()), self.raw());
        run(Op::ScatterAdd { dim }, tensors, on.into())?;
        Ok(self)
    }

    /// `self[i][index[i][j][k]][k] = src[i][j][k]` for rank 3 and dim 1, or `+=`, `*=` … by
    /// `reduce`. src is a tensor, or one number for all its elements.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::{Reduce, Tensor};
    ///
    /// let mut input = Tensor::<f32>::new([[1.0, 2.0, 3.0]], &stream)?;
    /// let index = Tensor::<i64>::new([[0, 2]], &stream)?;
    /// input.scatter_(1, &index, 4.0, Reduce::Mul, &stream)?.scatter_(1, &index, 0.5, Reduce::Add, &stream)?;
    /// assert_eq!(input.to_vec(&stream)?, [4.5, 2.0, 12.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_<'s, 'u>(
        &mut self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: impl Into<Update<'u, K>>,
        reduce: Reduce,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let (op, src) = src.into().into_op(dim, reduce);
        run(op, Tensors::new(self.raw(), index.raw(), src, self.raw()), on.into())?;
        Ok(self)
    }

    /// [`scatter_`](TensorBase::scatter_), where `include_self = false` starts every element that
    /// receives an update at the reduction's identity instead of self.
    ///
    /// # Errors
    /// As [`scatter_add`](TensorBase::scatter_add).
    pub fn scatter_reduce_<'s>(
        &mut self,
        dim: i64,
        index: &TensorBase<impl Hold, impl IndexKind>,
        src: &TensorBase<impl Hold, K>,
        reduce: Reduce,
        include_self: bool,
        on: impl Into<On<'s>>,
    ) -> Result<&mut Self> {
        let tensors = Tensors::new(self.raw(), index.raw(), Some(src.raw()), self.raw());
        run(Op::ScatterReduce { dim, reduce, include_self }, tensors, on.into())?;
        Ok(self)
    }
}
