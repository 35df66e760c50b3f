//! The plan of a gather: whether it copies rows, lines or single elements, and what the loops of
//! lines prefetch.

use super::columns::SHORT_ROW;
use super::lines::{are_tiny, is_sparse};
use super::shares::Planner;
use crate::cpu::index::numbers::MAX_JOINED;
use crate::cpu::limits::Pattern;
use crate::cpu::walk::Walk;
use crate::cpu::walk::grid::Grid;

/// Elements of a line at the most: 32 bits number them together with those of the lines that are
/// copied with it, which are less than 2^25 after it.
const MAX_TARGETS: u64 = 1 << 31;

/// The values of a line that are used between two prefetches.
pub(in crate::cpu) const GATHERED_BLOCK: usize = 64;

/// Lines of more values than these have the same part of the next line prefetched. A guess.
const FEW_VALUES: usize = GATHERED_BLOCK / 2;

/// How many values ahead single elements of lines are prefetched: as many as are used between two
/// prefetches. A guess.
const NAMED_AHEAD: usize = GATHERED_BLOCK;

/// The plan of a gather.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct GatherPlan<'a> {
    /// The parts of out, one for each task.
    pub(in crate::cpu) grid: Grid<'a>,
    pub(in crate::cpu) way: GatherWay,
}

/// What a gather copies at a time.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum GatherWay {
    /// Contiguous rows, along which index is constant.
    Rows,
    /// The elements of a line: they lie one after the other in self, in index and in out, and are
    /// at most 2^31, so that 32 bits number them.
    Lines(LineGathers),
    /// Single elements.
    Elements,
}

/// How lines are gathered.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct LineGathers {
    /// Whether lines are so short that several are copied at a time.
    pub(in crate::cpu) are_tiny: bool,
    /// What is prefetched where lines are copied one by one, by index values as they are.
    pub(in crate::cpu) ahead: Ahead,
}

/// The part of the lines to come that is prefetched.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum Ahead {
    /// Nothing: a near cache holds it, or hardware prefetches it.
    Nothing,
    /// The part of the next line that corresponds to what is copied.
    NextLine,
    /// The elements that index names in the line that is this many lines ahead.
    Named(usize),
}

impl<'a> GatherPlan<'a> {
    /// The fastest plan of a walk, or that of the pattern that is forced, if its loops can do the
    /// walk; single elements can be copied of any.
    pub(in crate::cpu) fn new(walk: &'a Walk, element_size: usize, planner: &Planner<'_>) -> Self {
        let grid = planner.boxes(walk, element_size);
        let may_be = |kind: fn(Pattern) -> bool| planner.limits.pattern.is_none_or(kind);
        let way = if may_be(Pattern::is_rows) && has_rows(walk) {
            GatherWay::Rows
        } else if may_be(Pattern::is_lines) && are_lines(walk) {
            GatherWay::Lines(planner.line_gathers(walk, &grid, element_size))
        } else {
            GatherWay::Elements
        };
        Self { grid, way }
    }
}

/// Whether index is constant along contiguous rows of self and out.
pub(in crate::cpu) fn has_rows(walk: &Walk) -> bool {
    let row = walk.inner();
    row.index == 0 && row.src == 1 && row.dst == 1
}

/// Whether a walk is one of lines.
fn are_lines(walk: &Walk) -> bool {
    let inner = walk.inner();
    inner.steps() == [1, 1, 0]
        && walk.components.step() == Some(1)
        && walk.components.targets() as u64 <= MAX_TARGETS
}

/// A gather from columns, or of short rows, as one from lines: from 300 to 100000 targets in 2 to
/// 512 columns, that took half the time. More were not measured.
pub(in crate::cpu) fn gather_with_columns_joined(walk: &Walk, planner: &Planner<'_>) -> Option<Walk> {
    let most = if walk.inner().index == 0 { SHORT_ROW } else { MAX_JOINED };
    let may_join = planner.limits.pattern.is_none_or(Pattern::is_lines) && walk.inner().extent <= most;
    let joined = Some(walk).filter(|_| may_join)?.with_columns_joined()?;
    are_lines(&joined).then_some(joined)
}

impl Planner<'_> {
    /// How to gather from the lines of a walk, whose elements have `element_size` bytes.
    fn line_gathers(&self, walk: &Walk, grid: &Grid<'_>, element_size: usize) -> LineGathers {
        // What is true of the largest task's lines is true of all: the axis of tiny ones, whose
        // elements of out lie together, is not divided.
        let (mut axis, mut lines) = (walk.inner(), walk.outer());
        if let [.., extent, of_line] = *grid.extents() {
            (axis.extent, lines.extent) = (of_line, extent);
        }
        let apart = lines.dst.unsigned_abs();
        let are_near = self.machine.is_near(lines.extent.saturating_mul(apart), element_size);
        let ahead = if axis.extent > FEW_VALUES {
            Ahead::NextLine
        } else if !are_near && is_sparse(axis.extent, apart.saturating_mul(element_size)) {
            Ahead::Named(NAMED_AHEAD / axis.extent.max(1))
        } else {
            Ahead::Nothing
        };
        LineGathers { are_tiny: are_tiny(&axis, &lines), ahead }
    }
}
