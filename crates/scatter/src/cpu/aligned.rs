//! Arrays that start where a cache line does.

/// What starts where a cache line does. A vector that lies in two lines costs twice as much, and where the stack puts an array
/// changes from call to call: up to twice the time of a whole scatter.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);
