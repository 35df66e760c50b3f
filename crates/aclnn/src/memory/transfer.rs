//! Copies that the host does not wait for.

use core::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::stream::core::StreamCore;
use crate::stream::failures::Sources;

/// An enqueued copy between a tensor and a buffer of the host. It owns the buffer until the copy is
/// done.
///
/// If it is dropped, the copy goes on, and the buffer is freed after it.
#[must_use = "the buffer comes back from `wait`"]
pub struct Transfer<B> {
    buffer: B,
    stream: Arc<StreamCore>,
    ticket: u64,
    /// The work that computed the data copied to the buffer.
    sources: Sources,
}

impl<B> Transfer<B> {
    pub(crate) fn new(buffer: B, stream: &Arc<StreamCore>, ticket: u64, sources: Sources) -> Self {
        Self { buffer, stream: Arc::clone(stream), ticket, sources }
    }

    /// Waits until the copy is done, and returns the buffer. Errors of the stream's other work are
    /// returned by [`Stream::synchronize`](crate::Stream::synchronize), not by this.
    ///
    /// # Errors
    /// [`Error::Scatter`] with an index out of range that makes the data copied from a tensor
    /// invalid; what CANN returns for the event with which this waits; the pending error of an
    /// earlier drop. With an error, the buffer is freed after the copy.
    pub fn wait(self) -> Result<B> {
        self.stream.wait_for(self.ticket)?;
        self.sources.check()?;
        Ok(self.buffer)
    }
}

impl<B> fmt::Debug for Transfer<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer")
            .field("is_done", &self.stream.has_passed(self.ticket))
            .finish_non_exhaustive()
    }
}

/// A copy that was refused or that CANN failed to enqueue. `?` converts it to an [`Error`].
#[derive(Debug)]
pub struct Rejected<B> {
    /// The buffer that was to be copied from or to. `None` where CANN failed: a part of the copy
    /// may be under way, so the buffer is freed after the stream's work.
    pub buffer: Option<B>,
    /// Why the copy was not enqueued.
    pub error: Box<Error>,
}

impl<B> Rejected<B> {
    pub(crate) fn new(buffer: impl Into<Option<B>>, error: Error) -> Self {
        Self { buffer: buffer.into(), error: Box::new(error) }
    }
}

impl<B> fmt::Display for Rejected<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<B: fmt::Debug> core::error::Error for Rejected<B> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&*self.error)
    }
}

impl<B> From<Rejected<B>> for Error {
    fn from(rejected: Rejected<B>) -> Self {
        *rejected.error
    }
}
