//! Which streams use a resource, and until when.
//!
//! Every piece of memory (and every event) knows the last work that writes it and the work that reads it, as pairs of a
//! stream and a ticket. Two things follow from that, and they are why this crate is safe:
//!
//! - work on one stream waits for conflicting work on another, by an event and without the host, so that streams never race;
//! - what is dropped while work uses it is given back when the streams have passed that work, and not before.
//!
//! On one stream neither costs a call of CANN's.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::core::{Over, StreamCore};

/// What work does with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    /// It reads.
    Read,
    /// It writes, and may read.
    Write,
}

/// Work that uses a resource.
#[derive(Clone, Debug)]
struct Use {
    stream: Arc<StreamCore>,
    ticket: u64,
}

impl Use {
    fn is_over(&self) -> bool {
        self.stream.has_passed(self.ticket)
    }
}

/// The uses of one resource.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    write: Option<Use>,
    /// Since the last write; one for each stream.
    reads: SmallVec<[Use; 1]>,
}

impl State {
    /// Other streams that this work has to wait for.
    fn conflicts(&self, stream: &Arc<StreamCore>, access: Access) -> impl Iterator<Item = &Arc<StreamCore>> {
        let reads = if access == Access::Write { &self.reads[..] } else { &[] };
        let uses = self.write.iter().chain(reads);
        let others = uses.filter(|used| !Arc::ptr_eq(&used.stream, stream) && !used.is_over());
        others.map(|used| &used.stream)
    }

    fn note(&mut self, stream: &Arc<StreamCore>, access: Access, ticket: u64) {
        let is_mine = |used: &&mut Use| Arc::ptr_eq(&used.stream, stream);
        let known = match access {
            Access::Write => {
                self.reads.clear();
                self.write.as_mut().filter(is_mine)
            }
            Access::Read => self.reads.iter_mut().find(is_mine),
        };
        if let Some(used) = known {
            used.ticket = ticket;
            return;
        }
        let used = Use { stream: Arc::clone(stream), ticket };
        match access {
            Access::Write => self.write = Some(used),
            Access::Read => {
                self.reads.retain(|used| !used.is_over());
                self.reads.push(used);
            }
        }
    }
}

/// A resource and how work uses it.
pub(crate) type Used<'a> = (&'a Uses, Access);

/// Resources locked for one piece of work, each once, in the order of their addresses so that no two threads wait for
/// each other.
pub(crate) struct Locked<'a> {
    held: SmallVec<[(MutexGuard<'a, State>, Access); 4]>,
    /// Dropped behind the locks: what others gave to be released may use this crate.
    over: Over,
}

impl<'a> Locked<'a> {
    pub(crate) fn new(used: &mut [Used<'a>]) -> Self {
        // The writing one first of those that are the same.
        used.sort_unstable_by_key(|(uses, access)| {
            (core::ptr::from_ref(*uses).addr(), core::cmp::Reverse(*access))
        });
        let mut last = core::ptr::null();
        let mut held = SmallVec::new();
        for &(uses, access) in &*used {
            if !core::ptr::eq(uses, last) {
                held.push((uses.0.lock().unwrap_or_else(PoisonError::into_inner), access));
                last = uses;
            }
        }
        Self { held, over: Over::new() }
    }

    /// Drops these things when the locks are gone.
    pub(crate) fn drop_behind(&mut self, mut over: Over) {
        self.over.append(&mut over);
    }

    /// The other streams that work of `stream` has to wait for, each once.
    pub(crate) fn conflicts(&self, stream: &Arc<StreamCore>) -> SmallVec<[Arc<StreamCore>; 2]> {
        let mut found: SmallVec<[Arc<StreamCore>; 2]> = SmallVec::new();
        for other in self.held.iter().flat_map(|(state, access)| state.conflicts(stream, *access)) {
            if !found.iter().any(|known| Arc::ptr_eq(known, other)) {
                found.push(Arc::clone(other));
            }
        }
        found
    }

    /// Notes work that has been given to a stream.
    pub(crate) fn note(&mut self, stream: &Arc<StreamCore>, ticket: u64) {
        for (state, access) in &mut self.held {
            state.note(stream, *access, ticket);
        }
    }
}

/// A resource that outlives the work that uses it, whenever it is dropped.
#[derive(Debug)]
pub(crate) struct Tracked<R: Send + Sync + 'static> {
    resource: ManuallyDrop<R>,
    uses: Uses,
}

impl<R: Send + Sync + 'static> Tracked<R> {
    pub(crate) fn new(resource: R) -> Self {
        Self { resource: ManuallyDrop::new(resource), uses: Uses::default() }
    }

    pub(crate) fn uses(&self) -> &Uses {
        &self.uses
    }

    /// Waits on the host until all work is over that conflicts with this access.
    pub(crate) fn wait(&self, access: Access) -> crate::Result<()> {
        let streams: SmallVec<[Use; 2]> = {
            let state = self.uses.0.lock().unwrap_or_else(PoisonError::into_inner);
            let reads = if access == Access::Write { &state.reads[..] } else { &[] };
            state.write.iter().chain(reads).filter(|used| !used.is_over()).cloned().collect()
        };
        streams.iter().try_for_each(|used| used.stream.wait_for(used.ticket))
    }
}

impl<R: Send + Sync + 'static> Deref for Tracked<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.resource
    }
}

impl<R: Send + Sync + 'static> Drop for Tracked<R> {
    fn drop(&mut self) {
        // SAFETY: this is the drop, so that the resource is taken once and not looked at again.
        let resource = unsafe { ManuallyDrop::take(&mut self.resource) };
        let state = self.uses.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut uses =
            state.write.take().into_iter().chain(state.reads.drain(..)).filter(|used| !used.is_over());
        if let Some(first) = uses.next() {
            // The last of the streams to pass its work gives it back.
            let shared: Arc<dyn Send + Sync> = Arc::new(resource);
            for used in uses {
                used.stream.keep_until(used.ticket, Arc::clone(&shared));
            }
            first.stream.keep_until(first.ticket, shared);
        }
    }
}
