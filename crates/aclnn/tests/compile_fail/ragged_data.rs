//! Rows of a tensor are of one length.

fn ragged(stream: &aclnn::Stream) -> aclnn::Result<aclnn::Tensor<f32>> {
    aclnn::Tensor::new([vec![1.0_f32, 2.0], vec![3.0], vec![4.0, 5.0, 6.0]], stream)
}

fn main() {}
