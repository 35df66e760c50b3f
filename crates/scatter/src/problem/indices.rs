//! From an update to its element of out, and the one rule that needs the data: index values in
//! range.

use super::{Target, Updates};
use crate::{Addressing, Error, Layout, Operator, Shape};

/// The element that a valid index value means: negatives count from the end.
fn wrap(value: i64, size: usize) -> usize {
    if value < 0 { size.wrapping_add_signed(value as isize) } else { value as usize }
}

impl Updates {
    /// The first index value, in row-major order, that is outside `[-n, n)`, n being the number of
    /// [positions](Self::positions) along the axis of `indexed` (self) that it points into, as the
    /// error that says so. `read` gives the value at an address.
    pub(crate) fn first_bad_index(
        &self,
        operator: Operator,
        indexed: &Layout,
        read: &dyn Fn(usize) -> i64,
    ) -> Option<Error> {
        self.distinct_entries().coordinates().find_map(|position| {
            let size = self.positions(&position, indexed);
            let value = read(self.index.address(&position));
            let valid = -(size as i128) <= i128::from(value) && i128::from(value) < size as i128;
            (!valid).then(|| self.bad_index(operator, indexed, position, value))
        })
    }

    /// The number of positions that the index value at `position` can name: the size of the axis
    /// that it points into, or how many times a window fits there.
    pub(crate) fn positions(&self, position: &Shape, indexed: &Layout) -> usize {
        let size = indexed.shape()[self.indexed_axis(position)];
        if self.names_a_window(position) { size + 1 - self.window_extent() } else { size }
    }

    /// Whether the index value at `position` names where a window begins; the coordinates before it
    /// do not.
    pub(crate) fn names_a_window(&self, position: &Shape) -> bool {
        match self.target {
            _ if self.window.is_none() => false,
            Target::Dim(_) => true,
            Target::Nd(depth) => position[position.rank() - 1] + 1 == depth,
        }
    }

    /// The axis of `indexed` that the index value at `position` points into.
    fn indexed_axis(&self, position: &Shape) -> usize {
        match self.target {
            Target::Dim(dim) => dim,
            Target::Nd(_) => position[position.rank() - 1],
        }
    }

    /// The error that says that the index value at `position` is out of range.
    pub(crate) fn bad_index(
        &self,
        operator: Operator,
        indexed: &Layout,
        position: Shape,
        value: i64,
    ) -> Error {
        let axis = self.indexed_axis(&position);
        let size = self.positions(&position, indexed);
        // In terms of the caller's tensors: an index that names slices or windows has fewer axes, a
        // scalar has none, one tensor of several has no axis of coordinates, and the axes of self
        // may be in another order.
        let last = position.rank() - 1;
        let component = if matches!(self.target, Target::Nd(_)) { position[last] } else { 0 };
        let told = match (operator.signature().addressing, self.target) {
            _ if self.of_scalar => Shape::new(&[]),
            (Addressing::Slices, _) => Shape::new(&position[axis..=axis]),
            (Addressing::Windows, Target::Dim(_)) => Shape::new(&position[..1]),
            (Addressing::Windows, Target::Nd(_)) => Shape::new(&[position[0], position[last]]),
            (Addressing::Axes | Addressing::Rows, _) => Shape::new(&position[..last]),
            _ => None,
        };
        let axis = self.axes.iter().nth(component).unwrap_or(axis);
        let position = told.unwrap_or(position);
        Error::IndexOutOfRange { operator, axis, position, value, size }
    }

    /// The shape of index, its entries each once.
    pub(super) fn distinct_entries(&self) -> Shape {
        let mut shape = self.index.distinct();
        if let (Target::Nd(depth), Some(last)) = (self.target, shape.sizes_mut().last_mut()) {
            // The coordinates of an entry point into different axes, also where they are one value.
            *last = depth;
        }
        shape
    }

    /// The shape of the updates: src's (cut to index), or index's where a scalar stands for src.
    pub(crate) fn shape(&self) -> &Shape {
        self.src.as_ref().unwrap_or(&self.index).shape()
    }

    /// The coordinate along an axis of `indexed` that the index value at `position` names for the
    /// update of the same coordinates; the value is in range.
    pub(crate) fn coordinate(&self, position: &Shape, indexed: &Layout, value: i64) -> usize {
        let within = match self.window {
            Some(axis) if self.names_a_window(position) => position[axis],
            _ => 0,
        };
        wrap(value, self.positions(position, indexed)) + within
    }

    /// The coordinates in `indexed` of the update at `position`, whose index values are in range.
    pub(crate) fn target(
        &self,
        position: &Shape,
        indexed: &Layout,
        mut read: impl FnMut(usize) -> i64,
    ) -> Shape {
        let mut coordinate = |entry: &Shape| {
            let value = read(self.index.address(entry));
            self.coordinate(entry, indexed, value)
        };
        let mut target = Shape::zeros(indexed.rank());
        let coordinates = target.sizes_mut();
        match self.target {
            Target::Dim(dim) => {
                coordinates.copy_from_slice(position);
                coordinates[dim] = coordinate(position);
            }
            Target::Nd(depth) => {
                let rows = self.index.rank() - 1;
                let mut component = Shape::zeros(rows + 1);
                component.sizes_mut()[..rows].copy_from_slice(&position[..rows]);
                for (axis, target) in coordinates.iter_mut().take(depth).enumerate() {
                    component.sizes_mut()[rows] = axis;
                    *target = coordinate(&component);
                }
                coordinates[depth..].copy_from_slice(&position[rows..rows + indexed.rank() - depth]);
            }
        }
        target
    }
}
