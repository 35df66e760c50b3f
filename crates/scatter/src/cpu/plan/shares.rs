//! How many tasks share some work.

use super::machine::Machine;
use crate::Error;
use crate::cpu::limits::Limits;
use crate::cpu::threads;
use crate::cpu::walk::Walk;
use crate::cpu::walk::grid::{Goal, Grid};

/// The updates that are worth a second thread: to wake one takes as long as these do.
const WORTH_A_THREAD: usize = 1 << 15;

/// Fewer threads than this each read all of index for the updates that are their own; more had
/// better share the reading, and partition what they read. A thread that owns one of `n` ranges
/// reads all of `k` values of index and makes `k / n` updates, so that reading, of which there is
/// more with each thread, soon takes longer than the updates, of which there is less. A partition
/// reads index twice in all, whatever the threads, and writes and reads 8 bytes for each value.
pub(super) const MANY: usize = 5;

/// The bytes of rows, times the threads beyond the first, that are worth a partition by owners:
/// with less, two threads took twice as long as one.
const WORTH_A_PARTITION: usize = 1 << 25;

/// The portions of work for each of several threads, so that a thread that is late doesn't hold up
/// the others. Batches of rows are portions, too: with fewer of them than this, two threads were
/// faster by a partition (rows of 256 bytes), and with as many as fast either way.
pub(super) const PORTIONS: usize = 4;

/// Whether `steps` updates are worth more than one thread.
pub(super) const fn is_worth_threads(steps: usize) -> bool {
    steps >= WORTH_A_THREAD
}

/// Runs a call of `steps` updates, or copied elements, in a pool of threads if it is worth that.
///
/// # Errors
/// Those of the call.
pub(in crate::cpu) fn enter(
    limits: &Limits,
    steps: usize,
    call: &mut (dyn FnMut() -> Result<(), Error> + Send),
) -> Result<(), Error> {
    if limits.tasks.is_some() || is_worth_threads(steps) { threads::enter(call) } else { call() }
}

/// What plans are made with: the machine, and what tests set.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Planner<'a> {
    pub(in crate::cpu) machine: Machine,
    pub(in crate::cpu) limits: &'a Limits,
}

impl<'a> Planner<'a> {
    /// For this machine, with the threads that the caller can have.
    pub(in crate::cpu) fn here(limits: &'a Limits) -> Self {
        Self { machine: Machine::here(), limits }
    }

    /// How many tasks a walk should have at least: one or more.
    pub(in crate::cpu) fn tasks_for(&self, walk: &Walk) -> usize {
        let usual = || if is_worth_threads(walk.updates()) { self.machine.threads } else { 1 };
        self.limits.tasks.unwrap_or_else(usual).max(1)
    }

    /// Whether a partition for `tasks` of rows that have `bytes` in all gains more than it costs.
    pub(super) fn is_worth_a_partition(&self, tasks: usize, bytes: usize) -> bool {
        self.limits.tasks.is_some() || bytes.saturating_mul(tasks - 1) >= WORTH_A_PARTITION
    }

    /// Parts of a walk whose tasks each have all targets.
    pub(in crate::cpu) fn boxes<'w>(&self, walk: &'w Walk, element_size: usize) -> Grid<'w> {
        Grid::of_axes(walk, direct(self.tasks_for(walk), element_size))
    }

    /// Parts of a walk whose tasks each have all targets, several for each thread.
    pub(in crate::cpu) fn portions<'w>(&self, walk: &'w Walk, element_size: usize) -> Grid<'w> {
        Grid::of_axes(walk, direct(portions(self.tasks_for(walk)), element_size))
    }

    /// Parts of a walk that may divide targets, too.
    pub(in crate::cpu) fn parts<'w>(&self, walk: &'w Walk, element_size: usize) -> Grid<'w> {
        Grid::new(walk, direct(self.tasks_for(walk), element_size))
    }
}

/// How many portions there are for `tasks`, of work that comes in portions of any size.
pub(super) const fn portions(tasks: usize) -> usize {
    if tasks > 1 { PORTIONS * tasks } else { 1 }
}

/// The goal of a division into `tasks`, whose parts of the destination may be of any size.
pub(super) const fn direct(tasks: usize, element_size: usize) -> Goal {
    Goal { tasks, readers: MANY - 1, elements: usize::MAX, elements_at_most: usize::MAX, element_size }
}
