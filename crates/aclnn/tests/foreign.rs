//! Buffers from `from_raw` whose memory is not the device's.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::atomic::AtomicU32;

use aclnn::sys::ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
use aclnn::{DeviceBuffer, Error, Result, Stream, Tensor};
use common::stream;

/// A tensor of four elements in memory of the host.
fn on_host(stream: &Stream) -> Result<Tensor<f32>> {
    static HOST: [AtomicU32; 4] = [const { AtomicU32::new(0) }; 4];
    let host = HOST.as_ptr().cast_mut();
    // SAFETY: nothing else uses the memory, and host-cann never accesses memory that is not a
    // device's.
    let buffer = unsafe { DeviceBuffer::from_raw(stream, host.cast(), 16, || ()) };
    Tensor::<f32>::from_buffer(buffer, [4], [1], 0)
}

/// Asserts that synchronising the stream reports an argument of an operator in host memory.
fn assert_told(stream: &Stream, words: &str) {
    let error = stream.synchronize().unwrap_err();
    let text = error.to_string();
    assert!(text.contains(words) && text.contains("it is host memory"), "{text}");
    assert!(matches!(error, Error::Acl { code: ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, .. }), "{error:?}");
    stream.synchronize().unwrap();
}

#[test]
fn memory_of_the_host_is_not_touched_by_operators() -> Result<()> {
    let stream = stream()?;
    let (mut sums, index) = (Tensor::<f32>::zeros([4], &stream)?, Tensor::<i64>::new([0, 1, 2, 3], &stream)?);
    let mut host = on_host(&stream)?;
    sums.scatter_add_(0, &index, &host, &stream)?;
    assert_told(&stream, "aclnnScatterAdd: src: device 0 can't read 16 bytes");
    host.scatter_add_(0, &index, &sums, &stream)?;
    assert_told(&stream, "aclnnScatterAdd: self: device 0 can't write 16 bytes");
    host.scatter_src_grad(0, &index, &stream)?;
    assert_told(&stream, "aclnnGather: self: device 0 can't read 16 bytes");
    assert_eq!(sums.to_vec(&stream)?, [0.0; 4]);
    Ok(())
}
