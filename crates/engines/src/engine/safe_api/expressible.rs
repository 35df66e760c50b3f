//! Which cases can't be expressed by methods of `aclnn`'s tensors.

use scatter::{Argument, Error};

use super::Form;
use crate::call::Claim;
use crate::case::{Case, Expected};
use crate::refusal::Refusal;
use crate::tensor::Tensor;

/// Why a case can't be expressed by tensors of this form; `None` where it can.
pub(super) fn refusal(form: Form, case: &Case) -> Option<&'static str> {
    let takes_src = case.op.operator().signature().has_src;
    let dtypes = [case.src.as_ref(), case.out.as_ref()];
    let mut dtypes = dtypes.into_iter().flatten().map(|tensor| tensor.storage.dtype());
    if matches!(case.claim, Some(Claim::DType(..))) {
        Some("a tensor has one of the twelve dtypes")
    } else if case.src.is_some() != takes_src {
        Some("a method takes its operator's tensors, no fewer and no more")
    } else if form == Form::Typed && dtypes.any(|dtype| dtype != case.dtype()) {
        Some("self, src and out have one dtype by their types")
    } else if matches!(case.expected, Expected::Refusal(Error::IndexShape { .. })) && case.op.axes().is_some()
    {
        Some("a list has a tensor for each axis, and no columns")
    } else if unmade(case).is_some_and(|unmade| !is_expected(case, &unmade)) {
        Some("a tensor outside its memory is refused when it is made, before the other rule")
    } else {
        None
    }
}

/// Why CANN's own operators aren't run on a case; `None` where they are. Their documentation
/// doesn't define what an index outside `[0, size)` does; it may write outside the tensor.
pub(super) fn undefined(case: &Case) -> Option<&'static str> {
    let storage = &case.index.storage;
    let negative = match (storage.get::<i64>(), storage.get::<i32>()) {
        (Some(values), _) => values.iter().any(|&value| value < 0),
        (_, Some(values)) => values.iter().any(|&value| value < 0),
        _ => false,
    };
    let is_bad = matches!(case.expected, Expected::Refusal(Error::IndexOutOfRange { .. }));
    (negative || is_bad)
        .then_some("an index that is negative or out of range is undefined to CANN's own operators")
}

/// A case's tensors in the order in which the contract checks them, each with the argument that an
/// error names. In place the destination is self.
fn tensors(case: &Case) -> impl Iterator<Item = (Argument, &Tensor)> {
    let Case { self_, index, src, out, .. } = case;
    [
        Some((Argument::SelfTensor, self_)),
        Some((Argument::Index, index)),
        src.as_ref().map(|src| (Argument::Src, src)),
        out.as_ref().map(|out| (Argument::Out, out)),
    ]
    .into_iter()
    .flatten()
}

/// The refusal of the first tensor whose layout is impossible; `None` where all are possible.
fn unmade(case: &Case) -> Option<Refusal> {
    tensors(case)
        .find_map(|(argument, tensor)| tensor.layout().err().map(|error| Refusal::Tensor { argument, error }))
}

fn is_expected(case: &Case, refusal: &Refusal) -> bool {
    matches!(&case.expected, Expected::Refusal(expected) if refusal.says(expected))
}
