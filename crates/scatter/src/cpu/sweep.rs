//! The loops for any call, and those for tiles: each task walks index, and makes the updates that
//! go to what it owns.

use super::call::Call;
use super::index::numbers::TargetNumbers;
use super::plan::SweepWay;
use super::threads;
use super::threads::room::{NoMemory, Ready, Room};
use super::walk::grid::Grid;
use super::walk::storage::Storages;
use super::walk::visit::{Visit, apply};
use super::walk::{segment, tiles};

/// Makes the whole destination ready, and equal to self where that is to be done.
///
/// # Safety
/// As [`apply`], for the call's walk.
pub(super) unsafe fn prepare(call: &Call<'_>, ready: Ready<'_>) {
    ready();
    // SAFETY: the caller promises that addresses are those of the walk.
    unsafe { call.copy_self_of_call() }
}

/// The loops for any call: straight to the destination, or by way of segments, of which tiles are
/// packed columns.
///
/// # Safety
/// As [`apply`], for the call's walk, which the grid divides. If elements are updated, slots are in
/// place, or no two updates meet. For tiles the innermost axis is owned, targets are evenly apart,
/// and each task has all of them.
pub(super) unsafe fn run(
    call: &Call<'_>,
    numbers: &TargetNumbers,
    grid: &Grid<'_>,
    way: SweepWay,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let (storages, loops) = (call.storages, call.loops());
    let visit = |(run, places)| Visit { run, places, context: call.context() };
    if way == SweepWay::Elements {
        // SAFETY: the grid's walk lies inside the storages, with valid index values; all updates of
        // an element are one task's, which writes that element alone. Its slot has its
        // representation, or this is its only update.
        unsafe {
            prepare(call, ready);
            each_update(grid, storages, &visit(loops.once));
        }
        return Ok(());
    }
    let (tiled, visit) = (way == SweepWay::Tiles, visit((loops.run, loops.places)));
    let bytes = grid.elements().saturating_mul(loops.slot.bytes);
    let room = Room::new(grid.len(), call.plan.tasks > 1, bytes, 0)?;
    if tiled {
        ready();
    } else {
        // SAFETY: addresses of the walk, whose destination nobody else reads or writes.
        unsafe { prepare(call, ready) }
    }
    threads::run_in(room, grid.len(), &|scratch, number| {
        let task = grid.task(number);
        // SAFETY: addresses of the walk; tasks own different places. A tile has all targets.
        unsafe {
            if tiled {
                call.copy_self_of_task(&task);
                segment::run(call, &task, scratch, |task, storages| {
                    tiles::updates(task, storages, numbers, loops);
                });
            } else {
                segment::run(call, &task, scratch, |task, storages| apply(task, storages, &visit));
            }
        }
    });
    Ok(())
}

/// Visits every update of the grid's walk, on all threads; those of one owned place in order.
///
/// # Safety
/// As [`apply`], for the whole walk. What a visit writes at different coordinates of the owned
/// axes, or for different targets, are different elements.
unsafe fn each_update(grid: &Grid<'_>, storages: Storages, visit: &Visit) {
    threads::run(grid.len(), grid.len() > 1, &|number| {
        // SAFETY: the caller promises that addresses are those of the walk; tasks own different
        // places.
        unsafe { apply(&grid.task(number), storages, visit) }
    });
}
