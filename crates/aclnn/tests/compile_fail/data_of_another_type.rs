//! Data must have the tensor's element type.

use aclnn::{Stream, Tensor};

fn integers(stream: &Stream) -> aclnn::Result<Tensor<f32>> {
    Tensor::new(vec![vec![1_i32, 2]], stream)
}

fn text(stream: &Stream) -> aclnn::Result<Tensor<f32>> {
    Tensor::new("1.0, 2.0", stream)
}

fn main() {}
