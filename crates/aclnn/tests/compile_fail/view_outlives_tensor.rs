//! A view is borrowed from its tensor.

use aclnn::{Tensor, TensorView};

fn dangling<'a>(tensor: Tensor<f32>) -> TensorView<'a, f32> {
    tensor.view()
}

fn main() {}
