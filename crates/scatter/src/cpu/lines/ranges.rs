//! Long lines, of which threads own ranges, most often a few: each reads all of a line's index,
//! finds the updates that are its own, and makes them in order. Nothing is stored about an update,
//! and nothing moves twice.

use core::ops::Range;

use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::lines::updates::{FAR_BLOCK, Run};
use crate::cpu::prefetch::SLOTS_AHEAD;
use crate::cpu::slot::block::Slots;
use crate::cpu::threads;
use crate::cpu::walk::grid::Grid;
use crate::cpu::walk::turns::each_run;
use crate::simd::RangeSearch;

/// Runs the call, with `ranges` tasks for each line of the grid.
///
/// # Safety
/// As [`lines::run`](crate::cpu::lines::run), for a call whose slots are in place.
pub(in crate::cpu) unsafe fn run(call: &Call<'_>, grid: &Grid<'_>, ranges: usize) {
    debug_assert!(call.loops().slot.in_place);
    let (targets, step) = (call.walk().components.targets(), call.walk().components.step().unwrap_or(1));
    threads::run(grid.len() * ranges, true, &|number| {
        let own = threads::share(targets, ranges, number % ranges);
        each_run(&grid.task(number / ranges).walk, |axis, [index, src, dst]| {
            let at = dst + own.start as isize * step;
            // SAFETY: only this task accesses its range of the line, whose elements have the
            // representation of slots. The updates of the line lie inside the storages of index and
            // src, which nobody writes, and all index values are valid.
            unsafe {
                call.copy_self(at, step, own.len());
                let slots = Slots { start: call.storages.dst.at(dst), step };
                let made = make(call, Run { axis, index, src }, slots, own.clone());
                debug_assert!(made, "index was checked");
            }
        });
    });
}

/// How many updates of a range are found before they are made: enough that slots which were
/// prefetched have arrived, and few enough for a stack of 32 KiB.
const CHOSEN: usize = 512;

/// Makes the updates of a line that go to targets in `own`. False, and nothing more is done, when
/// an index value is not valid.
///
/// # Safety
/// The addresses of the run lie inside the storages of index and src, which nobody writes; the
/// caller owns the slots of these targets.
pub(super) unsafe fn make(call: &Call<'_>, run: Run<'_>, slots: Slots, own: Range<usize>) -> bool {
    let extent = run.axis.extent;
    let own = (own.start as u32, own.len() as u32);
    let mut block = Aligned([0; FAR_BLOCK]);
    // The targets of the updates that were found, and their positions in the line's run, counted
    // from `base`.
    let (mut chosen, mut positions) = (Aligned([0; CHOSEN]), Aligned([0; CHOSEN]));
    let (chosen, positions) = (&mut chosen.0, &mut positions.0);
    let (mut len, mut base) = (0, 0);
    for first in (0..extent).step_by(FAR_BLOCK) {
        let block = &mut block.0[..(extent - first).min(FAR_BLOCK)];
        run.prefetch(call, first, block.len());
        // SAFETY: the run's entries lie inside the index's storage, which nobody writes.
        if !unsafe { run.read(call, first, block, true) } {
            return false;
        }
        let search = RangeSearch {
            numbers: block,
            own,
            base: (first - base) as u32,
            chosen: &mut chosen[len..][..FAR_BLOCK],
            positions: &mut positions[len..][..FAR_BLOCK],
        };
        let found = search.run(call.simd());
        // The loop prefetches the slots of later ones.
        let bytes = call.loops().slot.bytes;
        let first_ones = &chosen[len.min(SLOTS_AHEAD)..(len + found).min(SLOTS_AHEAD)];
        first_ones.iter().for_each(|&number| slots.prefetch_bytes(number, bytes));
        len += found;
        let next = first + block.len();
        let is_full = len + FAR_BLOCK > CHOSEN || next - base > u32::MAX as usize - FAR_BLOCK;
        if is_full || next == extent {
            // SAFETY: the chosen numbers are targets in `own`, whose slots only the caller
            // accesses; src has an element at each position, which nobody writes.
            unsafe {
                (call.loops().chosen)(slots, run.source(call, base), &chosen[..len], &positions[..len]);
            }
            (len, base) = (0, next);
        }
    }
    true
}
