//! How finely a call is divided, and the names of its loops: the bounds that all calls have, and
//! what tests set.

use crate::simd::Simd;

/// The slots of each of several threads at the most, so that memory is bounded: a slot is 4 bytes
/// for a sum of f16 or bf16, 24 at the most (complex128 with a count).
pub(super) const MAX_SLOTS: usize = 1 << 20;

/// The slots of a segment that are preferred, as far as dividing a destination so costs nothing:
/// they fit a near cache.
pub(super) const PREFERRED_SLOTS: usize = 1 << 16;

/// Names for how a plan does a call: by which loops, and how tasks share the work. One strategy of
/// a plan may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Index is constant along a contiguous row: whole rows are updated one after the other, by
    /// tasks that share batches or columns.
    Rows,
    /// Index is constant along a contiguous row: tasks own ranges of rows, and each reads all of
    /// index.
    RowRanges,
    /// Index is constant along a contiguous row: updates are partitioned by their rows.
    RowBuckets,
    /// dim is the innermost axis: a task has whole lines of the destination, each with its own run
    /// of index.
    Lines,
    /// dim is the innermost axis: tasks own ranges of a line, and each reads all of its index.
    LineRanges,
    /// dim is not the innermost axis: tiles of columns are packed, updated and written back.
    Tiles,
    /// Few long lines: updates are partitioned by ranges of the destination.
    LineBuckets,
    /// A copy of all lines is updated, of which a task has whole ones, or a range of one.
    LineCopy,
    /// Tasks have a copy each of the lines, and a part of a line's updates.
    LineCopies,
    /// Anything.
    Sweep,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Rows,
        Self::RowRanges,
        Self::RowBuckets,
        Self::Lines,
        Self::LineRanges,
        Self::Tiles,
        Self::LineBuckets,
        Self::LineCopy,
        Self::LineCopies,
        Self::Sweep,
    ];

    /// The name in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::RowRanges => "row_ranges",
            Self::RowBuckets => "row_buckets",
            Self::Lines => "lines",
            Self::LineRanges => "line_ranges",
            Self::Tiles => "tiles",
            Self::LineBuckets => "line_buckets",
            Self::LineCopy => "line_copy",
            Self::LineCopies => "line_copies",
            Self::Sweep => "sweep",
        }
    }

    /// Whether lines are updated, or parts of them.
    pub(super) const fn is_lines(self) -> bool {
        matches!(self, Self::Lines | Self::LineRanges | Self::LineBuckets | Self::LineCopy | Self::LineCopies)
    }

    /// Whether whole rows are updated.
    pub(super) const fn is_rows(self) -> bool {
        matches!(self, Self::Rows | Self::RowRanges | Self::RowBuckets)
    }
}

/// How finely a call is divided, and by which loops it is done. The default is what [`super::run`]
/// takes; others change speed and memory, never the result. They are there for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The tasks at least; by default one per thread where the call is worth it.
    pub tasks: Option<usize>,
    /// The slots of a segment that are preferred, as far as dividing a destination so costs
    /// nothing.
    pub slots: usize,
    /// The slots of a segment at the most.
    pub slots_at_most: usize,
    /// The loops to take where they can do the call (where not, [`Pattern::Sweep`]); by default the
    /// fastest.
    pub pattern: Option<Pattern>,
    /// The instruction set to use.
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
