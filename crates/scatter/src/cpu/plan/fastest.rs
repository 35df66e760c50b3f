//! The strategy of a scatter: the fastest, or that of a pattern that tests force.

use super::choice::{Choice, Scatter};
use super::shares::Planner;
use super::strategy::{Plan, Strategy, SweepWay};
use super::sweep::FORCED_TILE;
use crate::cpu::limits::Pattern;
use crate::cpu::walk::rows::Rows;

impl<'a> Plan<'a> {
    /// The fastest plan, or that of the pattern that is forced, if the loops can do the scatter;
    /// [`Pattern::Sweep`] can do any.
    pub(in crate::cpu) fn new(scatter: Scatter<'a>, planner: &'a Planner<'a>) -> Self {
        let choice = Choice::new(scatter, planner);
        let strategy = match planner.limits.pattern {
            // Rows without elements have no updates to share.
            _ if scatter.walk.updates() == 0 => None,
            // Loops number targets with 32 bits.
            _ if u32::try_from(choice.targets).is_err() => None,
            Some(pattern) => choice.forced(pattern),
            None => choice.fastest(),
        };
        let strategy = strategy.unwrap_or_else(|| choice.sweep());
        Self { walk: scatter.walk, strategy, tasks: choice.tasks, slot: scatter.slot }
    }
}

/// A plan for the loops that multiply updates by a factor, which exist for rows only; `None` if the
/// plan is not one for rows.
pub(in crate::cpu) fn of_scaled_rows<'a>(scatter: Scatter<'a>, planner: &'a Planner<'a>) -> Option<Plan<'a>> {
    let plan = Plan::new(Scatter { may_check: false, ..scatter }, planner);
    matches!(plan.strategy, Strategy::Rows { .. } | Strategy::RowBuckets { .. }).then_some(plan)
}

impl<'a> Choice<'a> {
    /// The strategy that was measured to be the fastest.
    fn fastest(&self) -> Option<Strategy<'a>> {
        if let Some(rows) = Rows::recognise(self.scatter.walk) {
            return Some(self.fastest_rows(rows));
        }
        if self.are_lines() {
            return self.fastest_lines();
        }
        let tiles = self.tiles().filter(|grid| self.is_tiled(grid));
        tiles.map(|grid| Strategy::Sweep { grid, way: SweepWay::Tiles })
    }

    /// The strategy of a pattern, where its loops can do the scatter.
    fn forced(&self, pattern: Pattern) -> Option<Strategy<'a>> {
        match pattern {
            Pattern::Rows | Pattern::RowRanges | Pattern::RowBuckets => {
                self.forced_rows(Rows::recognise(self.scatter.walk)?, pattern)
            }
            Pattern::Tiles => {
                let fits = self.targets <= self.planner.limits.slots_at_most.max(FORCED_TILE);
                self.tiles().filter(|_| fits).map(|grid| Strategy::Sweep { grid, way: SweepWay::Tiles })
            }
            Pattern::Sweep => None,
            _ if self.are_lines() => self.forced_lines(pattern),
            _ => None,
        }
    }
}
