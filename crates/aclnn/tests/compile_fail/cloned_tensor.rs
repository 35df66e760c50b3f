//! Code that wants to clone a tensor must say whether it wants a copy or the same memory.

use aclnn::{Tensor, TensorView, TensorViewMut};

fn copy(tensor: &Tensor<f32>) -> Tensor<f32> {
    Tensor::clone(tensor)
}

fn by_method(tensor: Tensor<f32>) -> [Tensor<f32>; 2] {
    [tensor.clone(), tensor]
}

#[derive(Clone)]
struct Layer {
    weights: Tensor<f32>,
}

fn written(view: TensorViewMut<'_, f32>) {
    let _ = view.clone();
}

// A read-only view can be cloned.
fn read<'a>(view: &TensorView<'a, f32>) -> TensorView<'a, f32> {
    view.clone()
}

fn main() {}
