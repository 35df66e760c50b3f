//! A stream is gone once it is closed.

fn after(stream: aclnn::Stream) -> aclnn::Result<()> {
    stream.close()?;
    stream.synchronize()
}

fn main() {}
