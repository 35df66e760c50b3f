//! Index is constant along a contiguous row: whole rows are updated, with vector instructions.
//!
//! One thread, and many batches, take the updates in order: then src streams. In other calls the updates are partitioned
//! by their targets. Long rows, and rows that need accumulators, go to small buckets of neighbouring targets, which stay in a
//! near cache, so that the destination moves once whatever the order of the updates. Short rows go to one large bucket for
//! each thread, with an equal share of the updates, in which src still nearly streams.

use super::call::Call;
use super::numbers::{BLOCK, Numbers};
use super::partition::{self, Block, Entry, Group, Partition};
use super::rule::Rule;
use super::segment::MAX_SLOTS;
use super::slot::Slot;
use super::threads::{self, Scratch};
use super::walk::{Axis, MAX_AXES, Walk};
use crate::Element;
use crate::simd::{Kernel, Simd, prefetch};

/// The bytes of slots that a bucket has, if a row is not longer.
const BUCKET: usize = 1 << 16;

/// Rows of so many bytes may be read in any order; shorter ones lose what hardware would have read ahead.
const LONG_ROW: usize = 1 << 12;

/// More buckets cost more than they gain.
const MAX_BUCKETS: usize = 1 << 14;

/// A row of slots is divided where it is longer.
const MAX_COLUMNS: usize = 1 << 14;

/// A row is not divided into less, so that it is worth its entry.
const MIN_COLUMNS: usize = 64;

/// The bytes of rows to come that are asked for.
const AHEAD: usize = 2048;

/// The scatter of rows that a walk is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    walk: Walk,
    /// Owned loops around the rows: their number, and the loops.
    batches: usize,
    batch_axes: [Axis; MAX_AXES],
    /// The updates of a batch.
    entries: Axis,
    /// The elements of a row.
    width: usize,
    /// Of one batch.
    targets: usize,
    /// From one target to the next.
    step: isize,
}

impl Rows {
    /// `None` where the walk is something else.
    pub(super) fn recognise(walk: &Walk) -> Option<Self> {
        let (row, entries) = (walk.inner(), walk.scanned()?);
        if !(row.owned && row.index == 0 && row.dst == 1 && row.src == 1) {
            return None;
        }
        let targets = walk.components.targets();
        let mut batch_axes = [Axis { extent: 1, ..Axis::default() }; MAX_AXES];
        let outer = walk.axes.as_slice().split_last().map_or(&[][..], |(_, outer)| outer);
        for (to, axis) in batch_axes.iter_mut().zip(outer.iter().filter(|axis| axis.owned)) {
            *to = *axis;
        }
        let batches = batch_axes.iter().map(|axis| axis.extent).product::<usize>();
        let all = batches.checked_mul(entries.extent.max(targets))?;
        u32::try_from(all).ok()?;
        let step = walk.components.step()?;
        Some(Self { walk: *walk, batches, batch_axes, entries, width: row.extent, targets, step })
    }

    /// Where batch `number` starts: in index, in src and in the destination.
    fn batch(&self, number: usize) -> [isize; 3] {
        let (mut rest, mut at) = (number, [self.walk.index, self.walk.src, self.walk.dst]);
        for axis in self.batch_axes.iter().rev() {
            let coordinate = (rest % axis.extent) as isize;
            rest /= axis.extent;
            for (at, step) in at.iter_mut().zip([axis.index, axis.src, axis.dst]) {
                *at += coordinate * step;
            }
        }
        at
    }
}

/// Runs the call.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    rows: &Rows,
    numbers: &Numbers,
) {
    let tasks = call.limits.tasks_for(call.walk);
    if L::IN_PLACE && (tasks == 1 || rows.batches >= 4 * tasks) {
        threads::run(rows.batches, tasks > 1, &|_, batch| {
            // SAFETY: the caller's promise; batches own different parts of the destination.
            unsafe { in_order::<T, R, L>(call, rows, numbers, batch) }
        });
        return;
    }

    // SAFETY: index addresses of the walk.
    let (buckets, partition) = unsafe { Buckets::new::<T, L>(call, rows, numbers, tasks) };
    threads::run(partition.len() * buckets.tiles, tasks > 1, &|scratch, number| {
        let task = buckets.task(&partition, number, call, rows);
        // SAFETY: the caller's promise; tasks own different parts of the destination.
        unsafe { task.run::<R, L>(scratch) }
    });
}

/// The updates of a batch, one after the other.
///
/// # Safety
/// As [`run`], for the batch.
unsafe fn in_order<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    rows: &Rows,
    numbers: &Numbers,
    batch: usize,
) {
    let [index_at, src_at, dst_at] = rows.batch(batch);
    if call.origin.is_some() {
        for target in 0..rows.targets as isize {
            // SAFETY: a row of the destination that this task owns.
            unsafe { call.bring(dst_at + target * rows.step, rows.width) }
        }
    }
    let mut targets = [0; BLOCK];
    for first in (0..rows.entries.extent).step_by(BLOCK) {
        let targets = &mut targets[..(rows.entries.extent - first).min(BLOCK)];
        // SAFETY: index addresses of the walk.
        unsafe {
            numbers.read(index_at + first as isize * rows.entries.index, rows.entries.index, targets);
        }
        let src = src_at + first as isize * rows.entries.src;
        let rows = InOrder::<T, R, L> {
            src: call.storages.src.cast_const().wrapping_offset(src),
            dst: call.storages.dst.wrapping_offset(dst_at).cast(),
            targets,
            rows,
            simd: call.limits.simd,
            rule: core::marker::PhantomData,
        };
        call.limits.simd.run(rows);
    }
}

/// The loop over a block of updates in order.
struct InOrder<'a, T, R, L> {
    src: *const T,
    dst: *mut L,
    targets: &'a [u32],
    rows: &'a Rows,
    simd: Simd,
    rule: core::marker::PhantomData<R>,
}

impl<T: Element, R: Rule, L: Slot<T>> Kernel for InOrder<'_, T, R, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Rows { width, step, entries, .. } = *self.rows;
        let ahead = rows_ahead::<T>(width);
        let row_of = |target: u32| self.dst.wrapping_offset(target as isize * step);
        for (number, &target) in self.targets.iter().enumerate() {
            if let Some(&next) = self.targets.get(number + ahead) {
                prefetch_row(row_of(next), width);
            }
            let src = self.src.wrapping_offset(number as isize * entries.src);
            // SAFETY: addresses of the walk: a row of src, and a row of the destination, which this task owns; a slot
            // that is in place has the memory of an element.
            let (slots, src) = unsafe {
                (
                    core::slice::from_raw_parts_mut(row_of(target), width),
                    core::slice::from_raw_parts(src, width),
                )
            };
            L::update_row(slots, R::REDUCE, src, self.simd);
        }
    }
}

/// How a partitioned call is divided: buckets of neighbouring targets, and tiles of columns.
#[derive(Debug)]
struct Buckets {
    /// A bucket has `1 << shift` targets.
    shift: u32,
    /// The buckets of a batch.
    per_batch: usize,
    /// The columns of a tile.
    columns: usize,
    /// The tiles of a row.
    tiles: usize,
}

impl Buckets {
    /// Divides a call and partitions its updates.
    ///
    /// # Safety
    /// As [`run`], for the index.
    unsafe fn new<T: Element, L: Slot<T>>(
        call: &Call<'_, T>,
        rows: &Rows,
        numbers: &Numbers,
        tasks: usize,
    ) -> (Self, Partition) {
        let slots = (BUCKET / size_of::<L>()).min(call.limits.slots);
        let mut shift = (slots / rows.width).max(1).ilog2();
        while rows.batches.saturating_mul(rows.targets.div_ceil(1 << shift)) > MAX_BUCKETS
            && rows.targets > 1 << shift
        {
            shift += 1;
        }
        let per_batch = rows.targets.div_ceil(1 << shift);
        let all = rows.batches * per_batch;

        let entries = rows.entries;
        let blocks = |range: core::ops::Range<u32>, visit: &mut dyn FnMut(Block<'_>)| {
            let mut targets = [0; BLOCK];
            let (mut at, end) = (range.start as usize, range.end as usize);
            while at < end {
                let (batch, entry) = (at / entries.extent, at % entries.extent);
                let len = (end - at).min(entries.extent - entry).min(BLOCK);
                let index_at = rows.batch(batch)[0] + entry as isize * entries.index;
                // SAFETY: index addresses of the walk.
                unsafe { numbers.read(index_at, entries.index, &mut targets[..len]) };
                visit((batch * per_batch, entry as u32, &targets[..len]));
                at += len;
            }
        };
        let len = (rows.batches * entries.extent) as u32;
        let mut partition = Partition::default();
        let in_place = L::IN_PLACE && rows.batches == 1 && rows.width * size_of::<T>() < LONG_ROW;
        let groups = in_place.then_some(tasks);
        let division = partition::Buckets { number: all, shift, groups };
        partition.fill(len, division, tasks.min(len.max(1) as usize), &blocks);

        // No task is to have much more than a thread's share, and no slots more than a row may have.
        let share = (len as usize).div_ceil(tasks) * 5 / 4 + 1;
        let tiles = partition.most().div_ceil(share).max(1).min(rows.width.div_ceil(MIN_COLUMNS));
        let most_columns = MAX_COLUMNS.min(call.limits.slots).min(MAX_SLOTS >> shift);
        let columns = rows.width.div_ceil(tiles).next_multiple_of(MIN_COLUMNS).min(most_columns).max(1);
        let tiles = rows.width.div_ceil(columns);
        (Self { shift, per_batch, columns, tiles }, partition)
    }

    fn task<'a, T>(
        &self,
        partition: &'a Partition,
        number: usize,
        call: &'a Call<'_, T>,
        rows: &'a Rows,
    ) -> Task<'a, T> {
        let (group, tile) = (number / self.tiles, number % self.tiles);
        // A group of several buckets lies in the only batch.
        let buckets = partition.buckets(group);
        let [_, src_at, dst_at] = rows.batch(buckets.start / self.per_batch);
        let first = (buckets.start % self.per_batch) << self.shift;
        let column = tile * self.columns;
        Task {
            call,
            rows,
            updates: partition.group(group),
            first,
            targets: (rows.targets - first).min(buckets.len() << self.shift),
            columns: (rows.width - column).min(self.columns),
            src: call.storages.src.cast_const().wrapping_offset(src_at + column as isize),
            dst: dst_at + column as isize,
        }
    }
}

/// Some columns of the rows of a group of buckets.
struct Task<'a, T> {
    call: &'a Call<'a, T>,
    rows: &'a Rows,
    updates: Group<'a>,
    /// The first target, and how many there are.
    first: usize,
    targets: usize,
    columns: usize,
    /// The row of entry 0.
    src: *const T,
    /// Where the row of target 0 is.
    dst: isize,
}

impl<T: Element> Task<'_, T> {
    /// # Safety
    /// As [`run`], for the task.
    unsafe fn run<R: Rule, L: Slot<T>>(&self, scratch: &mut Scratch) {
        let Self { call, rows, .. } = self;
        if call.origin.is_some() {
            for target in self.first..self.first + self.targets {
                // SAFETY: a row of the destination that this task owns.
                unsafe { call.bring(self.dst + target as isize * rows.step, self.columns) }
            }
        }
        if self.updates.len() == 0 {
            return;
        }
        let slots: *mut L = match L::IN_PLACE {
            true => core::ptr::null_mut(),
            false => scratch.reserve(self.targets * self.columns),
        };
        let loaded = vec![false; if L::IN_PLACE { 0 } else { self.targets }];
        call.limits.simd.run(InTask::<T, R, L> {
            task: self,
            slots,
            loaded,
            rule: core::marker::PhantomData,
        });
    }

    /// The row of a target.
    #[inline(always)]
    fn row(&self, target: usize) -> *mut T {
        self.call.storages.dst.wrapping_offset(self.dst + target as isize * self.rows.step)
    }
}

/// The loop over the updates of a task.
struct InTask<'a, T, R, L> {
    task: &'a Task<'a, T>,
    /// A row for each target, unless slots are in place.
    slots: *mut L,
    /// Which of them are filled.
    loaded: Vec<bool>,
    rule: core::marker::PhantomData<R>,
}

impl<T: Element, R: Rule, L: Slot<T>> Kernel for InTask<'_, T, R, L> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let Task { call, rows, updates, first, columns, src, .. } = *self.task;
        let simd = call.limits.simd;
        let ahead = rows_ahead::<T>(columns);
        for at in 0..updates.len() {
            if let Some(Entry { target, number }) = updates.get(at + ahead) {
                prefetch_row(src.wrapping_offset(number as isize * rows.entries.src), columns);
                prefetch_row(self.task.row(target as usize).cast_const(), columns);
            }
            let Some(Entry { target, number }) = updates.get(at) else { return };
            // SAFETY: a row of src, an address of the walk.
            let src = unsafe {
                core::slice::from_raw_parts(src.wrapping_offset(number as isize * rows.entries.src), columns)
            };
            let (row, target) = (self.task.row(target as usize), target as usize - first);
            let slots = if L::IN_PLACE {
                // SAFETY: a row of the destination that this task owns; the slots have its representation.
                unsafe { core::slice::from_raw_parts_mut(row.cast::<L>(), columns) }
            } else {
                debug_assert!(target < self.loaded.len());
                let slots = self.slots.wrapping_add(target * columns);
                if !core::mem::replace(&mut self.loaded[target], true) {
                    // SAFETY: a row of the destination that this task owns, and its slots, which were reserved.
                    unsafe { fill::<T, R, L>(row, slots, columns, call.include_self, simd) }
                }
                // SAFETY: the slots of this row, which are filled.
                unsafe { core::slice::from_raw_parts_mut(slots, columns) }
            };
            L::update_row(slots, R::REDUCE, src, simd);
        }
        for target in (0..self.loaded.len()).filter(|&target| self.loaded[target]) {
            // SAFETY: the filled slots of a row, and the row, which this task owns.
            let (slots, row) = unsafe {
                (
                    core::slice::from_raw_parts(self.slots.wrapping_add(target * columns), columns),
                    core::slice::from_raw_parts_mut(self.task.row(first + target), columns),
                )
            };
            L::store_row(slots, row, call.include_self, simd);
        }
    }
}

/// Fills uninitialised slots from a row.
///
/// # Safety
/// `row` is `len` elements to read, `slots` as many slots to write.
#[inline(always)]
unsafe fn fill<T: Element, R: Rule, L: Slot<T>>(
    row: *const T,
    slots: *mut L,
    len: usize,
    include_self: bool,
    simd: Simd,
) {
    // SAFETY: the caller's promise; all slots get a value before they are a slice.
    let (row, slots) = unsafe {
        let row = core::slice::from_raw_parts(row, len);
        for (at, &element) in row.iter().enumerate().take(1) {
            let slot = L::load(element, R::REDUCE, include_self);
            (at..len).for_each(|at| slots.add(at).write(slot));
        }
        (row, core::slice::from_raw_parts_mut(slots, len))
    };
    L::load_row(row, slots, R::REDUCE, include_self, simd);
}

/// How many rows ahead to ask for.
#[inline(always)]
fn rows_ahead<T>(width: usize) -> usize {
    (AHEAD / (width * size_of::<T>()).max(1)).clamp(1, 16)
}

/// Asks for the start of a row; hardware sees what follows.
#[inline(always)]
fn prefetch_row<T>(row: *const T, width: usize) {
    let bytes = (width * size_of::<T>()).min(512);
    for line in (0..bytes).step_by(64) {
        prefetch(row.cast::<u8>().wrapping_add(line));
    }
}
