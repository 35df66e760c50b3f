//! Sweeps: of elements, of segments, or of tiles of columns.

use super::choice::{Choice, DENSE};
use super::shares;
use super::strategy::{Strategy, SweepWay};
use crate::cpu::limits::MAX_SLOTS;
use crate::cpu::walk::grid::{Goal, Grid};

/// The size of a tile, in segments of the preferred size, if a slot has 4 bytes or less: by default
/// 2 MiB of slots of 4 bytes. Tiles are faster if they are wider than a segment has to be: each row
/// of a tile is in another page of each tensor, and hardware doesn't read ahead from page to page.
const SEGMENTS_OF_SMALL_SLOTS: usize = 8;

/// The size of a tile, in segments, if a slot is larger: by default 2 MiB of slots of 8 bytes.
const SEGMENTS_OF_LARGE_SLOTS: usize = 4;

/// Fewer updates are swept, if slots are in place. A guess: of destinations that a near cache
/// holds, all but narrow ones were a little faster by tiles with a quarter of these updates, too.
const WORTH_PACKING: usize = 1 << 15;

/// The elements of a block of targets, which is marked if updates touch it: starting a walk over a
/// block takes as long as walking over this many elements.
pub(in crate::cpu) const NOTED_BLOCK: usize = 256;

/// Tiles that are forced may have at least this many targets, however few slots a segment may have,
/// so that tests that divide a call into small segments reach tiles, too.
pub(super) const FORCED_TILE: usize = 1 << 12;

/// Whether to mark which `blocks` of targets are touched by updates, so that the others are
/// skipped: with as many `entries` of index as blocks, hardly a block is skipped.
pub(in crate::cpu) const fn notes_targets(entries: usize, blocks: usize) -> bool {
    entries < blocks
}

impl<'a> Choice<'a> {
    /// The tiles, where dim is not the innermost axis.
    pub(super) fn tiles(&self) -> Option<Grid<'a>> {
        let walk = self.scatter.walk;
        let can = walk.inner().owned && walk.components.step().is_some();
        let goal = self.segmented();
        let is_small = self.scatter.slot.bytes <= 4;
        let segments = if is_small { SEGMENTS_OF_SMALL_SLOTS } else { SEGMENTS_OF_LARGE_SLOTS };
        let elements = (segments * goal.elements).min(goal.elements_at_most);
        can.then(|| Grid::of_axes(walk, Goal { elements, ..goal }))
    }

    /// Whether to use these tiles.
    pub(super) fn is_tiled(&self, grid: &Grid<'_>) -> bool {
        self.is_dense(DENSE)
            && !self.scatter.walk.has_single_updates()
            && grid.elements() <= self.planner.limits.slots_at_most
            && (!self.scatter.slot.in_place || self.scatter.walk.updates() >= WORTH_PACKING)
    }

    /// The loops for anything: straight to the destination, or by way of segments.
    pub(super) fn sweep(&self) -> Strategy<'a> {
        let is_direct = self.scatter.slot.in_place || self.scatter.walk.has_single_updates();
        let (goal, way) = match is_direct {
            true => (shares::direct(self.tasks, self.scatter.dtype.size()), SweepWay::Elements),
            false => (self.segmented(), SweepWay::Segments),
        };
        Strategy::Sweep { grid: Grid::new(self.scatter.walk, goal), way }
    }

    /// For a destination that is updated by way of segments.
    fn segmented(&self) -> Goal {
        let limits = self.planner.limits;
        let elements_at_most = limits.slots_at_most.min(MAX_SLOTS);
        let elements = limits.slots.min(elements_at_most);
        Goal { elements, elements_at_most, ..shares::direct(self.tasks, self.scatter.dtype.size()) }
    }
}
