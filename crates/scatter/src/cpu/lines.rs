//! dim is the innermost axis: each line of the destination has its own run of index. A line is a task's, and small enough
//! to stay in a near cache while its updates come in any order.

use super::block::{Steps, update_block};
use super::call::Call;
use super::grid::{Goal, Grid};
use super::numbers::{BLOCK, Numbers};
use super::rule::Rule;
use super::slot::Slot;
use super::sweep::each_run;
use super::threads;
use super::walk::Walk;
use crate::Element;

/// Whether these loops can do the walk.
pub(super) fn can(walk: &Walk) -> bool {
    !walk.inner().owned && walk.scanned().is_some() && walk.components.step().is_some()
}

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
        for at in 0..self.len {
            // SAFETY: the caller's promise.
            unsafe {
                let element = self.start.offset(at as isize * self.step).read();
                slots.add(at).write(L::load(element, R::REDUCE, include_self));
            }
        }
    }

    /// Writes slots back to the line.
    ///
    /// # Safety
    /// As [`Line::load`]; the slots are filled.
    pub(super) unsafe fn store<L: Slot<T>>(&self, slots: *const L, include_self: bool) {
        for at in 0..self.len {
            // SAFETY: the caller's promise.
            unsafe {
                if let Some(value) = slots.add(at).read().store(include_self) {
                    self.start.offset(at as isize * self.step).write(value);
                }
            }
        }
    }
}

/// Runs the call.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk, which these loops [can](can) do.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(call: &Call<'_, T>, numbers: &Numbers) {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let tasks = call.limits.tasks_for(call.walk);
    let goal = Goal {
        tasks: if tasks > 1 { 4 * tasks } else { 1 },
        elements: usize::MAX,
        elements_at_most: usize::MAX,
        element_size: size_of::<T>(),
    };
    let grid = Grid::of_axes(call.walk, goal);
    threads::run(grid.len(), tasks > 1, &|scratch, number| {
        let slots: *mut L = if L::IN_PLACE { core::ptr::null_mut() } else { scratch.reserve(targets) };
        let mut block = [0; BLOCK];
        each_run(&grid.task(number).walk, |inner, [index_at, src_at, dst_at]| {
            // SAFETY: addresses of the walk; this task owns the line. Slots that are in place have its representation,
            // others were reserved, and are filled before they are updated. A block is read before it is used.
            unsafe {
                let line = Line { start: call.storages.dst.offset(dst_at), len: targets, step };
                if call.origin.is_some() {
                    bring(call, dst_at, &line);
                }
                let (first_slot, slot_step) =
                    if L::IN_PLACE { (line.start.cast::<L>(), step) } else { (slots, 1) };
                if !L::IN_PLACE {
                    line.load::<R, L>(slots, call.include_self);
                }
                let steps = Steps { along: 0, target: slot_step, src: inner.src };
                for first in (0..inner.extent).step_by(BLOCK) {
                    let block = &mut block[..(inner.extent - first).min(BLOCK)];
                    let first = first as isize;
                    numbers.read(index_at + first * inner.index, inner.index, block);
                    let src = call.storages.src.cast_const().offset(src_at + first * inner.src);
                    update_block::<T, R, L>(first_slot, src, steps, block);
                }
                if !L::IN_PLACE {
                    line.store(slots, call.include_self);
                }
            }
        });
    });
}

/// Brings a line.
///
/// # Safety
/// As [`Call::bring`].
unsafe fn bring<T: Element>(call: &Call<'_, T>, at: isize, line: &Line<T>) {
    // SAFETY: the caller's promise.
    unsafe {
        if line.step == 1 {
            call.bring(at, line.len);
        } else {
            (0..line.len as isize).for_each(|target| call.bring(at + target * line.step, 1));
        }
    }
}
