//! Copies that the host does not wait for.

use core::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::stream::core::StreamCore;
use crate::stream::failures::Sources;

/// A copy between a tensor and a buffer of the host, which the copy has until it is done.
///
/// Dropped, or forgotten, the copy goes on, and the buffer is given back behind it.
#[must_use = "the buffer comes back from `wait`"]
pub struct Transfer<B> {
    buffer: B,
    stream: Arc<StreamCore>,
    ticket: u64,
    /// What was copied to the buffer comes from this.
    sources: Sources,
}

impl<B> Transfer<B> {
    pub(crate) fn new(buffer: B, stream: &Arc<StreamCore>, ticket: u64, sources: Sources) -> Self {
        Self { buffer, stream: Arc::clone(stream), ticket, sources }
    }

    /// Waits until the copy is done, and gives the buffer back. Errors of the stream's other work
    /// come from [`Stream::synchronize`](crate::Stream::synchronize), not from here.
    ///
    /// # Errors
    /// [`Error::Scatter`] with the index out of range because of which the numbers copied from a
    /// tensor are not to be relied upon; what CANN returns for an event of its own; an error that a
    /// drop left. The buffer is freed then, behind the copy.
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

/// A copy that was refused or that CANN failed to begin. `?` makes it an [`Error`].
#[derive(Debug)]
pub struct Rejected<B> {
    /// The buffer that the copy would have had; `None` where CANN failed, for a part of the copy
    /// may be under way: it is freed behind the stream's work then.
    pub buffer: Option<B>,
    /// Why.
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
