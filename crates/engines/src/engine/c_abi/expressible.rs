//! Which cases the C ABI can't express.

use scatter::{Error, Op, Parameter};

use super::memory::content;
use crate::case::{Case, Expected};

/// Why a case can't be expressed in C; `None` where it can.
pub(super) fn refusal(case: &Case) -> Option<&'static str> {
    if let Op::ScatterSrcGrad { .. } = case.op {
        return Some("the C ABI has no function of this name: it is aclnnGather");
    }
    let tensors =
        || [Some(&case.self_), Some(&case.index), case.src.as_ref(), case.out.as_ref()].into_iter().flatten();
    if tensors().any(|tensor| tensor.strides.iter().any(|&stride| stride < 0)) {
        return Some("the C ABI has no negative strides");
    }
    if case.op.scalar().is_some_and(|value| content(value).is_none()) {
        return Some("an aclScalar holds integers of up to 64 bits");
    }
    match case.op {
        op if case.src.is_some() && !op.operator().signature().has_src => {
            Some("the function has no parameter src")
        }
        Op::ScatterNdAdd | Op::ScatterNdUpdate => {
            nd(case.op, case, tensors().any(|tensor| tensor.shape.is_empty()))
        }
        Op::IndexPut { axes, .. } if axes.count() == 0 => Some("the function does nothing without an index"),
        Op::IndexPut { .. } if matches!(case.expected, Expected::Refusal(Error::IndexShape { .. })) => {
            Some("a list has a tensor for each axis, and no columns")
        }
        Op::IndexPut { .. } if case.index.shape.contains(&0) => {
            Some("a tensor without elements stands for an axis without index")
        }
        Op::IndexPut { .. } => without_out(case, "aclnnIndexPutImpl has no parameter out"),
        Op::ScatterUpdate { .. } if tensors().any(|tensor| tensor.shape.contains(&0)) => {
            Some("the function takes no tensors without elements")
        }
        Op::ScatterUpdate { .. } => without_out(case, "aclnnInplaceScatterUpdate has no parameter out"),
        _ => None,
    }
}

/// Why a case can be refused, or computed, on host-cann only: CANN itself has no function that
/// reads the value of an `aclScalar`, or the tensors of a list. `None` for the other cases.
pub(super) fn unreadable(case: &Case) -> Option<&'static str> {
    if case.op.axes().is_some() {
        return Some("CANN has no function that reads a list, so its own operator computes this");
    }
    if case.op.operator().takes(Parameter::Alpha) {
        return Some("CANN has no function that reads alpha, so its own operator computes this");
    }
    matches!(case.expected, Expected::Refusal(Error::Value { .. }))
        .then_some("CANN has no function that reads a scalar, so its own operator converts it")
}

/// [`refusal`] for functions with coordinates along the last axis of index.
fn nd(op: Op, case: &Case, without_axes: bool) -> Option<&'static str> {
    if without_axes {
        return Some("the function takes no tensors without axes");
    }
    if case.index.shape.last() == Some(&0) {
        return Some("the function takes k == 0 for an empty index");
    }
    if op == Op::ScatterNdAdd { without_out(case, "aclnnTfScatterAdd has no parameter out") } else { None }
}

/// Why a case can't be expressed where a function works only in place. To compute a result, the
/// engine copies self to out and then calls the function; where a refusal is expected, out would
/// have been written before.
fn without_out(case: &Case, reason: &'static str) -> Option<&'static str> {
    (case.out.is_some() && matches!(case.expected, Expected::Refusal(_))).then_some(reason)
}
