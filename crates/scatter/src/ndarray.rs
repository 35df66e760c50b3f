//! `ndarray` arrays and views, of any strides and up to eight axes, as operands of the typed
//! functions.
//!
//! ```
//! use ndarray::array;
//! use scatter::scatter_add;
//! let mut grid = array![[0.0_f32, 0.0], [0.0, 0.0]];
//! let (index, src) = (array![[0_i64, 1], [0, 0]], array![[1.0_f32, 2.0], [3.0, 4.0]]);
//! scatter_add(&mut grid.view_mut().reversed_axes(), 0, &index, &src.t())?;
//! assert_eq!(grid, array![[3.0, 0.0], [4.0, 3.0]]);
//! # Ok::<(), scatter::Error>(())
//! ```

use ndarray::{ArrayBase, Data, DataMut, Dimension};

use crate::cpu::{AsTensor, AsTensorMut, TensorMut, TensorRef};
use crate::{Element, Layout};

impl<T: Element, S: Data<Elem = T>, D: Dimension> AsTensor<T> for ArrayBase<S, D> {
    fn as_tensor(&self) -> TensorRef<'_, T> {
        let layout = Layout::enclosing(self.shape(), self.strides());
        let before = layout.map_or(0, |layout| layout.offset());
        // SAFETY: the layout addresses the elements of this array, which is borrowed for the
        // result's lifetime; `before` steps back to its lowest one.
        unsafe { TensorRef::from_raw(self.as_ptr().sub(before), layout) }
    }
}

impl<T: Element, S: DataMut<Elem = T>, D: Dimension> AsTensorMut<T> for ArrayBase<S, D> {
    fn as_tensor_mut(&mut self) -> TensorMut<'_, T> {
        // Before anything else: a shared array (`ArcArray`, `CowArray`) is copied here, into other
        // strides.
        let start = self.as_mut_ptr();
        let layout = Layout::enclosing(self.shape(), self.strides());
        let before = layout.map_or(0, |layout| layout.offset());
        // SAFETY: the layout addresses the elements of this array, which is borrowed mutably for
        // the result's lifetime; `before` steps back to its lowest one.
        unsafe { TensorMut::from_raw(start.sub(before), layout) }
    }
}
