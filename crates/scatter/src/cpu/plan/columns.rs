//! Columns, and short rows, that are taken for lines.

use super::choice::{Choice, Scatter};
use super::shares::Planner;
use super::strategy::{LineCopies, Plan, Strategy};
use crate::cpu::index::numbers::MAX_JOINED;
use crate::cpu::walk::Walk;

/// The columns at the most that are updated as one line, if slots are in place. Of 300 to 1000000
/// targets in 64 columns of f32, i64 or u8, a line took 0.2 to 1.0 of the time of tiles with one
/// thread, and 0.2 to 1.2 of it with two; of fewer columns, for which tiles have as short loops, as
/// little as 0.05.
const FEW_COLUMNS: usize = 64;

/// The same if slots are loaded and stored. Of 300 to 100000 targets in 32 columns, a line took 0.3
/// to 0.9 of the time of tiles, and with two threads up to 1.1; in 64 columns up to 2.3.
const FEW_LOADED_COLUMNS: usize = 32;

/// The elements at the most of rows of one target each that are updated as a line, or gathered as a
/// line, if slots are in place. As a line, a million rows of 2 to 4 elements took 0.65 to 1.0 of
/// the time, and 0.45 to 0.7 in a gather; rows of 8 elements took up to 3 times as long.
pub(super) const SHORT_ROW: usize = 4;

/// The same if slots are loaded and stored: rows of 2 to 8 elements took 0.2 to 0.9 of the time.
/// Rows longer than [`SHORT_ROW`] took up to 1.6 times as long where threads shared a line.
const SHORT_LOADED_ROW: usize = 8;

/// Short rows whose slots are loaded and stored are updated as a line if there is at least one
/// update of a row for every 64 slots. With exactly that many updates, a line took as long as rows
/// by buckets. Measured with 30000 to 500000 rows of 8 elements of f16.
const SLOTS_FOR_A_ROW: usize = 64;

/// A scatter into few columns, or of short rows, as one into lines, where that was measured to be
/// faster: if lines are not swept, and keep at least half as many threads busy as the columns or
/// rows would. Rows of one target each are taken for lines if they are short and, where slots are
/// loaded, if there are enough updates for the slots ([`SLOTS_FOR_A_ROW`]). For more than four
/// threads this is a guess.
pub(in crate::cpu) fn with_columns_joined(scatter: Scatter<'_>, planner: &Planner<'_>) -> Option<Walk> {
    let (is_rows, in_place) = (scatter.walk.inner().index == 0, scatter.slot.in_place);
    let few = match (is_rows, in_place) {
        (true, true) => SHORT_ROW,
        (true, false) => SHORT_LOADED_ROW,
        (false, true) => FEW_COLUMNS,
        (false, false) => FEW_LOADED_COLUMNS,
    };
    let most = match planner.limits.pattern {
        None => few,
        Some(pattern) if pattern.is_lines() => MAX_JOINED,
        Some(_) => return None,
    };
    let width = scatter.walk.inner().extent;
    let joined = Some(scatter.walk).filter(|_| width <= most)?.with_columns_joined()?;
    let plan = Plan::new(Scatter { walk: &joined, ..scatter }, planner);
    let is_swept = matches!(plan.strategy, Strategy::Sweep { .. });
    if is_swept || planner.limits.pattern.is_some() {
        return (!is_swept).then_some(joined);
    }
    let has_enough =
        || !is_rows || in_place || Choice::new(scatter, planner).is_dense(SLOTS_FOR_A_ROW / width);
    let is_shared = || {
        let tasks = Plan::new(scatter, planner).portions().min(plan.tasks);
        match plan.strategy {
            // A partition of rows has fewer entries, and is better if it gives at least half of the
            // threads work.
            Strategy::LineBuckets(_) if is_rows => 2 * tasks < plan.tasks,
            // Each thread would read all of index.
            Strategy::LineCopies(LineCopies { ranges: 2.., .. }) if is_rows && width > SHORT_ROW => false,
            _ if is_rows && width > SHORT_ROW => plan.portions() >= tasks,
            _ => 2 * plan.portions() >= tasks,
        }
    };
    // A call on one thread is not planned once more for this.
    (has_enough() && (plan.tasks == 1 || is_shared())).then_some(joined)
}
