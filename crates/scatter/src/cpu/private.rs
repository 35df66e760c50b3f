//! A destination that is small beside index: updates go to a copy of it, and index values are
//! checked on the way, so that index is read once. The copy is written back when all are known to
//! be valid.
//!
//! Where there are more threads than lines, a task makes the updates of a part of a line's targets;
//! or of integers, whose folds don't depend on order, a part of the updates, to slots of its own.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use super::block::{Slots, Source};
use super::call::Call;
use super::line_ranges;
use super::line_updates::{self, NO_NUMBERS, Run};
use super::lines::Line;
use super::numbers::Numbers;
use super::plan::Private as PrivatePlan;
use super::room::{NoMemory, reserved_slots};
use super::shared::Shared;
use super::sweep::each_run;
use super::threads;
use super::walk::Axis;

/// Runs the call; false, and nothing was written, if an index value is not valid.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk, which is one of lines. Index values may be
/// invalid.
pub(super) unsafe fn run(
    call: &Call<'_>,
    numbers: &Numbers,
    plan: &PrivatePlan<'_>,
) -> Result<bool, NoMemory> {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let (PrivatePlan { grid, parts, copies, is_near }, is_shared) = (*plan, call.plan.tasks > 1);
    let task_slots = grid.lines() * targets;
    let all_slots = grid.len() * task_slots;
    let pieces = parts * copies;
    let loops = call.update();
    let mut slots = reserved_slots(copies * all_slots, loops.slot.bytes)?;
    let slots = Shared(slots.as_mut_ptr().cast::<u8>());
    let each_part = |number: usize, visit: &mut dyn FnMut(Part<'_>)| {
        let (number, piece) = (number / pieces, number % pieces);
        let own = threads::share(targets, pieces, piece);
        let mut slots = slots.get().wrapping_add(number * task_slots * loops.slot.bytes);
        each_run(&grid.task(number).walk, |axis, [index, src, dst]| {
            let at = dst + own.start as isize * step;
            let start = call.storages.dst.at(at);
            let line = Line { start, len: own.len(), step };
            visit(Part { piece, run: Run { axis, index, src }, own: own.clone(), at, line, slots });
            slots = slots.wrapping_add(targets * loops.slot.bytes);
        });
    };

    let valid = AtomicBool::new(true);
    threads::run(grid.len() * pieces, is_shared, &|number| {
        let mut block = NO_NUMBERS;
        each_part(number, &mut |Part { piece, run, own, at, line, slots }| {
            if !valid.load(Ordering::Relaxed) {
                return;
            }
            // SAFETY: addresses of the walk: a line, or a part of it, which is read, and slots,
            // which were reserved, are this task's alone, and are filled before they are updated.
            let all_valid = unsafe {
                let from = Line { start: call.from(at).cast_mut(), ..line };
                if parts > 1 {
                    from.load(call, slots.add(own.start * loops.slot.bytes));
                    line_ranges::make(call, numbers, run, Slots { start: slots, step: 1 }, own)
                } else {
                    let slots = slots.add(piece * all_slots * loops.slot.bytes);
                    if piece == 0 {
                        // Whose own targets are the first.
                        Line { len: targets, ..from }.load(call, slots);
                    } else {
                        let mut identity = [0_u128];
                        (loops.identity)(identity.as_mut_ptr().cast());
                        let start = identity.as_mut_ptr().cast();
                        Line { start, len: targets, step: 0 }.load(call, slots);
                    }
                    let updates = threads::share(run.axis.extent, copies, piece);
                    let axis = Axis { extent: updates.len(), ..*run.axis };
                    let first = updates.start as isize;
                    let (index, src) = (run.index + first * axis.index, run.src + first * axis.src);
                    let (run, slots) = (Run { axis: &axis, index, src }, Slots { start: slots, step: 1 });
                    line_updates::make(call, numbers, run, slots, is_near, &mut block, None)
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
        each_part(number, &mut |Part { own, at, line, slots, .. }| {
            debug_assert!(copies == 1 || loops.slot.in_place);
            let own_slots = slots.wrapping_add(own.start * loops.slot.bytes);
            // SAFETY: addresses of the walk: a part of a line that this task owns, and its slots in
            // all copies, which are filled. Where there are several, slots are in place, so that
            // one has the representation of an element.
            unsafe {
                for piece in 1..copies {
                    let comes = own_slots.add(piece * all_slots * loops.slot.bytes).cast_const();
                    let (to, from) = (Slots { start: own_slots, step: 1 }, Source { start: comes, step: 1 });
                    (loops.run)(to, from, own.len(), call.include_self);
                }
                call.copy_self(at, step, own.len());
                line.store(call, own_slots);
            }
        });
    });
    Ok(true)
}

/// A line as one task sees it.
struct Part<'a> {
    piece: usize,
    run: Run<'a>,
    /// The targets that the task stores; and loads, where it has no copy of all.
    own: Range<usize>,
    /// Where they are in the destination.
    at: isize,
    line: Line,
    /// The slot of target 0, in the first copy.
    slots: *mut u8,
}
