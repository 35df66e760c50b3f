//! The plan of a scatter: which loops run, how tasks share the work, and what memory they need. A
//! pure function of the scatter, the machine and what tests set; nothing else chooses a strategy,
//! except that without memory a call is planned again, swept, or refused. Every threshold is here
//! or in the files below, with its reason, or the word that it is a guess.

mod gathers;
mod index;
mod lines;
mod machine;
#[cfg(feature = "unstable-internals")]
mod outline;
mod rows;
mod shares;
#[cfg(test)]
mod tests;

use super::index::numbers::MAX_JOINED;
use super::limits::{MAX_SLOTS, Pattern};
use super::slot;
use super::walk::Walk;
use super::walk::grid::{Goal, Grid};
use super::walk::rows::Rows;
use crate::problem::Target;
use crate::{DType, Problem, Reduce};

pub(super) use gathers::{Ahead, GATHERED_BLOCK, GatherWay, gather_with_columns_joined, has_rows};
pub(super) use lines::{LineBuckets, LineCopies, LineShare, Lines, PORTION, ROUND};
#[cfg(feature = "unstable-internals")]
pub use machine::Machine;
#[cfg(feature = "unstable-internals")]
pub use outline::{Outline, outline};
pub(super) use rows::{RowBuckets, RowShare};
pub(super) use shares::{Planner, enter};
#[cfg(test)]
pub(super) use {index::WORTH_A_ROW, lines::MAX_IN_LINE};

/// The columns at the most that are updated as one line, if slots are in place. Of 300 to 1000000
/// targets in 64 columns of f32, i64 or u8, a line took 0.2 to 1.0 of the time of tiles with one
/// thread, and 0.2 to 1.2 of it with two; of fewer columns, for which tiles have as short loops, as
/// little as 0.05.
const FEW_COLUMNS: usize = 64;

/// The same if slots are loaded and stored. Of 300 to 100000 targets in 32 columns, a line took 0.3
/// to 0.9 of the time of tiles, and with two threads up to 1.1; in 64 columns up to 2.3.
const FEW_LOADED_COLUMNS: usize = 32;

/// The elements at the most of rows of one target each that are updated as a line, or gathered as
/// from one, if slots are in place. A million rows of 2 to 4 elements took 0.65 to 1.0 of the time
/// so, and 0.45 to 0.7 in a gather; of 8 elements up to 3 times.
const SHORT_ROW: usize = 4;

/// The same if slots are loaded and stored: rows of 2 to 8 elements took 0.2 to 0.9 of the time.
/// Longer rows than [`SHORT_ROW`] of which threads share a line took up to 1.6 times.
const SHORT_LOADED_ROW: usize = 8;

/// Short rows whose slots are loaded and stored are updated as a line if there is at least one
/// update of a row for every 64 slots. With exactly that many updates, a line took as long as rows
/// by buckets. Measured with 30000 to 500000 rows of 8 elements of f16.
const SLOTS_FOR_A_ROW: usize = 64;

/// The targets for each update, at the most, of a column that is dense, or of a line whose slots
/// threads load. Tiles of f32 whose targets were drawn evenly were clearly faster than a sweep
/// there, about as fast with half of the updates, and slower with a quarter.
const DENSE: usize = 4;

/// How many segments of the preferred size a tile is as large as, if a slot has 4 bytes or less: by
/// default 2 MiB of slots of 4 bytes. Wider tiles are faster than what segments need: a row of a
/// tile is in a page of its own of each tensor, where hardware doesn't read ahead.
const SEGMENTS_OF_SMALL_SLOTS: usize = 8;

/// The same for larger slots: by default 2 MiB of slots of 8 bytes.
const SEGMENTS_OF_LARGE_SLOTS: usize = 4;

/// Fewer updates are swept, if slots are in place. A guess: of destinations that a near cache
/// holds, all but narrow ones were a little faster by tiles with a quarter of these updates, too.
const WORTH_PACKING: usize = 1 << 15;

/// The elements of a block of targets, of which is noted whether updates go to it: to start a walk
/// over a block takes as long as to walk over as many.
pub(super) const NOTED_BLOCK: usize = 256;

/// Tiles that are forced may have as many targets, however few slots a segment may have: so tests
/// reach them that divide a call into small segments.
const FORCED_TILE: usize = 1 << 12;

/// What of a scatter decides how it is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scatter<'a> {
    pub(super) walk: &'a Walk,
    pub(super) dtype: DType,
    pub(super) slot: slot::Kind,
    /// Whether tasks copy what they own of self to out before they update it.
    pub(super) tasks_copy_self: bool,
    /// Whether loops may check index themselves: nothing else writes to out before they do.
    pub(super) may_check: bool,
}

/// How a scatter is done. It borrows the walk, so that it is small: a call may run on a stack of 32
/// KiB.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    /// The updates.
    pub(super) walk: &'a Walk,
    pub(super) strategy: Strategy<'a>,
    /// The threads that are to have work; with 1 all is done on the caller's.
    pub(super) tasks: usize,
    slot: slot::Kind,
}

/// The loops, how tasks share the work, and the slots that are needed where they are not in place.
/// The file of each strategy says how it works.
#[derive(Clone, Copy, Debug)]
pub(super) enum Strategy<'a> {
    /// Updates are made in the order of index.
    Rows { rows: Rows<'a>, share: RowShare },
    /// Updates are partitioned by the rows of the destination that they go to.
    RowBuckets { rows: Rows<'a>, buckets: RowBuckets },
    /// A task has whole lines, or a range of one.
    Lines { grid: Grid<'a>, share: LineShare },
    /// The updates of a line are partitioned by ranges of the line.
    LineBuckets(LineBuckets),
    /// All lines are copied to slots, and written back when index is known to be valid.
    LineCopies(LineCopies<'a>),
    /// A task has a part of the destination.
    Sweep { grid: Grid<'a>, way: SweepWay },
}

/// What a sweep updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SweepWay {
    /// The elements of the destination: slots are in place, or no two updates meet.
    Elements,
    /// Slots, which are loaded before and stored after a task's updates.
    Segments,
    /// The same, of some columns with all targets.
    Tiles,
}

impl<'a> Plan<'a> {
    /// The fastest plan, or that of the pattern that is forced, if the loops can do the scatter;
    /// [`Pattern::Sweep`] can do any.
    pub(super) fn new(scatter: Scatter<'a>, planner: &'a Planner<'a>) -> Self {
        let choice = Choice::new(scatter, planner);
        let strategy = match planner.limits.pattern {
            // Rows without elements have no updates to share.
            _ if scatter.walk.steps() == 0 => None,
            // Loops number targets with 32 bits.
            _ if u32::try_from(choice.targets).is_err() => None,
            Some(pattern) => choice.forced(pattern),
            None => choice.fastest(),
        };
        let strategy = strategy.unwrap_or_else(|| choice.sweep());
        Self { walk: scatter.walk, strategy, tasks: choice.tasks, slot: scatter.slot }
    }

    /// The portions of work that different threads can do at the same time.
    fn portions(&self) -> usize {
        match self.strategy {
            Strategy::Rows { rows, share: RowShare::Columns(tiles) } => rows.batches * tiles,
            Strategy::Rows { share: RowShare::Ranges, .. } => self.tasks,
            Strategy::RowBuckets { buckets, .. } => buckets.turns,
            Strategy::Lines { grid, share: LineShare::Whole(_) } | Strategy::Sweep { grid, .. } => grid.len(),
            Strategy::Lines { grid, share: LineShare::Ranges(ranges) } => grid.len() * ranges,
            Strategy::LineBuckets(buckets) => buckets.ranges,
            Strategy::LineCopies(LineCopies { grid, copies, ranges, .. }) => grid.len() * copies * ranges,
        }
    }

    /// Whether the loops check index while they go.
    pub(super) const fn is_checking(&self) -> bool {
        matches!(self.strategy, Strategy::LineCopies(_))
    }
}

impl<'a> Scatter<'a> {
    /// The updates of a problem, whose walk this is, by loops with such slots.
    pub(super) fn of(problem: &Problem, walk: &'a Walk, slot: slot::Kind) -> Self {
        let tasks_copy_self = tasks_copy_self(problem, walk.steps());
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

/// Whether tasks copy what they own from self before they update it, so that it moves once: out of
/// place, if self has the strides of out, and the updates, which are `steps`, reach all of it. Few
/// updates, which one thread makes, leave a large self to all threads.
pub(super) fn tasks_copy_self(problem: &Problem, steps: usize) -> bool {
    let Some(updates) = problem.updates().filter(|_| !problem.in_place()) else { return false };
    let (from, to) = (problem.self_layout(), problem.out_layout());
    let sizes = || to.shape().iter().enumerate();
    let reaches_all = match updates.target {
        Target::Dim(dim) => sizes().all(|(axis, &size)| axis == dim || updates.index.shape()[axis] == size),
        Target::Nd(depth) => depth > 0,
    };
    let is_alike = sizes().all(|(axis, &size)| size == 1 || from.strides()[axis] == to.strides()[axis]);
    let has_threads = shares::is_worth_threads(steps) || !shares::is_worth_threads(to.elements());
    !to.is_empty() && reaches_all && is_alike && has_threads
}

/// Whether to note which of some blocks of targets the updates of `entries` go to, so that the
/// others are not walked: with as many entries as blocks, hardly one is left out.
pub(super) const fn notes_targets(entries: usize, blocks: usize) -> bool {
    entries < blocks
}

/// A plan by loops that multiply updates by a factor, which are those for rows alone; `None` where
/// the updates are others.
pub(super) fn of_scaled_rows<'a>(scatter: Scatter<'a>, planner: &'a Planner<'a>) -> Option<Plan<'a>> {
    let plan = Plan::new(Scatter { may_check: false, ..scatter }, planner);
    matches!(plan.strategy, Strategy::Rows { .. } | Strategy::RowBuckets { .. }).then_some(plan)
}

/// A scatter into few columns, or of short rows, as one into lines, where that was measured to be
/// faster: if lines are not swept, and keep at least half as many threads busy. Rows of one target
/// each are taken for lines if they are short and, where slots are loaded, are not few beside the
/// slots. What more than four threads do is a guess.
pub(super) fn with_columns_joined(scatter: Scatter<'_>, planner: &Planner<'_>) -> Option<Walk> {
    let (is_rows, in_place) = (scatter.walk.inner().index == 0, scatter.slot.in_place);
    let few = match (is_rows, in_place) {
        (true, true) => SHORT_ROW,
        (true, false) => SHORT_LOADED_ROW,
        (false, true) => FEW_COLUMNS,
        (false, false) => FEW_LOADED_COLUMNS,
    };
    let most = match planner.limits.pattern {
        None => few,
        Some(pattern) if pattern.is_lines() => MAX_JOINED,
        Some(_) => return None,
    };
    let width = scatter.walk.inner().extent;
    let joined = Some(scatter.walk).filter(|_| width <= most)?.with_columns_joined()?;
    let plan = Plan::new(Scatter { walk: &joined, ..scatter }, planner);
    let is_swept = matches!(plan.strategy, Strategy::Sweep { .. });
    if is_swept || planner.limits.pattern.is_some() {
        return (!is_swept).then_some(joined);
    }
    let has_enough =
        || !is_rows || in_place || Choice::new(scatter, planner).is_dense(SLOTS_FOR_A_ROW / width);
    let is_shared = || {
        let tasks = Plan::new(scatter, planner).portions().min(plan.tasks);
        match plan.strategy {
            // A partition of rows has fewer entries, and is better if threads get work by that.
            Strategy::LineBuckets(_) if is_rows => 2 * tasks < plan.tasks,
            // Each thread would read all of index.
            Strategy::LineCopies(LineCopies { ranges: 2.., .. }) if is_rows && width > SHORT_ROW => false,
            _ if is_rows && width > SHORT_ROW => plan.portions() >= tasks,
            _ => 2 * plan.portions() >= tasks,
        }
    };
    // A call on one thread is not planned once more for this.
    (has_enough() && (plan.tasks == 1 || is_shared())).then_some(joined)
}

/// What a choice is made from.
struct Choice<'a> {
    scatter: Scatter<'a>,
    planner: &'a Planner<'a>,
    tasks: usize,
    targets: usize,
}

impl<'a> Choice<'a> {
    fn new(scatter: Scatter<'a>, planner: &'a Planner<'a>) -> Self {
        Self {
            scatter,
            planner,
            tasks: planner.tasks_for(scatter.walk),
            targets: scatter.walk.components.targets(),
        }
    }

    /// The strategy that was measured to be the fastest.
    fn fastest(&self) -> Option<Strategy<'a>> {
        if let Some(rows) = Rows::recognise(self.scatter.walk) {
            return Some(self.fastest_rows(rows));
        }
        if self.are_lines() {
            return self.fastest_lines();
        }
        let tiles = self.tiles().filter(|grid| self.is_tiled(grid));
        tiles.map(|grid| Strategy::Sweep { grid, way: SweepWay::Tiles })
    }

    /// The strategy of a pattern, where its loops can do the scatter.
    fn forced(&self, pattern: Pattern) -> Option<Strategy<'a>> {
        match pattern {
            Pattern::Rows | Pattern::RowRanges | Pattern::RowBuckets => {
                self.forced_rows(Rows::recognise(self.scatter.walk)?, pattern)
            }
            Pattern::Tiles => {
                let fits = self.targets <= self.planner.limits.slots_at_most.max(FORCED_TILE);
                self.tiles().filter(|_| fits).map(|grid| Strategy::Sweep { grid, way: SweepWay::Tiles })
            }
            Pattern::Sweep => None,
            _ if self.are_lines() => self.forced_lines(pattern),
            _ => None,
        }
    }

    /// Whether a column or line has at least one update for every `per_update` of its targets; with
    /// fewer, what they don't touch is better left alone.
    fn is_dense(&self, per_update: usize) -> bool {
        let updates = self.scatter.walk.scanned().map_or(0, |axis| axis.extent);
        updates >= self.targets / per_update
    }

    /// The tiles, where dim is not the innermost axis.
    fn tiles(&self) -> Option<Grid<'a>> {
        let walk = self.scatter.walk;
        let can = walk.inner().owned && walk.components.step().is_some();
        let goal = self.segmented();
        let is_small = self.scatter.slot.bytes <= 4;
        let segments = if is_small { SEGMENTS_OF_SMALL_SLOTS } else { SEGMENTS_OF_LARGE_SLOTS };
        let elements = (segments * goal.elements).min(goal.elements_at_most);
        can.then(|| Grid::of_axes(walk, Goal { elements, ..goal }))
    }

    /// Whether to go by these tiles.
    fn is_tiled(&self, grid: &Grid<'_>) -> bool {
        self.is_dense(DENSE)
            && !self.scatter.walk.has_single_updates()
            && grid.elements() <= self.planner.limits.slots_at_most
            && (!self.scatter.slot.in_place || self.scatter.walk.steps() >= WORTH_PACKING)
    }

    /// The loops for anything: straight to the destination, or by way of segments.
    fn sweep(&self) -> Strategy<'a> {
        let is_direct = self.scatter.slot.in_place || self.scatter.walk.has_single_updates();
        let (goal, way) = match is_direct {
            true => (shares::direct(self.tasks, self.scatter.dtype.size()), SweepWay::Elements),
            false => (self.segmented(), SweepWay::Segments),
        };
        Strategy::Sweep { grid: Grid::new(self.scatter.walk, goal), way }
    }

    /// For a destination that is updated by way of segments.
    fn segmented(&self) -> Goal {
        let limits = self.planner.limits;
        let elements_at_most = limits.slots_at_most.min(MAX_SLOTS);
        let elements = limits.slots.min(elements_at_most);
        Goal { elements, elements_at_most, ..shares::direct(self.tasks, self.scatter.dtype.size()) }
    }

    /// Whether `slots` that are updated in any order stay in a near cache.
    fn is_near(&self, slots: usize) -> bool {
        self.planner.machine.is_near(slots, self.scatter.slot.bytes)
    }
}
