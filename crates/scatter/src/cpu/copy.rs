//! out = self, for a scatter that is not in place.

use super::call::Origin;
use super::moves;
use super::plan::Planner;
use super::room::{NoMemory, reserved};
use super::sweep::{Storage, Storages};
use super::targets::IndexStorage;
use super::update::each_update;
use super::walk::Walk;
use crate::Problem;

/// Where tasks find self for what they own of out.
pub(super) fn origin(problem: &Problem, self_: Storage) -> Origin {
    let shift = problem.self_layout().offset() as isize - problem.out_layout().offset() as isize;
    Origin { storage: self_, shift }
}

/// out = self, where they don't overlap.
///
/// # Safety
/// The storages of self and out are as the problem's layouts say, and nobody writes them, nor reads
/// out, until this returns.
pub(super) unsafe fn copy(problem: &Problem, from: Storage, to: Storage, planner: &Planner<'_>) {
    let walk = Walk::copy(problem);
    let storages = Storages { index: IndexStorage::NONE, src: from, dst: to };
    let grid = planner.parts(&walk, to.size);
    // SAFETY: both layouts lie inside their storages and don't overlap, nor does out itself. A copy
    // has no index components, so index is never read.
    unsafe { each_update(&grid, storages, &moves::copy(to.size)) }
}

/// out = self where out overlaps self or itself: self is read whole before out is written, each of
/// its elements once.
///
/// # Safety
/// As [`copy`].
pub(super) unsafe fn copy_entangled(problem: &Problem, from: Storage, to: Storage) -> Result<(), NoMemory> {
    let (self_, out) = (problem.self_layout(), problem.out_layout());
    let distinct = self_.distinct();
    let mut values: Vec<u8> = reserved(distinct.elements().unwrap_or(usize::MAX).saturating_mul(from.size))?;
    for at in distinct.coordinates() {
        let element = from.at(self_.address(&at) as isize).cast_const();
        // SAFETY: the bytes of an element of a layout that lies inside its storage.
        values.extend_from_slice(unsafe { core::slice::from_raw_parts(element, from.size) });
    }
    for at in out.shape().coordinates() {
        let number =
            at.iter().zip(distinct.iter()).fold(0, |number, (&i, &size)| number * size + i.min(size - 1));
        let element = to.at(out.address(&at) as isize);
        // SAFETY: an element of a layout that lies inside its storage.
        unsafe { element.copy_from_nonoverlapping(values[number * to.size..][..to.size].as_ptr(), to.size) }
    }
    Ok(())
}
