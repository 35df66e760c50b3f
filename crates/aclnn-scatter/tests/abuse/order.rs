//! Which tasks the streams have done or may have begun, and waits that keep conflicting tasks in
//! order.

use std::ptr::without_provenance_mut;

use aclnn_scatter::sys::aclrtStream;

use super::stream::{Pending, Stream, Task, close_gate, meet, open_gates};
use super::world::{World, acl};
use crate::common::messages;

impl World {
    /// Opens all gates, so that every stream goes on.
    pub(crate) fn open_gates(&mut self) {
        self.closed.clear();
        open_gates(None);
    }

    /// How many of a stream's tasks come before a closed gate, and so may have run.
    pub(crate) fn begun(&self, stream: usize) -> usize {
        let is_closed = |task: &Task| matches!(task, Task::Gate(gate) if self.closed.contains(gate));
        let pending = &self.streams[stream].pending;
        pending.iter().position(|pending| is_closed(&pending.task)).unwrap_or(pending.len())
    }

    /// Whether a closed gate holds up a stream.
    pub(crate) fn is_held(&self, stream: usize) -> bool {
        self.begun(stream) < self.streams[stream].pending.len()
    }

    /// Notes that an allocation is made or freed: whether tasks that may have begun saw it is
    /// unknown.
    pub(crate) fn doubt(&mut self, start: usize, len: usize) {
        for stream in 0..self.streams.len() {
            let begun = self.begun(stream);
            for pending in self.streams[stream].pending.iter_mut().take(begun) {
                let (reads, writes) = pending.task.ranges();
                pending.is_unsure |= reads.into_iter().chain(writes).any(|range| meet(range, (start, len)));
            }
        }
    }

    /// Makes a closed gate.
    pub(crate) fn new_gate(&mut self) -> usize {
        self.made += 1;
        close_gate(self.made);
        self.closed.insert(self.made);
        self.made
    }

    /// Notes that a stream has done all tasks, or all before the record of an event.
    pub(crate) fn settle(&mut self, stream: usize, until: Option<(usize, u64)>) {
        while let Some(pending) = self.streams[stream].pending.pop_front() {
            match pending.task {
                Task::Record(event, record) if Some((event, record)) == until => return,
                // An abort may have dropped the wait.
                Task::Wait(..) if pending.is_unsure => {}
                Task::Wait(event, record) => {
                    let is_it =
                        |task: &Task| matches!(*task, Task::Record(e, r) if (e, r) == (event, record));
                    let has_it = |stream: &Stream| stream.pending.iter().any(|pending| is_it(&pending.task));
                    if let Some(other) = self.streams.iter().position(has_it) {
                        self.settle(other, Some((event, record)));
                    }
                }
                _ => {
                    let device =
                        self.context(self.streams[stream].context).map_or(-1, |context| context.device);
                    self.streams[stream].settle(&pending, &mut self.memory, device);
                }
            }
        }
    }

    /// Calls `aclrtSynchronizeStream` for a stream, and checks the code that it returns.
    pub(crate) fn synchronize(&mut self, stream: usize) {
        self.open_gates();
        let (raw, context) = (self.streams[stream].raw, self.streams[stream].context);
        let current = self.current;
        if context != current {
            assert_eq!(acl!(self, aclrtSetCurrentContext(without_provenance_mut(context))), 0);
        }
        let code = acl!(self, aclrtSynchronizeStream(without_provenance_mut(raw)));
        self.told(stream, code);
        if context != current {
            match current {
                0 => self.current = context,
                _ => assert_eq!(acl!(self, aclrtSetCurrentContext(without_provenance_mut(current))), 0),
            }
        }
    }

    /// Notes that a synchronisation of a stream has returned, and checks its code.
    pub(crate) fn told(&mut self, stream: usize, code: i32) {
        self.settle(stream, None);
        let stream = &mut self.streams[stream];
        assert!(stream.accepts(code), "{code} of {:?}: {}", stream.failures, messages());
        stream.failures.clear();
    }

    /// Orders a use of these bytes after the conflicting tasks of all streams except `target`.
    pub(crate) fn order(
        &mut self,
        target: Option<usize>,
        read: &[(usize, usize)],
        written: &[(usize, usize)],
    ) {
        for stream in 0..self.streams.len() {
            if Some(stream) == target {
                continue;
            }
            let conflicts = self.streams[stream].pending.iter().any(|pending| {
                let (reads, writes) = pending.task.ranges();
                let met = |range: &(usize, usize)| written.iter().any(|&mine| meet(mine, *range));
                reads.iter().any(met)
                    || writes
                        .is_some_and(|writes| met(&writes) || read.iter().any(|&mine| meet(mine, writes)))
            });
            if conflicts {
                match target {
                    Some(target) if self.random.flip() => self.wait_for(target, stream),
                    _ => self.synchronize(stream),
                }
            }
        }
    }

    /// Lets one stream wait for another, with an event.
    fn wait_for(&mut self, target: usize, other: usize) {
        let Some(place) = self.place(self.events.len()) else { return self.synchronize(other) };
        if self.streams[other].context != self.current || self.streams[target].context != self.current {
            return self.synchronize(other);
        }
        let raw = self.events[place].raw;
        let stream = |raw: usize| -> aclrtStream { without_provenance_mut(raw) };
        let (from, to) = (self.streams[other].raw, self.streams[target].raw);
        assert_eq!(
            acl!(self, aclrtRecordEvent(without_provenance_mut(raw), stream(from))),
            0,
            "{}",
            messages()
        );
        assert_eq!(
            acl!(self, aclrtStreamWaitEvent(stream(to), without_provenance_mut(raw))),
            0,
            "{}",
            messages()
        );
        let event = &mut self.events[place];
        event.records += 1;
        let (number, record) = (event.number, event.records);
        self.push(other, Task::Record(number, record));
        self.push(target, Task::Wait(number, record));
    }

    /// Notes a task that was enqueued to a stream.
    pub(crate) fn push(&mut self, stream: usize, task: Task) {
        self.streams[stream].pending.push_back(Pending { task, is_unsure: false });
    }
}
