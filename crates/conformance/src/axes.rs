//! Axes as options and files have them.

use scatter::Axes;

/// What a list must be.
pub(crate) const EXPECTED: &str = "a list of axes below 8, each above the one before";

/// The axes of a list, one for each column of index. `None` for a list in another order or with an
/// axis twice, which a set of axes can't tell from this one, or with an axis that no tensor has.
pub(crate) fn ascending(list: &[usize]) -> Option<Axes> {
    if list.is_sorted_by(|one, next| one < next) { Axes::new(list) } else { None }
}
