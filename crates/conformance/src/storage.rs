//! A flat storage whose dtype is known at run time only.

use bytemuck::{cast_slice, cast_slice_mut};
use scatter::{DType, Element, with_element};

/// Elements of one dtype, aligned for every dtype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Storage {
    dtype: DType,
    len: usize,
    /// The elements, and zeros up to a whole word.
    words: Vec<u128>,
}

impl Storage {
    /// `len` elements of zero bytes.
    pub(crate) fn zeroed(dtype: DType, len: usize) -> Self {
        Self { dtype, len, words: vec![0; (len * dtype.size()).div_ceil(size_of::<u128>())] }
    }

    /// A copy of `elements`.
    pub(crate) fn of<T: Element>(elements: &[T]) -> Self {
        let mut storage = Self::zeroed(T::DTYPE, elements.len());
        storage.elements_mut().copy_from_slice(elements);
        storage
    }

    /// A copy of `bytes`, however they are aligned; `None` where they are no whole number of elements.
    pub(crate) fn from_bytes(dtype: DType, bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(dtype.size()) {
            return None;
        }
        let mut storage = Self::zeroed(dtype, bytes.len() / dtype.size());
        cast_slice_mut::<_, u8>(&mut storage.words)[..bytes.len()].copy_from_slice(bytes);
        Some(storage)
    }

    /// The dtype.
    pub(crate) const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The number of elements.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// The elements, as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &cast_slice(&self.words)[..self.len * self.dtype.size()]
    }

    /// The elements.
    ///
    /// # Panics
    /// If `T` is not the storage's type: callers have dispatched on [`Storage::dtype`].
    pub(crate) fn elements<T: Element>(&self) -> &[T] {
        assert_eq!(T::DTYPE, self.dtype, "a storage read as another dtype");
        &cast_slice(&self.words)[..self.len]
    }

    /// The elements, to write.
    ///
    /// # Panics
    /// As [`Storage::elements`].
    pub(crate) fn elements_mut<T: Element>(&mut self) -> &mut [T] {
        assert_eq!(T::DTYPE, self.dtype, "a storage written as another dtype");
        &mut cast_slice_mut(&mut self.words)[..self.len]
    }

    /// The elements at `addresses`, in that order.
    pub(crate) fn gathered(&self, addresses: &[usize]) -> Self {
        with_element!(self.dtype, T => {
            let elements = self.elements::<T>();
            Self::of(&addresses.iter().map(|&address| elements[address]).collect::<Vec<T>>())
        })
    }

    /// Puts the elements of `values` at `addresses`, in that order; both have one dtype.
    pub(crate) fn scattered(&mut self, addresses: &[usize], values: &Self) {
        with_element!(self.dtype, T => {
            let elements = self.elements_mut::<T>();
            for (&address, &value) in addresses.iter().zip(values.elements::<T>()) {
                elements[address] = value;
            }
        });
    }

    /// The addresses at which `other`, of the same dtype, holds another result (all NaNs being equal).
    pub(crate) fn differences(&self, other: &Self) -> Vec<usize> {
        with_element!(self.dtype, T => {
            let pairs = self.elements::<T>().iter().zip(other.elements::<T>());
            pairs.enumerate().filter(|(_, (a, b))| !a.same(**b)).map(|(address, _)| address).collect()
        })
    }

    /// An element, readably.
    pub(crate) fn shown(&self, address: usize) -> String {
        with_element!(self.dtype, T => format!("{:?}", self.elements::<T>()[address]))
    }

    /// The bytes of an element as one hexadecimal number, most significant digit first.
    pub(crate) fn hex(&self, address: usize) -> String {
        let size = self.dtype.size();
        let bytes = self.bytes()[address * size..][..size].iter().rev();
        bytes.fold(String::from("0x"), |text, byte| format!("{text}{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_elements_are_the_same_memory() {
        let storage = Storage::of(&[1.0_f32, -0.0, f32::NAN]);
        let again = Storage::from_bytes(DType::F32, storage.bytes()).unwrap();
        assert_eq!(storage, again);
        assert_eq!(storage.hex(1), "0x80000000");
        assert_eq!(Storage::from_bytes(DType::F32, &[0; 7]), None);
        assert_eq!(storage.differences(&Storage::of(&[1.0_f32, 0.0, -f32::NAN])), [1]);
    }
}
