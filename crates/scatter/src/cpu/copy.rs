//! out = self, for a scatter that is not in place.

use super::call::Origin;
use super::limits::{Limits, is_worth_threads};
use super::room::{NoMemory, reserved};
use super::sweep::Storages;
use super::targets::IndexStorage;
use super::update::each_update;
use super::walk::Walk;
use crate::problem::Target;
use crate::{Element, Problem, Shape};

/// Where self is, seen from out, for tasks that [bring](is_brought) it.
pub(super) fn origin<T: Element>(problem: &Problem, self_: *const T) -> Origin<T> {
    let shift = problem.self_layout().offset() as isize - problem.out_layout().offset() as isize;
    Origin { storage: self_, shift }
}

/// Whether, out of place, self's elements are as far from each other as out's and the updates' walk, of so many steps, reaches all
/// of them: then tasks copy what they own before they update it, and it moves once. Few updates, which one thread makes, leave a
/// large self to all threads.
pub(super) fn is_brought(problem: &Problem, steps: usize) -> bool {
    let Some(updates) = problem.updates().filter(|_| !problem.in_place()) else { return false };
    let (from, to) = (problem.self_layout(), problem.out_layout());
    let sizes = || to.shape().iter().enumerate();
    let reaches_all = match updates.target {
        Target::Dim(dim) => sizes().all(|(axis, &size)| axis == dim || updates.index.shape()[axis] == size),
        Target::Nd(depth) => depth > 0,
    };
    let is_alike = sizes().all(|(axis, &size)| size == 1 || from.strides()[axis] == to.strides()[axis]);
    let has_threads = is_worth_threads(steps) || !is_worth_threads(to.elements());
    !to.is_empty() && reaches_all && is_alike && has_threads
}

/// out = self, where they don't overlap.
pub(super) fn copy<T: Element>(problem: &Problem, from: *const T, to: *mut T, limits: &Limits) {
    let walk = Walk::copy(problem);
    let storages = Storages { index: IndexStorage::NONE, src: from.cast_mut(), dst: to };
    // SAFETY: both layouts lie inside their storages and don't overlap, nor does out itself. A copy has no index
    // components, so index is never read.
    unsafe { each_update(&walk, storages, limits, |to: *mut T, from: *mut T| to.write(from.read())) }
}

/// out = self where out overlaps self or itself: self is read whole before out is written, each of its elements once.
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
