//! A read-only view can't be written through.

use aclnn::{Stream, TensorView};

fn write(view: &mut TensorView<'_, f32>, stream: &Stream) -> aclnn::Result<()> {
    view.copy_from_slice(&[1.0], stream)
}

fn main() {}
