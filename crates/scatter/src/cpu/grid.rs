//! The destination divided into tasks that own their parts.

use super::walk::Walk;
use crate::simd::LINE;

/// A part of a walk: a box of the owned axes and a range of the targets. Scanned axes are always whole, so the updates
/// of each destination element stay in order, in one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) walk: Walk,
    /// The first target that is this task's.
    pub(super) first_target: usize,
    /// How many are.
    pub(super) targets: usize,
}

impl Task {
    /// The destination elements that the task owns.
    pub(super) fn elements(&self) -> usize {
        self.lines().saturating_mul(self.targets)
    }

    /// The coordinates of the owned axes: a task's destination is so many lines of targets.
    pub(super) fn lines(&self) -> usize {
        self.walk.axes.as_slice().iter().filter(|axis| axis.owned).map(|axis| axis.extent).product()
    }
}

/// What a division is to achieve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// So many tasks at least, for so many threads.
    pub(super) tasks: usize,
    /// So many destination elements at most per task, as far as that costs nothing.
    pub(super) elements: usize,
    /// So many in any case, even if targets must be divided and the index be read once more for each part.
    pub(super) elements_at_most: usize,
    /// The bytes of a destination element.
    pub(super) element_size: usize,
}

/// A division of a walk into equal boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    whole: Task,
    /// The box: the extents are those of a task.
    part: Task,
}

impl Grid {
    /// Divides the axis with the most coordinates as long as the goal asks for it, then the targets.
    pub(super) fn new(walk: &Walk, goal: Goal) -> Self {
        let mut grid = Self::of_axes(walk, goal);
        let target_goal =
            |grid: &Self| grid.len() < goal.tasks || grid.part.elements() > goal.elements_at_most;
        while target_goal(&grid) && grid.part.targets > 1 {
            grid.part.targets = grid.part.targets.div_ceil(2);
        }
        grid
    }

    /// The same, but each task has all targets.
    pub(super) fn of_axes(walk: &Walk, goal: Goal) -> Self {
        let whole = Task { walk: *walk, first_target: 0, targets: walk.components.targets().max(1) };
        let mut grid = Self { whole, part: whole };
        let axis_goal = |grid: &Self| grid.len() < goal.tasks || grid.part.elements() > goal.elements;
        while axis_goal(&grid) && grid.halve_axis(goal.element_size) {}
        grid
    }

    /// The largest task.
    pub(super) fn part(&self) -> &Task {
        &self.part
    }

    /// Halves the longest owned axis of a task that is worth it (the outermost of equals). False where none is.
    fn halve_axis(&mut self, element_size: usize) -> bool {
        let least = |step: isize| match step.unsigned_abs().saturating_mul(element_size) {
            // Tasks share no cache line where the destination is contiguous.
            bytes @ 1..LINE => LINE.div_ceil(bytes),
            _ => 1,
        };
        let axes = self.part.walk.axes.as_mut_slice().iter_mut().rev();
        let longest = axes
            .filter(|axis| axis.owned && axis.extent >= 2 * least(axis.dst))
            .max_by_key(|axis| axis.extent);
        match longest {
            Some(axis) => {
                axis.extent = axis.extent.div_ceil(2).next_multiple_of(least(axis.dst));
                true
            }
            None => false,
        }
    }

    /// The number of tasks.
    pub(super) fn len(&self) -> usize {
        if self.whole.walk.steps() == 0 {
            return 0;
        }
        let axes = self.whole.walk.axes.as_slice().iter().zip(self.part.walk.axes.as_slice());
        let boxes: usize = axes.map(|(whole, part)| whole.extent.div_ceil(part.extent)).product();
        boxes * self.whole.targets.div_ceil(self.part.targets)
    }

    /// Task number `number`, below [`Grid::len`].
    pub(super) fn task(&self, number: usize) -> Task {
        let mut task = self.part;
        let mut rest = number;
        // Where the remaining parts of an extent end: a last part may be shorter.
        let mut next = |whole: usize, part: usize| {
            let parts = whole.div_ceil(part);
            let first = rest % parts * part;
            rest /= parts;
            (first, part.min(whole - first))
        };
        let mut start = [0_isize; 3];
        let whole = self.whole.walk.axes.as_slice();
        for (axis, whole) in task.walk.axes.as_mut_slice().iter_mut().zip(whole).rev() {
            let (first, extent) = next(whole.extent, axis.extent);
            axis.extent = extent;
            for (start, step) in start.iter_mut().zip([axis.index, axis.src, axis.dst]) {
                *start += first as isize * step;
            }
        }
        (task.first_target, task.targets) = next(self.whole.targets, self.part.targets);
        task.walk.index += start[0];
        task.walk.src += start[1];
        task.walk.dst += start[2];
        task
    }
}
