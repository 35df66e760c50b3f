//! Copies.

use super::{broadcast, check_shape};
use crate::call::{Call, Work};
use crate::element::with_bits;
use crate::failure::Failure;

/// `selfRef = src`, broadcast to selfRef's shape and cast to its dtype.
pub(crate) fn copy(call: &Call) -> Result<Work, Failure> {
    let [self_ref, src, _] = call.tensors()?;
    check_shape(self_ref, &broadcast(self_ref, src)?)?;
    Ok(convert(1, (src.dtype == self_ref.dtype).then_some(src.dtype)))
}

/// `out = self`, cast to `dtype`, which is out's.
pub(crate) fn cast(call: &Call) -> Result<Work, Failure> {
    let [self_, out] = call.tensors()?;
    check_shape(out, &self_.shape)?;
    let dtype = call.dtype_of(out)?;
    Ok(convert(0, (self_.dtype == dtype).then_some(dtype)))
}

/// Writes a tensor to out; with `same` for the dtype of both, its bits as they are.
fn convert(place: usize, same: Option<crate::dtype::DType>) -> Work {
    Work::new(move |held| match same {
        None => held.put(held.values(place)?),
        Some(dtype) => with_bits!(dtype, B => {
            held.put_all(&held.elements::<B>(place)?)
        }),
    })
}
