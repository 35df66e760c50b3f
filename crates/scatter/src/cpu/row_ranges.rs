//! Short rows of which a few threads own ranges: each reads all of index and makes the updates that
//! are its own, in order, so that src nearly streams, and nothing is stored about an update.

use core::ops::Range;

use super::aligned::Aligned;
use super::call::Call;
use super::numbers::Numbers;
use super::row;
use super::rows::{InOrder, ROOM, Rows, SHORT_BLOCK};
use super::threads;
use crate::simd::Choice;

/// The blocks of targets that are taken as a sample.
const SAMPLED: usize = 64;

/// Runs the call with a task for each range.
///
/// # Safety
/// As [`super::rows::run`], for a call of one batch whose slots are in place.
pub(super) unsafe fn run(call: &Call<'_>, rows: &Rows<'_>, numbers: &Numbers) {
    let tasks = call.plan.tasks;
    debug_assert!(call.update().slot.in_place && rows.batches == 1);
    // SAFETY: index addresses of the walk.
    let bounds = unsafe { bounds(rows, numbers, tasks) };
    threads::run(tasks, true, &|number| {
        // SAFETY: the caller promises that addresses are those of the walk; tasks own different
        // rows.
        unsafe { own(call, rows, numbers, bounds[number]..bounds[number + 1]) }
    });
}

/// Where the ranges of targets begin, and the last one ends: by a sample, each has an equal share
/// of the updates.
///
/// # Safety
/// As [`run`], for the index.
unsafe fn bounds(rows: &Rows<'_>, numbers: &Numbers, tasks: usize) -> Vec<u32> {
    let (entries, [index_at, ..]) = (rows.entries, rows.batch(0));
    let mut sample = Vec::with_capacity((SAMPLED + 1) * SHORT_BLOCK);
    for first in (0..entries.extent).step_by((entries.extent / SAMPLED).max(SHORT_BLOCK)) {
        let known = sample.len();
        sample.resize(known + (entries.extent - first).min(SHORT_BLOCK), 0);
        let at = index_at + first as isize * entries.index;
        // SAFETY: index addresses of the walk.
        unsafe { numbers.read(at, entries.index, &mut sample[known..]) };
    }
    sample.sort_unstable();
    let bound = |task: usize| match task {
        0 => 0,
        _ if task == tasks => rows.targets as u32,
        _ => sample.get(task * sample.len() / tasks).copied().unwrap_or(0),
    };
    (0..=tasks).map(bound).collect()
}

/// The updates of the rows of a range.
///
/// # Safety
/// As [`run`], for these rows.
unsafe fn own(call: &Call<'_>, rows: &Rows<'_>, numbers: &Numbers, own: Range<u32>) {
    let [index_at, src_at, dst_at] = rows.batch(0);
    // SAFETY: rows of the destination that this task owns.
    unsafe { rows.copy_self(call, dst_at, own.start as usize..own.end as usize, rows.width) }
    let (entries, simd) = (rows.entries, call.simd());
    let ahead = row::ahead(rows.width * call.storages.dst.size);
    let mut block = Aligned([0; SHORT_BLOCK]);
    let (mut chosen, mut places) = (Aligned([0; ROOM]), Aligned([0; ROOM]));
    let (chosen, places) = (&mut chosen.0, &mut places.0);
    // The updates of earlier blocks that are still to be made: rows are prefetched beyond the end
    // of a block.
    let mut held = 0;
    for first in (0..entries.extent).step_by(SHORT_BLOCK) {
        let block = &mut block.0[..(entries.extent - first).min(SHORT_BLOCK)];
        // SAFETY: index addresses of the walk.
        unsafe { numbers.read_on(index_at + first as isize * entries.index, entries.index, block) };
        let choice = Choice {
            numbers: block,
            own: (own.start, own.end - own.start),
            base: first as u32,
            chosen: &mut chosen[held..],
            places: &mut places[held..],
        };
        let all = held + choice.run(simd);
        let is_last = first + SHORT_BLOCK >= entries.extent;
        let made = if is_last { all } else { all.saturating_sub(ahead) };
        if made > 0 {
            let block = InOrder {
                src: call.storages.src.at(src_at),
                dst: call.storages.dst.at(dst_at),
                targets: &chosen[..all],
                made,
                places: Some(&places[..all]),
                rows,
                columns: rows.width,
                simd,
            };
            // SAFETY: addresses of the walk: rows of the destination, which this task owns, and
            // rows of src.
            unsafe { block.update(call.update()) }
        }
        chosen.copy_within(made..all, 0);
        places.copy_within(made..all, 0);
        held = all - made;
    }
}
