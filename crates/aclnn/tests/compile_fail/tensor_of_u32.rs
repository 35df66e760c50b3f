//! For a type that can't be an element, the compiler lists those that can.

use aclnn::{Stream, Tensor};

fn zeros(stream: &Stream) -> aclnn::Result<Tensor<u32>> {
    Tensor::<u32>::zeros([2, 3], stream)
}

fn numbers(stream: &Stream) -> aclnn::Result<Tensor<u32>> {
    Tensor::new([1_u32, 2], stream)
}

fn add(tensor: &mut Tensor<u32>, index: &Tensor<i64>, stream: &Stream) -> aclnn::Result<Vec<u32>> {
    tensor.scatter_add_(0, index, &tensor.share(), stream)?;
    tensor.to_vec(stream)
}

fn pinned(stream: &Stream) -> aclnn::Result<aclnn::PinnedBuffer<usize>> {
    aclnn::PinnedBuffer::new(stream, 3)
}

fn main() {}
