//! A task's *segment*: the [slots](crate::cpu::slot::Slot) of its part of the destination, which
//! are loaded before its updates and stored after them.

use std::borrow::Cow;

use crate::cpu::call::Call;
use crate::cpu::slot::block::{Context, PairLoop};
use crate::cpu::threads::room::Scratch;
use crate::cpu::walk::grid::Task;
use crate::cpu::walk::storage::{Storage, Storages};
use crate::cpu::walk::touched::TouchedTargets;
use crate::cpu::walk::visit::apply_without_index;
use crate::cpu::walk::{Axis, Walk, WalkAxes};

/// Runs a task of a call on a segment of its own. `updates` makes all updates of a task whose
/// destination are its slots.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply); the task's part of the destination is read and
/// written here.
pub(in crate::cpu) unsafe fn run(
    call: &Call<'_>,
    task: &Task<'_>,
    scratch: &mut Scratch,
    updates: impl FnOnce(&Task<'_>, Storages),
) {
    let (storages, context) = (call.storages, call.context());
    let loops = call.loops();
    // SAFETY: the task's index addresses lie inside the storage, which nobody writes, and its
    // values are valid.
    let touched = unsafe { TouchedTargets::by(task, storages.index) };
    let slots = Storage {
        start: scratch.slots(task.elements().saturating_mul(loops.slot.bytes)),
        size: loops.slot.bytes,
    };
    let segment = Segment::new(task, &touched);
    // SAFETY: the segment visits destination elements of this task, which owns them, each with its
    // own one of the `task.elements()` slots that were reserved, and all that an update goes to are
    // among them; so every slot is written before an update reads it. An update goes to the slot of
    // its destination. The updates lie inside the storages of index and src, which nobody writes.
    unsafe {
        segment.each(storages.dst, slots, loops.load, context);
        updates(&segment.updates(), Storages { dst: slots, ..storages });
        segment.each(storages.dst, slots, loops.store, context);
    }
}

/// Where a task's destination elements lie among its slots: contiguous along the loop that is
/// innermost.
struct Segment<'a> {
    task: &'a Task<'a>,
    touched: &'a TouchedTargets,
    /// The slots from one target to the next.
    target_step: isize,
    /// The slots from one line to the next.
    line_step: isize,
}

impl<'a> Segment<'a> {
    fn new(task: &'a Task<'a>, touched: &'a TouchedTargets) -> Self {
        let lines_inside = task.walk.axes.as_slice().last().is_some_and(|axis| axis.owned);
        let (target_step, line_step) =
            if lines_inside { (task.lines() as isize, 1) } else { (1, task.targets as isize) };
        Self { task, touched, target_step, line_step }
    }

    /// The task's axes after `change`, with the steps of owned axes in slots instead of the
    /// destination.
    fn lines(&self, change: impl Fn(&mut Axis)) -> WalkAxes {
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
    fn updates(&self) -> Task<'a> {
        let Task { walk, first_target, targets } = self.task;
        let mut walk = Walk { axes: self.lines(|_| ()), ..**walk };
        for component in walk.components.as_mut_slice() {
            component.step = component.weight as isize * self.target_step;
        }
        walk.dst = -(*first_target as isize) * self.target_step;
        Task { walk: Cow::Owned(walk), first_target: *first_target, targets: *targets }
    }

    /// Hands every destination element of the task that an update goes to, and some more, to a
    /// loop, each with its slot.
    ///
    /// # Safety
    /// As [`apply_without_index`], for the destination and as many slots as the task has elements.
    unsafe fn each(&self, elements: Storage, slots: Storage, run: PairLoop, context: Context) {
        let Task { walk, first_target, .. } = self.task;
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
                let walk = self.elements(targets, walk.dst + place, first as isize * self.target_step);
                // SAFETY: these elements are the task's, inside the destination's storage, and each
                // has its own slot; nobody else accesses either.
                unsafe { apply_without_index(&walk, elements, slots, run, context) }
                first += extent;
            }
        }
    }

    /// The walk over the lines of the destination from `element`, with their slots from `slot` on.
    /// `targets` is its innermost or its outermost axis, as slots lie.
    fn elements(&self, targets: Axis, element: isize, slot: isize) -> Walk {
        let lines = self.lines(|axis| (axis.src, axis.index) = (axis.dst, 0));
        let mut axes = WalkAxes::default();
        if self.line_step == 1 {
            axes.push(targets);
        }
        lines.as_slice().iter().filter(|axis| axis.owned).for_each(|axis| axes.push(*axis));
        if self.line_step != 1 {
            axes.push(targets);
        }
        Walk::without_index(axes, element, slot)
    }
}
