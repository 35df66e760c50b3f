//! dim is the innermost axis: each line of the destination has its own run of index. A line is a task's; while its updates
//! come in any order it stays in a near cache, or is asked for ahead.

use super::aligned::Aligned;
use super::block::{AHEAD, Slots, Source, update_line, update_long_line};
use super::call::Call;
use super::grid::Grid;
use super::numbers::{Numbers, STREAM_AHEAD};
use super::rule::Rule;
use super::slot::Slot;
use super::sweep::each_run;
use super::threads;
use super::walk::{Axis, Walk};
use crate::Element;
use crate::simd::prefetch_all;

/// The bytes of a line that stays in a near cache.
const NEAR: usize = 1 << 18;

/// Whether these loops can do the walk.
pub(super) fn can(walk: &Walk) -> bool {
    !walk.inner().owned && walk.scanned().is_some() && walk.components.step().is_some()
}

/// Whether so many slots, that are updated in any order, stay in a near cache.
pub(super) const fn is_near<L>(slots: usize) -> bool {
    slots.saturating_mul(size_of::<L>()) <= NEAR
}

/// Whole lines, for all threads.
pub(super) fn grid<T>(call: &Call<'_, T>) -> Grid {
    Grid::of_axes(call.walk, call.limits.portions(call.walk, size_of::<T>()))
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
        let load = |at: usize, from: isize| {
            // SAFETY: the caller's promise.
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
            // SAFETY: the caller's promise.
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

/// Where the updates of a line come from: the axis along them, and where index and src start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'a> {
    pub(super) axis: &'a Axis,
    pub(super) index: isize,
    pub(super) src: isize,
}

/// So many updates of a line are made at a time. Few, so that what the next ones need comes in while these are made.
pub(super) const SHORT_BLOCK: usize = 128;

/// What later blocks read is asked for before so many updates. A processor that is asked for more than some 32 lines at once
/// waits for them.
const fn portion<T>() -> usize {
    if size_of::<T>() > 4 { SHORT_BLOCK / 4 } else { SHORT_BLOCK }
}

/// Room for the numbers of a block, and for those that are asked for ahead.
pub(super) type LineBlock = Aligned<[u32; SHORT_BLOCK + AHEAD]>;

/// None yet.
pub(super) const NO_NUMBERS: LineBlock = Aligned([0; SHORT_BLOCK + AHEAD]);

/// Asks for what the updates of a run read that come some blocks after update `first`.
#[inline(always)]
pub(super) fn ask<T>(call: &Call<'_, T>, numbers: &Numbers, run: Run<'_>, first: isize, len: usize) {
    let ahead = first + STREAM_AHEAD as isize;
    if run.axis.index == 1 {
        numbers.prefetch(run.index + ahead, len);
    }
    if run.axis.src == 1 {
        prefetch_all(call.storages.src.wrapping_offset(run.src + ahead), len);
    }
}

/// All updates of a line to its slots, block by block. `between(first, len)` is called before some updates, for all updates
/// in turn. False, and nothing more is done, when an index value is not valid.
///
/// # Safety
/// The addresses of the run lie inside the storages; slots of all targets, which the caller owns.
pub(super) unsafe fn updates<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    numbers: &Numbers,
    run: Run<'_>,
    slots: Slots<L>,
    Aligned(block): &mut LineBlock,
    between: impl Fn(usize, usize),
) -> bool {
    let axis = run.axis;
    let targets = call.walk.components.targets();
    let is_near = is_near::<L>(targets.saturating_mul(slots.step.unsigned_abs()));
    // The numbers that were asked for, but whose updates are still to be made.
    let mut held = 0;
    for first in (0..axis.extent).step_by(SHORT_BLOCK) {
        let len = (axis.extent - first).min(SHORT_BLOCK);
        let (all, is_last) = (held + len, first + len == axis.extent);
        let start = (first - held) as isize;
        let ask_from = |at: usize| {
            let len = len.saturating_sub(at).min(portion::<T>());
            between(first + at, len);
            ask(call, numbers, run, (first + at) as isize, len);
        };
        ask_from(0);
        let index = run.index + first as isize * axis.index;
        // SAFETY: index addresses of the run.
        if !unsafe { numbers.read(index, axis.index, &mut block[held..all]) } {
            return false;
        }
        if !is_near && first < AHEAD {
            // Later ones are asked for while these are updated.
            block[held..all].iter().for_each(|&number| slots.prefetch(number));
        }
        let done = if is_near || is_last { all } else { all.saturating_sub(AHEAD) };
        for at in (0..done.max(len)).step_by(portion::<T>()) {
            if at > 0 {
                ask_from(at);
            }
            let made = done.saturating_sub(at).min(portion::<T>());
            // SAFETY: the caller's promise: numbers of targets, for all were valid, and addresses of the run.
            unsafe {
                let start = call.storages.src.cast_const().offset(run.src + (start + at as isize) * axis.src);
                let src = Source { start, step: axis.src };
                if is_near {
                    update_line::<T, R, L>(slots, src, &block[at..][..made]);
                } else {
                    update_long_line::<T, R, L>(slots, src, &block[at..all], made);
                }
            }
        }
        if !is_near {
            block.copy_within(done..all, 0);
            held = all - done;
        }
    }
    true
}

/// Runs the call.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk, which these loops [can](can) do.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(call: &Call<'_, T>, numbers: &Numbers) {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let grid = grid(call);
    threads::run(grid.len(), call.limits.tasks_for(call.walk) > 1, &|scratch, number| {
        let slots: *mut L = if L::IN_PLACE { core::ptr::null_mut() } else { scratch.reserve(targets) };
        let walk = grid.task(number).walk;
        let ahead = Ahead::new::<T>(&walk, targets, step);
        let mut block = NO_NUMBERS;
        each_run(&walk, |axis, [index, src, dst_at]| {
            // SAFETY: addresses of the walk; this task owns the line. Slots that are in place have its representation,
            // others were reserved, and are filled before they are updated.
            unsafe {
                let line = Line { start: call.storages.dst.offset(dst_at), len: targets, step };
                bring(call, dst_at, &line);
                let slots = if L::IN_PLACE {
                    Slots { start: line.start.cast::<L>(), step }
                } else {
                    line.load::<R, L>(slots, call.include_self);
                    Slots { start: slots, step: 1 }
                };
                let run = Run { axis, index, src };
                let ask = |first, len| ahead.iter().for_each(|ahead| ahead.ask(line.start, first, len));
                updates::<T, R, L>(call, numbers, run, slots, &mut block, ask);
                if !L::IN_PLACE {
                    line.store(slots.start, call.include_self);
                }
            }
        });
    });
}

/// What of the next line is asked for while a line is updated: hardware doesn't foresee updates in any order.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// From one line to the next, in bytes.
    step: isize,
    /// The bytes of a line.
    len: usize,
    /// Those of them that are asked for with each update.
    share: usize,
}

impl Ahead {
    /// For the lines of a walk, if they are contiguous, two fit a near cache, but not all, and updates go to most of each.
    fn new<T>(walk: &Walk, targets: usize, step: isize) -> Option<Self> {
        let (outer, len) = (walk.outer(), targets.saturating_mul(size_of::<T>()));
        let applies = step == 1
            && outer.dst != 0
            && walk.inner().extent >= len / 64
            && is_near::<T>(2 * targets)
            && !is_near::<T>(targets.saturating_mul(outer.extent));
        let share = len.div_ceil(walk.inner().extent.max(1));
        applies.then_some(Self { step: outer.dst.wrapping_mul(size_of::<T>() as isize), len, share })
    }

    /// Asks for the parts of the next line that are those of updates `first` to `first + updates`.
    fn ask<T>(&self, line: *const T, first: usize, updates: usize) {
        let start = (first * self.share).min(self.len);
        let next = line.cast::<u8>().wrapping_offset(self.step);
        prefetch_all(next.wrapping_add(start), (updates * self.share).min(self.len - start));
    }
}

/// Brings a line, if that is to be done.
///
/// # Safety
/// As [`Call::bring`].
pub(super) unsafe fn bring<T: Element>(call: &Call<'_, T>, at: isize, line: &Line<T>) {
    if call.origin.is_none() {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        if line.step == 1 {
            call.bring(at, line.len);
        } else {
            (0..line.len as isize).for_each(|target| call.bring(at + target * line.step, 1));
        }
    }
}
