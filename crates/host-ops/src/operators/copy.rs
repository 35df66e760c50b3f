//! Copies.

use super::{broadcast, check_shape};
use crate::call::{Call, Work};
use crate::dtype::DType;
use crate::element::with_bits;
use crate::failure::Failure;

/// `selfRef = src`, broadcast to selfRef's shape and cast to its dtype.
pub(crate) fn copy(call: &Call) -> Result<Work, Failure> {
    let [self_ref, src, _] = call.tensors()?;
    check_shape(self_ref, &broadcast(self_ref, src)?)?;
    Ok(convert(1, src.dtype, self_ref.dtype))
}

/// `out = self`, cast to `dtype`, which is out's.
pub(crate) fn cast(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    check_shape(out, &self_.shape)?;
    let dtype = call.dtype_of(out)?;
    Ok(convert(0, self_.dtype, dtype))
}

/// Writes a tensor to out; where both have the same dtype, its bits as they are.
fn convert(place: usize, from: DType, to: DType) -> Work {
    Work::new(move |held| {
        if from != to {
            return held.put(from, held.values(place)?);
        }
        with_bits!(from, B => held.put_all(&held.elements::<B>(place)?))
    })
}
