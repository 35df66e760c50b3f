//! Operators whose index values name where windows of self begin: the rules of their shapes, and
//! the index that names each element of a window.

use super::rules::{Rules, clamped, in_range, of_some_rank, repeated, same_rank, updates_shape};
use super::{Operand, Problem, Updates};
use crate::{Argument, Axes, DType, Error, Layout, LayoutError, Shape};

impl Rules<'_> {
    /// What takes the place of rules 10 to 14 where index names windows: its rank and columns,
    /// src's rank, not axis 0, the shapes, and the axis. Where index has two columns, the axis of
    /// windows becomes the second of self and out, so that index has the leading coordinates of its
    /// targets.
    pub(super) fn window_updates(
        &self,
        self_: &mut Layout,
        out: &mut Layout,
    ) -> Result<Option<Updates>, Error> {
        let operator = self.op.operator();
        let index = of_some_rank(operator, Argument::Index, self.index)?;
        if index.rank() > 2 {
            return Err(Error::Rank { operator, argument: Argument::Index, expected: 2, got: index.rank() });
        }
        if let Some(&got) = index.shape().get(1).filter(|&&got| got != 2) {
            return Err(Error::IndexShape { operator, axis: 1, expected: 2, got });
        }
        let Some(src) = self.src else {
            return Err(Error::Operand { operator, argument: Argument::Src, expected: true });
        };
        let src = same_rank(operator, Argument::Src, src, self_)?;
        let dim = self.dim();
        let axis = clamped(dim, self_.rank());
        if axis == 0 && in_range(operator, dim, self_.rank()).is_ok() {
            return Err(Error::UpdatesAxis { operator, got: dim });
        }
        let (expected, got) = (self_.shape()[0], index.shape()[0]);
        if index.rank() == 1 && got > expected {
            return Err(Error::IndexExceedsSelf { operator, axis: 0, expected, got });
        }
        let (size, extent) = (self_.shape()[axis], src.shape()[axis]);
        let mut expected = *self_.shape();
        expected.sizes_mut()[0] = index.shape()[0];
        expected.sizes_mut()[axis] = extent;
        updates_shape(operator, &expected, &[], src.shape())?;
        if extent > size {
            return Err(Error::WindowExceedsSelf { operator, axis, expected: size, got: extent });
        }
        let axis = in_range(operator, dim, self_.rank())?;
        let work = if index.rank() == 1 {
            // Each value stands for all updates of its window.
            let index = repeated(operator, &index, src.shape(), 0)?;
            Updates { window: Some(axis), ..Updates::along(axis, index, Some(src)) }
        } else {
            let ahead = |layout: Layout| layout.with_axes_ahead(axis..axis + 1, 1);
            (*self_, *out) = (ahead(*self_), ahead(*out));
            let src = ahead(src);
            // An entry of index stands for all updates of its window.
            let index = index.with_axis_of_zeros(extent).with_axes_ahead(2..3, 1);
            let axes = Axes::new(&[0, axis]).unwrap_or_default();
            Updates { axes, window: Some(1), ..Updates::leading(2, index, src) }
        };
        Ok((!src.is_empty()).then_some(work))
    }
}

impl Updates {
    /// The number of elements for which an index value stands along the axis that it points into.
    pub(crate) fn window_extent(&self) -> usize {
        self.window.map_or(1, |axis| self.index.shape()[axis])
    }

    /// The shape of an index that names each element of a window.
    pub(crate) fn shape_of_points(&self) -> Shape {
        let mut shape = self.distinct_entries();
        if let Some(axis) = self.window {
            shape.sizes_mut()[axis] = self.window_extent();
        }
        shape
    }
}

impl Problem {
    /// The same problem with an index that names each element of a window: i64 values of
    /// `shape_of_points`, in row-major order, at an address.
    pub(crate) fn of_points(&self, address: usize) -> Result<Self, LayoutError> {
        let mut problem = *self;
        let Some(updates) = &mut problem.updates else { return Ok(problem) };
        updates.index = Layout::repeating(&updates.shape_of_points(), updates.index.shape())?;
        updates.window = None;
        problem.operands.index = Operand { dtype: Ok(DType::I64), layout: Ok(updates.index), address };
        Ok(problem)
    }
}
