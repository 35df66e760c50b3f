//! There can be only one view that writes at a time.

use aclnn::{Stream, Tensor};

fn both(tensor: &mut Tensor<f32>, stream: &Stream) -> aclnn::Result<()> {
    let mut first = tensor.view_mut();
    let second = tensor.view_mut();
    first.copy_from(&second, stream)
}

fn main() {}
