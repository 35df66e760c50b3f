//! Visits the updates of a task, in order: each run of them is handed to a loop with its source and
//! destination.

use crate::cpu::index::storage::IndexStorage;
use crate::cpu::index::targets::Targets;
use crate::cpu::prefetch::{RUNS_AHEAD, is_in_parts, prefetch_row};
use crate::cpu::slot::block::{Context, PairLoop, PlaceLoop, Slots, Source};
use crate::cpu::walk::grid::Task;
use crate::cpu::walk::storage::{Storage, Storages};
use crate::cpu::walk::turns::each_run;
use crate::cpu::walk::{Axis, Walk};

/// What is done at each update of a walk.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Visit {
    /// Updates that follow one another.
    pub(in crate::cpu) run: PairLoop,
    /// Updates that go to some places.
    pub(in crate::cpu) places: PlaceLoop,
    pub(in crate::cpu) context: Context,
}

/// The places of updates that are found at a time.
pub(in crate::cpu) const PLACES: usize = 128;

/// Visits every update of the task, in row-major order of index.
///
/// # Safety
/// The walk was made for these storages: every address that its axes and components reach with
/// valid index values lies inside them, all index values are valid (see
/// [`index::check`](crate::cpu::index::check)), and nobody else writes what is read or touches what
/// is written while this runs.
pub(in crate::cpu) unsafe fn apply(task: &Task<'_>, storages: Storages, visit: &Visit) {
    let Storages { index, src, dst } = storages;
    let targets = Targets::new(task, index);
    let runs = Runs::new(&task.walk, src, dst, visit.run, visit.context);
    let (mut places, mut numbers) = ([0; PLACES], [0; PLACES]);
    each_run(&task.walk, |inner, [index_at, src_at, dst_at]| {
        // Every address below is one that the walk reaches, and so lies inside its storage. Those
        // of other tasks' targets are not formed.
        if inner.index == 0 && inner.owned {
            // SAFETY: the entry lies inside the index's storage, which nobody writes, and its
            // values are valid.
            if let Some(place) = unsafe { targets.place(index_at) } {
                // SAFETY: the run lies inside the storages of src and the destination; nobody else
                // writes what the loop reads, or accesses what it writes.
                unsafe { runs.visit(inner, src_at, dst_at + place) }
            }
            return;
        }
        for first in (0..inner.extent).step_by(PLACES) {
            let places = &mut places[..(inner.extent - first).min(PLACES)];
            let first = first as isize;
            let to = Slots { start: dst.at(dst_at + first * inner.dst), step: inner.dst };
            let from = Source { start: src.at(src_at + first * inner.src).cast_const(), step: inner.src };
            // SAFETY: the entries lie inside the index's storage, which nobody writes, and their
            // values are valid, so that the elements lie inside the storages of src and the
            // destination; nobody else writes what the loop reads, or accesses what it writes.
            unsafe {
                let at = index_at + first * inner.index;
                let places = targets.places(at, inner.index, places, &mut numbers);
                (visit.places)(to, from, places, visit.context);
            }
        }
    });
}

/// Hands every run of a walk without an index to a loop.
///
/// # Safety
/// As [`apply`], for src and the destination.
pub(in crate::cpu) unsafe fn apply_without_index(
    walk: &Walk,
    src: Storage,
    dst: Storage,
    run: PairLoop,
    context: Context,
) {
    let runs = Runs::new(walk, src, dst, run, context);
    // SAFETY: the caller promises that the walk's runs lie inside both storages, and that nobody
    // else writes what the loop reads, or accesses what it writes.
    each_run(walk, |inner, [_, src_at, dst_at]| unsafe { runs.visit(inner, src_at, dst_at) });
}

/// The runs of a walk along its innermost axis, and the loop that they are handed to.
struct Runs {
    src: Storage,
    dst: Storage,
    run: PairLoop,
    context: Context,
    /// Distance from a run to the src run prefetched with it, in elements.
    ahead: isize,
    /// The bytes of that run that are prefetched: 0 if it is long. If runs are short, hardware
    /// doesn't prefetch the next one.
    prefetched: usize,
}

impl Runs {
    fn new(walk: &Walk, src: Storage, dst: Storage, run: PairLoop, context: Context) -> Self {
        let bytes = walk.inner().extent.saturating_mul(src.size);
        let ahead = RUNS_AHEAD.wrapping_mul(walk.outer().src);
        Self { src, dst, run, context, ahead, prefetched: if is_in_parts(bytes) { 0 } else { bytes } }
    }

    /// Hands the run from these elements on to the loop.
    ///
    /// # Safety
    /// As [`apply`], for this run.
    #[inline(always)]
    unsafe fn visit(&self, inner: &Axis, src_at: isize, dst_at: isize) {
        if self.prefetched > 0 {
            prefetch_row(self.src.at(src_at.wrapping_add(self.ahead)), self.prefetched);
        }
        let to = Slots { start: self.dst.at(dst_at), step: inner.dst };
        let from = Source { start: self.src.at(src_at).cast_const(), step: inner.src };
        // SAFETY: the caller promises that the run lies inside both storages, and that nobody else
        // writes what the loop reads, or accesses what it writes.
        unsafe { (self.run)(to, from, inner.extent, self.context) }
    }
}

/// Calls `visit` with the place of every update of the task that the task owns, in row-major order
/// of index.
///
/// # Safety
/// As [`apply`], for the index.
pub(in crate::cpu) unsafe fn each_place(task: &Task<'_>, index: IndexStorage, mut visit: impl FnMut(isize)) {
    let targets = Targets::new(task, index);
    let (mut places, mut numbers) = ([0; PLACES], [0; PLACES]);
    each_run(&task.walk, |inner, [index_at, ..]| {
        for first in (0..inner.extent).step_by(PLACES) {
            let places = &mut places[..(inner.extent - first).min(PLACES)];
            let at = index_at + first as isize * inner.index;
            // SAFETY: the run's entries lie inside the index's storage, which nobody writes, and
            // their values are valid.
            let found = unsafe { targets.places(at, inner.index, places, &mut numbers) };
            found.places().iter().for_each(|&place| visit(place));
        }
    });
}
