//! The loops for any call, and those for tiles: each task walks index, and makes the updates that
//! go to what it owns.

use super::call::Call;
use super::plan::SweepWay;
use super::threads;
use super::threads::room::{NoMemory, Ready, Room};
use super::walk::grid::Grid;
use super::walk::visit::{Visit, apply};
use super::walk::{segment, tiles};

/// Makes the whole destination ready, and copies self to it if that is still to be done.
///
/// # Safety
/// As [`apply`], for the call's walk.
pub(super) unsafe fn prepare(call: &Call<'_>, ready: Ready<'_>) {
    ready();
    // SAFETY: the call's walk was made for its storages, of which only this call accesses the
    // destination, and nobody writes self.
    unsafe { call.copy_self_of_call() }
}

/// The loops for any call: straight to the destination, or by way of segments; tiles are segments
/// of packed columns.
///
/// # Safety
/// As [`apply`], for the call's walk, which the grid divides. For [`SweepWay::Elements`] slots are
/// in place, or no two updates meet. For [`SweepWay::Tiles`] the innermost axis is owned, targets
/// are evenly apart, and each task has all of them.
pub(super) unsafe fn run(
    call: &Call<'_>,
    grid: &Grid<'_>,
    way: SweepWay,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let (storages, loops) = (call.storages, call.loops());
    let visit = |(run, places)| Visit { run, places, context: call.context() };
    if way == SweepWay::Elements {
        // SAFETY: the call's walk was made for its storages, of which only this call accesses the
        // destination, and nobody writes self.
        unsafe { prepare(call, ready) }
        let visit = visit(loops.once);
        threads::run(grid.len(), grid.len() > 1, &|number| {
            // SAFETY: the grid's walk lies inside the storages, with valid index values; all
            // updates of an element are one task's, which alone accesses it. Its slot has its
            // representation, or this is its only update.
            unsafe { apply(&grid.task(number), storages, &visit) }
        });
        return Ok(());
    }
    let (tiled, visit) = (way == SweepWay::Tiles, visit((loops.run, loops.places)));
    let bytes = grid.elements().saturating_mul(loops.slot.bytes);
    let room = Room::new(grid.len(), call.plan.tasks > 1, bytes, 0)?;
    if tiled {
        ready();
    } else {
        // SAFETY: the call's walk was made for its storages, of which only this call accesses the
        // destination, and nobody writes self.
        unsafe { prepare(call, ready) }
    }
    threads::run_in(room, grid.len(), &|scratch, number| {
        let task = grid.task(number);
        // SAFETY: the walk was made for these storages, of which nobody writes index and src, and
        // index values are valid; only this task accesses the elements that it owns. A tile has all
        // targets.
        unsafe {
            if tiled {
                call.copy_self_of_task(&task);
                segment::run(call, &task, scratch, |task, storages| {
                    tiles::updates(task, storages, call);
                });
            } else {
                segment::run(call, &task, scratch, |task, storages| apply(task, storages, &visit));
            }
        }
    });
    Ok(())
}
