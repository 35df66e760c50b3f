//! A plan as data: the strategies, and what each is told.

use crate::cpu::index::partition::count_bytes;
use crate::cpu::prefetch::is_in_parts;
use crate::cpu::slot;
use crate::cpu::walk::Walk;
use crate::cpu::walk::grid::Grid;
use crate::cpu::walk::rows::Rows;

/// How a scatter is done. It borrows the walk, so that it is small: a call may run on a stack of 32
/// KiB.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Plan<'a> {
    /// The updates.
    pub(in crate::cpu) walk: &'a Walk,
    pub(in crate::cpu) strategy: Strategy<'a>,
    /// The threads that are to have work; with 1 all is done on the caller's.
    pub(in crate::cpu) tasks: usize,
    pub(super) slot: slot::Kind,
}

/// The loops, how tasks share the work, and the slots that are needed where they are not in place.
/// The file of each strategy says how it works.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum Strategy<'a> {
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
pub(in crate::cpu) enum SweepWay {
    /// The elements of the destination: slots are in place, or no two updates meet.
    Elements,
    /// Slots, which are loaded before and stored after a task's updates.
    Segments,
    /// Slots of some columns with all targets, loaded before and stored after a task's updates.
    Tiles,
}

impl Plan<'_> {
    /// The portions of work that different threads can do at the same time.
    pub(super) fn portions(&self) -> usize {
        match self.strategy {
            Strategy::Rows { rows, share: RowShare::Tiles(tiles) } => rows.batches * tiles,
            Strategy::Rows { share: RowShare::Ranges, .. } => self.tasks,
            Strategy::RowBuckets { buckets, .. } => buckets.turns,
            Strategy::Lines { grid, share: LineShare::Whole(_) } | Strategy::Sweep { grid, .. } => grid.len(),
            Strategy::Lines { grid, share: LineShare::Ranges(ranges) } => grid.len() * ranges,
            Strategy::LineBuckets(buckets) => buckets.ranges,
            Strategy::LineCopies(LineCopies { grid, copies, ranges, .. }) => grid.len() * copies * ranges,
        }
    }

    /// Whether the loops check index while they go.
    pub(in crate::cpu) const fn is_checking(&self) -> bool {
        matches!(self.strategy, Strategy::LineCopies(_))
    }
}

/// The part of the rows that a task owns, where updates are made in the order of index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum RowShare {
    /// A batch, or one of this many tiles of its columns.
    Tiles(usize),
    /// A range of targets, of the only batch.
    Ranges,
}

/// How a partitioned scatter of rows is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct RowBuckets {
    /// A bucket has `1 << shift` neighbouring targets.
    pub(in crate::cpu) shift: u32,
    /// The buckets of a batch.
    pub(in crate::cpu) per_batch: usize,
    /// About how many groups the buckets are put in, each with an equal share of the updates;
    /// `None` where each bucket is a group.
    pub(in crate::cpu) groups: Option<usize>,
    /// The parts of index that are partitioned at a time.
    pub(in crate::cpu) parts: usize,
    /// About how many tasks there are.
    pub(in crate::cpu) turns: usize,
    /// A group with more updates is divided by columns.
    pub(super) most_updates: usize,
    /// The elements of a row.
    pub(super) width: usize,
    /// The columns of a tile at the most.
    pub(super) most_columns: usize,
    /// The bytes of an element.
    pub(super) element: usize,
    /// Whether each update has a row of src of its own, and slots are in place or those of a task
    /// are of one target.
    pub(super) may_be_together: bool,
}

/// The columns of a part of a row at the least, so that it is worth reading an entry for it.
const MIN_COLUMNS: usize = 64;

impl RowBuckets {
    /// The columns of a tile, where the fullest group has `most` updates: no task is to have much
    /// more than a thread's share, and no more slots than a row may have.
    pub(in crate::cpu) fn columns(&self, most: usize) -> usize {
        let tiles = most.div_ceil(self.most_updates).max(1).min(self.width.div_ceil(MIN_COLUMNS));
        let columns = self.width.div_ceil(tiles).next_multiple_of(MIN_COLUMNS);
        columns.min(self.width).min(self.most_columns).max(1)
    }

    /// Whether updates of a target that follow one another are made together, some columns at a
    /// time, so that its elements are loaded and stored once: those of rows that are updated in
    /// parts.
    pub(in crate::cpu) const fn makes_together(&self, columns: usize) -> bool {
        self.may_be_together && is_in_parts(columns * self.element)
    }

    /// The slots of a task at the most.
    pub(super) fn most_slots(&self) -> usize {
        self.columns(0) << self.shift
    }

    /// The bytes of an entry for each update, and of the counts by bucket and part.
    pub(super) fn partition_bytes(&self, rows: &Rows<'_>) -> usize {
        let entries = rows.batches * rows.entries.extent;
        entries * size_of::<u64>() + count_bytes(rows.batches * self.per_batch, self.parts)
    }
}

/// The part of a grid's lines that a task owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum LineShare {
    /// All lines of a part of the grid.
    Whole(LineLoops),
    /// One of this many ranges of each of these lines.
    Ranges(usize),
}

/// How a task updates whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct LineLoops {
    /// The lines at the most that are updated at a time.
    pub(in crate::cpu) at_a_time: usize,
    /// Whether the slots of a line stay in a near cache.
    pub(in crate::cpu) is_near: bool,
    /// Whether lines are so short that the updates of several are made together.
    pub(in crate::cpu) are_tiny: bool,
    /// Whether index and src are prefetched; for slots that are not near they always are.
    pub(in crate::cpu) prefetches: bool,
    /// Whether the updates of lines prefetch the next lines.
    pub(in crate::cpu) prefetches_next: bool,
    /// Whether, instead of the next lines, only those of their elements are prefetched that index
    /// names. This needs index values that lie one after the other and are not negative: otherwise
    /// no elements are prefetched.
    pub(in crate::cpu) prefetches_named: bool,
}

/// How copies of all lines are divided. Loops check index, and lines are written back when it is
/// known to be valid. A plan may have several copies or several ranges, never both.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct LineCopies<'a> {
    pub(in crate::cpu) grid: Grid<'a>,
    /// The copies of each line's slots, to each of which a task makes a part of the updates.
    pub(in crate::cpu) copies: usize,
    /// The ranges of a single copy, each of which a task owns.
    pub(in crate::cpu) ranges: usize,
    /// Whether the slots of a line stay in a near cache.
    pub(in crate::cpu) is_near: bool,
}

/// The ranges that the updates of a line are partitioned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct LineBuckets {
    /// A range has `1 << shift` targets.
    pub(in crate::cpu) shift: u32,
    pub(in crate::cpu) ranges: usize,
}

/// Updates that are partitioned at a time, so that memory is bounded: 8 MiB.
pub(in crate::cpu) const ROUND: usize = 1 << 20;

impl LineBuckets {
    /// The bytes of an entry for each update of a round, and of the counts by range and task.
    pub(super) const fn partition_bytes(&self, tasks: usize) -> usize {
        ROUND * size_of::<u64>() + count_bytes(self.ranges, tasks)
    }
}
