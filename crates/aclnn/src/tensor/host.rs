//! Host data from which a tensor can be made.

use scatter::{Bool, Complex, Element, bf16, f16};

use crate::error::{Error, Result};

/// Host data with a shape: a number, whose rank is 0, or an array, slice or `Vec` of such data.
/// Examples are `[[1.0, 2.0], [3.0, 4.0]]` and `vec![vec![1.0, 2.0], vec![3.0, 4.0]]`.
///
/// Rows of different lengths are refused with [`Error::Ragged`].
#[diagnostic::on_unimplemented(
    message = "a tensor of `{T}` can't be made of `{Self}`",
    label = "numbers of type `{T}` expected, or arrays, slices or `Vec`s of them"
)]
pub trait HostData<T> {
    /// Appends the sizes of the axes, outermost first. The first part of each axis decides the
    /// sizes of the inner axes.
    fn push_shape(&self, shape: &mut Vec<usize>);

    /// Appends the elements in row-major order.
    ///
    /// # Errors
    /// [`Error::Ragged`] where the data does not have this shape.
    fn push_elements(&self, shape: &[usize], elements: &mut Vec<T>) -> Result<()>;

    /// Appends the elements of several parts, each of which must have this shape.
    ///
    /// # Errors
    /// As [`push_elements`](HostData::push_elements).
    fn push_parts(parts: &[Self], shape: &[usize], elements: &mut Vec<T>) -> Result<()>
    where
        Self: Sized,
    {
        for (place, part) in parts.iter().enumerate() {
            part.push_elements(shape, elements).map_err(|error| within(place, error))?;
        }
        Ok(())
    }
}

/// Turns the error of the part at `place` into the error of the whole.
fn within(place: usize, error: Error) -> Error {
    match error {
        Error::Ragged { axis, mut position, expected, got } => {
            position.insert(0, place);
            Error::Ragged { axis: axis + 1, position, expected, got }
        }
        other => other,
    }
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl HostData<$number> for $number {
            fn push_shape(&self, _: &mut Vec<usize>) {}
            fn push_elements(&self, _: &[usize], elements: &mut Vec<$number>) -> Result<()> {
                elements.push(*self);
                Ok(())
            }
            fn push_parts(parts: &[Self], _: &[usize], elements: &mut Vec<$number>) -> Result<()> {
                elements.extend_from_slice(parts);
                Ok(())
            }
        }
    )*};
}
number!(bf16, f16, f32, f64, i64, i32, i16, i8, u8, Bool, Complex<f32>, Complex<f64>);

impl HostData<Bool> for bool {
    fn push_shape(&self, _: &mut Vec<usize>) {}
    fn push_elements(&self, _: &[usize], elements: &mut Vec<Bool>) -> Result<()> {
        elements.push((*self).into());
        Ok(())
    }
}

impl<T, D: HostData<T>> HostData<T> for [D] {
    fn push_shape(&self, shape: &mut Vec<usize>) {
        shape.push(self.len());
        // Without a first part the sizes of the inner axes are unknown, and these axes are left
        // out.
        if let Some(first) = self.first() {
            first.push_shape(shape);
        }
    }
    fn push_elements(&self, shape: &[usize], elements: &mut Vec<T>) -> Result<()> {
        let (expected, rest) = shape.split_first().unwrap_or((&0, &[]));
        expect_size(0, *expected, self.len())?;
        D::push_parts(self, rest, elements)
    }
}

/// Refuses data whose size along an axis differs from that of the parts before it.
pub(crate) fn expect_size(axis: usize, expected: usize, got: usize) -> Result<()> {
    if expected == got { Ok(()) } else { Err(Error::Ragged { axis, position: Vec::new(), expected, got }) }
}

/// Implements [`HostData`] for a type by dereferencing it to another.
macro_rules! as_other {
    ($([$($generics:tt)*] $data:ty => $other:ty;)*) => {$(
        impl<T, $($generics)*> HostData<T> for $data {
            fn push_shape(&self, shape: &mut Vec<usize>) {
                <$other>::push_shape(self, shape);
            }
            fn push_elements(&self, shape: &[usize], elements: &mut Vec<T>) -> Result<()> {
                <$other>::push_elements(self, shape, elements)
            }
        }
    )*};
}
as_other! {
    [D: HostData<T>, const N: usize] [D; N] => [D];
    [D: HostData<T>] Vec<D> => [D];
    [D: HostData<T> + ?Sized] &D => D;
}

/// A `Vec` of zeros; [`Error::HostMemory`] if the host has no memory for it.
pub(super) fn host_zeros<T: Element>(call: &'static str, len: usize) -> Result<Vec<T>> {
    let none = || Error::HostMemory { call, bytes: len.saturating_mul(size_of::<T>()) };
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| none())
}
