//! out = self, for a scatter that is not in place.

use super::call::Origin;
use super::plan::Planner;
use super::room::{NoMemory, reserved};
use super::sweep::Storages;
use super::targets::IndexStorage;
use super::update::each_update;
use super::walk::Walk;
use crate::{Element, Problem, Shape};

/// Where tasks find self for what they own of out.
pub(super) fn origin<T: Element>(problem: &Problem, self_: *const T) -> Origin<T> {
    let shift = problem.self_layout().offset() as isize - problem.out_layout().offset() as isize;
    Origin { storage: self_, shift }
}

/// out = self, where they don't overlap.
pub(super) fn copy<T: Element>(problem: &Problem, from: *const T, to: *mut T, planner: &Planner<'_>) {
    let walk = Walk::copy(problem);
    let storages = Storages { index: IndexStorage::NONE, src: from.cast_mut(), dst: to };
    let grid = planner.parts(&walk, size_of::<T>());
    // SAFETY: both layouts lie inside their storages and don't overlap, nor does out itself. A copy
    // has no index components, so index is never read.
    unsafe { each_update(&grid, storages, |to: *mut T, from: *mut T| to.write(from.read())) }
}

/// out = self where out overlaps self or itself: self is read whole before out is written, each of
/// its elements once.
pub(super) fn copy_entangled<T: Element>(
    problem: &Problem,
    from: *const T,
    to: *mut T,
) -> Result<(), NoMemory> {
    let (self_, out) = (problem.self_layout(), problem.out_layout());
    let distinct = self_.distinct();
    // SAFETY: addresses of a layout that lies inside its storage.
    let read = |at: Shape| unsafe { from.add(self_.address(&at)).read() };
    let mut values: Vec<T> = reserved(distinct.elements().unwrap_or(usize::MAX))?;
    values.extend(distinct.coordinates().map(read));
    for at in out.shape().coordinates() {
        let number =
            at.iter().zip(distinct.iter()).fold(0, |number, (&i, &size)| number * size + i.min(size - 1));
        // SAFETY: an address of a layout that lies inside its storage.
        unsafe { to.add(out.address(&at)).write(values[number]) }
    }
    Ok(())
}
