//! Arrays that start where a cache line does.

/// A value that starts at a cache line. A vector load that crosses a line costs twice as much, and
/// the stack puts an array elsewhere from call to call: up to twice the time of a whole scatter.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);
