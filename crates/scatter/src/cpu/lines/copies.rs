//! Updates go to a copy of all lines, and index values are checked on the way, so that index isn't
//! read once more for that. The copy is written back when all are known to be valid.
//!
//! Where there are more threads than lines, tasks own ranges of a long line. The folds of integers,
//! which don't depend on order, are shared otherwise: a task makes a part of the updates of a line,
//! to slots of its own.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::cpu::call::Call;
use crate::cpu::lines::updates::{self, NO_NUMBERS, Run};
use crate::cpu::lines::{Line, ranges};
use crate::cpu::plan::LineCopies;
use crate::cpu::slot::block::{Slots, Source};
use crate::cpu::threads;
use crate::cpu::threads::room::{NoMemory, reserved_slots};
use crate::cpu::threads::shared::Shared;
use crate::cpu::walk::Axis;
use crate::cpu::walk::turns::each_run;

/// Runs the call; false, and nothing was written, if an index value is not valid.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply), for the whole walk, which is one of lines. Index
/// values may be invalid.
pub(in crate::cpu) unsafe fn run(call: &Call<'_>, plan: &LineCopies<'_>) -> Result<bool, NoMemory> {
    let (targets, step) = (call.walk().components.targets(), call.walk().components.step().unwrap_or(1));
    let LineCopies { grid, copies, ranges, is_near } = *plan;
    debug_assert!(copies == 1 || ranges == 1);
    let (pieces, is_shared) = (copies * ranges, call.plan.tasks > 1);
    let loops = call.loops();
    let bytes = loops.slot.bytes;
    let task_slots = grid.lines() * targets;
    let copy_bytes = grid.len() * task_slots * bytes;
    let mut slots = reserved_slots(copies * grid.len() * task_slots, loops.slot)?;
    let slots = Shared(slots.as_mut_ptr().cast::<u8>());
    // Calls `visit` with what task `number` has of each line of a part of the grid.
    let each_part = |number: usize, visit: &mut dyn FnMut(LinePart<'_>)| {
        let (number, piece) = (number / pieces, number % pieces);
        let own = threads::share(targets, pieces, piece);
        let mut slots = slots.get().wrapping_add(number * task_slots * bytes);
        each_run(&grid.task(number).walk, |axis, [index, src, dst]| {
            visit(LinePart { piece, run: Run { axis, index, src }, own: own.clone(), at: dst, slots });
            slots = slots.wrapping_add(targets * bytes);
        });
    };

    let valid = AtomicBool::new(true);
    threads::run(grid.len() * pieces, is_shared, &|number| {
        let mut block = NO_NUMBERS;
        each_part(number, &mut |LinePart { piece, run, own, at, slots }| {
            if !valid.load(Ordering::Relaxed) {
                return;
            }
            let from = |first: usize, len: usize| {
                let start = call.from(at + first as isize * step).cast_mut();
                Line { start, len, step }
            };
            let mut identity = (loops.identity)();
            // The first copy starts from the line, the others from the identity.
            // SAFETY: the line and the updates of the run lie inside their storages, which nobody
            // writes before all values are checked. The slots were reserved; those of a copy, or of
            // a range of the only copy, are accessed by this task alone, and are filled before they
            // are updated. The identity has room for an element of any dtype.
            let all_valid = unsafe {
                if ranges > 1 {
                    from(own.start, own.len()).load(call, slots.add(own.start * bytes));
                    ranges::make(call, run, Slots { start: slots, step: 1 }, own)
                } else {
                    let slots = slots.add(piece * copy_bytes);
                    if piece == 0 {
                        from(0, targets).load(call, slots);
                    } else {
                        let start = (&raw mut identity).cast();
                        Line { start, len: targets, step: 0 }.load(call, slots);
                    }
                    let updates = threads::share(run.axis.extent, copies, piece);
                    let axis = Axis { extent: updates.len(), ..*run.axis };
                    let first = updates.start as isize;
                    let (index, src) = (run.index + first * axis.index, run.src + first * axis.src);
                    let run = Run { axis: &axis, index, src };
                    updates::make_checking(call, run, Slots { start: slots, step: 1 }, is_near, &mut block)
                }
            };
            if !all_valid {
                valid.store(false, Ordering::Relaxed);
            }
        });
    });
    if !valid.into_inner() {
        return Ok(false);
    }
    threads::run(grid.len() * pieces, is_shared, &|number| {
        each_part(number, &mut |LinePart { own, at, slots, .. }| {
            debug_assert!(copies == 1 || loops.slot.in_place);
            let (at, len) = (at + own.start as isize * step, own.len());
            let slots = slots.wrapping_add(own.start * bytes);
            // SAFETY: only this task accesses this part of the line, which lies inside the
            // destination's storage, and its slots in all copies, which are filled. Where there are
            // several copies, slots are in place, so that a slot has the representation of an
            // element.
            unsafe {
                for copy in 1..copies {
                    let from = slots.add(copy * copy_bytes).cast_const();
                    let (to, from) = (Slots { start: slots, step: 1 }, Source { start: from, step: 1 });
                    (loops.run)(to, from, len, call.context());
                }
                call.copy_self(at, step, len);
                Line { start: call.storages.dst.at(at), len, step }.store(call, slots);
            }
        });
    });
    Ok(true)
}

/// A line as one task sees it.
struct LinePart<'a> {
    /// The number of the task's copy of the line, or of its range of the only one.
    piece: usize,
    run: Run<'a>,
    /// The targets that this task writes back; where it has a range, also the only ones that it
    /// updates.
    own: Range<usize>,
    /// Where the line is in the destination.
    at: isize,
    /// The slot of target 0, in the first copy.
    slots: *mut u8,
}
