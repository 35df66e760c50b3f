//! From an update to its element of out, and the one rule that needs the data: index values in
//! range.

use super::{Target, Updates};
use crate::{Addressing, Error, Layout, Operator, Shape};

/// The element that a valid index value means: negatives count from the end.
pub(crate) fn wrap(value: i64, size: usize) -> usize {
    if value < 0 { size.wrapping_add_signed(value as isize) } else { value as usize }
}

impl Updates {
    /// The first index value, in row-major order, that is outside `[-size, size)` of the axis of
    /// `indexed` (self) that it points into, as the error that says so. `read` gives the value at
    /// an address.
    pub(crate) fn first_bad_index(
        &self,
        operator: Operator,
        indexed: &Layout,
        mut read: impl FnMut(usize) -> i64,
    ) -> Option<Error> {
        self.distinct_entries().coordinates().find_map(|position| {
            let size = indexed.shape()[self.indexed_axis(&position)];
            let value = read(self.index.address(&position));
            let valid = -(size as i128) <= i128::from(value) && i128::from(value) < size as i128;
            (!valid).then(|| self.bad_index(operator, indexed, position, value))
        })
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
        let size = indexed.shape()[axis];
        // The caller's index has one axis where it names slices.
        let position = match operator.signature().addressing {
            Addressing::Slices => Shape::new(&position[axis..=axis]).unwrap_or(position),
            _ => position,
        };
        Error::IndexOutOfRange { operator, axis, position, value, size }
    }

    /// The shape of index, its entries each once.
    fn distinct_entries(&self) -> Shape {
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

    /// The coordinates in `indexed` of the update at `position`, whose index values are in range.
    pub(crate) fn target(
        &self,
        position: &Shape,
        indexed: &Layout,
        mut read: impl FnMut(usize) -> i64,
    ) -> Shape {
        let mut target = Shape::zeros(indexed.rank());
        let coordinates = target.sizes_mut();
        match self.target {
            Target::Dim(dim) => {
                coordinates.copy_from_slice(position);
                coordinates[dim] = wrap(read(self.index.address(position)), indexed.shape()[dim]);
            }
            Target::Nd(depth) => {
                let rows = self.index.rank() - 1;
                let mut component = Shape::zeros(rows + 1);
                component.sizes_mut()[..rows].copy_from_slice(&position[..rows]);
                for (axis, (coordinate, &size)) in
                    coordinates.iter_mut().zip(indexed.shape().iter()).take(depth).enumerate()
                {
                    component.sizes_mut()[rows] = axis;
                    *coordinate = wrap(read(self.index.address(&component)), size);
                }
                coordinates[depth..].copy_from_slice(&position[rows..rows + indexed.rank() - depth]);
            }
        }
        target
    }
}
