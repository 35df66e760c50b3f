//! Rows: how tasks share their updates.

use super::choice::Choice;
use super::shares;
use super::strategy::{RowBuckets, RowShare, Strategy};
use crate::cpu::limits::{MAX_SLOTS, Pattern};
use crate::cpu::walk::rows::Rows;

/// The bytes of a row that a task has at the least, where tasks share rows by columns: with fewer,
/// too many of the cache lines that hardware fetches for one thread are written by another.
const MIN_PART: usize = 512;

/// Rows of this many bytes, or more, may be taken in any order. If shorter ones are not taken in
/// the order of src, what hardware reads ahead of a row is lost.
const LONG_ROW: usize = 1 << 12;

/// Long rows count as repeating if there is an update for this many targets at least. If targets
/// are drawn evenly, every fifth update then goes to a row that an earlier one has moved: of rows
/// of 4 KiB the order of index was a little faster there, of rows of 16 KiB that of the targets.
const REPEATING: usize = 2;

/// The bytes of slots that a bucket of shorter rows has, if one row is not longer: with the rows of
/// src they fit the nearest cache.
const BUCKET: usize = 1 << 14;

/// More buckets cost more than they gain: each thread has a count for each.
const MAX_BUCKETS: usize = 1 << 14;

/// A row of slots is divided where it is longer, so that a thread's memory is bounded.
const MAX_COLUMNS: usize = 1 << 14;

/// A group may exceed an equal share of the updates by a quarter before its rows are divided by
/// columns. A guess, not measured.
const BEYOND_A_SHARE: usize = 4;

/// The turns of each thread, several so that all threads end together. A turn is a run of
/// successive buckets, so that each can prefetch what the next one needs.
const TURNS: usize = 16;

impl<'a> Choice<'a> {
    /// The fastest strategy for rows.
    pub(super) fn fastest_rows(&self, rows: Rows<'a>) -> Strategy<'a> {
        // Where many long rows get several updates, all of a row's had better come one after the
        // other: it moves once then. A destination that a near cache holds stays there anyway.
        let (row_bytes, element) = (self.row_bytes(&rows), self.scatter.dtype.size());
        let repeats = row_bytes >= LONG_ROW
            && rows.entries.extent >= rows.targets / REPEATING
            && !self.planner.machine.is_near(rows.targets.saturating_mul(rows.width), element);
        let tiles = self.column_tiles(&rows);
        // Several threads take batches, or share a row's columns: then src nearly streams, and
        // nothing has to be computed beforehand. (With one thread, this is always true.)
        let are_shared = tiles == self.tasks || rows.batches * tiles >= shares::PORTIONS * self.tasks;
        // With too few batches and columns for all threads, some stay idle where a partition would
        // cost more than they could gain.
        let is_worth_a_partition = || {
            let copied = if self.scatter.tasks_copy_self { rows.targets } else { 0 };
            let moved = rows.batches.saturating_mul(rows.entries.extent.saturating_add(copied));
            self.planner.is_worth_a_partition(self.tasks, moved.saturating_mul(row_bytes))
        };
        if self.scatter.slot.in_place && !repeats && (are_shared || !is_worth_a_partition()) {
            return Strategy::Rows { rows, share: RowShare::Tiles(tiles) };
        }
        let are_few = (2..shares::MANY).contains(&self.tasks);
        match self.can_own_ranges(&rows) && are_few && row_bytes < LONG_ROW {
            true => Strategy::Rows { rows, share: RowShare::Ranges },
            false => Strategy::RowBuckets { rows, buckets: self.row_buckets(&rows) },
        }
    }

    /// The strategy of one of the patterns of rows.
    pub(super) fn forced_rows(&self, rows: Rows<'a>, pattern: Pattern) -> Option<Strategy<'a>> {
        match pattern {
            Pattern::Rows if self.scatter.slot.in_place => {
                Some(Strategy::Rows { rows, share: RowShare::Tiles(self.column_tiles(&rows)) })
            }
            Pattern::RowRanges if self.can_own_ranges(&rows) => {
                Some(Strategy::Rows { rows, share: RowShare::Ranges })
            }
            Pattern::RowBuckets => Some(Strategy::RowBuckets { rows, buckets: self.row_buckets(&rows) }),
            _ => None,
        }
    }

    /// Whether tasks can own ranges of the targets.
    const fn can_own_ranges(&self, rows: &Rows<'_>) -> bool {
        self.scatter.slot.in_place && rows.batches == 1
    }

    const fn row_bytes(&self, rows: &Rows<'_>) -> usize {
        rows.width * self.scatter.dtype.size()
    }

    /// The tiles of columns that tasks share, where they have not enough batches.
    fn column_tiles(&self, rows: &Rows<'_>) -> usize {
        match rows.batches >= shares::PORTIONS * self.tasks {
            true => 1,
            false => (self.row_bytes(rows) / MIN_PART).clamp(1, self.tasks),
        }
    }

    /// The buckets. Each long row has a bucket of its own; shorter rows share a bucket, whose slots
    /// fit the nearest cache. Where shorter rows of a single batch have slots in place,
    /// neighbouring buckets are put in one group for each task, so that src nearly streams.
    fn row_buckets(&self, rows: &Rows<'_>) -> RowBuckets {
        let (tasks, limits) = (self.tasks, self.planner.limits);
        let slots = (BUCKET / self.scatter.slot.bytes_in_row).min(limits.slots);
        let one_by_one = self.row_bytes(rows) >= LONG_ROW;
        let mut shift = if one_by_one { 0 } else { (slots / rows.width).max(1).ilog2() };
        while rows.batches.saturating_mul(rows.targets.div_ceil(1 << shift)) > MAX_BUCKETS
            && rows.targets > 1 << shift
        {
            shift += 1;
        }
        let entries = rows.batches * rows.entries.extent;
        let share = entries.div_ceil(tasks);
        let is_grouped = self.scatter.slot.in_place && rows.batches == 1 && !one_by_one;
        RowBuckets {
            shift,
            per_batch: rows.targets.div_ceil(1 << shift),
            groups: is_grouped.then_some(tasks),
            parts: tasks.min(entries.max(1)),
            turns: if tasks == 1 { 1 } else { TURNS * tasks },
            most_updates: share + share / BEYOND_A_SHARE + 1,
            width: rows.width,
            most_columns: MAX_COLUMNS.min(limits.slots).min(MAX_SLOTS >> shift),
            element: self.scatter.dtype.size(),
            may_be_together: !rows.is_still
                && (self.scatter.slot.in_place || shift == 0 || rows.targets == 1),
        }
    }
}
