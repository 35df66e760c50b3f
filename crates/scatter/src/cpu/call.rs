//! A scatter as its loops get it.

use super::index::numbers::TargetNumbers;
use super::plan::{Plan, Planner};
use super::slot::block::{Context, Slots, Source};
use super::slot::loops::{Loops, ScatterLoops};
use super::walk::copy::{self, Origin};
use super::walk::grid::Task;
use super::walk::storage::{Storage, Storages};
use super::walk::visit::apply_without_index;
use super::walk::{Axis, Walk, WalkAxes, moves};
use crate::DType;
use crate::simd::Simd;

/// A scatter with its storages and its plan. Index values are known to be valid, unless the plan
/// says that the loops check them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) storages: Storages,
    pub(super) dtype: DType,
    pub(super) all_loops: ScatterLoops,
    pub(super) plan: &'a Plan<'a>,
    /// The numbers of the targets that index names.
    pub(super) numbers: &'a TargetNumbers,
    /// What the plan was made with.
    pub(super) planner: &'a Planner<'a>,
    pub(super) include_self: bool,
    /// Out of place, where self is, if the destination is still to be made equal to it: each task
    /// copies what it owns from self before it updates it.
    pub(super) origin: Option<Origin>,
}

// SAFETY: the pointers of `storages` and `origin` are dereferenced in loops only, where tasks that
// run at the same time own different elements of what is written; what `origin` points to is only
// read.
unsafe impl Sync for Call<'_> {}

impl Call<'_> {
    /// The updates.
    #[inline(always)]
    pub(super) const fn walk(&self) -> &Walk {
        self.plan.walk
    }

    /// The instruction set to use.
    #[inline(always)]
    pub(super) const fn simd(&self) -> Simd {
        self.planner.limits.simd
    }

    /// The loops that update.
    #[inline(always)]
    pub(super) const fn loops(&self) -> &'static Loops {
        self.all_loops.update
    }

    /// The arguments that all loops over slots and elements have.
    #[inline(always)]
    pub(super) const fn context(&self) -> Context {
        Context { include_self: self.include_self, simd: self.simd() }
    }

    /// Where an element of the destination has its first value: in self, if it is still to be
    /// copied.
    #[inline]
    pub(super) fn from(&self, at: isize) -> *const u8 {
        match self.origin {
            Some(origin) => origin.storage.at(at + origin.shift),
            None => self.storages.dst.at(at),
        }
    }

    /// Copies elements of the destination, which are a step apart from `at` on, from self, if that
    /// is still to be done.
    ///
    /// # Safety
    /// These are elements of the destination, which the caller owns.
    #[inline]
    pub(super) unsafe fn copy_self(&self, at: isize, step: isize, len: usize) {
        if self.origin.is_some() {
            let to = Slots { start: self.storages.dst.at(at), step };
            let from = Source { start: self.from(at), step };
            // SAFETY: only the caller accesses these elements of the destination; self has an
            // element for each, which nobody writes, and shares no memory with out.
            unsafe { moves::copy(self.storages.dst.size)(to, from, len, Context::NONE) }
        }
    }

    /// Copies all that a task owns, which has all targets, from self, if that is still to be done.
    ///
    /// # Safety
    /// As [`apply`](super::walk::visit::apply), for the task.
    pub(super) unsafe fn copy_self_of_task(&self, task: &Task<'_>) {
        if let Some((walk, self_)) = self.copy_of_self(&task.walk) {
            let dst = self.storages.dst;
            // SAFETY: the walk visits the elements of the destination that the task owns; self has
            // an element for each, which nobody writes, and shares no memory with out.
            unsafe { apply_without_index(&walk, self_, dst, moves::copy(dst.size), Context::NONE) }
        }
    }

    /// Copies all of self to the destination, by all threads, if that is still to be done.
    ///
    /// # Safety
    /// As [`apply`](super::walk::visit::apply), for the call's walk.
    pub(super) unsafe fn copy_self_of_call(&self) {
        if let Some((walk, self_)) = self.copy_of_self(self.walk()) {
            let dst = self.storages.dst;
            // SAFETY: the walk visits each element of the destination once, and only this call
            // accesses them; self has an element for each, which nobody writes, and shares no
            // memory with out.
            unsafe { copy::by_all_threads(&walk, self_, dst, moves::copy(dst.size), self.planner) }
        }
    }

    /// The walk that copies from self every element that `walk` may update, and where self is;
    /// `None` if nothing is to be copied.
    fn copy_of_self(&self, walk: &Walk) -> Option<(Walk, Storage)> {
        let origin = self.origin?;
        let owned = walk.axes.as_slice().iter().filter(|axis| axis.owned).copied();
        let targets = walk.components.as_slice().iter().map(|component| Axis {
            extent: component.size,
            dst: component.step,
            owned: true,
            ..Axis::default()
        });
        let axes = owned.chain(targets).map(|axis| Axis { index: 0, src: axis.dst, ..axis });
        let axes = WalkAxes::in_order_of_memory(axes);
        Some((Walk::without_index(axes, walk.dst + origin.shift, walk.dst), origin.storage))
    }
}
