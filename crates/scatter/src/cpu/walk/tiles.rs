//! dim is not the innermost axis: updates of neighbouring columns go to rows far apart, which would
//! share the same few sets of a cache. So tiles of columns are packed as the
//! [segment](crate::cpu::walk::segment) of a task, updated and written back. This file makes the
//! updates.

use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::numbers::{BLOCK, number_slots};
use crate::cpu::prefetch::{RUNS_AHEAD, prefetch_row};
use crate::cpu::slot::block::{Slots, Source};
use crate::cpu::walk::grid::Task;
use crate::cpu::walk::storage::Storages;
use crate::cpu::walk::turns::each_run;

/// All updates of a task that has all targets, to its slots.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply). The innermost axis is owned, and targets are
/// evenly apart.
pub(in crate::cpu) unsafe fn updates(task: &Task<'_>, storages: Storages, call: &Call<'_>) {
    let (loops, simd) = (call.loops(), call.simd());
    // Slots from one target to the next; those of successive columns lie together. A tile has no
    // more slots than 32 bits number.
    let columns = task.lines();
    debug_assert_eq!(task.walk.components.step(), Some(columns as isize));
    let mut block = Aligned([0; BLOCK]);
    let next = task.walk.scanned().unwrap_or_default();
    each_run(&task.walk, |inner, [index_at, src_at, dst_at]| {
        // Hardware doesn't read ahead from page to page.
        let src = storages.src.at(src_at.wrapping_add(RUNS_AHEAD.wrapping_mul(next.src)));
        prefetch_row(src, inner.extent * inner.src.unsigned_abs() * storages.src.size);
        for first in (0..inner.extent).step_by(BLOCK) {
            let block = &mut block.0[..(inner.extent - first).min(BLOCK)];
            let first = first as isize;
            // SAFETY: the updates lie inside the storages of index and src, which nobody writes,
            // and index values are valid, so that each has a slot of this task. A block is read
            // before it is used.
            unsafe {
                call.numbers.read(index_at + first * inner.index, inner.index, block, false);
                number_slots(block, columns, simd);
                let slots = Slots { start: storages.dst.at(dst_at + first), step: 1 };
                let start = storages.src.at(src_at + first * inner.src).cast_const();
                (loops.line)(slots, Source { start, step: inner.src }, block, false, simd);
            }
        }
        // Index is not prefetched together with src: a processor waits if many cache lines are on
        // their way.
        storages.index.prefetch(index_at + RUNS_AHEAD * next.index, inner.extent);
    });
}
