//! Measures the work of a stream by CANN's events.

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

    /// The times of `calls` calls in place, after one to warm up. Before each, outside its time,
    /// self is restored. The result of the last call is left in the case.
    ///
    /// # Errors
    /// The engine refuses the call, or CANN fails.
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

    /// The times of `calls` copies of `bytes` bytes within device memory, after one to warm up.
    ///
    /// # Errors
    /// CANN fails.
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

/// The two events between which a stream's work is timed.
#[derive(Debug)]
pub struct Timed<'a> {
    stream: &'a Stream,
    start: Event,
    end: Event,
}

impl Timed<'_> {
    /// Starts the time: work that is enqueued from here on counts.
    ///
    /// # Errors
    /// CANN fails.
    pub fn begin(&mut self) -> Result<(), Refusal> {
        Ok(self.stream.record(&mut self.start)?)
    }
}

/// The times of `calls` calls of `work`, after one to warm up. `work` calls [`Timed::begin`] where
/// its time begins.
///
/// # Errors
/// `work` or CANN fails.
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
        // Also after a failure: the work must be done before its memory is freed.
        let done = stream.synchronize();
        worked?;
        recorded.and(done)?;
        if call > 0 {
            times.push(timed.end.elapsed_since(&timed.start)?);
        }
    }
    Ok(times)
}

/// Enqueues a copy of a whole buffer to another of the same length.
fn copy(to: &DeviceBuffer, from: &DeviceBuffer, stream: &Stream) -> Result<(), Refusal> {
    let (cann, bytes) = (stream.device().runtime().cann(), from.bytes());
    let raw = stream.as_raw()?;
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: both buffers have `bytes` bytes, and `times` waits for the stream before the caller
    // drops them.
    let code = unsafe {
        cann.aclrtMemcpyAsync(to.as_raw(), to.bytes(), from.as_raw(), bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, raw)
    };
    match code {
        Ok(AclError(0)) => Ok(()),
        Ok(code) => Err(Refusal::Broken(format!("aclrtMemcpyAsync returned {code}"))),
        Err(missing) => Err(Refusal::Broken(missing.to_string())),
    }
}
