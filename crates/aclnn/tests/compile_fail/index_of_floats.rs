//! An index must hold integers.

use aclnn::{Stream, Tensor};

fn add(tensor: &Tensor<f32>, index: &Tensor<f32>, stream: &Stream) -> aclnn::Result<Tensor<f32>> {
    tensor.scatter_add(0, index, tensor, stream)
}

fn main() {}
