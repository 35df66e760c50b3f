//! A storage with a shape, strides and an offset: the tensors of cases, which engines take.

use core::fmt;

use scatter::{Axes, DType, Element, Layout, LayoutError, Operand, View, ViewMut};

use crate::storage::Storage;

/// The byte that fills storage outside the tensor's elements. In no dtype does it make a value that
/// is common in results.
pub const FILLER: u8 = 0xa5;

/// A tensor as a caller describes it. Nothing is checked, because cases for refusals need
/// impossible tensors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The memory.
    pub storage: Storage,
    /// The size of each axis.
    pub shape: Vec<usize>,
    /// The stride of each axis, in elements.
    pub strides: Vec<isize>,
    /// The index of the first element in the storage.
    pub offset: usize,
}

impl Tensor {
    /// A contiguous tensor of `shape` at the start of `storage`.
    pub fn contiguous(storage: Storage, shape: &[usize]) -> Self {
        Self { storage, shape: shape.to_vec(), strides: contiguous_strides(shape), offset: 0 }
    }

    /// A contiguous tensor of `shape` with some elements before and after it in the storage, which
    /// a scatter must not change.
    pub fn framed(elements: &Storage, shape: &[usize]) -> Self {
        let (before, after) = (3, 2);
        let dtype = elements.dtype();
        let mut storage = Storage::filled(dtype, before + elements.len() + after, FILLER);
        let (start, bytes) = (before * dtype.size(), elements.bytes());
        storage.bytes_mut()[start..start + bytes.len()].copy_from_slice(bytes);
        Self { storage, shape: shape.to_vec(), strides: contiguous_strides(shape), offset: before }
    }

    /// A tensor of [`FILLER`] alone, with the same around it.
    pub fn filler(dtype: DType, shape: &[usize]) -> Self {
        Self::framed(&Storage::filled(dtype, shape.iter().product(), FILLER), shape)
    }

    /// One component of each entry of an index whose last axis has them: a tensor without that axis
    /// on a copy of the storage.
    pub fn component(&self, component: usize) -> Self {
        let mut of_one = self.clone();
        of_one.shape.pop();
        let step = of_one.strides.pop().unwrap_or(0);
        of_one.offset = of_one.offset.wrapping_add_signed(component as isize * step);
        of_one
    }

    /// For each axis of self up to the last of `axes`, the component of index that has the
    /// coordinates along it, if it is one of them.
    pub fn components(&self, axes: Axes) -> impl Iterator<Item = Option<Self>> {
        let count = axes.iter().last().map_or(0, |axis| axis + 1);
        let mut chosen = axes.iter().enumerate().peekable();
        (0..count).map(move |axis| {
            let (component, _) = chosen.next_if(|&(_, chosen)| chosen == axis)?;
            Some(self.component(component))
        })
    }

    /// The layout, if it fits in the storage.
    ///
    /// # Errors
    /// The layout is impossible.
    pub fn layout(&self) -> Result<Layout, LayoutError> {
        Layout::new(&self.shape, &self.strides, self.offset, self.storage.len())
    }

    /// The dtype, layout and address.
    pub fn operand(&self) -> Operand {
        let address = self.storage.bytes().as_ptr().addr();
        Operand { dtype: Ok(self.storage.dtype()), layout: self.layout(), address }
    }

    /// A view for reading. A tensor that can't be viewed as `T`s (an index without elements may
    /// have any dtype and rank) becomes a view without elements: engines get such a tensor only
    /// where there is nothing to compute.
    ///
    /// # Errors
    /// The layout is impossible.
    pub fn view<T: Element>(&self) -> Result<View<'_, T>, LayoutError> {
        let elements = self.storage.get().unwrap_or(&[]);
        View::strided(elements, &self.shape, &self.strides, self.offset).or_else(|_| View::new(&[], &[0]))
    }

    /// A view for writing; `T` must be the element type of its dtype.
    ///
    /// # Errors
    /// The layout is impossible.
    pub fn view_mut<T: Element>(&mut self) -> Result<ViewMut<'_, T>, LayoutError> {
        ViewMut::strided(self.storage.elements_mut(), &self.shape, &self.strides, self.offset)
    }

    /// The number of elements; `usize::MAX` if it overflows.
    pub fn elements(&self) -> usize {
        if self.shape.contains(&0) {
            0
        } else {
            self.shape.iter().fold(1, |count, &size| count.saturating_mul(size))
        }
    }

    /// The addresses of the elements in the storage, in row-major order; none if the layout is
    /// impossible.
    pub fn addresses(&self) -> Vec<usize> {
        match self.layout() {
            Err(_) => Vec::new(),
            Ok(_) if self.is_contiguous() => (0..self.elements()).collect(),
            Ok(layout) => layout.shape().coordinates().map(|at| layout.address(&at)).collect(),
        }
    }

    /// Whether it is contiguous, from the start of its storage on.
    pub fn is_contiguous(&self) -> bool {
        (&self.strides, self.offset) == (&contiguous_strides(&self.shape), 0)
    }

    /// The same elements, contiguous.
    pub fn to_contiguous(&self) -> Self {
        Self::contiguous(self.storage.gathered(&self.addresses()), &self.shape)
    }

    /// The coordinates of the element at an address of the storage, or `None` if the tensor has no
    /// element there.
    pub fn coordinates_of(&self, address: usize) -> Option<Vec<usize>> {
        let layout = self.layout().ok()?;
        layout.shape().coordinates().find(|at| layout.address(at) == address).map(|at| at.to_vec())
    }
}

/// `f32 [3, 4]`, and `f32 [3, 4] (strides [1, 3], offset 2)` where it isn't contiguous.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { storage, shape, strides, offset } = self;
        write!(f, "{} {shape:?}", storage.dtype())?;
        if self.is_contiguous() {
            return Ok(());
        }
        write!(f, " (strides {strides:?}, offset {offset})")
    }
}

/// The strides of a contiguous tensor of `shape`, in row-major order.
fn contiguous_strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1_isize; shape.len()];
    for axis in (1..shape.len()).rev() {
        let size = shape[axis].max(1).try_into().unwrap_or(isize::MAX);
        strides[axis - 1] = strides[axis].saturating_mul(size);
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strided_tensor_is_read_in_row_major_order() {
        let storage = Storage::of(&[0_i32, 1, 2, 3, 4, 5, 6]);
        let tensor = Tensor { storage, shape: vec![2, 3], strides: vec![1, -2], offset: 5 };
        assert_eq!(tensor.addresses(), [5, 3, 1, 6, 4, 2]);
        assert_eq!(tensor.to_contiguous(), Tensor::contiguous(Storage::of(&[5_i32, 3, 1, 6, 4, 2]), &[2, 3]));
        assert_eq!(tensor.coordinates_of(4), Some(vec![1, 1]));
        assert_eq!(tensor.coordinates_of(0), None);
        assert_eq!(tensor.to_string(), "i32 [2, 3] (strides [1, -2], offset 5)");
        assert_eq!(tensor.to_contiguous().to_string(), "i32 [2, 3]");
    }
}
