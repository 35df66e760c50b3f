//! A storage with a shape, strides and an offset: what cases are made of and what engines take.

use core::fmt;

use scatter::{Element, Layout, LayoutError, Operand, View, ViewMut};

use crate::storage::Storage;

/// A tensor as a caller would describe it. Nothing is checked: a refusal needs tensors that don't exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tensor {
    pub(crate) storage: Storage,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
    pub(crate) offset: usize,
}

impl Tensor {
    /// A contiguous tensor of `shape` at the start of `storage`.
    pub(crate) fn contiguous(storage: Storage, shape: &[usize]) -> Self {
        let mut strides = vec![1_isize; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis].saturating_mul(shape[axis].max(1).try_into().unwrap_or(isize::MAX));
        }
        Self { storage, shape: shape.to_vec(), strides, offset: 0 }
    }

    /// The layout, if there is such a one.
    pub(crate) fn layout(&self) -> Result<Layout, LayoutError> {
        Layout::new(&self.shape, &self.strides, self.offset, self.storage.len())
    }

    /// Dtype, layout and address.
    pub(crate) fn operand(&self) -> Operand {
        let address = self.storage.bytes().as_ptr().addr();
        Operand { dtype: Ok(self.storage.dtype()), layout: self.layout(), address }
    }

    /// The tensor, to read; `T` is its dtype's type.
    pub(crate) fn view<T: Element>(&self) -> Result<View<'_, T>, LayoutError> {
        View::strided(self.storage.elements(), &self.shape, &self.strides, self.offset)
    }

    /// The tensor, to write; `T` is its dtype's type.
    pub(crate) fn view_mut<T: Element>(&mut self) -> Result<ViewMut<'_, T>, LayoutError> {
        ViewMut::strided(self.storage.elements_mut(), &self.shape, &self.strides, self.offset)
    }

    /// The number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// The addresses of the elements in the storage, in row-major order; the tensor has a layout, or none come back.
    pub(crate) fn addresses(&self) -> Vec<usize> {
        self.layout().map_or_else(
            |_| Vec::new(),
            |layout| layout.shape().coordinates().map(|at| layout.address(&at)).collect(),
        )
    }

    /// The same elements, contiguous.
    pub(crate) fn to_contiguous(&self) -> Self {
        Self::contiguous(self.storage.gathered(&self.addresses()), &self.shape)
    }

    /// The coordinates of the element at an address of the storage, or `None` where it isn't the tensor's.
    pub(crate) fn coordinates_of(&self, address: usize) -> Option<Vec<usize>> {
        let layout = self.layout().ok()?;
        layout.shape().coordinates().find(|at| layout.address(at) == address).map(|at| at.to_vec())
    }
}

/// `f32 [3, 4], strides [4, 1], offset 0`
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { storage, shape, strides, offset } = self;
        write!(f, "{} {shape:?}, strides {strides:?}, offset {offset}", storage.dtype())
    }
}
