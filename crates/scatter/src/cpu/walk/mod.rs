//! A scatter as nested loops: one axis per loop, with the step that each tensor makes along it.
//!
//! All operators come to the same form. An update goes from `walk.src`, plus each of its
//! coordinates times its axis's `src`, to `walk.dst`, plus each times its axis's `dst`, plus its
//! target. The entry of index is found in the same way, and the target is the sum of its
//! components' values, each times the component's step. An axis is *owned* when dst moves with it:
//! updates with different coordinates on owned axes can never meet, which is what lets threads
//! divide a destination without looking at the data. The other axes (dim, or the entries of
//! indices) are *scanned*: in order, by the task that owns the destination.

pub(in crate::cpu) mod copy;
pub(in crate::cpu) mod grid;
pub(in crate::cpu) mod moves;
pub(in crate::cpu) mod rows;
pub(in crate::cpu) mod segment;
pub(in crate::cpu) mod storage;
pub(in crate::cpu) mod tiles;
pub(in crate::cpu) mod touched;
pub(in crate::cpu) mod turns;
pub(in crate::cpu) mod visit;

use core::cmp::Reverse;

use crate::problem::{Target, Updates};
use crate::shape::MAX_RANK;
use crate::{Layout, Problem};

/// One for each axis of the updates, and one for the targets where a destination itself is walked.
pub(in crate::cpu) const MAX_AXES: usize = MAX_RANK + 1;

/// One loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cpu) struct Axis {
    /// The iterations.
    pub(in crate::cpu) extent: usize,
    /// The step of an iteration in index, in elements,
    pub(in crate::cpu) index: isize,
    /// in src,
    pub(in crate::cpu) src: isize,
    /// and in the destination.
    pub(in crate::cpu) dst: isize,
    /// Whether updates of different iterations go to different elements.
    pub(in crate::cpu) owned: bool,
}

impl Axis {
    /// A loop of one iteration.
    pub(in crate::cpu) const SINGLE: Self = Self { extent: 1, index: 0, src: 0, dst: 0, owned: true };

    /// The steps of an iteration in index, in src and in the destination.
    #[inline(always)]
    pub(in crate::cpu) const fn steps(&self) -> [isize; 3] {
        [self.index, self.src, self.dst]
    }

    /// Whether the loop over `self` around the loop over `inner` is one loop over `inner` with a
    /// larger extent.
    fn continues(&self, inner: &Self) -> bool {
        let extent = inner.extent as isize;
        self.owned == inner.owned
            && self.index == inner.index.wrapping_mul(extent)
            && self.src == inner.src.wrapping_mul(extent)
            && self.dst == inner.dst.wrapping_mul(extent)
    }
}

/// The loops, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct WalkAxes {
    axes: [Axis; MAX_AXES],
    len: usize,
}

impl Default for WalkAxes {
    /// A single loop, of one element.
    fn default() -> Self {
        let mut axes = [Axis::default(); MAX_AXES];
        axes[0] = Axis::SINGLE;
        Self { axes, len: 0 }
    }
}

impl WalkAxes {
    /// Puts a loop inside the others. One of a single element is left out, one that continues the
    /// last is made part of it.
    pub(in crate::cpu) fn push(&mut self, axis: Axis) {
        if axis.extent == 1 {
            return;
        }
        match self.axes[..self.len].last_mut() {
            Some(outer) if outer.continues(&axis) => {
                *outer = Axis { extent: outer.extent * axis.extent, ..axis };
            }
            _ => {
                self.axes[self.len] = axis;
                self.len += 1;
            }
        }
    }

    /// Orders loops, whose order is free, as the destination lies in memory. There are at most
    /// [`MAX_AXES`].
    pub(in crate::cpu) fn in_order_of_memory(mut axes: impl Iterator<Item = Axis>) -> Self {
        let mut ordered = [Axis::default(); MAX_AXES];
        let mut len = 0;
        for (place, axis) in ordered.iter_mut().zip(axes.by_ref()) {
            *place = axis;
            len += 1;
        }
        debug_assert!(axes.next().is_none(), "more axes than a destination has");
        ordered[..len].sort_by_key(|axis| Reverse(axis.dst.unsigned_abs()));
        let mut axes = Self::default();
        ordered[..len].iter().for_each(|&axis| axes.push(axis));
        axes
    }

    pub(in crate::cpu) fn as_slice(&self) -> &[Axis] {
        &self.axes[..self.len.max(1)]
    }

    pub(in crate::cpu) fn as_mut_slice(&mut self) -> &mut [Axis] {
        &mut self.axes[..self.len.max(1)]
    }
}

/// How an index entry says a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum Coordinate {
    /// By a value of index. The number is the distance to it from the entry's first value, in
    /// elements.
    Value(isize),
    /// By a value of index that this many successive entries share: of 8, entries 0 to 7 have the
    /// first value, and entries 8 to 15 the second.
    Repeated(usize),
    /// By its own position, modulo the size of the axis, counted from the entry at this offset.
    Position(isize),
}

/// One coordinate of an index entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct Component {
    pub(in crate::cpu) coordinate: Coordinate,
    /// The size of the axis that it points into.
    pub(in crate::cpu) size: usize,
    /// The destination's step from one coordinate to the next.
    pub(in crate::cpu) step: isize,
    /// The difference between the row-major numbers of two targets whose coordinates differ by one
    /// here.
    pub(in crate::cpu) weight: usize,
}

/// The components of an index entry: one for a dim, k for indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct Components {
    components: [Component; MAX_RANK],
    len: usize,
}

impl Default for Components {
    /// None: all entries have the same target.
    fn default() -> Self {
        let unused = Component { coordinate: Coordinate::Value(0), size: 0, step: 0, weight: 0 };
        Self { components: [unused; MAX_RANK], len: 0 }
    }
}

impl Component {
    /// Where its value lies, in elements from the entry's first; `None` if the entry has no value
    /// of its own for it.
    pub(in crate::cpu) const fn value_at(&self) -> Option<isize> {
        match self.coordinate {
            Coordinate::Value(at) => Some(at),
            Coordinate::Repeated(_) | Coordinate::Position(_) => None,
        }
    }

    /// The coordinate of the entry at `entry`, where `read` reads a value of index.
    #[inline(always)]
    pub(in crate::cpu) fn of_entry(&self, entry: isize, read: impl FnOnce(isize) -> i64) -> i64 {
        match self.coordinate {
            Coordinate::Value(at) => read(entry + at),
            Coordinate::Repeated(entries) => read(entry.div_euclid(entries as isize)),
            Coordinate::Position(first) => (entry - first).rem_euclid(self.size as isize) as i64,
        }
    }

    /// Where target `number` lies in this component's direction.
    pub(in crate::cpu) fn place(&self, number: usize) -> isize {
        (number / self.weight % self.size) as isize * self.step
    }
}

impl Components {
    /// The components, if they are `K`, and the values of `len` entries that lie `step` apart from
    /// `first` on; `None` where these don't all lie one after the other.
    ///
    /// # Safety
    /// The entries and their components lie inside the storage of the index, which nobody writes
    /// while the values are used.
    #[inline(always)]
    pub(in crate::cpu) unsafe fn adjacent<'a, I, const K: usize>(
        &self,
        first: *const I,
        step: isize,
        len: usize,
    ) -> Option<([Component; K], &'a [[I; K]])> {
        let components: [Component; K] = self.as_slice().try_into().ok()?;
        let at = components.first()?.value_at()?;
        let are_adjacent = (at..).zip(&components).all(|(at, component)| component.value_at() == Some(at));
        if step != K as isize || !are_adjacent {
            return None;
        }
        let start = first.wrapping_offset(at).cast();
        // SAFETY: the entries lie one after the other inside the storage, which nobody writes while
        // the values are used.
        Some((components, unsafe { core::slice::from_raw_parts(start, len) }))
    }

    /// Puts a component after the others.
    fn push(&mut self, coordinate: Coordinate, size: usize, step: isize) {
        self.as_mut_slice().iter_mut().for_each(|outer| outer.weight *= size);
        self.components[self.len] = Component { coordinate, size, step, weight: 1 };
        self.len += 1;
    }

    pub(in crate::cpu) fn as_slice(&self) -> &[Component] {
        &self.components[..self.len]
    }

    pub(in crate::cpu) fn as_mut_slice(&mut self) -> &mut [Component] {
        &mut self.components[..self.len]
    }

    /// The destination's step from one target number to the next, where that is always the same.
    pub(in crate::cpu) fn step(&self) -> Option<isize> {
        // Along an axis of one element, whose stride may be anything, no target has a next one.
        let several = || self.as_slice().iter().filter(|component| component.size != 1);
        let step = several().next_back().or(self.as_slice().last())?.step;
        let is_even = |component: &Component| {
            step.checked_mul(component.weight as isize).is_some_and(|expected| component.step == expected)
        };
        several().all(is_even).then_some(step)
    }

    /// The number of different targets.
    pub(in crate::cpu) fn targets(&self) -> usize {
        self.as_slice().iter().map(|component| component.size).product()
    }
}

/// The whole loop nest, with the offsets at which each tensor starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct Walk {
    pub(in crate::cpu) axes: WalkAxes,
    pub(in crate::cpu) components: Components,
    pub(in crate::cpu) index: isize,
    pub(in crate::cpu) src: isize,
    pub(in crate::cpu) dst: isize,
}

impl Walk {
    /// The updates of a scatter into out.
    pub(in crate::cpu) fn scatter(updates: &Updates, out: &Layout) -> Self {
        Self::new(updates, out, |axis| axis)
    }

    /// A gather: out, which takes the place of src, is written, each element by itself, so that
    /// every axis is owned.
    pub(in crate::cpu) fn gather(updates: &Updates, problem: &Problem) -> Self {
        let updates = Updates { src: Some(*problem.out_layout()), ..*updates };
        Self::new(&updates, problem.self_layout(), |axis| Axis { owned: true, ..axis })
    }

    /// The entries of the index alone, each once: an axis along which it doesn't move is left out.
    pub(in crate::cpu) fn index_entries(updates: &Updates, indexed: &Layout) -> Self {
        Self::new(updates, indexed, |axis| {
            let extent = if axis.index == 0 { 1 } else { axis.extent };
            Axis { extent, index: axis.index, owned: true, ..Axis::default() }
        })
    }

    /// A copy of self into out.
    pub(in crate::cpu) fn copy(problem: &Problem) -> Self {
        let (from, to) = (problem.self_layout(), problem.out_layout());
        let steps = from.strides().iter().zip(to.strides());
        let axes = to.shape().iter().zip(steps);
        let axes = axes.map(|(&extent, (&src, &dst))| Axis { extent, index: 0, src, dst, owned: true });
        let axes = WalkAxes::in_order_of_memory(axes);
        Self::without_index(axes, from.offset() as isize, to.offset() as isize)
    }

    /// The elements of a tensor, which take the place of src. Their numbers in row-major order are
    /// their places in the destination.
    pub(in crate::cpu) fn elements(layout: &Layout) -> Self {
        let (mut axes, mut inside) = (WalkAxes::default(), layout.elements());
        for (&extent, &src) in layout.shape().iter().zip(layout.strides()) {
            inside /= extent.max(1);
            axes.push(Axis { extent, index: 0, src, dst: inside as isize, owned: true });
        }
        Self::without_index(axes, layout.offset() as isize, 0)
    }

    /// Loops that go from `src` to `dst` without an index: there is one target, the destination
    /// itself.
    pub(in crate::cpu) fn without_index(axes: WalkAxes, src: isize, dst: isize) -> Self {
        Self { axes, components: Components::default(), index: 0, src, dst }
    }

    /// The same updates as a walk of lines, if dim is the axis around the innermost one, whose
    /// columns lie together in index, and evenly in src and in the destination. A line has all
    /// columns of all targets, and an entry's position says its column. Gathers can be rewritten
    /// the same way.
    ///
    /// Where all columns of a row share one value, entries are counted as if the value were stored
    /// once for each column: the steps of index are multiplied by the number of columns.
    pub(in crate::cpu) fn with_columns_joined(&self) -> Option<Self> {
        let ([outer @ .., scanned, columns], [target]) = (self.axes.as_slice(), self.components.as_slice())
        else {
            return None;
        };
        let width = columns.extent as isize;
        if width < 2 {
            return None; // slices may be empty
        }
        let are_together = columns.dst != 0
            && scanned.dst == 0
            && scanned.src == columns.src.wrapping_mul(width)
            && target.step == columns.dst.wrapping_mul(width);
        let is_full = || columns.index == 1 && scanned.index == width;
        let are_whole_rows = || outer.iter().all(|axis| axis.index % width == 0);
        let (coordinate, entries, first) = match target.coordinate {
            Coordinate::Value(_) if is_full() && are_whole_rows() => (target.coordinate, 1, self.index),
            Coordinate::Value(0) if [scanned.index, columns.index] == [1, 0] => {
                (Coordinate::Repeated(columns.extent), width, 0)
            }
            _ => return None,
        };
        if !are_together {
            return None;
        }
        let mut axes = WalkAxes::default();
        outer.iter().for_each(|axis| axes.push(Axis { index: axis.index * entries, ..*axis }));
        let (extent, owned) = (scanned.extent * columns.extent, scanned.owned);
        axes.push(Axis { extent, index: 1, dst: 0, owned, ..*columns });
        let mut components = self.components;
        components.as_mut_slice()[0].coordinate = coordinate;
        components.push(Coordinate::Position(first), columns.extent, columns.dst);
        Some(Self { axes, components, index: self.index * entries, ..*self })
    }

    /// The same updates with a src that is one element.
    pub(in crate::cpu) fn with_src_still(&self) -> Self {
        let mut walk = Self { src: 0, ..*self };
        walk.axes.as_mut_slice().iter_mut().for_each(|axis| axis.src = 0);
        walk
    }

    /// The one axis that is scanned (of one element, where none is); `None` where there are
    /// several.
    pub(in crate::cpu) fn scanned(&self) -> Option<Axis> {
        let mut scanned = self.axes.as_slice().iter().filter(|axis| !axis.owned);
        let axis = scanned.next().copied().unwrap_or(Axis::SINGLE);
        scanned.next().is_none().then_some(axis)
    }

    /// Whether no element has more than one update, whatever the index.
    pub(in crate::cpu) fn has_single_updates(&self) -> bool {
        self.axes.as_slice().iter().all(|axis| axis.owned)
    }

    /// The axis of the innermost loop.
    pub(in crate::cpu) fn inner(&self) -> Axis {
        self.axes.as_slice().last().copied().unwrap_or_default()
    }

    /// The axis of the loop around it.
    pub(in crate::cpu) fn outer(&self) -> Axis {
        self.axes.as_slice().iter().rev().nth(1).copied().unwrap_or_default()
    }

    /// The number of updates, or of elements that are visited.
    pub(in crate::cpu) fn updates(&self) -> usize {
        self.axes.as_slice().iter().fold(1, |updates, axis| updates.saturating_mul(axis.extent))
    }

    /// The loops over all updates, each as `change` leaves it.
    fn new(updates: &Updates, indexed: &Layout, change: fn(Axis) -> Axis) -> Self {
        let index = updates.index.strides();
        let src = updates.src.as_ref();
        let src_stride = |axis: usize| src.map_or(0, |src| src.strides()[axis]);
        // Built in place: a processor waits when it copies what was just written.
        let mut walk = Self {
            axes: WalkAxes::default(),
            components: Components::default(),
            index: updates.index.offset() as isize,
            src: src.map_or(0, |src| src.offset() as isize),
            dst: indexed.offset() as isize,
        };
        let Self { axes, components, .. } = &mut walk;
        match updates.target {
            Target::Dim(dim) => {
                for (axis, &extent) in updates.index.shape().iter().enumerate() {
                    let owned = axis != dim;
                    let dst = if owned { indexed.strides()[axis] } else { 0 };
                    axes.push(change(Axis { extent, index: index[axis], src: src_stride(axis), dst, owned }));
                }
                components.push(Coordinate::Value(0), indexed.shape()[dim], indexed.strides()[dim]);
            }
            Target::Nd(depth) => {
                let rows = updates.index.rank() - 1;
                for (axis, (&extent, &index)) in
                    updates.index.shape().iter().zip(index).take(rows).enumerate()
                {
                    axes.push(change(Axis { extent, index, src: src_stride(axis), dst: 0, owned: false }));
                }
                for axis in depth..indexed.rank() {
                    let (extent, dst) = (indexed.shape()[axis], indexed.strides()[axis]);
                    let src = src_stride(rows + axis - depth);
                    axes.push(change(Axis { extent, index: 0, src, dst, owned: true }));
                }
                for axis in 0..depth {
                    let coordinate = Coordinate::Value(axis as isize * index[rows]);
                    components.push(coordinate, indexed.shape()[axis], indexed.strides()[axis]);
                }
            }
        }
        walk
    }
}
