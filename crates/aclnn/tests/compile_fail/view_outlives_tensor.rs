//! A view can't outlive its tensor.

use aclnn::{Tensor, TensorView};

fn dangling<'a>(tensor: Tensor<f32>) -> TensorView<'a, f32> {
    tensor.view()
}

fn main() {}
