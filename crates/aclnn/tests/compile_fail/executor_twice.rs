//! An executor can be launched only once.

fn twice(executor: aclnn::Executor, stream: &aclnn::Stream) -> aclnn::Result<()> {
    executor.launch(stream)?;
    executor.launch(stream)
}

fn main() {}
