//! Failures of work, and the data that comes from it.
//!
//! An index out of range is found while a stream works, when nobody is there to be told. So every
//! stream keeps the failures of its work until they are taken from it, and all data knows the work
//! that it comes from: whoever brings data to the host asks whether any of that has failed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aclnn_scatter::{Session, StreamError};
use aclnn_sys::aclrtStream;

use super::core::StreamCore;
use crate::error::{Error, Result};
use crate::handle::Handle;

/// What has failed of the work of one stream.
#[derive(Debug)]
pub(super) struct Failures {
    known: Mutex<Known>,
    /// Up to this ticket all work is done, and what failed of it has been taken.
    settled: AtomicU64,
}

#[derive(Debug)]
struct Known {
    session: &'static Session,
    /// `None` once the stream is closed.
    handle: Option<Handle<aclrtStream>>,
    /// In the order of their tickets.
    untaken: Vec<StreamError>,
}

impl Known {
    /// Adds what the stream has found out since.
    fn learn(&mut self) {
        if let Some(handle) = self.handle {
            let mut learned = aclnn_scatter::take_stream_errors(self.session, handle.get());
            if !learned.is_empty() {
                self.untaken.append(&mut learned);
                // What status words tell of may become known behind later work's.
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

    /// Takes all failures, and returns the first. The work of `done` and before it is done.
    pub(super) fn take(&self, done: u64) -> Option<Error> {
        let mut known = self.lock();
        known.learn();
        let untaken = core::mem::take(&mut known.untaken);
        // Work is done in its order: all before the latest failure is, too.
        let latest = untaken.iter().map(|failure| *failure.tickets.end()).max();
        self.settled.fetch_max(done.max(latest.unwrap_or_default()), Ordering::AcqRel);
        untaken.first().map(|first| first.error.into())
    }

    /// Learns of the last failures before the stream is destroyed, and returns the first. They stay
    /// with the data.
    pub(super) fn close(&self) -> Option<Error> {
        let mut known = self.lock();
        known.learn();
        known.handle = None;
        known.untaken.first().map(|first| first.error.into())
    }

    /// The first failure among the work of these tickets, which is done.
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

/// The work that data comes from, or an event stands behind; without what is known to be settled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(Vec<Source>);

/// Work of one stream, from the first ticket to the last. What lies between may be work of others:
/// where that has failed, the data counts as failed though it has not.
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

    /// Adds work of a stream.
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

    /// Adds the work that other data comes from.
    pub(crate) fn extend(&mut self, others: &Self) {
        for other in others.0.iter().filter(|other| !other.has_settled()) {
            self.add(&other.stream, other.first, other.last);
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether none of the work, which is done, has failed with an error that nobody has taken from
    /// its stream.
    ///
    /// # Errors
    /// The error.
    pub(crate) fn check(&self) -> Result<()> {
        let mut failures =
            self.0.iter().filter_map(|source| source.stream.failures().find(source.first, source.last));
        failures.next().map_or(Ok(()), Err)
    }
}
