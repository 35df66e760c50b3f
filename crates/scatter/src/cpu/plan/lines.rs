//! Lines, which dim runs along: whether tasks have whole ones, parts of them, or copies.

use super::choice::{Choice, DENSE};
use super::shares;
use super::strategy::{LineBuckets, LineCopies, LineLoops, LineShare, Strategy};
use crate::cpu::limits::{MAX_SLOTS, Pattern};
use crate::cpu::prefetch::CACHE_LINE;
use crate::cpu::walk::Axis;
use crate::cpu::walk::grid::Grid;

/// With fewer updates, index stays in a near cache, where reading it twice costs nothing.
const WORTH_A_COPY: usize = 1 << 16;

/// The bytes of a copy of the destination at the most, so that memory is bounded.
const MAX_COPY: usize = 1 << 24;

/// With fewer updates, or elements of self that are copied before them, neither a partition nor
/// reading index once for each thread pays.
const MANY_UPDATES: usize = 1 << 18;

/// If each task has a copy, the copy gets at least this many updates for each of its slots, so that
/// filling it and folding it into out cost less than its updates. Only slots of less than 4 bytes
/// are limited by this; larger ones are limited by the rule that copies have no more bytes than
/// there are updates.
const UPDATES_PER_SLOT: usize = 4;

/// Slots that are kept in all for one long line at the most, by a single thread or by buckets, so
/// that memory is bounded.
const MAX_RANGE_SLOTS: usize = 1 << 22;

/// The targets for each update, at the most, of a line whose slots are all loaded and stored. Lines
/// of bf16 with an update for 256 or 512 targets were faster so than by a sweep (by 1.2 to 1.7
/// times; one line of 2^20 by 1.3), and those with an update for 1024 or 2048 slower, or as fast.
const LOADED: usize = 512;

/// The same of a copy of long lines, whose slots are all loaded before the first update and stored
/// after the last. With an update for each 16 targets of one line of 2^20 and one of 2^22, a copy
/// took 0.8 of the time of a sweep, or of the line as a whole, with one thread, and 0.8 and 0.95
/// with two. Several lines were not measured.
const LOADED_AT_ONCE: usize = 16;

/// How many updates come between prefetches of the next line, or, where several short lines are
/// updated at a time, of what the next ones read. A processor stalls when more than some 32 cache
/// lines are on their way. With several lines, 64 updates prefetch 24 of them if index is i64,
/// elements have 8 bytes, and the next lines have as many elements as updates; up to 80 where they
/// have more, or where single elements are prefetched, which has not been measured apart.
pub(in crate::cpu) const UPDATES_BETWEEN_PREFETCHES: usize = 64;

/// The slots of a range of a partitioned line: more would not stay in a near cache.
const RANGE: usize = 1 << 16;

/// A range has this many updates at the least, if they are spread evenly. With fewer, the next ones
/// could not be prefetched, and there could be more counts, one for each range and task, than
/// updates. A guess.
const UPDATES_OF_A_RANGE: usize = 1 << 8;

/// Lines of this many entries at the most are updated, or gathered, several at a time by numbers of
/// the elements of all: a call for each of them would take longer.
pub(in crate::cpu) const MAX_IN_LINE: usize = 8;

/// Whether lines have at most [`MAX_IN_LINE`] entries, read index and src one line after the other,
/// and are near enough to each other to be numbered together. `axis` says how the entries of a line
/// lie in index and src, `lines` how lines do.
pub(super) fn are_tiny(axis: &Axis, lines: &Axis) -> bool {
    let extent = axis.extent as isize;
    axis.extent <= MAX_IN_LINE
        && axis.index == 1
        && lines.index == extent
        && lines.src == axis.src.wrapping_mul(extent)
        && (0..1 << 16).contains(&lines.dst)
}

/// Whether a line has few enough index values, `values` of them, that the elements that they name
/// are prefetched rather than the line: at most two for each cache line of the `bytes` from one
/// line to the next.
pub(super) const fn is_sparse(values: usize, bytes: usize) -> bool {
    values.saturating_mul(CACHE_LINE) <= bytes.saturating_mul(2)
}

impl<'a> Choice<'a> {
    /// Whether dim is the innermost axis, and targets are as far from each other as their numbers.
    pub(super) fn are_lines(&self) -> bool {
        let walk = self.scatter.walk;
        !walk.inner().owned && walk.scanned().is_some() && walk.components.step().is_some()
    }

    /// The fastest strategy for lines; `None` where that is to sweep.
    pub(super) fn fastest_lines(&self) -> Option<Strategy<'a>> {
        let grid = self.line_grid();
        if self.is_worth_a_copy() {
            // If not every thread can have a copy of a long line, all threads share one.
            let copies = self.copies_of_lines(&grid);
            let is_enough = self.is_near(self.targets) || copies == self.sharing(&grid);
            return Some(self.line_copies(grid, if is_enough { copies } else { 1 }));
        }
        let (is_in_place, is_long) = (self.scatter.slot.in_place, !self.is_near(self.targets));
        let updates = self.scatter.walk.updates();
        let is_large = updates >= MANY_UPDATES;
        // Tasks that share the updates share the copy of self, too.
        let copied = if self.scatter.tasks_copy_self { self.line_count() * self.targets } else { 0 };
        let is_copied = copied >= MANY_UPDATES;
        // Where slots are in place, a few tasks own ranges of long lines, and read all of index; so
        // do more, if each copies as many elements of self as there are updates.
        let may_own = self.tasks < shares::MANY || copied / self.tasks >= updates;
        let is_worth_ranges = self.planner.limits.tasks.is_some() || is_large || is_copied;
        if is_in_place && is_long && is_worth_ranges && may_own && self.sharing(&grid) > 1 {
            return Some(self.ranges(grid));
        }
        // Many tasks partition the updates of few lines, one line after the other. Two tasks are
        // enough for that if lines are long and their slots are loaded. Where few elements of a
        // line are updated, only a single line is partitioned: with several, more tasks have work
        // if each takes lines of its own.
        let has_fewer_lines = self.line_count() < self.tasks;
        let least_tasks = if is_long && !is_in_place { 2 } else { shares::MANY };
        let is_worth_buckets = match self.is_dense(DENSE) {
            true => is_large && (is_in_place || self.targets <= MAX_RANGE_SLOTS),
            false => is_in_place && self.line_count() == 1 && (is_large || is_copied),
        };
        if has_fewer_lines && self.tasks >= least_tasks && is_worth_buckets {
            return Some(self.buckets());
        }
        // Updating whole lines loads all slots, which does not pay for few updates. With fewer
        // lines than threads it takes more updates to pay: threads share the targets of a sweep,
        // but not a line.
        let least = if has_fewer_lines { DENSE } else { LOADED };
        // A single thread may keep as many slots as several would by buckets.
        let most = if self.tasks == 1 { MAX_RANGE_SLOTS } else { MAX_SLOTS };
        let is_whole = is_in_place || self.is_dense(least) && self.targets <= most;
        is_whole.then(|| self.lines(grid))
    }

    /// The strategy of one of the patterns of lines.
    pub(super) fn forced_lines(&self, pattern: Pattern) -> Option<Strategy<'a>> {
        let fits = |slots: usize| self.scatter.slot.in_place || self.targets <= slots;
        let grid = self.line_grid();
        match pattern {
            Pattern::Lines if fits(MAX_SLOTS) => Some(self.lines(grid)),
            Pattern::LineRanges if self.scatter.slot.in_place => Some(self.ranges(grid)),
            Pattern::LineBuckets if fits(MAX_RANGE_SLOTS) => Some(self.buckets()),
            Pattern::LineCopy if self.can_copy() => Some(self.line_copies(grid, 1)),
            Pattern::LineCopies if self.can_copy() => {
                let copies = self.copies_of_lines(&grid);
                Some(self.line_copies(grid, copies))
            }
            _ => None,
        }
    }

    /// Whole lines, in several portions for each thread.
    fn line_grid(&self) -> Grid<'a> {
        let goal = shares::direct(shares::portions(self.tasks), self.scatter.dtype.size());
        Grid::of_axes(self.scatter.walk, goal)
    }

    fn line_count(&self) -> usize {
        let walk = self.scatter.walk;
        walk.updates() / walk.inner().extent.max(1)
    }

    /// How many tasks share each part of a grid: several if there are fewer parts than tasks.
    fn sharing(&self, grid: &Grid<'_>) -> usize {
        self.tasks.div_ceil(grid.len().max(1))
    }

    fn ranges(&self, grid: Grid<'a>) -> Strategy<'a> {
        Strategy::Lines { grid, share: LineShare::Ranges(self.sharing(&grid)) }
    }

    fn lines(&self, grid: Grid<'a>) -> Strategy<'a> {
        let step = if self.scatter.slot.in_place { self.line_step().unsigned_abs() } else { 1 };
        // i32 indices are counted as i64.
        let update = size_of::<i64>() + self.scatter.dtype.size();
        let prefetches = !self.planner.machine.is_near(self.scatter.walk.updates(), update);
        let prefetches_next = self.prefetches_next(&grid);
        let prefetches_named = !prefetches_next && self.prefetches_named(&grid);
        let prefetches_any = prefetches || prefetches_next || prefetches_named;
        let at_a_time = self.lines_at_a_time(&grid, step, prefetches_any);
        let lines = LineLoops {
            at_a_time,
            is_near: self.is_near(self.targets.saturating_mul(step)),
            are_tiny: self.are_tiny_lines(),
            prefetches,
            prefetches_next,
            prefetches_named: prefetches_named && at_a_time > 1,
        };
        Strategy::Lines { grid, share: LineShare::Whole(lines) }
    }

    /// Whether lines are [tiny](are_tiny), also where they are copied to slots.
    fn are_tiny_lines(&self) -> bool {
        let (walk, in_place) = (self.scatter.walk, self.scatter.slot.in_place);
        let dst = if in_place { walk.outer().dst } else { self.targets as isize };
        are_tiny(&walk.inner(), &Axis { dst, ..walk.outer() }) && (!in_place || self.line_step() == 1)
    }

    /// How many lines are updated at a time. What comes before the updates of a line takes as long
    /// as dozens of them, and is done once for all lines that are updated together. Where something
    /// is prefetched, these have [`UPDATES_BETWEEN_PREFETCHES`]; else they are all lines of a task;
    /// but no more than a near cache, and a thread's slots, hold.
    fn lines_at_a_time(&self, grid: &Grid<'_>, step: usize, prefetches: bool) -> usize {
        let [.., lines, updates] = *grid.extents() else { return 1 };
        let line = self.targets.saturating_mul(step).saturating_mul(self.scatter.slot.bytes).max(1);
        let near = self.planner.machine.near / line;
        let slots = self.planner.limits.slots / self.targets.max(1);
        let portion = if prefetches { UPDATES_BETWEEN_PREFETCHES / updates.max(1) } else { lines };
        lines.min(portion).min(near).min(slots).max(1)
    }

    fn line_step(&self) -> isize {
        self.scatter.walk.components.step().unwrap_or(1)
    }

    /// Whether a line's updates prefetch the next line: if lines are contiguous, two fit a near
    /// cache, but not all of a task's, and there is an update for each cache line of a line.
    fn prefetches_next(&self, grid: &Grid<'_>) -> bool {
        let [.., lines, updates] = *grid.extents() else { return false };
        let (outer, element) = (self.scatter.walk.outer(), self.scatter.dtype.size());
        let is_near = |elements: usize| self.planner.machine.is_near(elements, element);
        self.line_step() == 1
            && outer.dst != 0
            && updates >= self.targets.saturating_mul(element) / CACHE_LINE
            && self.is_near(self.targets)
            && is_near(self.targets.saturating_mul(2))
            && !is_near(self.targets.saturating_mul(lines))
    }

    /// Whether updates prefetch the elements that later updates go to: if they are a small part of
    /// each line, and a near cache doesn't hold a task's lines.
    fn prefetches_named(&self, grid: &Grid<'_>) -> bool {
        let [.., lines, updates] = *grid.extents() else { return false };
        let element = self.scatter.dtype.size();
        let apart = self.scatter.walk.outer().dst.unsigned_abs();
        self.scatter.slot.in_place
            && is_sparse(updates, apart.saturating_mul(element))
            && !self.planner.machine.is_near(apart.saturating_mul(lines), element)
    }

    /// Whether all lines may be copied: the loops may check index, and the copy is not too large.
    fn can_copy(&self) -> bool {
        self.scatter.may_check && self.targets > 0 && self.copy_bytes() <= MAX_COPY
    }

    /// The bytes of a copy of the lines that updates go to.
    fn copy_bytes(&self) -> usize {
        self.line_count().saturating_mul(self.targets).saturating_mul(self.scatter.slot.bytes)
    }

    /// Whether a copy costs less than to read index once more: if it has no more bytes than there
    /// are updates. A copy moves its bytes four times: at most half the bytes of an i64 index. A
    /// copy of long lines whose slots are loaded and stored anyway may have more. Where many
    /// threads share a line, a partition of its updates is taken to be faster, unless each thread
    /// has a copy; this was not measured.
    fn is_worth_a_copy(&self) -> bool {
        let updates = self.scatter.walk.updates();
        if updates < WORTH_A_COPY {
            return false;
        }
        let lines = self.line_count();
        let is_loaded = || {
            let slot = self.scatter.slot;
            !slot.in_place && !self.is_near(self.targets) && self.is_dense(LOADED_AT_ONCE)
        };
        let has_copies = || {
            let tasks = self.tasks.div_ceil(lines.max(1));
            self.copies_of(lines * self.targets, tasks) == tasks
        };
        self.can_copy()
            // Short lines are updated several at a time, but not copies of them.
            && updates >= lines.saturating_mul(UPDATES_BETWEEN_PREFETCHES)
            && (self.copy_bytes() <= updates || is_loaded())
            && (self.tasks.div_ceil(lines.max(1)) < shares::MANY || has_copies())
    }

    /// The strategy that updates copies of each line. If there is one copy of a long line, tasks
    /// share it by ranges; where a line is near, an update is as fast as finding its owner.
    fn line_copies(&self, grid: Grid<'a>, copies: usize) -> Strategy<'a> {
        let is_near = self.is_near(self.targets);
        let ranges = if is_near || copies > 1 { 1 } else { self.sharing(&grid) };
        Strategy::LineCopies(LineCopies { grid, copies, ranges, is_near })
    }

    /// How many copies each line of a grid has.
    fn copies_of_lines(&self, grid: &Grid<'a>) -> usize {
        let slots = grid.len() * grid.lines() * self.targets;
        self.copies_of(slots, self.sharing(grid))
    }

    /// How many of the `tasks` that share a line have a copy of its slots, `all` being the slots of
    /// one copy. More than one only if the result doesn't depend on the order of the updates, and
    /// then at most as many copies as have no more bytes than there are updates.
    fn copies_of(&self, all: usize, tasks: usize) -> usize {
        if !self.scatter.slot.is_divisible {
            return 1;
        }
        let bytes = all.saturating_mul(self.scatter.slot.bytes.max(UPDATES_PER_SLOT)).max(1);
        tasks.min(self.scatter.walk.updates() / bytes).min(MAX_COPY / bytes).max(1)
    }

    /// Several ranges for each thread, because some have more updates than others; more if all
    /// slots of a range are updated and would not fit a near cache.
    fn buckets(&self) -> Strategy<'a> {
        let limits = self.planner.limits;
        let is_dense = self.is_dense(DENSE) || limits.pattern.is_some();
        let slots = if is_dense { RANGE.min(limits.slots) } else { usize::MAX };
        let most = match limits.pattern {
            Some(_) => usize::MAX,
            None => (self.scatter.walk.inner().extent / UPDATES_OF_A_RANGE).max(1),
        };
        let range = self.targets.div_ceil(shares::PORTIONS * self.tasks).min(slots);
        let shift = range.max(self.targets.div_ceil(most)).max(1).next_power_of_two().ilog2();
        let ranges = self.targets.div_ceil(1 << shift);
        Strategy::LineBuckets(LineBuckets { shift, ranges })
    }
}
