//! Which work of which streams uses a resource.
//!
//! Every piece of memory (and every event) records the last work that writes it and the later work
//! that reads it, as pairs of a stream and a ticket. This crate is safe because of two things that
//! it does with these records:
//!
//! - work of one stream waits for conflicting work of another, by an event and without the host, so
//!   that streams never race;
//! - a resource that is dropped while work uses it is freed when the streams have passed that work,
//!   and not before.
//!
//! With a single stream, the first needs no call of CANN's.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aclnn_sys::fork;
use smallvec::SmallVec;

use super::core::{Over, StreamCore};
use super::failures::Sources;

/// How work accesses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    /// Reads only.
    Read,
    /// Writes, and may also read, or leave a part unchanged.
    Write,
    /// Overwrites all of it without reading it.
    Replace,
}

impl Access {
    /// The access of work that only writes: `Replace` where it writes the whole resource, or else
    /// `Write`.
    pub(crate) const fn write(is_whole: bool) -> Self {
        if is_whole { Self::Replace } else { Self::Write }
    }
}

/// A piece of work that uses a resource.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(super) stream: Arc<StreamCore>,
    pub(super) ticket: u64,
}

impl Use {
    fn is_over(&self) -> bool {
        self.stream.has_passed(self.ticket)
    }

    /// Notes that the work is done.
    pub(crate) fn note_over(&self) {
        self.stream.note_passed(self.ticket);
    }
}

/// The uses of one resource.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    write: Option<Use>,
    /// The last read of each stream since the last write.
    reads: SmallVec<[Use; 1]>,
    /// The work that the data comes from.
    sources: Sources,
}

impl State {
    /// Work that conflicts with this access and is not known to be done.
    fn conflicts(&self, access: Access) -> impl Iterator<Item = &Use> {
        let reads = if access == Access::Read { &[] } else { &self.reads[..] };
        self.write.iter().chain(reads).filter(|used| !used.is_over())
    }

    fn note(&mut self, stream: &Arc<StreamCore>, access: Access, ticket: u64) {
        let is_mine = |used: &&mut Use| Arc::ptr_eq(&used.stream, stream);
        let known = match access {
            Access::Write | Access::Replace => {
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
            Access::Write | Access::Replace => self.write = Some(used),
            Access::Read => {
                self.reads.retain(|used| !used.is_over());
                self.reads.push(used);
            }
        }
    }
}

/// The uses of a resource, and how a piece of work accesses it.
pub(crate) type Used<'a> = (&'a Uses, Access);

/// The uses of several resources, locked for one piece of work. Each is locked once, in the order
/// of their addresses, so that threads can't deadlock.
pub(crate) struct Locked<'a> {
    held: SmallVec<[(MutexGuard<'a, State>, Access); 4]>,
    /// Dropped after the locks, because a `release` function that a user gave may call this crate.
    over: Over,
}

impl<'a> Locked<'a> {
    pub(crate) fn new(used: &mut [Used<'a>]) -> Self {
        // In a forked process a thread that does not exist there may hold a lock. No work can be
        // enqueued there, so nothing is locked.
        let used = if fork::check().is_ok() { used } else { &mut [] };
        // Of several accesses to the same resource the strongest comes first. A `Replace` together
        // with another access counts as a `Write`: the work then does more than overwrite the
        // resource, and its new data may depend on the old.
        used.sort_unstable_by_key(|(uses, access)| {
            (core::ptr::from_ref(*uses).addr(), core::cmp::Reverse(*access))
        });
        let mut last = core::ptr::null();
        let mut held: SmallVec<[(MutexGuard<'a, State>, Access); 4]> = SmallVec::new();
        for &(uses, access) in &*used {
            if !core::ptr::eq(uses, last) {
                held.push((uses.lock(), access));
                last = uses;
            } else if let Some((_, known @ Access::Replace)) = held.last_mut() {
                *known = Access::Write;
            }
        }
        Self { held, over: Over::new() }
    }

    /// Drops these resources after unlocking.
    pub(crate) fn drop_behind(&mut self, mut over: Over) {
        self.over.append(&mut over);
    }

    /// The latest conflicting work of each stream other than `stream`.
    pub(crate) fn conflicts(&self, stream: &Arc<StreamCore>) -> SmallVec<[Use; 2]> {
        let mut found: SmallVec<[Use; 2]> = SmallVec::new();
        for other in self.held.iter().flat_map(|(state, access)| state.conflicts(*access)) {
            if Arc::ptr_eq(&other.stream, stream) {
                continue;
            }
            match found.iter_mut().find(|known| Arc::ptr_eq(&known.stream, &other.stream)) {
                Some(known) => known.ticket = known.ticket.max(other.ticket),
                None => found.push(other.clone()),
            }
        }
        found
    }

    /// Whether all conflicting work is known to be done.
    pub(crate) fn are_free(&self) -> bool {
        self.held.iter().all(|(state, access)| state.conflicts(*access).next().is_none())
    }

    /// Notes in the record of each locked resource that the work with this ticket uses it. Where
    /// the work writes a resource, the sources of its data are from now on this work, and the
    /// sources of all data that this work may have read.
    pub(crate) fn note(&mut self, stream: &Arc<StreamCore>, ticket: u64) {
        for place in 0..self.held.len() {
            let access = self.held[place].1;
            self.held[place].0.note(stream, access, ticket);
            if access == Access::Read {
                continue;
            }
            let mut sources = core::mem::take(&mut self.held[place].0.sources);
            if access == Access::Replace {
                sources.clear();
            }
            sources.add(stream, ticket, ticket);
            for (other, access) in &self.held {
                // `held[place]` itself adds nothing here, because its sources have been taken out.
                if *access != Access::Replace {
                    sources.extend(&other.sources);
                }
            }
            self.held[place].0.sources = sources;
        }
    }

    /// Checks that none of the work that the data comes from has failed. All of that work must be
    /// done.
    ///
    /// # Errors
    /// The error of the failed work.
    pub(crate) fn check(&self) -> crate::Result<()> {
        self.held.iter().try_for_each(|(state, _)| state.sources.check())
    }

    /// Notes that the host has overwritten the resources, so that their data comes from no work.
    pub(crate) fn note_replaced(&mut self) {
        self.held.iter_mut().for_each(|(state, _)| state.sources.clear());
    }
}

impl Uses {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work that the data comes from.
    pub(crate) fn sources(&self) -> Sources {
        fork::check().map_or_else(|_| Sources::default(), |()| self.lock().sources.clone())
    }
}

/// A resource that stays alive until the work that uses it is done, even if this is dropped
/// earlier.
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

    /// Waits on the host until all work that conflicts with this access is done.
    pub(crate) fn wait(&self, access: Access) -> crate::Result<()> {
        fork::check()?;
        let streams: SmallVec<[Use; 2]> = {
            let state = self.uses.lock();
            state.conflicts(access).cloned().collect()
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
        if fork::check().is_err() {
            // The resource belongs to the parent process.
            return;
        }
        // SAFETY: the resource is taken only here, in the drop, after which nothing can access it.
        let resource = unsafe { ManuallyDrop::take(&mut self.resource) };
        let state = self.uses.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut uses =
            state.write.take().into_iter().chain(state.reads.drain(..)).filter(|used| !used.is_over());
        if let Some(first) = uses.next() {
            // The last stream to pass its work drops the last `Arc`.
            let shared: Arc<dyn Send + Sync> = Arc::new(resource);
            for used in uses {
                used.stream.keep_until(used.ticket, Arc::clone(&shared));
            }
            first.stream.keep_until(first.ticket, shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_and_written_is_locked_to_be_written() {
        let (one, two) = (Uses::default(), Uses::default());
        for (accesses, wanted) in [
            ([Access::Read, Access::Write, Access::Read], Access::Write),
            ([Access::Write, Access::Read, Access::Read], Access::Write),
            // Not `Replace`, because it is also read.
            ([Access::Read, Access::Replace, Access::Read], Access::Write),
            ([Access::Replace, Access::Read, Access::Read], Access::Write),
            ([Access::Replace, Access::Write, Access::Read], Access::Write),
            ([Access::Read, Access::Read, Access::Read], Access::Read),
        ] {
            let mut used = accesses.map(|access| (&one, access)).to_vec();
            used.insert(1, (&two, Access::Replace));
            let locked = Locked::new(&mut used);
            let held: Vec<Access> = locked.held.iter().map(|(_, access)| *access).collect();
            assert!(held.len() == 2 && held.contains(&wanted) && held.contains(&Access::Replace), "{held:?}");
        }
    }
}
