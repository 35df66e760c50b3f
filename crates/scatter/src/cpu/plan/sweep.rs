//! Sweeps: of elements, of segments, or of tiles of columns.

use super::choice::{Choice, DENSE};
use super::shares;
use super::strategy::{Strategy, SweepWay};
use crate::cpu::limits::MAX_SLOTS;
use crate::cpu::walk::grid::{Goal, Grid};

/// How many segments of the preferred size a tile is as large as, if a slot has 4 bytes or less: by
/// default 2 MiB of slots of 4 bytes. Wider tiles are faster than what segments need: a row of a
/// tile is in a page of its own of each tensor, where hardware doesn't read ahead.
const SEGMENTS_OF_SMALL_SLOTS: usize = 8;

/// How many segments a tile is as large as, if a slot is larger: by default 2 MiB of slots of 8
/// bytes.
const SEGMENTS_OF_LARGE_SLOTS: usize = 4;

/// Fewer updates are swept, if slots are in place. A guess: of destinations that a near cache
/// holds, all but narrow ones were a little faster by tiles with a quarter of these updates, too.
const WORTH_PACKING: usize = 1 << 15;

/// The elements of a block of targets, of which is noted whether updates go to it: to start a walk
/// over a block takes as long as to walk over as many elements.
pub(in crate::cpu) const NOTED_BLOCK: usize = 256;

/// Tiles that are forced may have as many targets, however few slots a segment may have: so tests
/// reach them that divide a call into small segments.
pub(super) const FORCED_TILE: usize = 1 << 12;

/// Whether to note which of some blocks of targets the updates of `entries` go to, so that the
/// others are not walked: with as many entries as blocks, hardly one is left out.
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

    /// Whether to go by these tiles.
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
