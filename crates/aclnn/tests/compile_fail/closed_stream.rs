//! A stream can't be used after it is closed.

fn after(stream: aclnn::Stream) -> aclnn::Result<()> {
    stream.close()?;
    stream.synchronize()
}

fn main() {}
