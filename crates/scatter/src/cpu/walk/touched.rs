//! Which targets of a task its updates touch, so that a large destination with few updates is not
//! walked whole.

use core::ops::Range;
use std::borrow::Cow;

use crate::cpu::index::storage::IndexStorage;
use crate::cpu::plan::{NOTED_BLOCK, notes_targets};
use crate::cpu::threads::room::zeros;
use crate::cpu::walk::grid::Task;
use crate::cpu::walk::visit::each_place;
use crate::cpu::walk::{Axis, Walk, WalkAxes};

/// The targets of a task in blocks.
#[derive(Debug)]
pub(in crate::cpu) struct TouchedTargets {
    targets: usize,
    /// Targets in a block.
    block: usize,
    /// One bit per block; `None` where all count as touched, also for want of memory.
    marks: Option<Vec<u64>>,
}

impl TouchedTargets {
    /// The targets that the task's updates go to, and the others of their blocks.
    ///
    /// # Safety
    /// As [`apply`](crate::cpu::walk::visit::apply), for the index.
    pub(in crate::cpu) unsafe fn by(task: &Task<'_>, index: IndexStorage) -> Self {
        let (targets, block) = (task.targets, (NOTED_BLOCK / task.lines().max(1)).max(1));
        let blocks = targets.div_ceil(block);
        let entries = entries(task);
        if !notes_targets(entries.walk.updates(), blocks) {
            return Self { targets, block, marks: None };
        }
        let Ok(mut marks) = zeros::<u64>(blocks.div_ceil(64)) else {
            return Self { targets, block, marks: None };
        };
        let mark = |number: isize| {
            let at = (number as usize - task.first_target) / block;
            marks[at / 64] |= 1 << (at % 64);
        };
        // SAFETY: the task's index addresses lie inside the storage, which nobody writes, and its
        // values are valid.
        unsafe { each_place(&entries, index, mark) };
        Self { targets, block, marks: Some(marks) }
    }

    /// The targets, counted from the task's first, in ranges that are as long as they can be.
    pub(in crate::cpu) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let blocks = self.targets.div_ceil(self.block);
        let mut next = 0;
        core::iter::from_fn(move || {
            let first = (next..blocks).find(|&at| self.is_marked(at))?;
            next = (first..blocks).find(|&at| !self.is_marked(at)).unwrap_or(blocks);
            Some(first * self.block..(next * self.block).min(self.targets))
        })
    }

    fn is_marked(&self, block: usize) -> bool {
        self.marks.as_ref().is_none_or(|marks| marks[block / 64] >> (block % 64) & 1 == 1)
    }
}

/// The entries of the task's index, each once, with the number of its target as its place.
fn entries<'a>(task: &Task<'a>) -> Task<'a> {
    let mut axes = WalkAxes::default();
    for &Axis { extent, index, .. } in task.walk.axes.as_slice().iter().filter(|axis| axis.index != 0) {
        axes.push(Axis { extent, index, ..Axis::default() });
    }
    let mut components = task.walk.components;
    for component in components.as_mut_slice() {
        component.step = component.weight as isize;
    }
    let walk = Walk { axes, components, index: task.walk.index, src: 0, dst: 0 };
    Task { walk: Cow::Owned(walk), ..*task }
}
