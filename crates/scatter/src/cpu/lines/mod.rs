//! dim is the innermost axis: each line of the destination has its own run of index. One task makes
//! all updates of a line; as these come in any order, the line stays in a near cache, or is
//! prefetched. Few long lines are shared by [ranges].

pub(in crate::cpu) mod buckets;
pub(in crate::cpu) mod copies;
pub(in crate::cpu) mod ranges;
pub(in crate::cpu) mod updates;

use crate::cpu::call::Call;
use crate::cpu::index::numbers::TargetNumbers;
use crate::cpu::lines::updates::{NO_NUMBERS, Run};
use crate::cpu::plan::Lines;
use crate::cpu::slot::block::{Slots, Source};
use crate::cpu::threads;
use crate::cpu::threads::room::{NoMemory, Ready, Room};
use crate::cpu::walk::Walk;
use crate::cpu::walk::grid::Grid;
use crate::cpu::walk::sweep::each_run;
use crate::simd::prefetch_stream;

/// A line of the destination: where it is, how long, and the step from one element to the next.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Line {
    pub(in crate::cpu) start: *mut u8,
    pub(in crate::cpu) len: usize,
    pub(in crate::cpu) step: isize,
}

impl Line {
    /// Fills slots from the line.
    ///
    /// # Safety
    /// The line is elements that the caller owns; `slots` are as many to write.
    pub(in crate::cpu) unsafe fn load(&self, call: &Call<'_>, slots: *mut u8) {
        let row = Source { start: self.start.cast_const(), step: self.step };
        // SAFETY: the caller promises as many elements of the line as slots.
        unsafe { (call.update().load)(Slots { start: slots, step: 1 }, row, self.len, call.include_self) }
    }

    /// Writes slots back to the line.
    ///
    /// # Safety
    /// As [`Line::load`]; the slots are filled.
    pub(in crate::cpu) unsafe fn store(&self, call: &Call<'_>, slots: *mut u8) {
        let row = Source { start: self.start.cast_const(), step: self.step };
        // SAFETY: the caller promises as many filled slots as elements of the line, which it owns.
        unsafe { (call.update().store)(Slots { start: slots, step: 1 }, row, self.len, call.include_self) }
    }
}

/// Runs the call.
///
/// # Safety
/// As [`sweep::apply`](crate::cpu::walk::sweep::apply), for the whole walk, which is one of lines.
pub(in crate::cpu) unsafe fn run(
    call: &Call<'_>,
    numbers: &TargetNumbers,
    grid: &Grid<'_>,
    plan: Lines,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let Lines { slots, is_near, prefetches_next } = plan;
    let (in_place, bytes) = (call.update().slot.in_place, slots * call.update().slot.bytes);
    let room = Room::new(grid.len(), call.plan.tasks > 1, bytes, 0)?;
    ready();
    threads::run_in(room, grid.len(), &|scratch, number| {
        let slots = scratch.slots(bytes);
        let walk = grid.task(number).walk;
        let ahead = prefetches_next.then(|| Ahead::new(&walk, targets, call.storages.dst.size));
        let mut block = NO_NUMBERS;
        each_run(&walk, |axis, [index, src, dst_at]| {
            let line = Line { start: call.storages.dst.at(dst_at), len: targets, step };
            // SAFETY: addresses of the walk; this task owns the line. Slots that are in place have
            // its representation, others were reserved, and are filled before they are updated.
            unsafe {
                call.copy_self(dst_at, step, targets);
                let slots = if in_place {
                    Slots { start: line.start, step }
                } else {
                    line.load(call, slots);
                    Slots { start: slots, step: 1 }
                };
                let run = Run { axis, index, src };
                let next = ahead.as_ref().map(|ahead| NextLine { ahead, line: line.start });
                updates::make(call, numbers, run, slots, is_near, &mut block, next);
                if !in_place {
                    line.store(call, slots.start);
                }
            }
        });
    });
    Ok(())
}

/// What of the next line is prefetched while a line is updated: hardware can't foresee updates in
/// any order.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Ahead {
    /// From one line to the next, in bytes.
    step: isize,
    /// The bytes of a line.
    len: usize,
    /// Those of them that are prefetched with each update.
    share: usize,
}

impl Ahead {
    /// For the lines of a walk, which are contiguous, of elements of some bytes.
    fn new(walk: &Walk, targets: usize, element: usize) -> Self {
        let len = targets.saturating_mul(element);
        let share = len.div_ceil(walk.inner().extent.max(1));
        Self { step: walk.outer().dst.wrapping_mul(element as isize), len, share }
    }
}

/// The line after the one that is updated.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct NextLine<'a> {
    ahead: &'a Ahead,
    /// The line that is updated.
    line: *const u8,
}

impl NextLine<'_> {
    /// Prefetches the share of the next line of updates `first` to `first + updates`.
    #[inline(always)]
    pub(in crate::cpu) fn prefetch(&self, first: usize, updates: usize) {
        let Ahead { step, len, share } = *self.ahead;
        let start = (first * share).min(len);
        let next = self.line.wrapping_offset(step);
        prefetch_stream(next.wrapping_add(start), (updates * share).min(len - start));
    }
}
