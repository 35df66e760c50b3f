//! How a call is divided and by which loops it is done, for the tests and benchmarks of scatter's
//! own repository.
//!
//! **Not covered by semantic versioning**: any release may change or remove anything here. It needs
//! the feature `unstable-internals`.

use super::{Memory, run_limited};
use crate::{Element, Error, Index, Problem};

pub use super::limits::{Limits, Pattern};
pub use super::plan::{Machine, Outline, outline};
pub use crate::simd::Simd;

/// [`run`](super::run), divided as `limits` say.
///
/// # Errors
/// As [`run`](super::run).
pub fn run_with<T: Element, I: Index>(
    problem: &Problem,
    memory: &mut Memory<'_, T, I>,
    limits: &Limits,
) -> Result<(), Error> {
    run_limited(problem, memory, limits)
}
