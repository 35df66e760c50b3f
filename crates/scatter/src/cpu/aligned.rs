//! Arrays that start where a cache line does.

/// A value that starts at a cache line. A vector load that crosses a line costs twice as much, and
/// an array on the stack lies elsewhere from call to call, which took a whole scatter up to twice
/// its time.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);
