//! self and src must have the same dtype.

use aclnn::{Stream, Tensor};

fn add(tensor: &Tensor<f32>, index: &Tensor<i64>, src: &Tensor<f64>, stream: &Stream) -> aclnn::Result<Tensor<f32>> {
    tensor.scatter_add(0, index, src, stream)
}

fn main() {}
