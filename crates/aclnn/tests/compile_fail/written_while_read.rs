//! A tensor can't be written while a view reads it.

use aclnn::{Stream, Tensor};

fn in_place(tensor: &mut Tensor<f32>, index: &Tensor<i64>, stream: &Stream) -> aclnn::Result<()> {
    let src = tensor.view();
    tensor.scatter_add_(0, index, &src, stream)?;
    Ok(())
}

fn main() {}
