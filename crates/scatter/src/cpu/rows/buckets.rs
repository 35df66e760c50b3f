//! Rows whose updates are partitioned by their targets: long rows, rows that need accumulators, and
//! rows that several threads update, unless a few own [ranges](crate::cpu::rows).
//!
//! Long rows go to a bucket for each target, and shorter ones that need accumulators to small
//! buckets of neighbouring targets, which stay in the nearest cache, so that the destination moves
//! once whatever the order of the updates. A task is several buckets, so that it can prefetch what
//! the next one needs. Other short rows go to one large bucket for each thread, with an equal share
//! of the updates, in which src still nearly streams.

use core::ops::Range;

use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::numbers::BLOCK;
use crate::cpu::index::partition::{self, Block, Partition};
use crate::cpu::plan::RowBuckets;
use crate::cpu::rows::{copy_self, task};
use crate::cpu::threads;
use crate::cpu::threads::room::{NoMemory, Ready, Room, Scratch};
use crate::cpu::walk::rows::Rows;

/// Runs the call.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply), for the whole walk, whose rows these are, and
/// which the plan was made for.
pub(in crate::cpu) unsafe fn run(
    call: &Call<'_>,
    rows: &Rows<'_>,
    plan: &RowBuckets,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    // SAFETY: the caller promises that the walk's entries lie inside the index's storage, which
    // nobody writes.
    let partition = unsafe { partition(call, rows, plan) }?;
    let columns = plan.columns(partition.most());
    let buckets = Buckets { call, rows, partition: &partition, plan: *plan, columns };
    let (turns, tiles) = (partition.turns(plan.turns), rows.width.div_ceil(columns));
    let all = turns.len() * tiles;
    // Where slots are not in place, a group is one bucket.
    let loops = call.loops();
    let targets = if loops.slot.in_place { 0 } else { rows.targets.min(1 << plan.shift) };
    let room = Room::new(all, call.plan.tasks > 1, targets * columns * loops.slot.bytes_in_row, targets)?;
    ready();
    threads::run_in(room, all, &|scratch, number| {
        let (turn, tile) = (number / tiles, number % tiles);
        let first = turn.checked_sub(1).map_or(0, |before| turns[before]);
        for group in first..turns[turn] {
            // SAFETY: the caller promises that the walk's updates lie inside the storages of index
            // and src, which nobody writes, and that index values are valid; only this task
            // accesses this tile of the group's rows.
            unsafe { buckets.update((group, turns[turn]), tile, scratch) }
        }
    });
    Ok(())
}

/// The updates by their buckets.
///
/// # Safety
/// As [`run`], for the index.
unsafe fn partition(call: &Call<'_>, rows: &Rows<'_>, plan: &RowBuckets) -> Result<Partition, NoMemory> {
    let (entries, per_batch) = (rows.entries, plan.per_batch);
    let blocks = |range: Range<u32>, visit: &mut dyn FnMut(Block<'_>)| {
        let mut targets = Aligned([0; BLOCK]);
        let (mut at, end) = (range.start as usize, range.end as usize);
        while at < end {
            let (batch, entry) = (at / entries.extent, at % entries.extent);
            let len = (end - at).min(entries.extent - entry).min(BLOCK);
            let index_at = rows.batch(batch, 0)[0] + entry as isize * entries.index;
            // SAFETY: the caller promises that the walk's entries lie inside the index's storage,
            // which nobody writes.
            unsafe { call.numbers.read(index_at, entries.index, &mut targets.0[..len], false) };
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

/// A partitioned call, and how it is divided: by groups of buckets of neighbouring targets, and by
/// tiles of columns.
#[derive(Clone, Copy, Debug)]
struct Buckets<'a> {
    call: &'a Call<'a>,
    rows: &'a Rows<'a>,
    partition: &'a Partition,
    plan: RowBuckets,
    /// The columns of a tile.
    columns: usize,
}

impl Buckets<'_> {
    /// Makes the updates of a group in tile `tile`, looking ahead as far as group `end`.
    ///
    /// # Safety
    /// As [`run`], for these updates.
    unsafe fn update(&self, (group, end): (usize, usize), tile: usize, scratch: &mut Scratch) {
        let Self { call, rows, partition, plan, .. } = *self;
        let loops = call.loops();
        // A group of several buckets lies in the only batch.
        let buckets = partition.buckets(group);
        let first = (buckets.start % plan.per_batch) << plan.shift;
        let targets = (rows.targets - first).min(buckets.len() << plan.shift);
        // Rows of another batch start elsewhere, so they are not looked at. Where there are several
        // batches, each bucket is a group.
        let end = match rows.batches {
            1 => end,
            _ => end.min(group - group % plan.per_batch + plan.per_batch),
        };
        let column = tile * self.columns;
        let columns = (rows.width - column).min(self.columns);
        let [_, src_at, dst_at] = rows.batch(buckets.start / plan.per_batch, column);
        // SAFETY: these rows lie inside the destination's storage, and only this task accesses
        // these columns of them.
        unsafe { copy_self(call, rows, dst_at, first..first + targets, columns) }
        let task = task(call, rows, partition.group(group, end), first, [src_at, dst_at], columns);
        if task.updates.len() == 0 {
            return;
        }
        let slots = match loops.slot.in_place {
            true => core::ptr::null_mut(),
            false => scratch.slots(targets * columns * loops.slot.bytes_in_row),
        };
        // SAFETY: the updates are those of the walk, whose rows of src nobody writes; only this
        // task accesses these columns of the targets' rows. Slots that are not in place are this
        // task's, one for each element.
        unsafe {
            match loops.by_target {
                Some(by_target) if plan.makes_together(columns) => by_target(&task, slots),
                _ => {
                    let counts = scratch.counts(if loops.slot.in_place { 0 } else { targets });
                    (loops.in_task)(&task, slots, counts);
                }
            }
        }
    }
}
