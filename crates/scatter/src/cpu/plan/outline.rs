//! What tests are told of a plan.

use super::{Lines, Machine, Plan, Planner, Private, Scatter, Strategy};
use crate::cpu::grid::Grid;
use crate::cpu::limits::{Limits, Pattern};
use crate::cpu::loops::HasLoops;
use crate::cpu::walk::Walk;
use crate::{Problem, with_element};

/// A plan in a few figures.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The name of the strategy.
    pub pattern: Pattern,
    /// The portions of work that different threads can do at the same time.
    pub portions: usize,
    /// How often the updates read all of index; a check before them is not counted.
    pub index_reads: usize,
    /// The most bytes that are needed beside the operands, without the few KiB of a task's blocks.
    /// Of a partition these are those of its entries and counts, and of the slots of all tasks.
    pub memory: usize,
}

/// The plan of the updates of a problem on a machine; `None` where there are none. An index that is
/// found to be constant along rows is one with a stride of 0 there.
#[doc(hidden)]
#[must_use]
pub fn outline(problem: &Problem, machine: Machine, limits: &Limits) -> Option<Outline> {
    let walk = &Walk::scatter(problem.updates()?, problem.out_layout());
    let planner = Planner { machine, limits };
    let slot = with_element!(problem.dtype(), T => T::loops(problem.reduce())).slot;
    (walk.steps() > 0).then(|| Plan::new(Scatter::of(problem, walk, slot), &planner).outline())
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
            Strategy::Rows { .. } => Pattern::Rows,
            Strategy::RowRanges { .. } => Pattern::RowRanges,
            Strategy::RowBuckets { .. } => Pattern::RowBuckets,
            Strategy::Lines(_) => Pattern::Lines,
            Strategy::LineRanges { .. } => Pattern::LineRanges,
            Strategy::Private(Private { copies: 2.., .. }) => Pattern::PrivateCopies,
            Strategy::Private(Private { parts: 2.., .. }) => Pattern::PrivateRanges,
            Strategy::Private(_) => Pattern::Private,
            Strategy::Small { .. } => Pattern::Small,
            Strategy::Buckets(_) => Pattern::Buckets,
            Strategy::Tiles { .. } => Pattern::Tiles,
            Strategy::Sweep { .. } => Pattern::Sweep,
        }
    }

    fn portions(&self) -> usize {
        match self.strategy {
            Strategy::Rows { rows, tiles } => rows.batches * tiles,
            Strategy::RowRanges { .. } => self.tasks,
            Strategy::RowBuckets { buckets, .. } => buckets.turns,
            Strategy::Lines(Lines { grid, .. }) | Strategy::Tiles { grid } | Strategy::Sweep { grid } => {
                grid.len()
            }
            Strategy::LineRanges { grid, parts } => grid.len() * parts,
            Strategy::Private(Private { grid, parts, copies, .. }) => grid.len() * parts * copies,
            Strategy::Small { .. } => 1,
            Strategy::Buckets(ranges) => ranges.number,
        }
    }

    fn index_reads(&self) -> usize {
        match self.strategy {
            Strategy::Rows { tiles, .. } => tiles,
            Strategy::RowRanges { .. } => self.tasks,
            // Once to count, and once to place.
            Strategy::RowBuckets { .. } | Strategy::Buckets(_) => 2,
            Strategy::LineRanges { parts, .. } | Strategy::Private(Private { parts, .. }) => parts,
            Strategy::Lines(_) | Strategy::Small { .. } | Strategy::Tiles { .. } => 1,
            Strategy::Sweep { grid } => grid.target_parts(),
        }
    }

    fn memory(&self) -> usize {
        let slots = |number: usize| if self.slot.in_place { 0 } else { number * self.slot.bytes };
        let of_tasks = |grid: &Grid<'_>, bytes: usize| self.tasks.min(grid.len()) * bytes;
        match self.strategy {
            Strategy::Rows { .. } | Strategy::RowRanges { .. } | Strategy::LineRanges { .. } => 0,
            Strategy::RowBuckets { rows, buckets } => {
                buckets.partition_bytes(&rows) + self.tasks * slots(buckets.most_slots())
            }
            Strategy::Lines(Lines { ref grid, slots, .. }) => of_tasks(grid, slots * self.slot.bytes),
            Strategy::Private(Private { grid, copies, .. }) => {
                copies * grid.len() * grid.elements() * self.slot.bytes
            }
            Strategy::Small { slots } => slots * self.slot.bytes,
            Strategy::Buckets(ranges) => ranges.partition_bytes(self.tasks) + ranges.slots * self.slot.bytes,
            Strategy::Tiles { ref grid } => of_tasks(grid, grid.elements() * self.slot.bytes),
            Strategy::Sweep { ref grid } => of_tasks(grid, slots(grid.elements())),
        }
    }
}
