//! Copies that the host does not wait for.

use core::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::stream::core::StreamCore;

/// A copy between a tensor and a buffer of the host, which the copy has until it is done.
///
/// Dropped, or forgotten, the copy goes on, and the buffer is given back behind it.
#[must_use = "the buffer comes back from `wait`"]
pub struct Transfer<B> {
    buffer: B,
    stream: Arc<StreamCore>,
    ticket: u64,
}

impl<B> Transfer<B> {
    pub(crate) fn new(buffer: B, stream: &Arc<StreamCore>, ticket: u64) -> Self {
        Self { buffer, stream: Arc::clone(stream), ticket }
    }

    /// Waits until the copy is done, and gives the buffer back. Errors of the stream's other work come from
    /// [`Stream::synchronize`](crate::Stream::synchronize), not from here.
    ///
    /// # Errors
    /// What CANN returns for an event of its own; an error that a drop left. The buffer is freed then, behind the copy.
    pub fn wait(self) -> Result<B> {
        self.stream.wait_for(self.ticket)?;
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

/// A copy that was refused, with the buffer that it would have had. `?` makes it an [`Error`].
#[derive(Debug)]
pub struct Rejected<B> {
    /// The buffer.
    pub buffer: B,
    /// Why.
    pub error: Box<Error>,
}

impl<B> Rejected<B> {
    pub(crate) fn new(buffer: B, error: Error) -> Self {
        Self { buffer, error: Box::new(error) }
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
