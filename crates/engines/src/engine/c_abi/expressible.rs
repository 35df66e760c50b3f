//! Which cases the C ABI has no words for.

use scatter::{Error, Op};

use crate::case::{Case, Expected};
use crate::task::Task;

/// Why a case can't be asked through C; `None` where it can.
pub(super) fn refusal(case: &Case) -> Option<&'static str> {
    let Task::Scatter(op) = case.task else { return Some("the C ABI has no function for the gradient") };
    let tensors =
        || [Some(&case.self_), Some(&case.index), case.src.as_ref(), case.out.as_ref()].into_iter().flatten();
    if tensors().any(|tensor| tensor.strides.iter().any(|&stride| stride < 0)) {
        return Some("the C ABI has no negative strides");
    }
    match op {
        Op::ScatterValue { .. } if case.src.is_some() => Some("aclnnScatterValue has no parameter src"),
        Op::ScatterNdAdd => nd(case, tensors().any(|tensor| tensor.shape.is_empty())),
        _ => None,
    }
}

/// Why a case has another answer on a CANN that tells no scalar's value; `None` where it hasn't.
pub(super) fn unreadable(case: &Case) -> Option<&'static str> {
    matches!(case.expected, Expected::Refusal(Error::Value { .. }))
        .then_some("no call of CANN's reads a scalar: its own operator converts it")
}

/// [`refusal`] for `aclnnTfScatterAdd`.
fn nd(case: &Case, without_axes: bool) -> Option<&'static str> {
    if without_axes {
        return Some("aclnnTfScatterAdd has no tensors without axes");
    }
    if case.index.shape.last() == Some(&0) {
        return Some("aclnnTfScatterAdd takes k == 0 for an empty index");
    }
    // A result can be had of a copy of self; a refusal would come after it.
    (case.out.is_some() && matches!(case.expected, Expected::Refusal(_)))
        .then_some("aclnnTfScatterAdd has no parameter out")
}
