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
