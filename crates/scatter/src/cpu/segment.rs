//! Destinations that need more than an element while they are updated: an f32 accumulator for f16 and bf16, a count for
//! Mean, whether they were touched when self is not included. A task keeps them for its part of the destination, its
//! *segment*, and writes the part back at the end.

use super::grid::Task;
use super::sweep::{Storages, apply};
use super::walk::{Axes, Axis, Component, Walk};
use crate::element::{Rule, combine};
use crate::{Element, Index, Reduce};

/// Slots that fit the cache are preferred, as far as dividing a destination so costs nothing.
pub(super) const PREFERRED_SLOTS: usize = 1 << 16;

/// The slots of one thread at the most. A slot is 4 bytes for a sum of f16 or bf16, 24 at the most (complex128 with a
/// count), so a thread's segment is bounded by 24 MiB.
pub(super) const MAX_SLOTS: usize = 1 << 20;

/// What a destination element is while it is updated.
pub(super) trait Slot<T: Element>: Copy + Send + Sync {
    /// The slot of an element that holds `from`.
    fn load(from: T, reduce: Reduce, include_self: bool) -> Self;
    /// Takes an update in.
    fn update(&mut self, reduce: Reduce, src: T);
    /// What the element becomes; `None` where it keeps its value.
    fn store(self) -> Option<T>;
}

/// self included, and no count: only an accumulator. An untouched element is written back as it was (an f16 or bf16
/// NaN quieted).
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulated<A>(A);

impl<T: Element<Acc = A>, A: Copy + Send + Sync> Slot<T> for Accumulated<A> {
    fn load(from: T, _reduce: Reduce, _include_self: bool) -> Self {
        Self(from.widen())
    }

    fn update(&mut self, reduce: Reduce, src: T) {
        self.0 = combine::<T>(reduce, self.0, src.widen());
    }

    fn store(self) -> Option<T> {
        Some(T::narrow(self.0))
    }
}

/// self not included: an untouched element keeps its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched<A> {
    acc: A,
    touched: bool,
}

impl<T: Element<Acc = A>, A: Copy + Send + Sync> Slot<T> for Touched<A> {
    fn load(_from: T, reduce: Reduce, _include_self: bool) -> Self {
        Self { acc: T::identity(reduce), touched: false }
    }

    fn update(&mut self, reduce: Reduce, src: T) {
        self.acc = combine::<T>(reduce, self.acc, src.widen());
        self.touched = true;
    }

    fn store(self) -> Option<T> {
        self.touched.then(|| T::narrow(self.acc))
    }
}

/// Mean: a sum and how many updates went into it, and self if it is included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted<A> {
    sum: A,
    updates: u64,
    include_self: bool,
}

impl<T: Element<Acc = A>, A: Copy + Send + Sync> Slot<T> for Counted<A> {
    fn load(from: T, reduce: Reduce, include_self: bool) -> Self {
        let sum = if include_self { from.widen() } else { T::identity(reduce) };
        Self { sum, updates: 0, include_self }
    }

    fn update(&mut self, reduce: Reduce, src: T) {
        self.sum = combine::<T>(reduce, self.sum, src.widen());
        self.updates += 1;
    }

    fn store(self) -> Option<T> {
        (self.updates > 0).then(|| T::mean(self.sum, self.updates + u64::from(self.include_self)))
    }
}

/// Runs a task on a segment of its own.
///
/// # Safety
/// As [`apply`]; the task's part of the destination is read and written here.
pub(super) unsafe fn run<T: Element, I: Index, R: Rule, L: Slot<T>>(
    task: &Task,
    storages: Storages<I, T, T>,
    slots: &mut Vec<L>,
    include_self: bool,
) {
    slots.clear();
    slots.reserve(task.elements());
    let segment = Segment::new(task);
    let part = Storages { index: storages.index, src: storages.dst, dst: slots.as_mut_ptr() };
    let updates = Storages { index: storages.index, src: storages.src, dst: slots.as_mut_ptr() };
    // SAFETY: `segment` visits each destination element of this task, which owns it, with its own one of the
    // `task.elements()` slots that were reserved; so every slot is written before an update reads it. An update goes
    // to the slot of its destination. index and src are as the caller promises.
    unsafe {
        segment.each(part, |slot: *mut L, element: *mut T| {
            slot.write(L::load(element.read(), R::REDUCE, include_self));
        });
        apply(&segment.updates(), updates, |slot: *mut L, src: *mut T| (*slot).update(R::REDUCE, src.read()));
        segment.each(part, |slot: *mut L, element: *mut T| {
            if let Some(value) = slot.read().store() {
                element.write(value);
            }
        });
    }
}

/// Where a task's destination elements lie among its slots: contiguous along the loop that is innermost.
struct Segment<'a> {
    task: &'a Task,
    /// The slots from one target to the next.
    target_step: isize,
    /// The slots from one line to the next.
    line_step: isize,
}

impl<'a> Segment<'a> {
    fn new(task: &'a Task) -> Self {
        let lines_inside = task.walk.axes.as_slice().last().is_some_and(|axis| axis.owned);
        let (target_step, line_step) =
            if lines_inside { (task.lines() as isize, 1) } else { (1, task.targets as isize) };
        Self { task, target_step, line_step }
    }

    /// The owned axes, with the slots in the place of the destination and `change` made.
    fn lines(&self, change: impl Fn(&mut Axis)) -> Axes {
        let mut axes = self.task.walk.axes;
        let mut step = self.line_step;
        for axis in axes.as_mut_slice().iter_mut().rev() {
            change(axis);
            if axis.owned {
                axis.dst = step;
                step *= axis.extent as isize;
            }
        }
        axes
    }

    /// The task's updates, sent to slots.
    fn updates(&self) -> Task {
        let mut task = Task { walk: Walk { axes: self.lines(|_| ()), ..self.task.walk }, ..*self.task };
        for component in task.walk.components.as_mut_slice() {
            component.step = component.weight as isize * self.target_step;
        }
        task.walk.dst = -(task.first_target as isize) * self.target_step;
        task
    }

    /// Calls `visit(slot, element)` for every destination element of the task; `storages.src` is the destination.
    ///
    /// # Safety
    /// As [`apply`], for the destination and as many slots as the task has elements.
    unsafe fn each<I: Index, T, L>(&self, storages: Storages<I, T, L>, visit: impl Fn(*mut L, *mut T)) {
        let Task { walk, first_target, targets } = *self.task;
        let lines = self.lines(|axis| axis.src = axis.dst);
        let lines = lines.as_slice().iter().copied().filter(|axis| axis.owned);
        match walk.components.as_slice() {
            // One component: the targets are a loop like the others, in the place that its slots have.
            &[Component { step, .. }] => {
                let loop_ = Axis { extent: targets, index: 0, src: step, dst: self.target_step, owned: true };
                let at = walk.dst + first_target as isize * step;
                let (outer, inner) =
                    if self.line_step == 1 { (Some(loop_), None) } else { (None, Some(loop_)) };
                let whole = Task::of_elements(outer.into_iter().chain(lines).chain(inner), at, 0);
                // SAFETY: the caller's promise; there is no index to read.
                unsafe { apply(&whole, storages, visit) }
            }
            components => {
                for target in 0..targets {
                    let number = first_target + target;
                    let place: isize = components
                        .iter()
                        .map(|component| {
                            (number / component.weight % component.size) as isize * component.step
                        })
                        .sum();
                    let line = Task::of_elements(
                        lines.clone(),
                        walk.dst + place,
                        target as isize * self.target_step,
                    );
                    // SAFETY: the caller's promise; there is no index to read.
                    unsafe { apply(&line, storages, &visit) }
                }
            }
        }
    }
}
