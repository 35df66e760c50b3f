//! The destination divided into tasks that own their parts.

use std::borrow::Cow;

use crate::cpu::prefetch::CACHE_LINE;
use crate::cpu::walk::{Axis, MAX_AXES, Walk};

/// A part of a walk: a box of the owned axes and a range of the targets. Scanned axes are always
/// whole, so the updates of each destination element stay in order, in one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct Task<'a> {
    /// Borrowed if the task is all of a walk: copying it takes longer than a few updates.
    pub(in crate::cpu) walk: Cow<'a, Walk>,
    /// The first target that is this task's.
    pub(in crate::cpu) first_target: usize,
    /// The number of targets that are this task's.
    pub(in crate::cpu) targets: usize,
}

impl Task<'_> {
    /// The destination elements that the task owns.
    pub(in crate::cpu) fn elements(&self) -> usize {
        self.lines().saturating_mul(self.targets)
    }

    /// The coordinates of the owned axes, each with a line of targets.
    pub(in crate::cpu) fn lines(&self) -> usize {
        self.walk.axes.as_slice().iter().filter(|axis| axis.owned).map(|axis| axis.extent).product()
    }
}

/// The goal of a division.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Goal {
    /// The tasks at least: one for each thread.
    pub(in crate::cpu) tasks: usize,
    /// The parts at the most that targets are divided into so that there are enough tasks: each
    /// reads all of index.
    pub(in crate::cpu) readers: usize,
    /// The destination elements of a task that are wanted at the most: axes are divided until then,
    /// but not targets, for which index would be read once more.
    pub(in crate::cpu) elements: usize,
    /// The destination elements of a task at the most, even if targets must be divided and index be
    /// read once more for each part.
    pub(in crate::cpu) elements_at_most: usize,
    /// The bytes of a destination element.
    pub(in crate::cpu) element_size: usize,
}

/// A division of a walk into equal boxes. It borrows the walk, so that a plan, which holds a grid,
/// is small: a call may run on a stack of 32 KiB.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Grid<'a> {
    walk: &'a Walk,
    /// The extents of a box, for each axis of the walk. The last box along an axis may be shorter.
    extents: [usize; MAX_AXES],
    /// The targets of a task. The last range of targets may be shorter.
    targets: usize,
    /// The number of tasks. With one, nothing is divided.
    len: usize,
}

impl<'a> Grid<'a> {
    /// Divides the axis with the most coordinates as long as the goal asks for it, then the
    /// targets.
    pub(in crate::cpu) fn new(walk: &'a Walk, goal: Goal) -> Self {
        let mut grid = Self::of_axes(walk, goal);
        let target_goal = |grid: &Self| {
            let wants_tasks = grid.len < goal.tasks && grid.target_parts() < goal.readers;
            wants_tasks || grid.elements() > goal.elements_at_most
        };
        while target_goal(&grid) && grid.targets > 1 {
            grid.targets = grid.targets.div_ceil(2);
            grid.count();
        }
        grid
    }

    /// Divides the axis with the most coordinates as long as the goal asks for it. Each task has
    /// all targets.
    pub(in crate::cpu) fn of_axes(walk: &'a Walk, goal: Goal) -> Self {
        let mut extents = [1; MAX_AXES];
        for (extent, axis) in extents.iter_mut().zip(walk.axes.as_slice()) {
            *extent = axis.extent;
        }
        let len = usize::from(walk.updates() > 0);
        let mut grid = Self { walk, extents, targets: all_targets(walk), len };
        let axis_goal = |grid: &Self| grid.len < goal.tasks || grid.elements() > goal.elements;
        while axis_goal(&grid) && grid.halve_axis(goal.element_size) {
            grid.count();
        }
        grid
    }

    /// The extents of the largest task's axes, outermost first.
    pub(in crate::cpu) fn extents(&self) -> &[usize] {
        &self.extents[..self.walk.axes.as_slice().len()]
    }

    /// The lines of targets that the largest task owns, as [`Task::lines`].
    pub(in crate::cpu) fn lines(&self) -> usize {
        self.lengths().filter(|(axis, _)| axis.owned).map(|(_, extent)| extent).product()
    }

    /// The destination elements that the largest task owns.
    pub(in crate::cpu) fn elements(&self) -> usize {
        self.lines().saturating_mul(self.targets)
    }

    /// Halves the longest owned axis of a task that is worth it (the outermost of equals). Returns
    /// false if none is.
    fn halve_axis(&mut self, element_size: usize) -> bool {
        let least = |axis: &Axis| match axis.dst.unsigned_abs().saturating_mul(element_size) {
            // Tasks share no cache line where the destination is contiguous.
            bytes @ 1..CACHE_LINE => CACHE_LINE.div_ceil(bytes),
            _ => 1,
        };
        let axes = self.walk.axes.as_slice();
        let longest = axes
            .iter()
            .zip(&mut self.extents[..axes.len()])
            .rev()
            .filter(|(axis, extent)| axis.owned && **extent >= 2 * least(axis))
            .max_by_key(|(_, extent)| **extent);
        match longest {
            Some((axis, extent)) => {
                *extent = extent.div_ceil(2).next_multiple_of(least(axis));
                true
            }
            None => false,
        }
    }

    /// Counts the tasks, if there are any.
    fn count(&mut self) {
        if self.len > 0 {
            let boxes = self.lengths().map(|(axis, extent)| axis.extent.div_ceil(extent));
            self.len = boxes.product::<usize>() * self.target_parts();
        }
    }

    /// The number of tasks: none of a walk without steps.
    pub(in crate::cpu) const fn len(&self) -> usize {
        self.len
    }

    /// The axes of the walk, with the extents of the largest task.
    fn lengths(&self) -> impl Iterator<Item = (&'a Axis, usize)> {
        self.walk.axes.as_slice().iter().zip(self.extents.iter().copied())
    }

    /// The parts that targets are divided into; the updates of each are found by reading all of
    /// index.
    pub(in crate::cpu) fn target_parts(&self) -> usize {
        all_targets(self.walk).div_ceil(self.targets)
    }

    /// Task number `number`, below [`Grid::len`].
    pub(in crate::cpu) fn task(&self, number: usize) -> Task<'a> {
        if self.len == 1 {
            return Task { walk: Cow::Borrowed(self.walk), first_target: 0, targets: self.targets };
        }
        let mut walk = *self.walk;
        let mut rest = number;
        // The next part of an axis or of the targets: where it starts, and how long it is.
        let mut next = |whole: usize, part: usize| {
            let parts = whole.div_ceil(part);
            let first = rest % parts * part;
            rest /= parts;
            (first, part.min(whole - first))
        };
        let mut start = [0_isize; 3];
        for (axis, &extent) in walk.axes.as_mut_slice().iter_mut().zip(self.extents()).rev() {
            let first;
            (first, axis.extent) = next(axis.extent, extent);
            for (start, step) in start.iter_mut().zip(axis.steps()) {
                *start += first as isize * step;
            }
        }
        let (first_target, targets) = next(all_targets(self.walk), self.targets);
        walk.index += start[0];
        walk.src += start[1];
        walk.dst += start[2];
        Task { walk: Cow::Owned(walk), first_target, targets }
    }
}

/// The targets of a walk: one where it has no index.
fn all_targets(walk: &Walk) -> usize {
    walk.components.targets().max(1)
}
