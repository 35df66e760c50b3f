//! dim is the innermost axis: each line of the destination has its own run of index. One task makes
//! all updates of a line; as these come in any order, the line stays in a near cache, or is
//! prefetched. Short lines are updated several at a time, few long ones are shared by [ranges].

pub(in crate::cpu) mod buckets;
pub(in crate::cpu) mod copies;
mod next;
pub(in crate::cpu) mod ranges;
pub(in crate::cpu) mod updates;

use core::array;

use crate::cpu::call::Call;
use crate::cpu::lines::next::NextLines;
use crate::cpu::lines::updates::{How, LineUpdates, NO_NUMBERS, Run};
use crate::cpu::plan::LineLoops;
use crate::cpu::slot::block::{Slots, Source};
use crate::cpu::threads;
use crate::cpu::threads::room::{NoMemory, Ready, Room};
use crate::cpu::walk::Axis;
use crate::cpu::walk::grid::Grid;
use crate::cpu::walk::turns::each_plane;

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
    /// The line has `len` elements, which nobody writes; `slots` has as many slots, which only the
    /// caller accesses.
    pub(in crate::cpu) unsafe fn load(&self, call: &Call<'_>, slots: *mut u8) {
        let row = Source { start: self.start.cast_const(), step: self.step };
        // SAFETY: the caller promises `len` elements, which nobody writes, and as many slots, which
        // only it accesses.
        unsafe { (call.loops().load)(Slots { start: slots, step: 1 }, row, self.len, call.context()) }
    }

    /// Writes slots back to the line.
    ///
    /// # Safety
    /// The line has `len` elements, and `slots` as many slots, which are filled; only the caller
    /// accesses both.
    pub(in crate::cpu) unsafe fn store(&self, call: &Call<'_>, slots: *mut u8) {
        let row = Source { start: self.start.cast_const(), step: self.step };
        // SAFETY: the caller promises `len` elements and as many filled slots, both of which only
        // it accesses.
        unsafe { (call.loops().store)(Slots { start: slots, step: 1 }, row, self.len, call.context()) }
    }
}

/// Runs the call.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply), for the whole walk, which is one of lines, and
/// which the plan was made for.
pub(in crate::cpu) unsafe fn run(
    call: &Call<'_>,
    grid: &Grid<'_>,
    plan: LineLoops,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let (targets, step) = (call.walk().components.targets(), call.walk().components.step().unwrap_or(1));
    let LineLoops { at_a_time, is_near, are_tiny, prefetches, prefetches_next, prefetches_named } = plan;
    let kind = call.loops().slot;
    let bytes = kind.bytes_apart(at_a_time * targets);
    let room = Room::new(grid.len(), call.plan.tasks > 1, bytes, 0)?;
    ready();
    threads::run_in(room, grid.len(), &|scratch, number| {
        let (slots, dst) = (scratch.slots(bytes), call.storages.dst);
        let walk = &grid.task(number).walk;
        let next_lines = prefetches_next.then(|| NextLines::of(walk, targets, dst.size));
        let mut block = NO_NUMBERS;
        each_plane(walk, |axis, lines, start| {
            let steps = lines.steps();
            for first in (0..lines.extent).step_by(at_a_time) {
                let [index, src, dst_at] = array::from_fn(|at| start[at] + first as isize * steps[at]);
                let rest = lines.extent - first;
                let lines = Axis { extent: rest.min(at_a_time), ..*lines };
                let named = if prefetches_named { (rest - lines.extent).min(at_a_time) } else { 0 };
                // Calls `visit` with each line and its slots. Lines that directly follow each other
                // are visited as one.
                let each_line = |visit: &dyn Fn(isize, Line, *mut u8)| {
                    let follow = lines.dst == targets as isize * step;
                    let (joined, count) = if follow { (lines.extent, 1) } else { (1, lines.extent) };
                    for line in 0..count {
                        let at = dst_at + line as isize * lines.dst;
                        let slots = slots.wrapping_add(line * targets * kind.bytes);
                        visit(at, Line { start: dst.at(at), len: joined * targets, step }, slots);
                    }
                };
                let next = next_lines.map(|next| next.from(dst.at(dst_at)));
                let run = Run { axis, index, src };
                let how = How { is_near, prefetches, are_tiny, next, named };
                // SAFETY: only this task accesses the lines, which lie inside the destination's
                // storage; the updates lie inside those of index and src, which nobody writes, and
                // index values are valid. Slots that are in place have the representation of
                // elements; others were reserved for `at_a_time` lines, are this task's, and are
                // filled before they are updated.
                unsafe {
                    if call.origin.is_some() {
                        each_line(&|at, line, _| call.copy_self(at, step, line.len));
                    }
                    if kind.in_place {
                        let slots = Slots { start: dst.at(dst_at), step };
                        updates::make(call, LineUpdates { run, lines, slots }, how, &mut block);
                        continue;
                    }
                    each_line(&|_, line, slots| line.load(call, slots));
                    let lines = Axis { dst: targets as isize, ..lines };
                    let updates = LineUpdates { run, lines, slots: Slots { start: slots, step: 1 } };
                    updates::make(call, updates, how, &mut block);
                    each_line(&|_, line, slots| line.store(call, slots));
                }
            }
        });
    });
    Ok(())
}
