//! A task's *segment*: the [`Slot`]s of its part of the destination, which are loaded before its
//! updates and stored after them.

use super::grid::Task;
use super::room::Scratch;
use super::rule::Rule;
use super::slot::Slot;
use super::sweep::{Storages, apply};
use super::targets::IndexStorage;
use super::touched::TouchedTargets;
use super::walk::{Axes, Axis, Walk};
use crate::{Element, Reduce};

/// Runs a task on a segment of its own. `updates` is [`apply`], or another loop over all updates of
/// a task, from src to slots.
///
/// # Safety
/// As [`apply`]; the task's part of the destination is read and written here.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(
    task: &Task,
    storages: Storages<T, T>,
    scratch: &mut Scratch,
    include_self: bool,
    updates: impl FnOnce(&Task, Storages<T, L>),
) {
    // SAFETY: the task's index addresses lie inside the storage, which nobody writes, and its
    // values are valid.
    let touched = unsafe { TouchedTargets::by(task, storages.index) };
    let slots: *mut L = scratch.slots(task.elements());
    let segment = Segment::new(task, &touched);
    let to_slots = Storages { index: storages.index, src: storages.src, dst: slots };
    // SAFETY: the segment visits destination elements of this task, which owns them, each with its
    // own one of the `task.elements()` slots that were reserved, and all that an update goes to are
    // among them; so every slot is written before an update reads it. An update goes to the slot of
    // its destination. index and src are those of the caller, who vouches for their addresses.
    unsafe {
        load(&segment, storages.dst, slots, R::REDUCE, include_self);
        updates(&segment.updates(), to_slots);
        store::<T, L>(&segment, storages.dst, slots, include_self);
    }
}

/// Fills the slots of a segment from the destination.
///
/// # Safety
/// As [`Segment::each`].
unsafe fn load<T: Element, L: Slot<T>>(
    segment: &Segment<'_>,
    elements: *mut T,
    slots: *mut L,
    reduce: Reduce,
    include_self: bool,
) {
    let fill = |slot: *mut L, element: *mut T| {
        // SAFETY: a slot and its element, which this task owns.
        unsafe { slot.write(L::load(element.read(), reduce, include_self)) }
    };
    // SAFETY: the segment visits elements that the task owns, each with a slot of its own.
    unsafe { segment.each(elements, slots, fill) }
}

/// Writes the slots of a segment back to the destination.
///
/// # Safety
/// As [`Segment::each`]; the slots are filled.
unsafe fn store<T: Element, L: Slot<T>>(
    segment: &Segment<'_>,
    elements: *mut T,
    slots: *mut L,
    include_self: bool,
) {
    let write = |slot: *mut L, element: *mut T| {
        // SAFETY: a slot and its element, which this task owns.
        unsafe {
            if let Some(value) = slot.read().store(include_self) {
                element.write(value);
            }
        }
    };
    // SAFETY: the segment visits elements that the task owns, each with its filled slot.
    unsafe { segment.each(elements, slots, write) }
}

/// Where a task's destination elements lie among its slots: contiguous along the loop that is
/// innermost.
struct Segment<'a> {
    task: &'a Task,
    touched: &'a TouchedTargets,
    /// The slots from one target to the next.
    target_step: isize,
    /// The slots from one line to the next.
    line_step: isize,
}

impl<'a> Segment<'a> {
    fn new(task: &'a Task, touched: &'a TouchedTargets) -> Self {
        let lines_inside = task.walk.axes.as_slice().last().is_some_and(|axis| axis.owned);
        let (target_step, line_step) =
            if lines_inside { (task.lines() as isize, 1) } else { (1, task.targets as isize) };
        Self { task, touched, target_step, line_step }
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

    /// Calls `visit(slot, element)` for every destination element of the task that an update goes
    /// to, and some more.
    ///
    /// # Safety
    /// As [`apply`], for the destination and as many slots as the task has elements.
    unsafe fn each<T, L>(&self, elements: *mut T, slots: *mut L, visit: impl Fn(*mut L, *mut T)) {
        let Task { walk, first_target, .. } = *self.task;
        let storages = Storages { index: IndexStorage::NONE, src: elements, dst: slots };
        let components = walk.components.as_slice();
        // Along the last component targets lie one step apart: they are a loop like the others.
        let (size, step) = components.last().map_or((1, 0), |last| (last.size, last.step));
        for range in self.touched.ranges() {
            let mut first = range.start;
            while first < range.end {
                let number = first_target + first;
                let extent = (range.end - first).min(size - number % size);
                let place = components.iter().map(|component| component.place(number)).sum::<isize>();
                let targets = Axis { extent, index: 0, src: step, dst: self.target_step, owned: true };
                let elements = self.elements(targets, walk.dst + place, first as isize * self.target_step);
                // SAFETY: these are elements that the task owns and their slots; there is no index
                // to read.
                unsafe { apply(&elements, storages, &visit) }
                first += extent;
            }
        }
    }

    /// The walk over the lines of the destination from `element`, with their slots from `slot` on,
    /// and over `targets` in the place that these have among the slots.
    fn elements(&self, targets: Axis, element: isize, slot: isize) -> Task {
        // There is no index: with one, `apply` would ask it for the place of each element.
        let lines = self.lines(|axis| (axis.src, axis.index) = (axis.dst, 0));
        let mut axes = Axes::default();
        if self.line_step == 1 {
            axes.push(targets);
        }
        lines.as_slice().iter().filter(|axis| axis.owned).for_each(|axis| axes.push(*axis));
        if self.line_step != 1 {
            axes.push(targets);
        }
        Task { walk: Walk::without_index(axes, element, slot), first_target: 0, targets: 1 }
    }
}
