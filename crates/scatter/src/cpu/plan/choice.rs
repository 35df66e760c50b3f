//! What a plan is chosen from: a scatter, a machine, and what tests set.

use super::shares::{Planner, is_worth_threads};
use crate::cpu::slot;
use crate::cpu::walk::Walk;
use crate::problem::Target;
use crate::{DType, Problem, Reduce};

/// A column or line is dense if it has at most this many targets for each update. At this limit,
/// tiles of f32 with evenly drawn targets were clearly faster than a sweep; with half of the
/// updates they were about as fast, and with a quarter slower.
pub(super) const DENSE: usize = 4;

/// The properties of a scatter that decide how it is done.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Scatter<'a> {
    pub(in crate::cpu) walk: &'a Walk,
    pub(in crate::cpu) dtype: DType,
    pub(in crate::cpu) slot: slot::Kind,
    /// Whether tasks copy what they own of self to out before they update it; not where another
    /// scatter writes the identity first.
    pub(in crate::cpu) tasks_copy_self: bool,
    /// Whether the loops may check index themselves, which asks that nothing else writes to out
    /// before they have done so.
    pub(in crate::cpu) may_check: bool,
}

impl<'a> Scatter<'a> {
    /// The updates of a problem, whose walk this is, by loops with such slots.
    pub(in crate::cpu) fn of(problem: &Problem, walk: &'a Walk, slot: slot::Kind) -> Self {
        let tasks_copy_self = can_tasks_copy_self(problem, walk.updates());
        // Without self, another scatter writes the identity before.
        let is_one_pass =
            problem.op().include_self() || matches!(problem.reduce(), Reduce::None | Reduce::Mean);
        Self {
            walk,
            dtype: problem.dtype(),
            slot,
            tasks_copy_self: tasks_copy_self && is_one_pass,
            may_check: is_one_pass && (problem.in_place() || tasks_copy_self),
        }
    }
}

/// Whether tasks can copy what they own from self before they update it, so that it moves once: out
/// of place, if self has the strides of out, and the updates, which are `steps`, reach all of it.
/// Where one thread makes the few updates of a large out, all threads copy self before.
pub(in crate::cpu) fn can_tasks_copy_self(problem: &Problem, steps: usize) -> bool {
    let Some(updates) = problem.updates().filter(|_| !problem.in_place()) else { return false };
    let (from, to) = (problem.self_layout(), problem.out_layout());
    let sizes = || to.shape().iter().enumerate();
    let reaches_all = match updates.target {
        Target::Dim(dim) => sizes().all(|(axis, &size)| axis == dim || updates.index.shape()[axis] == size),
        Target::Nd(depth) => depth > 0,
    };
    let is_alike = sizes().all(|(axis, &size)| size == 1 || from.strides()[axis] == to.strides()[axis]);
    let has_threads = is_worth_threads(steps) || !is_worth_threads(to.elements());
    !to.is_empty() && reaches_all && is_alike && has_threads
}

/// What a choice is made from.
pub(super) struct Choice<'a> {
    pub(super) scatter: Scatter<'a>,
    pub(super) planner: &'a Planner<'a>,
    pub(super) tasks: usize,
    pub(super) targets: usize,
}

impl<'a> Choice<'a> {
    pub(super) fn new(scatter: Scatter<'a>, planner: &'a Planner<'a>) -> Self {
        Self {
            scatter,
            planner,
            tasks: planner.tasks_for(scatter.walk),
            targets: scatter.walk.components.targets(),
        }
    }

    /// Whether a column or line has at least one update for every `per_update` of its targets; with
    /// fewer, elements that no update goes to are better left alone.
    pub(super) fn is_dense(&self, per_update: usize) -> bool {
        let updates = self.scatter.walk.scanned().map_or(0, |axis| axis.extent);
        updates >= self.targets / per_update
    }

    /// Whether `slots` that are updated in any order stay in a near cache.
    pub(super) fn is_near(&self, slots: usize) -> bool {
        self.planner.machine.is_near(slots, self.scatter.slot.bytes)
    }
}
