//! The shapes of a call's tensors and the values of index, independent of dtypes and layouts.

use engines::random::Random;
use engines::storage::Storage;
use scatter::{Axes, Shape};

/// Shapes, the axis, and how index values are chosen.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub(super) self_: Vec<usize>,
    pub(super) index: Vec<usize>,
    pub(super) src: Vec<usize>,
    pub(super) axis: Axis,
    pub(super) pattern: Pattern,
}

/// The axes of self that index points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// This axis.
    Dim(usize),
    /// This number of leading axes, which is the size of the last axis of indices
    /// (`scatter_nd_add`, `scatter_nd_update`).
    Leading(usize),
    /// This axis, of which each entry of index names a slice (`index_copy`, `index_add`,
    /// `index_fill`).
    Slices(usize),
    /// This axis, along which index names where windows begin, by two columns axis 0, too
    /// (`scatter_update`).
    Windows { dim: usize, extent: usize },
    /// These axes, in the order of the last axis of indices (`index_put`).
    Chosen(Axes),
    /// The first, of which each entry of indices names a row (`embedding_backward`).
    Rows,
}

/// How index values are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Any values in range, also negative ones.
    Any,
    /// One of two targets.
    Few,
    /// Values never decrease along the axis.
    Sorted,
    /// No value occurs twice along the axis; index is not longer than self there.
    Unique,
    /// All values are negative.
    Negative,
}

impl Geometry {
    /// The values of index, in row-major order.
    pub(super) fn index_values(&self, random: &mut Random) -> Vec<i64> {
        let Some(shape) = Shape::new(&self.index) else { return Vec::new() };
        let mut picker = Picker::new(self, random);
        shape.coordinates().map(|at| picker.pick(self, &at, random)).collect()
    }
}

/// The choices that hold for the whole index.
struct Picker {
    /// Two targets, as fractions of a size.
    few: [f64; 2],
    /// The targets along the axis in a random order.
    order: Vec<usize>,
}

impl Picker {
    fn new(geometry: &Geometry, random: &mut Random) -> Self {
        let few = [random.unit(), random.unit()];
        let mut order: Vec<usize> = match (geometry.pattern, geometry.axis) {
            (Pattern::Unique, Axis::Dim(dim) | Axis::Slices(dim)) => {
                (0..geometry.self_.get(dim).copied().unwrap_or(1)).collect()
            }
            (Pattern::Unique, Axis::Rows) => (0..geometry.self_[0]).collect(),
            _ => Vec::new(),
        };
        random.shuffle(&mut order);
        Self { few, order }
    }

    /// The value at the coordinates `at`, which is in range.
    fn pick(&mut self, geometry: &Geometry, at: &[usize], random: &mut Random) -> i64 {
        // The axis of self that the value points into, and the value's coordinate along index's
        // axis.
        let (axis, along) = match geometry.axis {
            Axis::Dim(dim) => (dim, at.get(dim).copied().unwrap_or(0)),
            Axis::Leading(_) => (at.last().copied().unwrap_or(0), at.first().copied().unwrap_or(0)),
            Axis::Slices(dim) => (dim, at.first().copied().unwrap_or(0)),
            Axis::Windows { dim, .. } => (if at[1..] == [0] { 0 } else { dim }, at[0]),
            Axis::Chosen(axes) => (axes.iter().nth(at.last().copied().unwrap_or(0)).unwrap_or(0), at[0]),
            Axis::Rows => (0, at.first().copied().unwrap_or(0)),
        };
        let length = match geometry.axis {
            Axis::Dim(dim) => geometry.index.get(dim).copied().unwrap_or(1),
            Axis::Leading(_) | Axis::Slices(_) | Axis::Windows { .. } | Axis::Chosen(_) | Axis::Rows => {
                geometry.index.first().copied().unwrap_or(1)
            }
        };
        let size = geometry.self_.get(axis).copied().unwrap_or(1);
        let size = match geometry.axis {
            Axis::Windows { dim, extent } if axis == dim => size + 1 - extent,
            _ => size,
        };
        let part = |fraction: f64| (fraction * size as f64) as i64;
        let negative = size as i64;
        match geometry.pattern {
            Pattern::Any => random.below(2 * size as u64) as i64 - negative,
            Pattern::Few => part(random.pick(&self.few)) - if random.once_in(3) { negative } else { 0 },
            Pattern::Sorted => part(along as f64 / length as f64),
            Pattern::Unique => self.order.get(along).map_or(0, |&target| target as i64),
            Pattern::Negative => -1 - random.below(size as u64) as i64,
        }
    }
}

/// A storage with these index values: of i32 if `narrow`, else of i64.
pub(super) fn index_storage(values: &[i64], narrow: bool) -> Storage {
    if narrow {
        Storage::of(&values.iter().map(|&value| value as i32).collect::<Vec<_>>())
    } else {
        Storage::of(values)
    }
}
