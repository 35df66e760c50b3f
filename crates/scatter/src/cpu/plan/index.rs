//! How index is read before the updates: to check its values, and to find out whether it is
//! constant along its rows.

use super::shares::Planner;
use crate::cpu::limits::Pattern;

/// An index that is stored whole is read to find out whether its rows are constant if they have at
/// least this many elements: shorter rows are not worth a number each.
pub(in crate::cpu) const WORTH_A_ROW: usize = 8;

/// Rows of fewer values are always prefetched: without, they took a Zen 5 1.4 times as long. On
/// other processors they were not measured.
const SHORT_ROW_OF_INDEX: usize = 128;

impl Planner<'_> {
    /// Whether to look if an index that is stored whole is constant along its rows, of `width`
    /// elements.
    pub(in crate::cpu) fn looks_for_rows(&self, width: usize) -> bool {
        self.limits.pattern.map_or(width >= WORTH_A_ROW, Pattern::is_rows)
    }

    /// Whether index is prefetched while it is read to find out whether its rows, of `width`
    /// values, are constant.
    pub(in crate::cpu) fn prefetches_rows_of_index(&self, width: usize) -> bool {
        width < SHORT_ROW_OF_INDEX || self.machine.prefetches_single_streams
    }

    /// Whether index, which has `values` values, is prefetched while it is checked.
    pub(in crate::cpu) fn prefetches_checked_index(&self, values: usize) -> bool {
        !self.machine.is_near(values, size_of::<i64>()) && self.machine.prefetches_single_streams
    }
}
