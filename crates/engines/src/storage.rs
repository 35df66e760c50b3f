//! A flat storage whose dtype is known only at run time.

use bytemuck::{cast_slice, cast_slice_mut};
use scatter::{Complex, DType, Element, bf16, f16, with_element};

/// Elements of one dtype, in memory that is aligned for every dtype.
#[derive(Clone, Debug)]
pub struct Storage {
    dtype: DType,
    len: usize,
    /// The elements, and padding at the end of the last word.
    words: Vec<u128>,
}

impl PartialEq for Storage {
    fn eq(&self, other: &Self) -> bool {
        self.dtype == other.dtype && self.bytes() == other.bytes()
    }
}

impl Eq for Storage {}

impl Storage {
    /// `len` elements of zero bytes.
    pub fn zeroed(dtype: DType, len: usize) -> Self {
        Self::filled(dtype, len, 0)
    }

    /// `len` elements, each byte of which is `byte`.
    pub fn filled(dtype: DType, len: usize, byte: u8) -> Self {
        let word = u128::from_ne_bytes([byte; size_of::<u128>()]);
        Self { dtype, len, words: vec![word; (len * dtype.size()).div_ceil(size_of::<u128>())] }
    }

    /// A copy of `elements`.
    pub fn of<T: Element>(elements: &[T]) -> Self {
        let mut storage = Self::zeroed(T::DTYPE, elements.len());
        storage.elements_mut().copy_from_slice(elements);
        storage
    }

    /// A copy of `bytes`, which need no alignment; `None` if their number is no multiple of the
    /// element size.
    pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(dtype.size()) {
            return None;
        }
        let mut storage = Self::zeroed(dtype, bytes.len() / dtype.size());
        cast_slice_mut::<_, u8>(&mut storage.words)[..bytes.len()].copy_from_slice(bytes);
        Some(storage)
    }

    /// The dtype.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The number of elements.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements, as bytes.
    pub fn bytes(&self) -> &[u8] {
        &cast_slice(&self.words)[..self.len * self.dtype.size()]
    }

    /// The elements, as mutable bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.words)[..self.len * self.dtype.size()]
    }

    /// The elements.
    ///
    /// # Panics
    /// If `T` is not the storage's element type. Callers must dispatch on [`Storage::dtype`] first.
    pub fn elements<T: Element>(&self) -> &[T] {
        assert_eq!(T::DTYPE, self.dtype, "a storage read as another dtype");
        &cast_slice(&self.words)[..self.len]
    }

    /// The elements, if `T` is the storage's element type.
    pub fn get<T: Element>(&self) -> Option<&[T]> {
        (T::DTYPE == self.dtype).then(|| self.elements())
    }

    /// The elements, mutable.
    ///
    /// # Panics
    /// If `T` is not the storage's element type.
    pub fn elements_mut<T: Element>(&mut self) -> &mut [T] {
        assert_eq!(T::DTYPE, self.dtype, "a storage written as another dtype");
        &mut cast_slice_mut(&mut self.words)[..self.len]
    }

    /// The elements at `addresses`, in that order.
    pub fn gathered(&self, addresses: &[usize]) -> Self {
        with_element!(self.dtype, T => {
            let elements = self.elements::<T>();
            Self::of(&addresses.iter().map(|&address| elements[address]).collect::<Vec<T>>())
        })
    }

    /// Puts the elements of `values`, of the same dtype, at `addresses`, in that order.
    pub fn scattered(&mut self, addresses: &[usize], values: &Self) {
        with_element!(self.dtype, T => {
            let elements = self.elements_mut::<T>();
            for (&address, &value) in addresses.iter().zip(values.elements::<T>()) {
                elements[address] = value;
            }
        });
    }

    /// The addresses at which `other`, of the same dtype, has another value (all NaNs are equal).
    pub fn differences(&self, other: &Self) -> Vec<usize> {
        with_element!(self.dtype, T => {
            let pairs = self.elements::<T>().iter().zip(other.elements::<T>());
            pairs.enumerate().filter(|(_, (a, b))| !a.same(**b)).map(|(address, _)| address).collect()
        })
    }

    /// The addresses at which `other`, of the same dtype and length, differs: at a tensor's
    /// `elements` in value (all NaNs are equal), around them in any bit.
    pub fn differences_around(&self, elements: &[usize], other: &Self) -> Vec<usize> {
        let mut is_around = vec![true; self.len];
        for &address in elements {
            is_around[address] = false;
        }
        let size = self.dtype.size();
        let pairs = self.bytes().chunks_exact(size).zip(other.bytes().chunks_exact(size));
        let bytes = pairs.enumerate().filter(|(_, (a, b))| a != b).map(|(address, _)| address);
        let mut differences = self.differences(other);
        differences.extend(bytes.filter(|&address| is_around[address]));
        differences.sort_unstable();
        differences.dedup();
        differences
    }

    /// An element of a float dtype as its real and imaginary part, exactly; `None` for the other
    /// dtypes.
    pub fn parts(&self, address: usize) -> Option<[f64; 2]> {
        let real = |value: f64| Some([value, 0.0]);
        match self.dtype {
            DType::Bf16 => real(self.elements::<bf16>()[address].into()),
            DType::F16 => real(self.elements::<f16>()[address].into()),
            DType::F32 => real(self.elements::<f32>()[address].into()),
            DType::F64 => real(self.elements::<f64>()[address]),
            DType::Complex64 => {
                let value = self.elements::<Complex<f32>>()[address];
                Some([value.re.into(), value.im.into()])
            }
            DType::Complex128 => {
                let value = self.elements::<Complex<f64>>()[address];
                Some([value.re, value.im])
            }
            _ => None,
        }
    }

    /// An element, formatted for people.
    pub fn shown(&self, address: usize) -> String {
        with_element!(self.dtype, T => format!("{:?}", self.elements::<T>()[address]))
    }

    /// The bytes of an element as one hexadecimal number, most significant digit first.
    pub fn hex(&self, address: usize) -> String {
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
