//! Index is constant along a contiguous row: whole rows are updated, with vector instructions.
//!
//! The updates are taken in order: then src streams. Several threads take batches, or columns if
//! rows have enough. A few threads own ranges of shorter rows: each reads all of index and makes
//! the updates that are its own, so that src nearly streams, and nothing is stored about an update.
//! In other calls updates go to [buckets].

pub(in crate::cpu) mod buckets;
pub(in crate::cpu) mod row;
pub(in crate::cpu) mod task;
pub(in crate::cpu) mod together;

use core::ops::Range;

use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::partition::{Entry, Group};
use crate::cpu::plan::RowShare;
use crate::cpu::prefetch::{MOST_ROWS_AHEAD, rows_ahead};
use crate::cpu::rows::task::RowTask;
use crate::cpu::threads;
use crate::cpu::walk::rows::Rows;
use crate::simd::RangeSearch;

/// The targets that are read at a time: few, so that prefetched rows arrive meanwhile.
const SHORT_BLOCK: usize = 64;

const _: () = assert!(SHORT_BLOCK >= MOST_ROWS_AHEAD);

/// Room for the updates of a block, and for those whose rows are prefetched.
const ROOM: usize = SHORT_BLOCK + MOST_ROWS_AHEAD;

/// Runs the call.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply), for the whole walk, whose rows these are. Slots
/// are in place, and there is one batch where tasks own ranges.
pub(in crate::cpu) unsafe fn run(call: &Call<'_>, rows: &Rows<'_>, share: RowShare) {
    debug_assert!(call.loops().slot.in_place);
    match share {
        RowShare::Tiles(tiles) => threads::run(rows.batches * tiles, call.plan.tasks > 1, &|number| {
            let (batch, tile) = (number / tiles, number % tiles);
            let columns = threads::share(rows.width, tiles, tile);
            // SAFETY: the caller promises that the walk's updates lie inside the storages of index
            // and src, which nobody writes, and that index values are valid; only this task
            // accesses these columns of the batch's rows.
            unsafe { in_order(call, rows, Part { batch, columns, own: None }) }
        }),
        RowShare::Ranges => {
            debug_assert!(rows.batches == 1);
            let tasks = call.plan.tasks;
            // SAFETY: the entries lie inside the index's storage, which nobody writes.
            let sample = unsafe { Sample::of(call, rows) };
            let bound = |task| sample.bound(task, tasks, rows.targets as u32);
            threads::run(tasks, true, &|number| {
                let own = Some(bound(number)..bound(number + 1));
                // SAFETY: the caller promises that the walk's updates lie inside the storages of
                // index and src, which nobody writes, and that index values are valid; only this
                // task accesses the rows of this range of targets.
                unsafe {
                    in_order(call, rows, Part { batch: 0, columns: 0..rows.width, own });
                }
            });
        }
    }
}

/// The part of the rows that a task owns.
struct Part {
    batch: usize,
    columns: Range<usize>,
    /// The targets whose rows it owns; `None` for all.
    own: Option<Range<u32>>,
}

/// The blocks of targets that are taken as a sample.
const SAMPLED: usize = 64;

/// The targets of a block of the sample.
const SAMPLE_BLOCK: usize = 16;

/// Some of the targets of the updates, in ascending order. Ranges of targets that hold as many of
/// these have about as many updates.
struct Sample {
    targets: [u32; SAMPLED * SAMPLE_BLOCK],
    len: usize,
}

impl Sample {
    /// # Safety
    /// As [`run`], for the index.
    unsafe fn of(call: &Call<'_>, rows: &Rows<'_>) -> Self {
        let (entries, [index_at, ..]) = (rows.entries, rows.batch(0, 0));
        let mut sample = Self { targets: [0; SAMPLED * SAMPLE_BLOCK], len: 0 };
        for first in (0..entries.extent).step_by(entries.extent.div_ceil(SAMPLED).max(SAMPLE_BLOCK)) {
            let len = sample.len + (entries.extent - first).min(SAMPLE_BLOCK);
            let block = &mut sample.targets[sample.len..len];
            // SAFETY: the entries lie inside the index's storage, which nobody writes.
            unsafe {
                call.numbers.read(index_at + first as isize * entries.index, entries.index, block, false)
            };
            sample.len = len;
        }
        sample.targets[..sample.len].sort_unstable();
        sample
    }

    /// The first target of a task, one of `tasks` that share `targets`.
    fn bound(&self, task: usize, tasks: usize, targets: u32) -> u32 {
        match task {
            0 => 0,
            _ if task == tasks => targets,
            _ => self.targets[..self.len].get(task * self.len / tasks).copied().unwrap_or(0),
        }
    }
}

/// The updates of a part, one after the other.
///
/// # Safety
/// As [`run`], for the part, which the caller owns.
unsafe fn in_order(call: &Call<'_>, rows: &Rows<'_>, part: Part) {
    let Part { batch, columns, own } = part;
    let [index_at, src_at, dst_at] = rows.batch(batch, columns.start);
    let targets = own.as_ref().map_or(0..rows.targets, |own| own.start as usize..own.end as usize);
    // SAFETY: these rows lie inside the destination's storage, and only this task accesses these
    // columns of them.
    unsafe { copy_self(call, rows, dst_at, targets, columns.len()) }
    let (entries, simd) = (rows.entries, call.simd());
    let ahead = rows_ahead(columns.len() * call.storages.dst.size);
    let (mut read, mut chosen, mut positions) =
        (Aligned([0; SHORT_BLOCK]), Aligned([0; SHORT_BLOCK]), Aligned([0; SHORT_BLOCK]));
    let mut updates = [0; ROOM];
    // The updates of earlier blocks that are still to be made: rows are prefetched beyond the end
    // of a block.
    let mut held = 0;
    for first in (0..entries.extent).step_by(SHORT_BLOCK) {
        let read = &mut read.0[..(entries.extent - first).min(SHORT_BLOCK)];
        let at = index_at + first as isize * entries.index;
        // SAFETY: the entries lie inside the index's storage, which nobody writes.
        unsafe { call.numbers.read(at, entries.index, read, true) };
        let room = &mut updates[held..];
        let found = match &own {
            None => pack(room, read.iter().copied().zip(first as u32..)),
            Some(own) => {
                let own = (own.start, own.end - own.start);
                let (chosen, positions) = (&mut chosen.0, &mut positions.0);
                let search = RangeSearch { numbers: read, own, base: first as u32, chosen, positions };
                let found = search.run(simd);
                pack(room, chosen[..found].iter().copied().zip(positions.iter().copied()))
            }
        };
        let all = held + found;
        let is_last = first + SHORT_BLOCK >= entries.extent;
        let made = if is_last { all } else { all.saturating_sub(ahead) };
        let task = task(call, rows, Group::new(&updates[..all], made), 0, [src_at, dst_at], columns.len());
        // SAFETY: the rows of the destination lie inside its storage, and only this task accesses
        // these columns of them; the rows of src lie inside its storage, which nobody writes. Slots
        // are in place.
        unsafe { (call.loops().in_task)(&task, core::ptr::null_mut(), &mut []) }
        updates.copy_within(made..all, 0);
        held = all - made;
    }
}

/// The task of some updates and columns of rows; the row of entry 0 is at `src_at`, and that of
/// target 0 at `dst_at`. `first` is the first target of a group of buckets.
fn task<'a>(
    call: &Call<'_>,
    rows: &Rows<'_>,
    updates: Group<'a>,
    first: usize,
    [src_at, dst_at]: [isize; 2],
    columns: usize,
) -> RowTask<'a> {
    RowTask {
        updates,
        first,
        columns,
        src: call.storages.src.at(src_at),
        dst: call.storages.dst.at(dst_at),
        steps: rows.steps(),
        include_self: call.include_self,
        factor: call.all_loops.factor.unwrap_or_default(),
        mean_row: call.loops().mean_row,
        simd: call.simd(),
    }
}

/// Packs targets and the numbers of their entries, and returns how many they are.
#[inline(always)]
fn pack(room: &mut [u64], entries: impl Iterator<Item = (u32, u32)>) -> usize {
    let mut len = 0;
    for (to, (target, number)) in room.iter_mut().zip(entries) {
        *to = Entry { target, number }.packed();
        len += 1;
    }
    len
}

/// Copies the first `columns` of the rows of some targets from self, if that is still to be done.
/// The row of target 0 is at `at`.
///
/// # Safety
/// As [`Call::copy_self`].
unsafe fn copy_self(call: &Call<'_>, rows: &Rows<'_>, at: isize, targets: Range<usize>, columns: usize) {
    if call.origin.is_some() {
        for target in targets {
            // SAFETY: the caller owns these elements of the destination.
            unsafe { call.copy_self(at + target as isize * rows.step, 1, columns) }
        }
    }
}
