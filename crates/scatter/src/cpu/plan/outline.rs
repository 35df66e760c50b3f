//! What tests are told of a plan.

use super::choice::Scatter;
use super::columns::with_columns_joined;
use super::gathers::{GatherPlan, GatherWay, gather_with_columns_joined};
use super::machine::Machine;
use super::shares::Planner;
use super::strategy::{LineCopies, LineShare, Plan, RowShare, Strategy, SweepWay};
use crate::cpu::limits::{Limits, Pattern};
use crate::cpu::slot::loops::HasLoops;
use crate::cpu::walk::Walk;
use crate::cpu::walk::grid::Grid;
use crate::{Problem, with_element};

/// A plan in a few figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The name of the strategy.
    pub pattern: Pattern,
    /// The portions of work that different threads can do at the same time.
    pub portions: usize,
    /// How often the updates read all of index; a check before them is not counted.
    pub index_reads: usize,
    /// The most bytes that are needed beside the operands, without the few KiB of a task's blocks.
    /// For a partition, these are the bytes of its entries and counts, and of the slots of all
    /// tasks.
    pub memory: usize,
}

/// The plan of the updates of a problem, or of a gather, on a machine; `None` where there are none.
/// An index that is found to be constant along rows is one with a stride of 0 there.
#[must_use]
pub fn outline(problem: &Problem, machine: Machine, limits: &Limits) -> Option<Outline> {
    let (updates, planner) = (problem.updates()?, Planner { machine, limits });
    if problem.gathers() {
        let walk = &Walk::gather(updates, problem);
        let joined = gather_with_columns_joined(walk, &planner);
        let plan = GatherPlan::new(joined.as_ref().unwrap_or(walk), problem.dtype().size(), &planner);
        return (walk.updates() > 0).then(|| plan.outline());
    }
    let walk = &Walk::scatter(updates, problem.out_layout());
    let slot = with_element!(problem.dtype(), T => T::loops(problem.reduce())).slot;
    let scatter = Scatter::of(problem, walk, slot);
    let joined = with_columns_joined(scatter, &planner);
    let scatter = Scatter { walk: joined.as_ref().unwrap_or(walk), ..scatter };
    (walk.updates() > 0).then(|| Plan::new(scatter, &planner).outline())
}

impl GatherPlan<'_> {
    /// Single elements are visited as by a sweep.
    const fn outline(&self) -> Outline {
        let pattern = match self.way {
            GatherWay::Rows => Pattern::Rows,
            GatherWay::Lines(_) => Pattern::Lines,
            GatherWay::Elements => Pattern::Sweep,
        };
        Outline { pattern, portions: self.grid.len(), index_reads: 1, memory: 0 }
    }
}

impl Plan<'_> {
    fn outline(&self) -> Outline {
        Outline {
            pattern: self.pattern(),
            portions: self.portions(),
            index_reads: self.index_reads(),
            memory: self.memory(),
        }
    }

    const fn pattern(&self) -> Pattern {
        match self.strategy {
            Strategy::Rows { share: RowShare::Tiles(_), .. } => Pattern::Rows,
            Strategy::Rows { share: RowShare::Ranges, .. } => Pattern::RowRanges,
            Strategy::RowBuckets { .. } => Pattern::RowBuckets,
            Strategy::Lines { share: LineShare::Whole(_), .. } => Pattern::Lines,
            Strategy::Lines { share: LineShare::Ranges(_), .. } => Pattern::LineRanges,
            Strategy::LineBuckets(_) => Pattern::LineBuckets,
            Strategy::LineCopies(LineCopies { copies: 2.., .. }) => Pattern::LineCopies,
            Strategy::LineCopies(_) => Pattern::LineCopy,
            Strategy::Sweep { way: SweepWay::Tiles, .. } => Pattern::Tiles,
            Strategy::Sweep { .. } => Pattern::Sweep,
        }
    }

    fn index_reads(&self) -> usize {
        match self.strategy {
            Strategy::Rows { share: RowShare::Tiles(tiles), .. } => tiles,
            Strategy::Rows { share: RowShare::Ranges, .. } => self.tasks,
            // Once to count, and once to place.
            Strategy::RowBuckets { .. } | Strategy::LineBuckets(_) => 2,
            Strategy::Lines { share: LineShare::Ranges(ranges), .. } => ranges,
            Strategy::Lines { share: LineShare::Whole(_), .. } => 1,
            Strategy::LineCopies(LineCopies { ranges, .. }) => ranges,
            Strategy::Sweep { grid, .. } => grid.target_parts(),
        }
    }

    fn memory(&self) -> usize {
        let slots = |number: usize| if self.slot.in_place { 0 } else { number * self.slot.bytes_in_row };
        let targets = self.walk.components.targets();
        let of_tasks = |grid: &Grid<'_>, bytes: usize| self.tasks.min(grid.len()) * bytes;
        match self.strategy {
            Strategy::Rows { .. } | Strategy::Lines { share: LineShare::Ranges(_), .. } => 0,
            Strategy::RowBuckets { rows, buckets } => {
                buckets.partition_bytes(&rows) + self.tasks * slots(buckets.most_slots())
            }
            Strategy::Lines { ref grid, share: LineShare::Whole(lines) } => {
                of_tasks(grid, self.slot.bytes_apart(lines.at_a_time * targets))
            }
            Strategy::LineBuckets(buckets) => {
                buckets.partition_bytes(self.tasks) + self.slot.bytes_apart(targets)
            }
            Strategy::LineCopies(LineCopies { grid, copies, .. }) => {
                copies * grid.len() * grid.elements() * self.slot.bytes
            }
            Strategy::Sweep { way: SweepWay::Elements, .. } => 0,
            Strategy::Sweep { ref grid, .. } => of_tasks(grid, grid.elements() * self.slot.bytes),
        }
    }
}
