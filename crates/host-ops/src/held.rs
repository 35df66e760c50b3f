//! The tensors of a call while its work runs: views of memory that host-cann holds.

use core::cell::RefCell;

use bytemuck::Pod;
use ndarray::{ArrayD, ArrayView, ArrayViewMut, IxDyn, ShapeBuilder as _};

use crate::dtype::DType;
use crate::element::{Element, with_element};
use crate::failure::{Failure, bug};
use crate::tensor::Tensor;
use crate::values::{Values, Wide, in_class};

/// The tensors of a call, in the order of [`Call::tensors`](crate::call::Call::tensors), and where
/// the host accesses their first elements.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    tensors: Vec<(&'a Tensor, *mut u8)>,
    selected: RefCell<Option<Vec<usize>>>,
}

impl<'a> Held<'a> {
    /// # Safety
    /// At each address, which is aligned for the dtype, there is memory for all elements, until
    /// this value is dropped; for an empty tensor it may be any. The last tensor may be written.
    /// Nobody else writes to them, nor reads the last, meanwhile.
    pub(crate) unsafe fn new(tensors: Vec<(&'a Tensor, *mut u8)>) -> Self {
        Self { tensors, selected: RefCell::new(None) }
    }

    fn tensor(&self, place: usize) -> Result<(&'a Tensor, *mut u8), Failure> {
        self.tensors.get(place).copied().ok_or_else(|| bug("a tensor that isn't there"))
    }

    /// The last tensor, which is the one to write.
    fn out(&self) -> Result<(&'a Tensor, *mut u8), Failure> {
        self.tensors.last().copied().ok_or_else(|| bug("a call without tensors"))
    }

    /// A tensor's values.
    pub(crate) fn values(&self, place: usize) -> Result<Values, Failure> {
        let (tensor, _) = self.tensor(place)?;
        Ok(with_element!(tensor.dtype, E => {
            Wide::wrap(self.elements::<E>(place)?.mapv(E::widen))
        }))
    }

    /// A copy of a tensor's elements, in a type of the dtype's size.
    pub(crate) fn elements<T: Pod>(&self, place: usize) -> Result<ArrayD<T>, Failure> {
        let (tensor, first) = self.tensor(place)?;
        check_type::<T>(tensor)?;
        let shape = IxDyn(&tensor.shape);
        if tensor.is_empty() {
            return ArrayD::from_shape_vec(shape, Vec::new()).map_err(|_| bug("an empty shape"));
        }
        let shape = shape.strides(IxDyn(&tensor.strides));
        // SAFETY: `new` got memory for all elements, which have the size of `T`, and `T` may have
        // any bits; nobody writes to it meanwhile; phase one has checked that shape and strides
        // don't overflow.
        Ok(unsafe { ArrayView::from_shape_ptr(shape, first.cast::<T>().cast_const()) }.to_owned())
    }

    /// Writes results of a dtype to out; they are broadcast to its shape. They wrap or are rounded
    /// to the dtype, and are converted to out's only then, as in PyTorch and CANN.
    pub(crate) fn put(&self, dtype: DType, values: Values) -> Result<(), Failure> {
        let (out, _) = self.out()?;
        let values = values.convert(dtype).convert(out.dtype);
        with_element!(out.dtype, E => {
            let elements = <E as Element>::Wide::of(values).mapv(E::narrow);
            self.put_all(&elements)
        })
    }

    /// [`put`](Self::put)s results in the order of their elements to out, which has as many, in
    /// another shape.
    pub(crate) fn put_reshaped(&self, dtype: DType, values: Values) -> Result<(), Failure> {
        let (out, _) = self.out()?;
        let shape = IxDyn(&out.shape);
        self.put(dtype, in_class!(values.class(), W => {
            let array = W::of(values);
            let reshaped = array.to_shape(shape).map_err(|_| bug("another number of elements than out's"))?;
            W::wrap(reshaped.into_owned())
        }))
    }

    /// Writes elements, of a type of the dtype's size, to out; they are broadcast to its shape.
    pub(crate) fn put_all<T: Pod>(&self, elements: &ArrayD<T>) -> Result<(), Failure> {
        let (out, first) = self.out()?;
        check_type::<T>(out)?;
        let elements = elements.broadcast(IxDyn(&out.shape));
        let elements = elements.ok_or_else(|| bug("a result of another shape than out"))?;
        if elements.is_empty() {
            return Ok(());
        }
        let shape = IxDyn(&out.shape).strides(IxDyn(&out.strides));
        // SAFETY: `new` got memory for all elements, and nobody else uses it meanwhile; phase one
        // has checked that no two of them are one, and that shape and strides don't overflow; `T`
        // has their size, and no more alignment.
        unsafe { ArrayViewMut::from_shape_ptr(shape, first.cast::<T>()) }.assign(&elements);
        Ok(())
    }

    /// Writes as many elements as there are, one behind the other, to an out whose elements lie so,
    /// and says that it has their shape.
    pub(crate) fn select<T: Pod>(&self, elements: &ArrayD<T>) -> Result<(), Failure> {
        let (out, first) = self.out()?;
        check_type::<T>(out)?;
        if !out.is_packed() || elements.len() > out.len() {
            return Err(bug("more elements than out's"));
        }
        if !elements.is_empty() {
            // SAFETY: `new` got memory for all elements of out, which lie one behind the other and
            // are not fewer than these; nobody else uses it meanwhile; `T` has their size, and no
            // more alignment.
            unsafe { ArrayViewMut::from_shape_ptr(elements.raw_dim(), first.cast::<T>()) }.assign(elements);
        }
        self.selected.replace(Some(elements.shape().to_vec()));
        Ok(())
    }

    /// The shape that [`select`](Self::select) said.
    pub(crate) fn selected(&self) -> Option<Vec<usize>> {
        self.selected.take()
    }
}

/// Refuses a type that has not the size of a tensor's elements.
fn check_type<T>(tensor: &Tensor) -> Result<(), Failure> {
    let dtype = tensor.dtype;
    if size_of::<T>() == dtype.size() && align_of::<T>() <= dtype.alignment() {
        return Ok(());
    }
    Err(bug("elements of another size"))
}
