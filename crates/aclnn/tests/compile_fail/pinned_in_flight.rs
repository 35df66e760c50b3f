//! A copy owns the pinned memory until it is done.

use aclnn::{PinnedBuffer, Stream, Tensor};

fn peek(tensor: &Tensor<f32>, into: PinnedBuffer<f32>, stream: &Stream) -> aclnn::Result<f32> {
    let copied = tensor.copy_to_pinned(into, stream)?;
    let seen = into[0];
    copied.wait()?;
    Ok(seen)
}

fn main() {}
