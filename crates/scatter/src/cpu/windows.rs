//! Updates whose index values name where windows begin. An index that names each element of a
//! window is made, and then used as any other index is.

use super::index::storage::IndexStorage;
use super::limits::Limits;
use super::planned;
use super::pointers::Pointers;
use super::slot::loops::ScatterLoops;
use super::temporary::room;
use crate::{Argument, Error, Problem};

/// Runs a problem whose index values name where windows begin. A function of its own, so that the
/// stack frames of other calls need no room for its problem.
///
/// # Safety
/// As [`planned::run`], but that the problem has windows.
#[inline(never)]
pub(super) unsafe fn run(
    problem: &Problem,
    pointers: Pointers,
    limits: &Limits,
    loops: ScatterLoops,
) -> Result<(), Error> {
    let Some(updates) = problem.updates() else {
        // SAFETY: there are no updates, and so no windows; pointers are of storages as its layouts
        // say, and the loops are those of its dtype and reduction.
        return unsafe { planned::run(problem, pointers, limits, loops) };
    };
    let (operator, indexed) = (problem.operator(), problem.self_layout());
    // SAFETY: index is a storage as its layout says, which nobody writes.
    let read = |address: usize| unsafe { pointers.index.read(address as isize) };
    if let Some(error) = updates.first_bad_index(operator, indexed, &read) {
        return Err(error);
    }
    let shape = updates.shape_of_points();
    let mut points = room::<i64>(operator, shape.elements().unwrap_or(usize::MAX))?;
    points.extend(shape.coordinates().map(|at| {
        let value = read(updates.index.address(&at));
        updates.coordinate(&at, indexed, value) as i64
    }));
    let argument = Argument::Index;
    let of_points =
        problem.of_points(points.as_ptr().addr()).map_err(|got| Error::Layout { operator, argument, got })?;
    let pointers = Pointers { index: IndexStorage::I64(points.as_ptr()), ..pointers };
    // SAFETY: the points are a storage as the new layout of index says; each names one element of
    // out. The other pointers are of storages as the layouts say, and the loops are those of the
    // dtype and the reduction.
    unsafe { planned::run(&of_points, pointers, limits, loops) }
}
