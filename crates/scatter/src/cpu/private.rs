//! A destination that is small beside its index: updates go to a copy of it, and index values are checked as they come, so
//! that index is read once. The copy is written back when all are known to be valid.
//!
//! Where there are more threads than lines, a task makes the updates of a part of a line's targets; or of integers, whose
//! folds don't depend on order, a part of the updates, to slots of its own.

use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use super::block::Slots;
use super::call::Call;
use super::grid::Grid;
use super::limits::{Limits, Pattern};
use super::line_ranges;
use super::line_updates::{self, NO_NUMBERS, Run, is_near};
use super::lines::{self, Line};
use super::numbers::Numbers;
use super::room::{NoMemory, reserved};
use super::rule::Rule;
use super::shared::Shared;
use super::slot::{self, Slot};
use super::sweep::each_run;
use super::threads;
use super::walk::{Axis, Walk};
use crate::{DType, Element, Reduce};

/// Fewer updates have an index that stays in a near cache, where reading it twice costs nothing.
const WORTH_A_COPY: usize = 1 << 16;

/// The bytes of a copy at the most.
const MAX_COPY: usize = 1 << 24;

/// Whether these loops can do the walk, with slots of so many bytes.
fn can(walk: &Walk, slot: usize) -> bool {
    let targets = walk.components.targets();
    lines::can(walk) && targets > 0 && u32::try_from(targets).is_ok() && copy(walk, slot) <= MAX_COPY
}

/// Whether a call should run so, and its index not be checked before.
pub(super) fn suits(walk: &Walk, dtype: DType, reduce: Reduce, limits: &Limits) -> bool {
    let slot = slot::size(dtype, reduce);
    can(walk, slot)
        && match limits.pattern {
            Some(pattern) => pattern == Pattern::Private,
            None => {
                let lines = walk.steps() / walk.inner().extent.max(1);
                let (targets, tasks) = (walk.components.targets(), limits.tasks_for(walk));
                let has_copies = || {
                    let tasks = tasks.div_ceil(lines.max(1));
                    copies(dtype, reduce, targets, lines * targets, walk.steps(), tasks) == tasks
                };
                walk.steps() >= WORTH_A_COPY
                    // The copy moves four times, which is no more than half of an index of i64.
                    && copy(walk, slot) <= walk.steps()
                    && (tasks < threads::MANY * lines || has_copies())
            }
        }
}

/// The bytes of a copy of the lines that updates go to.
fn copy(walk: &Walk, slot: usize) -> usize {
    let lines = walk.steps() / walk.inner().extent.max(1);
    lines.saturating_mul(walk.components.targets()).saturating_mul(slot)
}

/// How many of so many tasks, which share a line of so many targets, have a copy each of the slots, of which there are so many
/// in `all`. More than one where folds don't depend on order and a line stays in a near cache: so many that copies have no
/// more bytes than there are updates, and that to fill and to fold one costs less than its updates.
fn copies(dtype: DType, reduce: Reduce, targets: usize, all: usize, updates: usize, tasks: usize) -> usize {
    let slot = slot::size(dtype, reduce);
    if !slot::is_divisible(dtype, reduce) || !is_near::<u8>(targets.saturating_mul(slot)) {
        return 1;
    }
    let bytes = all.saturating_mul(slot.max(4)).max(1);
    tasks.min(updates / bytes).min(MAX_COPY / bytes).max(1)
}

/// How tasks share a line where there are more of them than lines. One of the numbers is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sharing {
    /// The ranges of its targets, each of which a task owns.
    pub(super) parts: usize,
    /// The copies of its slots, to each of which a task makes a part of the updates.
    pub(super) copies: usize,
}

impl Sharing {
    /// The sharing that is the fastest.
    pub(super) fn of<T: Element, L: Slot<T>>(call: &Call<'_, T>, reduce: Reduce, grid: &Grid) -> Self {
        let targets = call.walk.components.targets();
        let all_slots = grid.len() * grid.part().lines() * targets;
        // Where lines are long, each task reads a whole line's index and makes the updates of a part of it. In a near cache
        // making one takes no longer than finding out whose it is.
        let sharing = call.limits.tasks_for(call.walk).div_ceil(grid.len());
        let parts = if is_near::<L>(targets) { 1 } else { sharing.min(targets) };
        Self { parts, copies: copies(T::DTYPE, reduce, targets, all_slots, call.walk.steps(), sharing) }
    }
}

/// Runs the call; false, and nothing was written, if an index value is not valid.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk, which these loops [can] do, but that index values may be any.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    numbers: &Numbers,
) -> Result<bool, NoMemory> {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let grid = lines::grid(call);
    let tasks = call.limits.tasks_for(call.walk);
    let task_slots = grid.part().lines() * targets;
    let all_slots = grid.len() * task_slots;
    let Sharing { parts, copies } = Sharing::of::<T, L>(call, R::REDUCE, &grid);
    let pieces = parts * copies;
    let mut slots: Vec<MaybeUninit<L>> = reserved(copies * all_slots)?;
    let slots = Shared(slots.as_mut_ptr().cast::<L>());
    let each_part = |number: usize, visit: &mut dyn FnMut(Part<'_, T, L>)| {
        let (number, piece) = (number / pieces, number % pieces);
        let own = threads::share(targets, pieces, piece);
        let mut slots = slots.get().wrapping_add(number * task_slots);
        each_run(&grid.task(number).walk, |axis, [index, src, dst]| {
            let at = dst + own.start as isize * step;
            let start = call.storages.dst.wrapping_offset(at);
            let line = Line { start, len: own.len(), step };
            visit(Part { piece, run: Run { axis, index, src }, own: own.clone(), at, line, slots });
            slots = slots.wrapping_add(targets);
        });
    };

    let valid = AtomicBool::new(true);
    threads::run(grid.len() * pieces, tasks > 1, &|number| {
        let mut block = NO_NUMBERS;
        each_part(number, &mut |Part { piece, run, own, at, line, slots }| {
            if !valid.load(Ordering::Relaxed) {
                return;
            }
            // SAFETY: addresses of the walk: a line, or a part of it, which is read, and slots, which were reserved, are this
            // task's alone, and are filled before they are updated.
            let all_valid = unsafe {
                let from = Line { start: call.from(at).cast_mut(), ..line };
                if parts > 1 {
                    from.load::<R, L>(slots.add(own.start), call.include_self);
                    line_ranges::make::<T, R, L>(call, numbers, run, Slots { start: slots, step: 1 }, own)
                } else {
                    let slots = slots.add(piece * all_slots);
                    if piece == 0 {
                        // Whose own targets are the first.
                        Line { len: targets, ..from }.load::<R, L>(slots, call.include_self);
                    } else {
                        let identity = T::narrow(T::identity(R::REDUCE));
                        let identity = L::load(identity, R::REDUCE, call.include_self);
                        (0..targets).for_each(|at| slots.add(at).write(identity));
                    }
                    let updates = threads::share(run.axis.extent, copies, piece);
                    let axis = Axis { extent: updates.len(), ..*run.axis };
                    let first = updates.start as isize;
                    let (index, src) = (run.index + first * axis.index, run.src + first * axis.src);
                    let (run, slots) = (Run { axis: &axis, index, src }, Slots { start: slots, step: 1 });
                    line_updates::make::<T, R, L>(call, numbers, run, slots, &mut block, |_, _| ())
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
    threads::run(grid.len() * pieces, tasks > 1, &|number| {
        each_part(number, &mut |Part { own, at, line, slots, .. }| {
            debug_assert!(copies == 1 || L::IN_PLACE);
            // SAFETY: addresses of the walk: a part of a line that this task owns, and its slots in all copies, which are
            // filled. Where there are several, slots are in place, so that one has the representation of an element.
            unsafe {
                for piece in 1..copies {
                    for target in own.clone() {
                        let comes = slots.add(piece * all_slots + target).cast::<T>().read();
                        (*slots.add(target)).update(R::REDUCE, comes);
                    }
                }
                lines::bring(call, at, &line);
                line.store(slots.add(own.start).cast_const(), call.include_self);
            }
        });
    });
    Ok(true)
}

/// A line as one task sees it.
struct Part<'a, T, L> {
    piece: usize,
    run: Run<'a>,
    /// The targets that the task stores; and loads, where it has no copy of all.
    own: Range<usize>,
    /// Where they are in the destination.
    at: isize,
    line: Line<T>,
    /// The slot of target 0, in the first copy.
    slots: *mut L,
}
