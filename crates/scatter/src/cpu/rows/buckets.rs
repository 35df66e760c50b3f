//! Rows whose updates are partitioned by their targets: long rows, rows that need accumulators, and
//! rows that several threads update, unless a few own [ranges](crate::cpu::rows).
//!
//! Long rows go to a bucket for each target, and shorter ones that need accumulators to small
//! buckets of neighbouring targets, which stay in the nearest cache, so that the destination moves
//! once whatever the order of the updates. A task is several buckets, so that it can prefetch what
//! the next one needs. Other short rows go to one large bucket for each thread, with an equal share
//! of the updates, in which src still nearly streams.

use core::marker::PhantomData;

use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::numbers::{BLOCK, TargetNumbers};
use crate::cpu::index::partition::{self, Block, Entry, Group, Partition};
use crate::cpu::plan::RowBuckets;
use crate::cpu::prefetch::{is_long_row, rows_ahead};
use crate::cpu::rows::Rows;
use crate::cpu::rows::row::{self, Next, SrcRow};
use crate::cpu::rows::together::{self, Together};
use crate::cpu::slot::Slot;
use crate::cpu::slot::rule::{self, Rule};
use crate::cpu::threads;
use crate::cpu::threads::room::{NoMemory, Ready, Room, Scratch};
use crate::simd::{Simd, SimdLoop};
use crate::{Element, Reduce};

/// Runs the call.
///
/// # Safety
/// As [`sweep::apply`](crate::cpu::walk::sweep::apply), for the whole walk, whose rows these are.
pub(in crate::cpu) unsafe fn run(
    call: &Call<'_>,
    rows: &Rows<'_>,
    numbers: &TargetNumbers,
    plan: &RowBuckets,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    // SAFETY: the caller promises that index addresses are those of the walk.
    let partition = unsafe { partition(rows, numbers, plan) }?;
    let columns = plan.columns(partition.most());
    let buckets = Buckets { plan: *plan, columns, tiles: rows.width.div_ceil(columns) };
    let turns = partition.turns(plan.turns);
    let all = turns.len() * buckets.tiles;
    // Where slots are not in place, a group is one bucket.
    let loops = call.update();
    let targets = if loops.slot.in_place { 0 } else { rows.targets.min(1 << plan.shift) };
    let room = Room::new(all, call.plan.tasks > 1, targets * columns * loops.slot.bytes_in_row, targets)?;
    ready();
    threads::run_in(room, all, &|scratch, number| {
        let (turn, tile) = (number / buckets.tiles, number % buckets.tiles);
        let first = turn.checked_sub(1).map_or(0, |before| turns[before]);
        for group in first..turns[turn] {
            let task = buckets.task(&partition, (group, turns[turn]), tile, call, rows);
            // SAFETY: the caller promises that addresses are those of the walk; tasks own different
            // parts of the destination.
            unsafe { task.run(scratch) }
        }
    });
    Ok(())
}

/// The updates by their buckets.
///
/// # Safety
/// As [`run`], for the index.
unsafe fn partition(
    rows: &Rows<'_>,
    numbers: &TargetNumbers,
    plan: &RowBuckets,
) -> Result<Partition, NoMemory> {
    let (entries, per_batch) = (rows.entries, plan.per_batch);
    let blocks = |range: core::ops::Range<u32>, visit: &mut dyn FnMut(Block<'_>)| {
        let mut targets = Aligned([0; BLOCK]);
        let (mut at, end) = (range.start as usize, range.end as usize);
        while at < end {
            let (batch, entry) = (at / entries.extent, at % entries.extent);
            let len = (end - at).min(entries.extent - entry).min(BLOCK);
            let index_at = rows.batch(batch)[0] + entry as isize * entries.index;
            // SAFETY: the caller promises that index addresses are those of the walk.
            unsafe { numbers.read(index_at, entries.index, &mut targets.0[..len], false) };
            visit((batch * per_batch, entry as u32, &targets.0[..len]));
            at += len;
        }
    };
    let (len, all) = ((rows.batches * entries.extent) as u32, rows.batches * per_batch);
    let division = partition::Division { number: all, shift: plan.shift, groups: plan.groups };
    let mut partition = Partition::new(len, all, plan.parts)?;
    partition.fill(len, division, plan.parts, &blocks);
    Ok(partition)
}

/// How a partitioned call is divided: buckets of neighbouring targets, and tiles of columns.
#[derive(Debug)]
struct Buckets {
    plan: RowBuckets,
    /// The columns of a tile.
    columns: usize,
    /// The tiles of a row.
    tiles: usize,
}

impl Buckets {
    /// The part of tile `tile` of a group, which may look ahead as far as group `end`.
    fn task<'a>(
        &self,
        partition: &'a Partition,
        (group, end): (usize, usize),
        tile: usize,
        call: &'a Call<'_>,
        rows: &'a Rows<'a>,
    ) -> BucketTask<'a> {
        // A group of several buckets lies in the only batch.
        let buckets = partition.buckets(group);
        let [_, src_at, dst_at] = rows.batch(buckets.start / self.plan.per_batch);
        let first = (buckets.start % self.plan.per_batch) << self.plan.shift;
        // Another batch has other bases; where there are several, each bucket is a group.
        let end = if rows.batches == 1 {
            end
        } else {
            end.min(group - group % self.plan.per_batch + self.plan.per_batch)
        };
        let column = tile * self.columns;
        let src_column = if rows.is_still { 0 } else { column };
        BucketTask {
            call,
            rows,
            updates: partition.group(group, end),
            first,
            targets: (rows.targets - first).min(buckets.len() << self.plan.shift),
            columns: (rows.width - column).min(self.columns),
            src: call.storages.src.at(src_at + src_column as isize),
            dst: dst_at + column as isize,
        }
    }
}

/// Some columns of the rows of a group of buckets.
#[derive(Debug)]
pub(in crate::cpu) struct BucketTask<'a> {
    call: &'a Call<'a>,
    rows: &'a Rows<'a>,
    updates: Group<'a>,
    /// The first target, and how many there are.
    first: usize,
    targets: usize,
    columns: usize,
    /// The row of entry 0.
    src: *const u8,
    /// Where the row of target 0 is.
    dst: isize,
}

impl BucketTask<'_> {
    /// # Safety
    /// As [`run`], for the task.
    unsafe fn run(&self, scratch: &mut Scratch) {
        let Self { call, rows, .. } = self;
        // SAFETY: these are rows of the destination, of which this task owns these columns.
        unsafe { rows.copy_self(call, self.dst, self.first..self.first + self.targets, self.columns) }
        if self.updates.len() == 0 {
            return;
        }
        let loops = call.update();
        let slots = match loops.slot.in_place {
            true => core::ptr::null_mut(),
            false => scratch.slots(self.targets * self.columns * loops.slot.bytes_in_row),
        };
        let is_long = is_long_row(self.columns * call.storages.dst.size);
        // SAFETY: the caller promises addresses of the walk; slots that are not in place are this
        // task's, one for each element.
        unsafe {
            if let Some(by_target) = loops.by_target
                && is_long
                && !rows.is_still
                && (loops.slot.in_place || self.targets == 1)
            {
                return by_target(self, slots);
            }
            let counts = scratch.counts(if loops.slot.in_place { 0 } else { self.targets });
            (loops.in_task)(self, slots, counts);
        }
    }

    /// The row of a target.
    #[inline(always)]
    fn row<T>(&self, target: usize) -> *mut T {
        let dst = self.call.storages.dst.start.cast::<T>();
        dst.wrapping_offset(self.dst + target as isize * self.rows.step)
    }
}

/// Makes the updates of a task whose rows are long, and which has one target unless slots are in
/// place.
///
/// # Safety
/// As [`run`], for the task; `slots` are its own, a row, unless slots
/// are in place.
pub(in crate::cpu) unsafe fn update_by_target<T: Element, R: Rule, L: Slot<T>>(
    task: &BucketTask<'_>,
    slots: *mut u8,
) {
    task.call.simd().run(ByTarget::<T, R, L> { task, slots: slots.cast(), types: PhantomData });
}

/// Makes the updates of a task one by one.
///
/// # Safety
/// As [`run`], for the task; `slots` are its own, a row for each target, and `counts`, which are 0,
/// as many, unless slots are in place; then there are none. Of a mean, this is called for the sum.
pub(in crate::cpu) unsafe fn update_in_task<T: Element, R: Rule, L: Slot<T>>(
    task: &BucketTask<'_>,
    slots: *mut u8,
    counts: &mut [u32],
) {
    task.call.simd().run(InTask::<T, R, L> { task, slots: slots.cast(), counts, types: PhantomData });
}

/// The loop over the updates of a task; those that follow one another and have the same target are
/// made together.
struct ByTarget<'a, T, R, L> {
    /// Whose rows are long, and which has one target unless slots are in place.
    task: &'a BucketTask<'a>,
    /// A row, unless slots are in place.
    slots: *mut L,
    types: PhantomData<(T, R)>,
}

impl<T: Element, R: Rule, L: Slot<T>> SimdLoop for ByTarget<'_, T, R, L> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: Simd) {
        let updates = self.task.updates;
        let target_of = |at: usize| (at < updates.len()).then(|| updates.entry(at).target);
        let mut at = 0;
        while at < updates.len() {
            let is_same = |n: usize| target_of(at + n) == target_of(at);
            const { assert!(together::MOST == 4) };
            let made = 1 + (1..together::MOST).take_while(|&n| is_same(n)).count();
            match made {
                // Other slots are held in the nearest cache between updates, so that a loop over
                // these costs nothing, and takes less code than one for each number of them.
                _ if !L::IN_PLACE => self.together::<{ together::MOST }>(simd, at, made),
                1 => self.together::<1>(simd, at, 1),
                2 => self.together::<2>(simd, at, 2),
                3 => self.together::<3>(simd, at, 3),
                _ => self.together::<4>(simd, at, 4),
            }
            at += made;
        }
    }
}

impl<T: Element, R: Rule, L: Slot<T>> ByTarget<'_, T, R, L> {
    /// Makes `made` updates, `N` at the most, from `at` on. They are `N` if slots are in place.
    #[inline(always)]
    fn together<const N: usize>(&self, simd: Simd, at: usize, made: usize) {
        let BucketTask { call, rows, updates, columns, src, .. } = *self.task;
        let src = src.cast::<T>();
        let row_of = |entry: Entry| self.task.row::<T>(entry.target as usize);
        let src_of = |entry: Entry| src.wrapping_offset(entry.number as isize * rows.entries.src);
        let row = row_of(updates.entry(at));
        let end = at + made;
        let sources = core::array::from_fn(|n| src_of(updates.entry((at + n).min(end - 1))));
        let together = Together::<T, L, N> {
            row,
            slots: if L::IN_PLACE { row.cast() } else { self.slots },
            is_first: at == 0,
            is_last: end == updates.len(),
            len: columns,
            made,
            src: sources,
            factor: call.loops.factor.unwrap_or_default().get::<T>(),
            next_row: updates.ahead(end).map_or(row, row_of).cast_const(),
            next_src: core::array::from_fn(|n| updates.ahead(end + n).map_or(sources[n], src_of)),
        };
        // SAFETY: addresses of the walk: rows of src, and one of the destination, which this task
        // owns and whose representation slots that are in place have; other slots are this task's,
        // and its first updates fill them.
        unsafe { together.run::<R>(call.include_self, simd) }
    }
}

/// The loop over the updates of a task.
struct InTask<'a, T, R, L> {
    task: &'a BucketTask<'a>,
    /// A row for each target; null where slots are in place.
    slots: *mut L,
    /// The updates of each target so far; of those without, the slots are not filled.
    counts: &'a mut [u32],
    types: PhantomData<(T, R)>,
}

impl<T: Element, R: Rule, L: Slot<T>> SimdLoop for InTask<'_, T, R, L> {
    type Output = ();
    const AVX512: bool = rule::is_common::<R>();

    #[inline(always)]
    fn run(self, simd: Simd) {
        let BucketTask { call, rows, updates, first, columns, src, .. } = *self.task;
        let (src, bytes) = (src.cast::<T>(), columns * size_of::<T>());
        let factor = call.loops.factor.unwrap_or_default().get::<T>();
        let (ahead, is_short) = (rows_ahead(bytes), row::is_short::<R>(bytes, rows.is_still));
        // A sum may be that of a mean, which has slots although elements could hold its sums.
        let is_sum = const { matches!(R::REDUCE, Reduce::Add) && !R::SCALED };
        let has_slots = !L::IN_PLACE || is_sum && !self.slots.is_null();
        let mean_row = if is_sum { call.update().mean_row } else { None };
        let src_of = |number: u32| src.wrapping_offset(number as isize * rows.entries.src);
        for (at, Entry { target, number }) in updates.iter().enumerate() {
            // Of another group's targets nothing is known here.
            let is_loaded = |target: u32| {
                has_slots
                    && self.counts.get((target as usize).wrapping_sub(first)).is_some_and(|&count| count > 0)
            };
            let next = updates.ahead(at + ahead).map_or(Next::NONE, |Entry { target, number }| Next {
                src: (!rows.is_still).then_some(src_of(number)),
                dst: (!is_loaded(target)).then_some(self.task.row::<T>(target as usize).cast_const()),
            });
            let src = SrcRow { start: src_of(number), is_still: rows.is_still };
            let (row, target) = (self.task.row::<T>(target as usize), target as usize - first);
            let slots = match has_slots {
                true => self.slots.wrapping_add(target * columns),
                false => row.cast::<L>(),
            };
            // SAFETY: a row of the destination that this task owns, whose representation slots that
            // are in place have; other slots are this task's: numbers, zero at first.
            let slots = unsafe { core::slice::from_raw_parts_mut(slots, columns) };
            if has_slots && let Some(count) = self.counts.get_mut(target) {
                if *count == 0 {
                    // SAFETY: a row of the destination, which this task owns.
                    let row = unsafe { core::slice::from_raw_parts(row, columns) };
                    if mean_row.is_some() && !call.include_self {
                        let identity = T::narrow(T::identity(R::REDUCE));
                        slots.fill(L::load(identity, R::REDUCE, false));
                    } else {
                        L::load_row(row, slots, R::REDUCE, call.include_self, simd);
                    }
                }
                *count += 1;
            }
            // SAFETY: a row of src, addresses of the walk.
            unsafe {
                if is_short {
                    row::update_short::<T, R, L>(src.start, slots, factor, next, simd);
                } else {
                    src.update::<R, L>(slots, !has_slots, factor, next, simd);
                }
            }
        }
        if !has_slots {
            return;
        }
        for (target, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let (slots, row) =
                (self.slots.wrapping_add(target * columns), self.task.row::<T>(first + target));
            // SAFETY: the filled slots of a row, and the row, which this task owns; slots of a sum
            // are accumulators.
            unsafe {
                if let Some(mean_row) = mean_row {
                    let values = u64::from(count) + u64::from(call.include_self);
                    mean_row(row.cast(), slots.cast(), columns, values, simd);
                } else {
                    let (slots, row) = (
                        core::slice::from_raw_parts(slots, columns),
                        core::slice::from_raw_parts_mut(row, columns),
                    );
                    L::store_row(slots, row, call.include_self, simd);
                }
            }
        }
    }
}
