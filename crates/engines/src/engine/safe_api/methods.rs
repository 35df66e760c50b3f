//! Makes a call by methods of `aclnn`'s tensors.

use aclnn::{AnyTensor, DeviceBuffer, IndexKind, Kind, Stream, TensorView};
use aclnn_sys::ACLNN_ERR_RUNTIME_ERROR;
use scatter::{Argument, Axes, DType, Element, Op, with_element};

use super::Form;
use super::memory::Buffers;
use crate::call::Call;
use crate::refusal::Refusal;
use crate::tensor::Tensor;

/// Makes the call with tensors of this form.
pub(super) fn call(form: Form, call: &Call<'_>, buffers: &Buffers, stream: &Stream) -> Result<(), Refusal> {
    match form {
        Form::Any => Tensors::of(call, buffers, any, any)?.run(call.op, stream),
        Form::Typed => {
            with_element!(call.out.storage.dtype(), T => match call.index.storage.dtype() {
                DType::I32 => Tensors::of(call, buffers, typed::<T>, typed::<i32>)?.run(call.op, stream),
                DType::I64 => Tensors::of(call, buffers, typed::<T>, typed::<i64>)?.run(call.op, stream),
                _ => Tensors::of(call, buffers, typed::<T>, any)?.run(call.op, stream),
            })
        }
    }
}

/// Makes a tensor of a buffer.
type Make<K> = fn(DeviceBuffer, &Tensor) -> aclnn::Result<aclnn::Tensor<K>>;

fn typed<T: Element>(buffer: DeviceBuffer, tensor: &Tensor) -> aclnn::Result<aclnn::Tensor<T>> {
    aclnn::Tensor::<T>::from_buffer(buffer, &tensor.shape, &tensor.strides, tensor.offset)
}

fn any(buffer: DeviceBuffer, tensor: &Tensor) -> aclnn::Result<AnyTensor> {
    let dtype = tensor.storage.dtype();
    AnyTensor::from_buffer(buffer, dtype, &tensor.shape, &tensor.strides, tensor.offset)
}

/// The tensors of a call, of kind `K` for self, src and out, and `I` for index: an element type, or
/// any dtype.
struct Tensors<K: Kind, I: Kind> {
    /// `None` in place.
    self_: Option<aclnn::Tensor<K>>,
    index: aclnn::Tensor<I>,
    src: Option<aclnn::Tensor<K>>,
    out: aclnn::Tensor<K>,
}

impl<K: Kind, I: IndexKind> Tensors<K, I> {
    /// Makes the tensors of a call, in the order in which the contract checks them, so that an
    /// error names the first that is impossible. In place out is called self.
    fn of(call: &Call<'_>, buffers: &Buffers, numbers: Make<K>, indices: Make<I>) -> Result<Self, Refusal> {
        let first = Argument::SelfTensor;
        let number = |argument, buffer: &DeviceBuffer, tensor: &Tensor| {
            numbers(buffer.clone(), tensor).map_err(|error| unmade(argument, error))
        };
        let in_place = call.self_.is_none().then(|| number(first, &buffers.out, call.out)).transpose()?;
        let self_ = buffers.self_.as_ref().zip(call.self_);
        let self_ = self_.map(|(buffer, self_)| number(first, buffer, self_)).transpose()?;
        let index = indices(buffers.index.clone(), call.index);
        let index = index.map_err(|error| unmade(Argument::Index, error))?;
        let src = buffers.src.as_ref().zip(call.src);
        let src = src.map(|(buffer, src)| number(Argument::Src, buffer, src)).transpose()?;
        let out = in_place.map_or_else(|| number(Argument::Out, &buffers.out, call.out), Ok)?;
        Ok(Self { self_, index, src, out })
    }

    /// Calls the operator's method: in place, or into out.
    fn run(mut self, op: Op, stream: &Stream) -> Result<(), Refusal> {
        let (self_, index, src, out) = (self.self_.as_ref(), &self.index, self.src.as_ref(), &mut self.out);
        let missing = || Refusal::Broken(format!("no method for {op} of these tensors"));
        let src = || src.ok_or_else(missing);
        match (op, self_) {
            (Op::ScatterAdd { dim }, None) => out.scatter_add_(dim, index, src()?, stream).map(drop),
            (Op::ScatterAdd { dim }, Some(self_)) => self_.scatter_add_into(dim, index, src()?, out, stream),
            (Op::Scatter { dim, reduce }, None) => out.scatter_(dim, index, src()?, reduce, stream).map(drop),
            (Op::Scatter { dim, reduce }, Some(self_)) => {
                self_.scatter_into(dim, index, src()?, reduce, out, stream)
            }
            (Op::ScatterValue { dim, value, reduce }, None) => {
                out.scatter_(dim, index, value, reduce, stream).map(drop)
            }
            (Op::ScatterValue { dim, value, reduce }, Some(self_)) => {
                self_.scatter_into(dim, index, value, reduce, out, stream)
            }
            (Op::ScatterReduce { dim, reduce, include_self }, None) => {
                out.scatter_reduce_(dim, index, src()?, reduce, include_self, stream).map(drop)
            }
            (Op::ScatterReduce { dim, reduce, include_self }, Some(self_)) => {
                self_.scatter_reduce_into(dim, index, src()?, reduce, include_self, out, stream)
            }
            (Op::ScatterNdAdd, None) => out.scatter_nd_add_(index, src()?, stream).map(drop),
            (Op::ScatterNdAdd, Some(self_)) => self_.scatter_nd_add_into(index, src()?, out, stream),
            (Op::ScatterNdUpdate, None) => out.scatter_nd_update_(index, src()?, stream).map(drop),
            (Op::ScatterNdUpdate, Some(self_)) => self_.scatter_nd_update_into(index, src()?, out, stream),
            (Op::IndexCopy { dim }, None) => out.index_copy_(dim, index, src()?, stream).map(drop),
            (Op::IndexCopy { dim }, Some(self_)) => self_.index_copy_into(dim, index, src()?, out, stream),
            (Op::IndexAdd { dim, alpha }, None) => {
                out.index_add_(dim, index, src()?, alpha, stream).map(drop)
            }
            (Op::IndexAdd { dim, alpha }, Some(self_)) => {
                self_.index_add_into(dim, index, src()?, alpha, out, stream)
            }
            (Op::IndexFill { dim, value }, None) => out.index_fill_(dim, index, value, stream).map(drop),
            (Op::IndexFill { dim, value }, Some(self_)) => {
                self_.index_fill_into(dim, index, value, out, stream)
            }
            (Op::ScatterUpdate { dim }, None) => out.scatter_update_(index, src()?, dim, stream).map(drop),
            (Op::ScatterUpdate { dim }, Some(self_)) => {
                self_.scatter_update_into(index, src()?, dim, out, stream)
            }
            (Op::IndexPut { axes, accumulate }, self_) => {
                let columns = columns(index, axes)?;
                let indices: Vec<_> = columns.iter().map(Option::as_ref).collect();
                match self_ {
                    None => out.index_put_(&indices, src()?, accumulate, stream).map(drop),
                    Some(self_) => self_.index_put_into(&indices, src()?, accumulate, out, stream),
                }
            }
            (Op::EmbeddingBackward { padding, scale }, None) => {
                src()?.embedding_backward_into(index, padding, scale, out, stream)
            }
            (Op::Gather { dim }, Some(self_)) => self_.gather_into(dim, index, out, stream),
            (Op::ScatterSrcGrad { dim }, Some(grad)) => grad.scatter_src_grad_into(dim, index, out, stream),
            _ => return Err(missing()),
        }
        .map_err(refused)
    }
}

/// The refusal of a method. What an operator returned is told apart from failures of the runtime,
/// also from those that the operator met.
pub(super) fn refused(error: aclnn::Error) -> Refusal {
    match error {
        aclnn::Error::Aclnn { code: ACLNN_ERR_RUNTIME_ERROR, .. } => Refusal::Broken(error.to_string()),
        aclnn::Error::Aclnn { .. } | aclnn::Error::MissingSymbol(_) => Refusal::Operator(error.to_string()),
        other => other.into(),
    }
}

/// For each axis of self up to the last of `axes`, the coordinates that index has for it along its
/// last axis; `None` for an axis that isn't one of them.
fn columns<I: IndexKind>(
    index: &aclnn::Tensor<I>,
    axes: Axes,
) -> aclnn::Result<Vec<Option<TensorView<'_, I>>>> {
    let last = index.rank().saturating_sub(1);
    let count = axes.iter().last().map_or(0, |axis| axis + 1);
    let mut columns: Vec<_> = (0..count).map(|_| None).collect();
    for (column, axis) in axes.iter().enumerate() {
        columns[axis] = Some(index.view().narrow(last, column..column + 1)?.squeeze(last)?);
    }
    Ok(columns)
}

/// The refusal of a tensor that can't be made.
fn unmade(argument: Argument, error: aclnn::Error) -> Refusal {
    match error {
        aclnn::Error::Layout(error) => Refusal::Tensor { argument, error },
        other => other.into(),
    }
}
