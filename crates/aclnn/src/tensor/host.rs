//! What of the host a tensor can be made of.

use scatter::{Bool, Complex, Element, bf16, f16};

use crate::error::{Error, Result};

/// Elements of the host with a shape: a number (rank 0), a `Vec` or slice of numbers (rank 1), or arrays of arrays of
/// numbers, as in `[[1.0, 2.0], [3.0, 4.0]]`.
pub trait HostData<T> {
    /// Appends the sizes of the axes, the first first.
    fn push_shape(&self, shape: &mut Vec<usize>);
    /// Appends the elements in row-major order.
    fn push_elements(&self, elements: &mut Vec<T>);
}

mod sealed {
    /// Data whose type says its shape, so that arrays of it are of one shape.
    #[diagnostic::on_unimplemented(
        message = "arrays of `{Self}` may be of different lengths",
        label = "numbers, or arrays of arrays of numbers, expected",
        note = "give the numbers to `Tensor::from_slice`, with a shape"
    )]
    pub trait FixedShape {}
    impl<D: FixedShape, const N: usize> FixedShape for [D; N] {}
    impl<D: FixedShape> FixedShape for &D {}
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl sealed::FixedShape for $number {}
        impl HostData<$number> for $number {
            fn push_shape(&self, _: &mut Vec<usize>) {}
            fn push_elements(&self, elements: &mut Vec<$number>) {
                elements.push(*self);
            }
        }
    )*};
}
number!(bf16, f16, f32, f64, i64, i32, i16, i8, u8, Bool, Complex<f32>, Complex<f64>);

impl sealed::FixedShape for bool {}
impl HostData<Bool> for bool {
    fn push_shape(&self, _: &mut Vec<usize>) {}
    fn push_elements(&self, elements: &mut Vec<Bool>) {
        elements.push((*self).into());
    }
}

impl<T, D: HostData<T> + sealed::FixedShape, const N: usize> HostData<T> for [D; N] {
    fn push_shape(&self, shape: &mut Vec<usize>) {
        shape.push(N);
        // An array of nothing has nobody to ask for the sizes behind its own; they count as 0.
        if let Some(first) = self.first() {
            first.push_shape(shape);
        }
    }
    fn push_elements(&self, elements: &mut Vec<T>) {
        self.iter().for_each(|part| part.push_elements(elements));
    }
}

impl<T: Element> HostData<T> for [T] {
    fn push_shape(&self, shape: &mut Vec<usize>) {
        shape.push(self.len());
    }
    fn push_elements(&self, elements: &mut Vec<T>) {
        elements.extend_from_slice(self);
    }
}

impl<T: Element> HostData<T> for Vec<T> {
    fn push_shape(&self, shape: &mut Vec<usize>) {
        self.as_slice().push_shape(shape);
    }
    fn push_elements(&self, elements: &mut Vec<T>) {
        self.as_slice().push_elements(elements);
    }
}

impl<T, D: HostData<T> + ?Sized> HostData<T> for &D {
    fn push_shape(&self, shape: &mut Vec<usize>) {
        (**self).push_shape(shape);
    }
    fn push_elements(&self, elements: &mut Vec<T>) {
        (**self).push_elements(elements);
    }
}

/// Zeros on the host.
pub(super) fn host_zeros<T: Element>(call: &'static str, len: usize) -> Result<Vec<T>> {
    let none = || Error::HostMemory { call, bytes: len.saturating_mul(size_of::<T>()) };
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| none())
}
