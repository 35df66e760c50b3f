//! Failures of work, and how they reach whoever reads the data.
//!
//! An index out of range is found while a stream works, when no call is there to return it. So
//! every stream keeps the failures of its work until they are taken from it, and every buffer
//! records the work that its data comes from: a call that copies data to the host checks whether
//! any of that work has failed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aclnn_scatter::{Session, StreamError};
use aclnn_sys::aclrtStream;

use super::core::StreamCore;
use crate::error::{Error, Result};
use crate::handle::Handle;

/// The failures of one stream's work.
#[derive(Debug)]
pub(super) struct Failures {
    known: Mutex<Known>,
    /// All work up to this ticket is done, and its failures have been taken.
    settled: AtomicU64,
}

#[derive(Debug)]
struct Known {
    session: &'static Session,
    /// `None` once the stream is closed.
    handle: Option<Handle<aclrtStream>>,
    /// Failures that have not been taken, in the order of their tickets.
    untaken: Vec<StreamError>,
}

impl Known {
    /// Adds the failures that the stream has found since the last call.
    fn learn(&mut self) {
        if let Some(handle) = self.handle {
            let mut learned = aclnn_scatter::take_stream_errors(self.session, handle.get());
            if !learned.is_empty() {
                self.untaken.append(&mut learned);
                // A failure that a status word reports may become known after one of later work.
                self.untaken.sort_by_key(|failure| *failure.tickets.start());
            }
        }
    }
}

impl Failures {
    pub(super) fn new(session: &'static Session, handle: aclrtStream) -> Self {
        let known = Known { session, handle: Some(Handle::new(handle)), untaken: Vec::new() };
        Self { known: Mutex::new(known), settled: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_settled(&self, ticket: u64) -> bool {
        self.settled.load(Ordering::Acquire) >= ticket
    }

    /// Takes all failures, and returns the first. All work up to ticket `done` is done.
    pub(super) fn take(&self, done: u64) -> Option<Error> {
        let mut known = self.lock();
        known.learn();
        let untaken = core::mem::take(&mut known.untaken);
        // Work is done in order: all work before the latest failure is done, too.
        let latest = untaken.iter().map(|failure| *failure.tickets.end()).max();
        self.settled.fetch_max(done.max(latest.unwrap_or_default()), Ordering::AcqRel);
        untaken.first().map(|first| first.error.into())
    }

    /// Collects the last failures before the stream is destroyed, and returns the first. Does not
    /// take them: they still concern whoever reads the data.
    pub(super) fn close(&self) -> Option<Error> {
        let mut known = self.lock();
        known.learn();
        known.handle = None;
        known.untaken.first().map(|first| first.error.into())
    }

    /// The first failure of the work of these tickets, all of which is done.
    fn find(&self, first: u64, last: u64) -> Option<Error> {
        if self.has_settled(last) {
            return None;
        }
        let mut known = self.lock();
        known.learn();
        let is_among =
            |failure: &&StreamError| *failure.tickets.start() <= last && *failure.tickets.end() >= first;
        known.untaken.iter().find(is_among).map(|failure| failure.error.into())
    }
}

/// The work that data comes from, or that comes before an event. Work that is known to be settled
/// may be left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(Vec<Source>);

/// Work of one stream, from ticket `first` to ticket `last`. Unrelated work may lie between the
/// two; if that failed, the data counts as failed although it is good.
#[derive(Clone, Debug)]
struct Source {
    stream: Arc<StreamCore>,
    first: u64,
    last: u64,
}

impl Source {
    fn has_settled(&self) -> bool {
        self.stream.failures().has_settled(self.last)
    }
}

impl Sources {
    /// All work of a stream up to a ticket.
    pub(crate) fn up_to(stream: &Arc<StreamCore>, ticket: u64) -> Self {
        let mut sources = Self::default();
        sources.add(stream, 1, ticket);
        sources
    }

    /// Adds the work of a stream with tickets `first` to `last`.
    pub(super) fn add(&mut self, stream: &Arc<StreamCore>, first: u64, last: u64) {
        if let Some(known) = self.0.iter_mut().find(|known| Arc::ptr_eq(&known.stream, stream)) {
            if known.has_settled() {
                (known.first, known.last) = (first, last);
            } else {
                (known.first, known.last) = (known.first.min(first), known.last.max(last));
            }
            return;
        }
        self.0.retain(|known| !known.has_settled());
        self.0.push(Source { stream: Arc::clone(stream), first, last });
    }

    /// Adds all work of `others`.
    pub(crate) fn extend(&mut self, others: &Self) {
        for other in others.0.iter().filter(|other| !other.has_settled()) {
            self.add(&other.stream, other.first, other.last);
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Checks that none of the work has failed with an error that has not been taken from its
    /// stream. All of the work must be done.
    ///
    /// # Errors
    /// The first such error.
    pub(crate) fn check(&self) -> Result<()> {
        let mut failures =
            self.0.iter().filter_map(|source| source.stream.failures().find(source.first, source.last));
        failures.next().map_or(Ok(()), Err)
    }
}
