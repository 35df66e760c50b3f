//! The ways to update a destination: by the strategy that the plan names.

use super::call::Call;
use super::lines::{buckets as line_buckets, copies, ranges};
use super::plan::{LineShare, Plan, Scatter, Strategy, SweepWay};
use super::rows::buckets as row_buckets;
use super::slot::loops::{Loops, ScatterLoops};
use super::threads::room::{NoMemory, Ready};
use super::walk::storage::{Storage, Storages};
use super::{lines, rows, sweep};

/// Updates the destination, after calling `ready`, which prepares it. Where self is not included,
/// all that updates go to starts from the identity: one scatter writes it, and a second one folds,
/// so that no element has to remember whether it was touched. False if an index value is not valid;
/// then, as without memory, nothing was written.
///
/// # Safety
/// The walk was made for these storages, in which all of its addresses lie; all index values are
/// valid, unless the plan [checks](Plan::is_checking) them; the destination overlaps neither itself
/// nor anything else.
pub(super) unsafe fn update(call: &Call<'_>, ready: Ready<'_>) -> Result<bool, NoMemory> {
    // SAFETY: all addresses of the walk lie in its storages, index values are valid or checked by
    // the loops, and the destination overlaps nothing: that is all that both functions need.
    unsafe {
        let Some(replace) = call.all_loops.replace else { return update_by(call, ready) };
        // The second scatter calls this closure once it has its memory.
        let ready = || write_identity(call, replace, ready);
        update_by(&Call { origin: None, ..*call }, &ready)
    }
}

/// Writes the identity of a reduction to all that updates go to. A function of its own, so that the
/// stack frames of other calls need no room for its walk.
///
/// # Safety
/// As [`update`], but that all index values are valid.
#[inline(never)]
unsafe fn write_identity(call: &Call<'_>, replace: &'static Loops, ready: Ready<'_>) {
    let mut identity = (call.loops().identity)();
    let start = (&raw mut identity).cast();
    let storages = Storages { src: Storage { start, ..call.storages.src }, ..call.storages };
    let walk = call.walk().with_src_still();
    let tasks_copy_self = call.origin.is_some();
    let scatter =
        Scatter { walk: &walk, dtype: call.dtype, slot: replace.slot, tasks_copy_self, may_check: false };
    let plan = Plan::new(scatter, call.planner);
    let loops = ScatterLoops { update: replace, factor: None, replace: None };
    let call = Call { plan: &plan, storages, all_loops: loops, ..*call };
    // It doesn't fail for want of memory: slots are in place, so that a sweep can do it at last.
    // SAFETY: the walk has the index and the destination of the caller's, and a src that is one
    // element, which outlives the scatter.
    let done = unsafe { update_by(&call, ready) };
    debug_assert_eq!(done, Ok(true));
}

/// [`update`] by the loops of the plan.
///
/// # Safety
/// As [`update`].
unsafe fn update_by(call: &Call<'_>, ready: Ready<'_>) -> Result<bool, NoMemory> {
    // SAFETY: all addresses of the walk lie in its storages, index values are valid or checked by
    // the loops, the destination overlaps nothing, and plans name loops only where they can do the
    // walk.
    unsafe {
        let done = match &call.plan.strategy {
            // Nothing is to be made ready: see `Scatter::may_check`.
            Strategy::LineCopies(plan) => {
                return copies::run(call, plan);
            }
            Strategy::Rows { rows, share } => {
                ready();
                rows::run(call, rows, *share);
                Ok(())
            }
            Strategy::RowBuckets { rows, buckets } => row_buckets::run(call, rows, buckets, ready),
            Strategy::Lines { grid, share: LineShare::Whole(plan) } => lines::run(call, grid, *plan, ready),
            Strategy::Lines { grid, share: LineShare::Ranges(ranges) } => {
                ready();
                ranges::run(call, grid, *ranges);
                Ok(())
            }
            Strategy::LineBuckets(plan) => line_buckets::run(call, *plan, &|| sweep::prepare(call, ready)),
            Strategy::Sweep { grid, way } => sweep::run(call, grid, *way, ready),
        };
        // Where there was no memory, a sweep does without, if it needs no slots. Its loops can't
        // multiply updates by a factor.
        let needs_slots = !call.loops().slot.in_place && !call.walk().has_single_updates();
        if done.is_err() && !needs_slots && call.all_loops.factor.is_none() {
            let least = call.planner.parts(call.walk(), call.storages.dst.size);
            sweep::run(call, &least, SweepWay::Elements, ready)?;
            return Ok(true);
        }
        done.map(|()| true)
    }
}
