//! The memory that an engine call reads and writes.

use core::marker::PhantomData;

use crate::{DType, Element, Layout, LayoutError, Operand, View, ViewMut};

/// A tensor to read: an [`Operand`] with the pointer that its address was taken from.
///
/// [`View`] and `ndarray` arrays become one through [`AsTensor`]; anything else through
/// [`TensorRef::from_raw`].
#[derive(Clone, Copy, Debug)]
pub struct TensorRef<'a, T> {
    storage: *const T,
    operand: Operand,
    life: PhantomData<&'a [T]>,
}

/// A tensor to write: an [`Operand`] with the pointer that its address was taken from.
#[derive(Debug)]
pub struct TensorMut<'a, T> {
    storage: *mut T,
    operand: Operand,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: elements are only read through it, as through a `&[T]`, which is `Send` and `Sync` if `T`
// is `Sync`; whoever made it promised that nobody else writes them.
unsafe impl<T: Sync> Send for TensorRef<'_, T> {}
// SAFETY: elements are only read through it, as through a `&[T]`, which is `Send` and `Sync` if `T`
// is `Sync`; whoever made it promised that nobody else writes them.
unsafe impl<T: Sync> Sync for TensorRef<'_, T> {}
// SAFETY: whoever made it promised that nobody else accesses its elements while an engine runs, as
// with a `&mut [T]`, which is `Send` if `T` is.
unsafe impl<T: Send> Send for TensorMut<'_, T> {}
// SAFETY: safe code writes no element through a shared reference to it, as with a `&mut [T]`, which
// is `Sync` if `T` is.
unsafe impl<T: Sync> Sync for TensorMut<'_, T> {}

impl<T: Element> TensorRef<'_, T> {
    /// The tensor of `layout` in the storage that starts at `storage`.
    ///
    /// A layout that does not exist is reported by [`crate::Problem`], in its turn.
    ///
    /// # Safety
    /// For the lifetime that is chosen: where `layout` is `Ok`, `storage` is aligned, the layout's
    /// whole storage lies in one allocation that the pointer may reach, and every element that the
    /// layout addresses is initialised, and written by nobody else while an engine runs.
    #[must_use]
    pub unsafe fn from_raw(storage: *const T, layout: Result<Layout, LayoutError>) -> Self {
        Self { storage, operand: operand::<T>(layout, storage), life: PhantomData }
    }
}

impl<T: Element> TensorMut<'_, T> {
    /// The tensor of `layout` in the storage that starts at `storage`.
    ///
    /// # Safety
    /// For the lifetime that is chosen: where `layout` is `Ok`, `storage` is aligned, the layout's
    /// whole storage lies in one allocation that the pointer may reach, and every element that the
    /// layout addresses is initialised, writable, and neither read nor written by anybody else
    /// while an engine runs, other than through the tensors of the same call, whose addresses
    /// [`crate::Problem`] has compared.
    #[must_use]
    pub unsafe fn from_raw(storage: *mut T, layout: Result<Layout, LayoutError>) -> Self {
        Self { storage, operand: operand::<T>(layout, storage), life: PhantomData }
    }
}

fn operand<T: Element>(layout: Result<Layout, LayoutError>, storage: *const T) -> Operand {
    let dtype: DType = T::DTYPE;
    Operand { dtype: Ok(dtype), layout, address: storage.addr() }
}

impl<T> TensorRef<'_, T> {
    /// Dtype, layout and address, for [`crate::Problem::new`].
    #[must_use]
    pub const fn operand(&self) -> &Operand {
        &self.operand
    }

    pub(super) const fn storage(&self) -> *const T {
        self.storage
    }

    /// [`operand`](TensorRef::operand), after exposing the provenance of the address.
    pub(crate) fn exposed(&self) -> Operand {
        let _ = self.storage.expose_provenance();
        self.operand
    }
}

impl<T> TensorMut<'_, T> {
    /// Dtype, layout and address, for [`crate::Problem::new`].
    #[must_use]
    pub const fn operand(&self) -> &Operand {
        &self.operand
    }

    pub(super) const fn storage(&self) -> *mut T {
        self.storage
    }
}

/// What the typed functions read: a tensor of elements of `T`.
pub trait AsTensor<T> {
    /// The tensor.
    fn as_tensor(&self) -> TensorRef<'_, T>;
}

/// What the typed functions write: a tensor of elements of `T`.
pub trait AsTensorMut<T> {
    /// The tensor.
    fn as_tensor_mut(&mut self) -> TensorMut<'_, T>;
}

impl<T: Element> AsTensor<T> for View<'_, T> {
    fn as_tensor(&self) -> TensorRef<'_, T> {
        // SAFETY: the layout was proved to lie inside this slice, which is borrowed for the
        // result's lifetime.
        unsafe { TensorRef::from_raw(self.data().as_ptr(), Ok(*self.layout())) }
    }
}

impl<T: Element> AsTensor<T> for ViewMut<'_, T> {
    fn as_tensor(&self) -> TensorRef<'_, T> {
        // SAFETY: the layout was proved to lie inside this slice, which is borrowed for the
        // result's lifetime.
        unsafe { TensorRef::from_raw(self.data().as_ptr(), Ok(*self.layout())) }
    }
}

impl<T: Element> AsTensorMut<T> for ViewMut<'_, T> {
    fn as_tensor_mut(&mut self) -> TensorMut<'_, T> {
        let layout = *self.layout();
        // SAFETY: the layout was proved to lie inside this slice, which is borrowed mutably for the
        // result's lifetime.
        unsafe { TensorMut::from_raw(self.data_mut().as_mut_ptr(), Ok(layout)) }
    }
}

/// The tensors that a [`crate::Problem`] is bound to.
#[derive(Debug)]
pub struct Memory<'a, T, I> {
    /// self; `None` in place.
    pub self_: Option<TensorRef<'a, T>>,
    /// index, or indices.
    pub index: TensorRef<'a, I>,
    /// src, or updates; `None` where the operator takes none.
    pub src: Option<TensorRef<'a, T>>,
    /// out; in place, self.
    pub out: TensorMut<'a, T>,
}
