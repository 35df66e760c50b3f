//! Times between CANN's events around what a stream does.

use std::time::Duration;

use aclnn::{Device, DeviceBuffer, Event, Stream};
use aclnn_sys::{ACL_MEMCPY_DEVICE_TO_DEVICE, AclError};

use super::memory::Buffers;
use super::{SafeApi, methods};
use crate::case::Case;
use crate::refusal::Refusal;

impl SafeApi {
    /// The device.
    pub fn device(&self) -> &Device {
        self.places[0].device()
    }

    /// Times of `calls` calls in place after one to warm up, each on the same self, which is copied
    /// back in front of the first event. The result of the last call is left in the case.
    ///
    /// # Errors
    /// How the engine refuses the call, or what CANN returns.
    pub fn timed(&self, case: &mut Case, calls: usize) -> Result<Vec<Duration>, Refusal> {
        self.places[0].on_stream(|stream| {
            let mut call = case.call();
            let buffers = Buffers::of(&call, stream)?;
            let before = DeviceBuffer::new(stream, buffers.out.bytes())?;
            before.write(0, call.out.storage.bytes(), stream)?;
            let times = times(stream, calls, &mut |timed| {
                copy(&buffers.out, &before, stream)?;
                timed.begin()?;
                methods::call(self.form, &call, &buffers, stream)
            })?;
            buffers.copy_back(&mut call, stream)?;
            Ok(times)
        })
    }

    /// Times of `calls` copies of a number of bytes from one place of the device's memory to
    /// another, after one to warm up.
    ///
    /// # Errors
    /// What CANN returns.
    pub fn timed_copies(&self, bytes: usize, calls: usize) -> Result<Vec<Duration>, Refusal> {
        self.places[0].on_stream(|stream| {
            let (from, to) = (DeviceBuffer::new(stream, bytes)?, DeviceBuffer::new(stream, bytes)?);
            from.write(0, &vec![0; bytes], stream)?;
            times(stream, calls, &mut |timed| {
                timed.begin()?;
                copy(&to, &from, stream)
            })
        })
    }
}

/// Two events of a stream.
#[derive(Debug)]
pub struct Timed<'a> {
    stream: &'a Stream,
    start: Event,
    end: Event,
}

impl Timed<'_> {
    /// What is given to the stream from here on is timed.
    ///
    /// # Errors
    /// What CANN returns.
    pub fn begin(&mut self) -> Result<(), Refusal> {
        Ok(self.stream.record(&mut self.start)?)
    }
}

/// Times `work` so often after once to warm up; it says where its time begins.
///
/// # Errors
/// What `work` or CANN returns.
pub fn times(
    stream: &Stream,
    calls: usize,
    work: &mut dyn FnMut(&mut Timed<'_>) -> Result<(), Refusal>,
) -> Result<Vec<Duration>, Refusal> {
    let mut timed = Timed { stream, start: Event::new(stream)?, end: Event::new(stream)? };
    let mut times = Vec::with_capacity(calls);
    for call in 0..=calls {
        let worked = work(&mut timed);
        let recorded = stream.record(&mut timed.end);
        // Also where something failed: memory that the work uses must not be gone before it is
        // done.
        let done = stream.synchronize();
        worked?;
        recorded.and(done)?;
        if call > 0 {
            times.push(timed.end.elapsed_since(&timed.start)?);
        }
    }
    Ok(times)
}

/// Enqueues a copy of a whole buffer to another that is as long.
fn copy(to: &DeviceBuffer, from: &DeviceBuffer, stream: &Stream) -> Result<(), Refusal> {
    let (cann, bytes) = (stream.device().runtime().cann(), from.bytes());
    let raw = stream.as_raw()?;
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: both buffers are so long, and `times` waits for the stream before their owner drops
    // them.
    let code = unsafe {
        cann.aclrtMemcpyAsync(to.as_raw(), to.bytes(), from.as_raw(), bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, raw)
    };
    match code {
        Ok(AclError(0)) => Ok(()),
        Ok(code) => Err(Refusal::Broken(format!("aclrtMemcpyAsync returned {code}"))),
        Err(missing) => Err(Refusal::Broken(missing.to_string())),
    }
}
