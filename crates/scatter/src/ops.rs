//! The operators as functions on typed tensors: slices through [`crate::View`], or `ndarray`
//! arrays.
//!
//! Without a suffix they update in place, with `_into` they leave self as it is and write another
//! tensor. They build a [`Problem`] and run it on the CPU engine; all errors are [`Error`] and
//! leave what was to be written as it was.

use crate::cpu::{self, AsTensor, AsTensorMut, Limits, Memory, OneIndex, ScatterLoops, TensorMut, TensorRef};
use crate::problem::Addressed;
use crate::{Element, Error, Index, IndexList, Op, Operand, Problem, Reduce, Scalar};

/// `self[index[i][j][k]][j][k] += src[i][j][k]` for rank 3 and dim 0, in place.
///
/// index may be shorter than self (off `dim`) and src on any axis; repeated indices add up in
/// row-major order.
///
/// ```
/// use scatter::{View, ViewMut, scatter_add};
/// let mut data = [1.0_f32, 2.0, 3.0, 4.0, 5.0];
/// let mut input = ViewMut::new(&mut data, &[1, 5])?;
/// scatter_add(&mut input, 1, &View::new(&[2_i64, 4], &[1, 2])?, &View::new(&[8.0, 8.0], &[1, 2])?)?;
/// assert_eq!(data, [1.0, 2.0, 11.0, 4.0, 13.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_add<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    src: &impl AsTensor<T>,
) -> Result<(), Error> {
    add(Op::ScatterAdd { dim }, Addressed::DIM, memory(None, index, Some(src), self_))
}

/// [`scatter_add`] into `out`: `out = self; out[…] += src[…]`.
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_add_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    src: &impl AsTensor<T>,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    add(Op::ScatterAdd { dim }, Addressed::DIM, memory(Some(self_), index, Some(src), out))
}

/// `self[index[i][j][k]][j][k] = src[i][j][k]` for rank 3 and dim 0 (`+=`, `*=` … by `reduce`), in
/// place.
///
/// With [`Reduce::None`] and repeated indices the last writer in row-major order stays.
///
/// ```
/// use scatter::{Reduce, View, ViewMut, scatter};
/// let mut data = [1, 2, 3];
/// let mut input = ViewMut::new(&mut data, &[3])?;
/// scatter(&mut input, 0, &View::new(&[0_i32, -1, 0], &[3])?, &View::new(&[7, 8, 9], &[3])?, Reduce::None)?;
/// assert_eq!(data, [9, 2, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    src: &impl AsTensor<T>,
    reduce: Reduce,
) -> Result<(), Error> {
    run(Op::Scatter { dim, reduce }, memory(None, index, Some(src), self_))
}

/// [`scatter`] into `out`.
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    src: &impl AsTensor<T>,
    reduce: Reduce,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    let op = Op::Scatter { dim, reduce };
    run(op, memory(Some(self_), index, Some(src), out))
}

/// [`scatter`] with one scalar for every element of src, in place. No src is materialised.
///
/// ```
/// use scatter::{Reduce, View, ViewMut, scatter_value};
/// let mut data = [0.0_f32; 3];
/// let mut input = ViewMut::new(&mut data, &[3])?;
/// scatter_value(&mut input, 0, &View::new(&[1_i64, 1], &[2])?, 0.5, Reduce::Add)?;
/// assert_eq!(data, [0.0, 1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks; [`Error::Value`] where the
/// value can't be converted to `T`.
pub fn scatter_value<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    value: impl Into<Scalar>,
    reduce: Reduce,
) -> Result<(), Error> {
    let op = Op::ScatterValue { dim, value: value.into(), reduce };
    run(op, memory(None, index, None, self_))
}

/// [`scatter_value`] into `out`.
///
/// # Errors
/// As [`scatter_value`].
pub fn scatter_value_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    value: impl Into<Scalar>,
    reduce: Reduce,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    let op = Op::ScatterValue { dim, value: value.into(), reduce };
    run(op, memory(Some(self_), index, None, out))
}

/// [`scatter`] where `include_self: false` starts every touched element at the reduction's
/// identity, in place.
///
/// ```
/// use scatter::{Reduce, View, ViewMut, scatter_reduce};
/// let mut data = [10.0_f32, 20.0];
/// let mut input = ViewMut::new(&mut data, &[2])?;
/// let (index, src) = ([0_i64, 0], [1.0, 2.0]);
/// scatter_reduce(&mut input, 0, &View::new(&index, &[2])?, &View::new(&src, &[2])?, Reduce::Mean, false)?;
/// assert_eq!(data, [1.5, 20.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_reduce<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    src: &impl AsTensor<T>,
    reduce: Reduce,
    include_self: bool,
) -> Result<(), Error> {
    let op = Op::ScatterReduce { dim, reduce, include_self };
    run(op, memory(None, index, Some(src), self_))
}

/// [`scatter_reduce`] into `out`.
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_reduce_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    src: &impl AsTensor<T>,
    reduce: Reduce,
    include_self: bool,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    let op = Op::ScatterReduce { dim, reduce, include_self };
    run(op, memory(Some(self_), index, Some(src), out))
}

/// `self[indices[i…][0], …, indices[i…][k-1], …] += updates[i…, …]` with `k = indices.shape[-1]`,
/// in place.
///
/// ```
/// use scatter::{View, ViewMut, scatter_nd_add};
/// let mut data = [-0.1_f32, 0.3, 3.6, 0.4, 0.5, -3.2];
/// let mut input = ViewMut::new(&mut data, &[2, 3])?;
/// scatter_nd_add(&mut input, &View::new(&[0_i32, 0, 0, 0], &[2, 2])?, &View::new(&[1.0, 2.2], &[2])?)?;
/// assert_eq!(data, [3.1, 0.3, 3.6, 0.4, 0.5, -3.2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_nd_add<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    indices: &impl AsTensor<I>,
    updates: &impl AsTensor<T>,
) -> Result<(), Error> {
    add(Op::ScatterNdAdd, Addressed::ND, memory(None, indices, Some(updates), self_))
}

/// [`scatter_nd_add`] into `out`.
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_nd_add_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    indices: &impl AsTensor<I>,
    updates: &impl AsTensor<T>,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    add(Op::ScatterNdAdd, Addressed::ND, memory(Some(self_), indices, Some(updates), out))
}

/// `self_[indices[i][0], …, indices[i][k-1], …] = updates[i, …]` with `k = indices.shape[-1]`, in
/// place. Of several updates of one element the last in row-major order of indices stays.
///
/// Two keys are put into a cache of four, at places 3 and 0 (`cache[indices[:, 0]] = keys` in
/// Python; `tf.tensor_scatter_nd_update`, and ONNX's ScatterND):
///
/// ```
/// use scatter::{View, ViewMut, scatter_nd_update};
/// let mut cache = [0.0_f32; 8];
/// let (indices, keys) = (View::new(&[3_i32, 0], &[2, 1])?, [1.0, 2.0, 3.0, 4.0]);
/// scatter_nd_update(&mut ViewMut::new(&mut cache, &[4, 2])?, &indices, &View::new(&keys, &[2, 2])?)?;
/// assert_eq!(cache, [3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
#[doc(alias = "scatter_nd")]
pub fn scatter_nd_update<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    indices: &impl AsTensor<I>,
    updates: &impl AsTensor<T>,
) -> Result<(), Error> {
    replace(Op::ScatterNdUpdate, Addressed::ND, memory(None, indices, Some(updates), self_))
}

/// [`scatter_nd_update`] into `out`.
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_nd_update_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    indices: &impl AsTensor<I>,
    updates: &impl AsTensor<T>,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    replace(Op::ScatterNdUpdate, Addressed::ND, memory(Some(self_), indices, Some(updates), out))
}

/// `self_[i][index[j]][k] = source[i][j][k]` for rank 3 and dim 1, in place: each slice of source
/// goes to the place in self that index names. Of several slices for one place the last stays.
///
/// index has one axis, as long as source's axis `dim`; the other axes of source are those of self.
///
/// Two columns of a matrix are replaced (`self.index_copy_(1, index, source)` in Python):
///
/// ```
/// use scatter::{View, ViewMut, index_copy};
/// let mut data = [0.0_f32; 6];
/// let source = [1.0, 2.0, 3.0, 4.0];
/// let (index, source) = (View::new(&[2_i64, 0], &[2])?, View::new(&source, &[2, 2])?);
/// index_copy(&mut ViewMut::new(&mut data, &[2, 3])?, 1, &index, &source)?;
/// assert_eq!(data, [2.0, 0.0, 1.0, 4.0, 0.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn index_copy<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    source: &impl AsTensor<T>,
) -> Result<(), Error> {
    replace(Op::IndexCopy { dim }, Addressed::SLICES, memory(None, index, Some(source), self_))
}

/// [`index_copy`] into `out`.
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn index_copy_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    source: &impl AsTensor<T>,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    replace(Op::IndexCopy { dim }, Addressed::SLICES, memory(Some(self_), index, Some(source), out))
}

/// `self_[i][index[j]][k] += alpha * source[i][j][k]` for rank 3 and dim 1, in place; the slices of
/// source are added in the order of index. See [`index_copy`] for the shapes.
///
/// With another alpha than 1 the products are kept until they are added, in the type in which sums
/// are accumulated; for f16 and bf16, so is all of self, in f32, however few slices there are.
///
/// Two rows are added, halved (`self.index_add_(0, index, source, alpha=0.5)` in Python):
///
/// ```
/// use scatter::{View, ViewMut, index_add};
/// let mut data = [1.0_f32; 6];
/// let source = [2.0, 4.0, 6.0, 8.0];
/// let (index, source) = (View::new(&[2_i64, 0], &[2])?, View::new(&source, &[2, 2])?);
/// index_add(&mut ViewMut::new(&mut data, &[3, 2])?, 0, &index, &source, 0.5)?;
/// assert_eq!(data, [4.0, 5.0, 1.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks; [`Error::Value`] where the
/// type in which sums are accumulated can't represent alpha.
pub fn index_add<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    source: &impl AsTensor<T>,
    alpha: impl Into<Scalar>,
) -> Result<(), Error> {
    let op = Op::IndexAdd { dim, alpha: alpha.into() };
    scaled(op, memory(None, index, Some(source), self_))
}

/// [`index_add`] into `out`.
///
/// # Errors
/// As [`index_add`].
pub fn index_add_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    source: &impl AsTensor<T>,
    alpha: impl Into<Scalar>,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    let op = Op::IndexAdd { dim, alpha: alpha.into() };
    scaled(op, memory(Some(self_), index, Some(source), out))
}

/// `self_[i][index[j]][k] = value` for rank 3 and dim 1, in place: each slice of self along `dim`
/// that index names is set to one scalar. index has one axis. No source is materialised.
///
/// The first and the last column of a matrix are masked (`self.index_fill_(1, index, -inf)` in
/// Python):
///
/// ```
/// use scatter::{View, ViewMut, index_fill};
/// let mut scores = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let columns = View::new(&[0_i64, -1], &[2])?;
/// index_fill(&mut ViewMut::new(&mut scores, &[2, 3])?, 1, &columns, f64::NEG_INFINITY)?;
/// assert_eq!(scores, [f32::NEG_INFINITY, 2.0, f32::NEG_INFINITY, f32::NEG_INFINITY, 5.0, f32::NEG_INFINITY]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks; [`Error::Value`] where the
/// value can't be converted to `T`.
pub fn index_fill<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    value: impl Into<Scalar>,
) -> Result<(), Error> {
    let op = Op::IndexFill { dim, value: value.into() };
    replace(op, Addressed::SLICES, memory(None, index, None, self_))
}

/// [`index_fill`] into `out`.
///
/// ```
/// use scatter::{View, ViewMut, index_fill_into};
/// let (self_, mut out) = ([1, 2, 3], [0; 3]);
/// let (self_, index) = (View::new(&self_, &[3])?, View::new(&[2_i32], &[1])?);
/// index_fill_into(&self_, 0, &index, 9, &mut ViewMut::new(&mut out, &[3])?)?;
/// assert_eq!(out, [1, 2, 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`index_fill`].
pub fn index_fill_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    value: impl Into<Scalar>,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    let op = Op::IndexFill { dim, value: value.into() };
    replace(op, Addressed::SLICES, memory(Some(self_), index, None, out))
}

/// `data[i][indices[i] + j][k] = updates[i][j][k]` for rank 3 and axis 1, in place: each block of
/// updates goes to where indices says that it begins, along `axis`. With two columns, an entry of
/// indices has the block of data, too: `data[indices[i][0]][indices[i][1] + j][k] =
/// updates[i][j][k]`. Of several updates of one element the last in row-major order of updates
/// stays.
///
/// updates has the shape of data, but for axis 0, where it is as long as indices (with one column
/// no longer than data), and `axis`, where it may be shorter; `axis` isn't 0. A value of -1 names
/// the last place where the updates fit.
///
/// The next key of each of two sequences is put into a cache
/// (`torch_npu.scatter_update_(cache, lengths, keys, 1)` in Python):
///
/// ```
/// use scatter::{View, ViewMut, scatter_update};
/// let mut cache = [0.0_f32; 6];
/// let (lengths, keys) = (View::new(&[2_i32, 0], &[2])?, [1.0, 2.0]);
/// scatter_update(&mut ViewMut::new(&mut cache, &[2, 3])?, &lengths, &View::new(&keys, &[2, 1])?, 1)?;
/// assert_eq!(cache, [0.0, 0.0, 1.0, 2.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_update<T: Element, I: Index>(
    data: &mut impl AsTensorMut<T>,
    indices: &impl AsTensor<I>,
    updates: &impl AsTensor<T>,
    axis: i64,
) -> Result<(), Error> {
    replace(Op::ScatterUpdate { dim: axis }, Addressed::WINDOWS, memory(None, indices, Some(updates), data))
}

/// [`scatter_update`] into `out`.
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_update_into<T: Element, I: Index>(
    data: &impl AsTensor<T>,
    indices: &impl AsTensor<I>,
    updates: &impl AsTensor<T>,
    axis: i64,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    replace(
        Op::ScatterUpdate { dim: axis },
        Addressed::WINDOWS,
        memory(Some(data), indices, Some(updates), out),
    )
}

/// `self_[indices[0][i…], indices[1][i…], …] = values[i…]`, or `+=` to accumulate, in place: the
/// index tensors, one for each leading axis of self, are broadcast together, and values to the
/// elements that they name. An axis without index is `None`, and taken whole, as are those behind
/// the last entry. The axes that values are broadcast to are where the indexed axes are, if they
/// are neighbours, or else the first, as in NumPy. Of several values for one element the last in
/// row-major order stays, or they are added in that order.
///
/// While the call runs, a number of 4 bytes is kept for each element that the index tensors name;
/// where these lie differently in memory, or the indexed axes of self don't lie there as one, 8
/// bytes for each coordinate.
///
/// Two elements of a matrix are incremented (`self.index_put_((rows, columns), values,
/// accumulate=True)` in Python):
///
/// ```
/// use scatter::{View, ViewMut, index_put};
/// let mut data = [0.0_f32; 6];
/// let (rows, columns) = (View::new(&[0_i64, 1], &[2])?, View::new(&[2, -3], &[2])?);
/// let indices = [Some(&rows), Some(&columns)];
/// index_put(&mut ViewMut::new(&mut data, &[2, 3])?, &indices, &View::new(&[1.0], &[])?, true)?;
/// assert_eq!(data, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn index_put<T: Element, I: Index>(
    self_: &mut impl AsTensorMut<T>,
    indices: &[Option<&impl AsTensor<I>>],
    values: &impl AsTensor<T>,
    accumulate: bool,
) -> Result<(), Error> {
    // SAFETY: the index tensors are borrowed until this returns, so that nobody writes them, and
    // `exposed` has exposed their provenance.
    unsafe { put(None, &exposed(indices), values.as_tensor(), accumulate, &self_.as_tensor_mut()) }
}

/// [`index_put`] into `out`.
///
/// # Errors
/// As [`index_put`].
pub fn index_put_into<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    indices: &[Option<&impl AsTensor<I>>],
    values: &impl AsTensor<T>,
    accumulate: bool,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    let (self_, values, out) = (self_.as_tensor(), values.as_tensor(), out.as_tensor_mut());
    // SAFETY: the index tensors are borrowed until this returns, so that nobody writes them, and
    // `exposed` has exposed their provenance.
    unsafe { put(Some(self_), &exposed(indices), values, accumulate, &out) }
}

/// Index tensors, whose provenance is exposed. Once for all dtypes of values.
#[inline(never)]
fn exposed<I: Index>(indices: &[Option<&impl AsTensor<I>>]) -> Vec<Option<Operand>> {
    indices.iter().map(|index| index.map(|index| index.as_tensor().exposed())).collect()
}

/// # Safety
/// The index tensors are in memory that nobody writes until this returns, and whose provenance is
/// exposed.
unsafe fn put<T: Element>(
    self_: Option<TensorRef<'_, T>>,
    indices: &[Option<Operand>],
    values: TensorRef<'_, T>,
    accumulate: bool,
    out: &TensorMut<'_, T>,
) -> Result<(), Error> {
    let of_self = self_.as_ref().map_or(out.operand(), TensorRef::operand);
    // SAFETY: the caller promises that nobody writes the index tensors until this returns, and that
    // their provenance is exposed.
    let (index, problem) =
        unsafe { with_one_index(indices, of_self, values.operand(), out.operand(), accumulate) }?;
    let loops = if accumulate { ScatterLoops::of_add::<T>() } else { ScatterLoops::of_replace::<T>() };
    // SAFETY: the problem was made for these tensors, which are borrowed for the call, and for this
    // index; the loops are those of `T` and of its reduction.
    unsafe { cpu::run_put(&problem, &index, self_, values, out, loops) }
}

/// One index for an `index_put`, and the problem with it.
///
/// # Safety
/// As [`put`].
unsafe fn with_one_index(
    indices: &[Option<Operand>],
    self_: &Operand,
    values: &Operand,
    out: &Operand,
    accumulate: bool,
) -> Result<(OneIndex, Problem), Error> {
    let list = IndexList::in_call(indices, self_, Some(values), out)?;
    let op = Op::IndexPut { axes: list.axes(), accumulate };
    let problem = Problem::addressed(op, Addressed::AXES, self_, &list.operand(), Some(values), out);
    let problem = list.apart_from(out, problem)?;
    // SAFETY: the caller promises that nobody writes the index tensors until this returns, and that
    // their provenance is exposed.
    unsafe { OneIndex::new(&list, &problem) }
}

/// `out[i][j][k] = self_[index[i][j][k]][j][k]` for rank 3 and dim 0. out has the shape of index,
/// which may be shorter than self off `dim`.
///
/// The class of each of two rows (`torch.gather(logits, 1, index)` in Python):
///
/// ```
/// use scatter::{View, ViewMut, gather};
/// let mut chosen = [0.0_f32; 2];
/// let logits = View::new(&[0.1, 0.9, 0.7, 0.3], &[2, 2])?;
/// gather(&logits, 1, &View::new(&[1_i64, 0], &[2, 1])?, &mut ViewMut::new(&mut chosen, &[2, 1])?)?;
/// assert_eq!(chosen, [0.9, 0.7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn gather<T: Element, I: Index>(
    self_: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    gathered(Op::Gather { dim }, memory(Some(self_), index, None, out))
}

/// The gradient for src of a scatter by Add, or by Replace where no two updates meet:
/// `src_grad[i][j][k] = grad[index[i][j][k]][j][k]` for rank 3 and dim 0, which is [`gather`]. It
/// exists where src has the shape of index, so that is the shape of `src_grad`.
///
/// Two updates of three elements (`torch.gather(grad, 0, index)` in Python):
///
/// ```
/// use scatter::{View, ViewMut, scatter_src_grad};
/// let mut src_grad = [0.0_f32; 2];
/// let (grad, index) = (View::new(&[1.0, 2.0, 3.0], &[3])?, View::new(&[2_i64, 0], &[2])?);
/// scatter_src_grad(&grad, 0, &index, &mut ViewMut::new(&mut src_grad, &[2])?)?;
/// assert_eq!(src_grad, [3.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn scatter_src_grad<T: Element, I: Index>(
    grad: &impl AsTensor<T>,
    dim: i64,
    index: &impl AsTensor<I>,
    src_grad: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    gathered(Op::ScatterSrcGrad { dim }, memory(Some(grad), index, None, src_grad))
}

/// The gradient of an embedding for its weights: out starts as zeros, and for each entry of indices
/// the row of grad at its position is added to the row of out that it names. out has the shape
/// `[weights, width]`, and grad that of indices, which may have any number of axes, and `width`.
///
/// The row `padding` stays zero. By `scale` each row is divided by the number of rows that it is
/// the sum of. What out holds before has no meaning.
///
/// Three words of a vocabulary of four, of which word 3 is the padding
/// (`torch.ops.aten.embedding_dense_backward(grad, indices, 4, 3, False)` in Python):
///
/// ```
/// use scatter::{View, ViewMut, embedding_backward};
/// let mut weight_grad = [9.0_f32; 8];
/// let rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let (grad, indices) = (View::new(&rows, &[3, 2])?, View::new(&[1_i64, 3, 1], &[3])?);
/// embedding_backward(&grad, &indices, Some(3), false, &mut ViewMut::new(&mut weight_grad, &[4, 2])?)?;
/// assert_eq!(weight_grad, [0.0, 0.0, 6.0, 8.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`Error`] of the first rule of the contract that the call breaks.
pub fn embedding_backward<T: Element, I: Index>(
    grad: &impl AsTensor<T>,
    indices: &impl AsTensor<I>,
    padding: Option<usize>,
    scale: bool,
    out: &mut impl AsTensorMut<T>,
) -> Result<(), Error> {
    let op = Op::EmbeddingBackward { padding, scale };
    let loops = ScatterLoops::of::<T>(&op);
    // SAFETY: the loops are those of the dtype and the operator's reduction, and it neither gathers
    // nor has an alpha.
    unsafe { run_by(op, Addressed::ROWS, memory(None, indices, Some(grad), out), loops) }
}

// What is not inlined below is there once for all operators of two dtypes: descriptions of tensors
// are large, and so is the code that makes and moves them.

/// The tensors of a call, in place without `self_`.
#[inline(never)]
fn memory<'a, T: Element, I: Index>(
    self_: Option<&'a dyn AsTensor<T>>,
    index: &'a dyn AsTensor<I>,
    src: Option<&'a dyn AsTensor<T>>,
    out: &'a mut dyn AsTensorMut<T>,
) -> Memory<'a, T, I> {
    Memory {
        self_: self_.map(AsTensor::as_tensor),
        index: index.as_tensor(),
        src: src.map(AsTensor::as_tensor),
        out: out.as_tensor_mut(),
    }
}

/// An operator along an axis that doesn't gather. A program that calls this has the loops of all
/// reductions of `T`.
fn run<T: Element, I: Index>(op: Op, memory: Memory<'_, T, I>) -> Result<(), Error> {
    // SAFETY: the loops are those of the dtype and the operator's reduction. Those that gather go
    // to `gathered`, and those with an alpha to `scaled`.
    unsafe { run_by(op, Addressed::DIM, memory, ScatterLoops::of::<T>(&op)) }
}

/// An operator that replaces; no other loops need be in a program.
fn replace<T: Element, I: Index>(op: Op, by: Addressed, memory: Memory<'_, T, I>) -> Result<(), Error> {
    // SAFETY: the loops are those of the dtype and of Replace, which is the operator's reduction;
    // and it neither gathers nor has an alpha.
    unsafe { run_by(op, by, memory, ScatterLoops::of_replace::<T>()) }
}

/// An operator that is a sum; no other loops need be in a program.
fn add<T: Element, I: Index>(op: Op, by: Addressed, memory: Memory<'_, T, I>) -> Result<(), Error> {
    // SAFETY: the loops are those of the dtype's sum, which the operator is; it neither gathers nor
    // has an alpha.
    unsafe { run_by(op, by, memory, ScatterLoops::of_add::<T>()) }
}

/// # Safety
/// The loops are those of `T` and of the operator's reduction. The operator doesn't gather, and has
/// no alpha.
#[inline(never)]
unsafe fn run_by<T: Element, I: Index>(
    op: Op,
    by: Addressed,
    mut memory: Memory<'_, T, I>,
    loops: ScatterLoops,
) -> Result<(), Error> {
    match problem(op, by, &memory) {
        // By reference: a problem is large, and moving it takes longer than a few updates.
        // SAFETY: the problem was made for this memory. The loops are those of `T` and of the
        // operator's reduction, and it neither gathers nor has an alpha.
        Ok(ref problem) => unsafe { cpu::run_by(problem, &mut memory, loops) },
        Err(error) => Err(error),
    }
}

/// A sum that may have an alpha; no other loops need be in a program.
#[inline(never)]
fn scaled<T: Element, I: Index>(op: Op, mut memory: Memory<'_, T, I>) -> Result<(), Error> {
    let problem = problem(op, Addressed::SLICES, &memory)?;
    cpu::run_scaled(&problem, &mut memory, &Limits::default())
}

/// An operator that gathers; no loops of updates need be in a program.
#[inline(never)]
fn gathered<T: Element, I: Index>(op: Op, mut memory: Memory<'_, T, I>) -> Result<(), Error> {
    let problem = problem(op, Addressed::DIM, &memory)?;
    cpu::run_gather(&problem, &mut memory, &Limits::default())
}

fn problem<T, I>(op: Op, by: Addressed, memory: &Memory<'_, T, I>) -> Result<Problem, Error> {
    let self_ = memory.self_.as_ref().map_or(memory.out.operand(), TensorRef::operand);
    let src = memory.src.as_ref().map(TensorRef::operand);
    Problem::addressed(op, by, self_, memory.index.operand(), src, memory.out.operand())
}
