//! dim is the innermost axis: each line of the destination has its own run of index. One task makes
//! all updates of a line; as these come in any order, the line stays in a near cache, or is
//! prefetched. Few long lines are shared by [ranges](super::line_ranges).

use super::block::Slots;
use super::call::Call;
use super::line_updates::{self, NO_NUMBERS, Run};
use super::numbers::Numbers;
use super::plan::Lines as LinePlan;
use super::room::{NoMemory, Ready, Room};
use super::rule::Rule;
use super::slot::Slot;
use super::sweep::each_run;
use super::threads;
use super::walk::Walk;
use crate::Element;
use crate::simd::prefetch_stream;

/// A line of the destination: where it is, how long, and the step from one element to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<T> {
    pub(super) start: *mut T,
    pub(super) len: usize,
    pub(super) step: isize,
}

impl<T: Element> Line<T> {
    /// Fills slots from the line.
    ///
    /// # Safety
    /// The line is elements that the caller owns; `slots` are as many to write.
    pub(super) unsafe fn load<R: Rule, L: Slot<T>>(&self, slots: *mut L, include_self: bool) {
        let load = |at: usize, from: isize| {
            // SAFETY: the caller promises as many elements of the line as slots.
            unsafe { slots.add(at).write(L::load(self.start.offset(from).read(), R::REDUCE, include_self)) }
        };
        match self.step {
            // Written apart so that the compiler knows the step.
            1 => (0..self.len).for_each(|at| load(at, at as isize)),
            step => (0..self.len).for_each(|at| load(at, at as isize * step)),
        }
    }

    /// Writes slots back to the line.
    ///
    /// # Safety
    /// As [`Line::load`]; the slots are filled.
    pub(super) unsafe fn store<L: Slot<T>>(&self, slots: *const L, include_self: bool) {
        let store = |at: usize, to: isize| {
            // SAFETY: the caller promises as many filled slots as elements of the line, which it
            // owns.
            unsafe {
                if let Some(value) = slots.add(at).read().store(include_self) {
                    self.start.offset(to).write(value);
                }
            }
        };
        match self.step {
            1 => (0..self.len).for_each(|at| store(at, at as isize)),
            step => (0..self.len).for_each(|at| store(at, at as isize * step)),
        }
    }
}

/// Runs the call.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk, which is one of lines.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    numbers: &Numbers,
    plan: &LinePlan<'_>,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let LinePlan { grid, slots, is_near, prefetches_next } = *plan;
    let room = Room::new::<L>(grid.len(), call.plan.tasks > 1, slots, 0)?;
    ready();
    threads::run_in(room, grid.len(), &|scratch, number| {
        let slots: *mut L = scratch.slots(slots);
        let walk = grid.task(number).walk;
        let ahead = prefetches_next.then(|| Ahead::new::<T>(&walk, targets));
        let mut block = NO_NUMBERS;
        each_run(&walk, |axis, [index, src, dst_at]| {
            // SAFETY: addresses of the walk; this task owns the line. Slots that are in place have
            // its representation, others were reserved, and are filled before they are updated.
            unsafe {
                let line = Line { start: call.storages.dst.offset(dst_at), len: targets, step };
                copy_self(call, dst_at, &line);
                let slots = if L::IN_PLACE {
                    Slots { start: line.start.cast::<L>(), step }
                } else {
                    line.load::<R, L>(slots, call.include_self);
                    Slots { start: slots, step: 1 }
                };
                let run = Run { axis, index, src };
                let prefetch =
                    |first, len| ahead.iter().for_each(|ahead| ahead.prefetch(line.start, first, len));
                line_updates::make::<T, R, L>(call, numbers, run, slots, is_near, &mut block, prefetch);
                if !L::IN_PLACE {
                    line.store(slots.start, call.include_self);
                }
            }
        });
    });
    Ok(())
}

/// What of the next line is prefetched while a line is updated: hardware can't foresee updates in
/// any order.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// From one line to the next, in bytes.
    step: isize,
    /// The bytes of a line.
    len: usize,
    /// Those of them that are prefetched with each update.
    share: usize,
}

impl Ahead {
    /// For the lines of a walk, which are contiguous.
    fn new<T>(walk: &Walk, targets: usize) -> Self {
        let len = targets.saturating_mul(size_of::<T>());
        let share = len.div_ceil(walk.inner().extent.max(1));
        Self { step: walk.outer().dst.wrapping_mul(size_of::<T>() as isize), len, share }
    }

    /// Prefetches the share of the next line of updates `first` to `first + updates`.
    fn prefetch<T>(&self, line: *const T, first: usize, updates: usize) {
        let start = (first * self.share).min(self.len);
        let next = line.cast::<u8>().wrapping_offset(self.step);
        prefetch_stream(next.wrapping_add(start), (updates * self.share).min(self.len - start));
    }
}

/// Copies a line from self, if that is still to be done.
///
/// # Safety
/// As [`Call::copy_self`].
pub(super) unsafe fn copy_self<T: Element>(call: &Call<'_, T>, at: isize, line: &Line<T>) {
    if call.origin.is_none() {
        return;
    }
    // SAFETY: the caller owns the elements of the line.
    unsafe {
        if line.step == 1 {
            call.copy_self(at, line.len);
        } else {
            (0..line.len as isize).for_each(|target| call.copy_self(at + target * line.step, 1));
        }
    }
}
