//! How a call is divided and which loops it takes: what tests set, and the defaults.

use super::grid::Goal;
use super::segment::{MAX_SLOTS, PREFERRED_SLOTS};
use super::threads;
use super::walk::Walk;
use crate::simd::Simd;

/// Below so many steps a call stays on its thread: waking another one takes as long.
const WORTH_A_THREAD: usize = 1 << 15;

/// Whether so many steps are worth more than one thread.
pub(super) const fn is_worth_threads(steps: usize) -> bool {
    steps >= WORTH_A_THREAD
}

/// Rows of so many bytes, times the threads beyond the first, are worth a partition that finds out whose each is: with less, two
/// threads took twice as long as one.
const WORTH_A_PARTITION: usize = 1 << 25;

/// The loops that there are. Each says in its file what it is for.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Index is constant along a contiguous row: whole rows are updated.
    Rows,
    /// dim is the innermost axis: each line of the destination has its own run of index.
    Lines,
    /// dim is not the innermost axis: tiles of columns are packed, updated and written back.
    Tiles,
    /// Few long lines: updates are sorted into ranges of the destination.
    Buckets,
    /// The destination is small beside index: a copy of it is updated.
    Private,
    /// So few updates that index is read whole first.
    Small,
    /// Anything.
    Sweep,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Rows, Self::Lines, Self::Tiles, Self::Buckets, Self::Private, Self::Small, Self::Sweep];

    /// The name in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Lines => "lines",
            Self::Tiles => "tiles",
            Self::Buckets => "buckets",
            Self::Private => "private",
            Self::Small => "small",
            Self::Sweep => "sweep",
        }
    }
}

/// How finely a call is divided, and by which loops it is done. The default is what [`super::run`] takes; others change
/// speed and memory, never the result. They are there for tests, and no part of the API.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The tasks at least; by default one per thread where the call is worth it.
    pub tasks: Option<usize>,
    /// The slots of a segment that are preferred, as far as dividing a destination so costs nothing.
    pub slots: usize,
    /// The slots of a segment at the most.
    pub slots_at_most: usize,
    /// The loops to take where they can do the call (where not, [`Pattern::Sweep`]); by default the fastest.
    pub pattern: Option<Pattern>,
    /// The instructions to use.
    pub simd: Simd,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tasks: None,
            slots: PREFERRED_SLOTS,
            slots_at_most: MAX_SLOTS,
            pattern: None,
            simd: Simd::default(),
        }
    }
}

impl Limits {
    /// Runs a call of so many steps where it has threads, if it is worth them.
    pub(super) fn enter<R: Send>(&self, steps: usize, call: impl FnOnce() -> R + Send) -> R {
        if self.tasks.is_some() || is_worth_threads(steps) { threads::enter(call) } else { call() }
    }

    /// How many tasks a walk should have at least: one or more.
    pub(super) fn tasks_for(&self, walk: &Walk) -> usize {
        let usual = || if is_worth_threads(walk.steps()) { threads::count() } else { 1 };
        self.tasks.unwrap_or_else(usual).max(1)
    }

    /// Whether a partition of rows of so many bytes for so many tasks gains more than it costs.
    pub(super) fn is_worth_a_partition(&self, tasks: usize, bytes: usize) -> bool {
        self.tasks.is_some() || bytes.saturating_mul(tasks - 1) >= WORTH_A_PARTITION
    }

    /// For work that comes in portions of any size: several for each thread, so that one that is late holds nobody up.
    pub(super) fn portions(&self, walk: &Walk, element_size: usize) -> Goal {
        let tasks = self.tasks_for(walk);
        Goal { tasks: if tasks > 1 { 4 * tasks } else { 1 }, ..self.direct(walk, element_size) }
    }

    /// For a destination that needs no segments.
    pub(super) fn direct(&self, walk: &Walk, element_size: usize) -> Goal {
        Goal { tasks: self.tasks_for(walk), elements: usize::MAX, elements_at_most: usize::MAX, element_size }
    }

    /// For a destination that is updated by way of segments.
    pub(super) fn segmented(&self, walk: &Walk, element_size: usize) -> Goal {
        let elements_at_most = self.slots_at_most.min(MAX_SLOTS);
        Goal {
            tasks: self.tasks_for(walk),
            elements: self.slots.min(elements_at_most),
            elements_at_most,
            element_size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::Grid;
    use super::*;
    use crate::{DType, Layout, Op, Operand, Problem, Reduce};

    /// The walk of a Mean into `[size, columns]` along axis 0, of `[9, columns]`.
    fn mean(size: usize, columns: usize) -> Walk {
        let operand = |dtype, rows, address| {
            Operand::new(dtype, Layout::contiguous(&[rows, columns], rows * columns).unwrap(), address)
        };
        let (out, index) = (operand(DType::F32, size, 1 << 40), operand(DType::I64, 9, 1 << 50));
        let src = operand(DType::F32, 9, 1 << 60);
        let op = Op::ScatterReduce { dim: 0, reduce: Reduce::Mean, include_self: true };
        let problem = Problem::new(op, &out, &index, Some(&src), &out).unwrap();
        Walk::scatter(problem.updates().unwrap(), problem.out_layout())
    }

    #[test]
    fn no_segment_has_more_slots_than_a_thread_may_keep() {
        for (size, columns) in [(3 * MAX_SLOTS, 1), (3 * MAX_SLOTS, 5), (MAX_SLOTS + 1, 1)] {
            let walk = mean(size, columns);
            for (slots, slots_at_most) in [(1, 1000), (PREFERRED_SLOTS, MAX_SLOTS), (usize::MAX, usize::MAX)]
            {
                let limits = Limits { tasks: Some(1), slots, slots_at_most, ..Limits::default() };
                let grid = Grid::new(&walk, limits.segmented(&walk, size_of::<f32>()));
                let (most, parts) = (slots_at_most.min(MAX_SLOTS), 0..grid.len());
                assert!(
                    parts.clone().all(|part| grid.task(part).elements() <= most),
                    "{size} {slots_at_most}"
                );
                let all: usize = parts.map(|part| grid.task(part).elements()).sum();
                assert_eq!(all, size * columns, "{size} {slots_at_most}");
            }
        }
    }
}
