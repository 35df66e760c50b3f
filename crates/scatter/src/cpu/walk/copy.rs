//! out = self, or zeros where there is no self, for a scatter that is not in place.

use crate::Problem;
use crate::cpu::plan::Planner;
use crate::cpu::slot::block::{Context, PairLoop};
use crate::cpu::threads;
use crate::cpu::threads::room::{NoMemory, reserved};
use crate::cpu::threads::shared::Shared;
use crate::cpu::walk::Walk;
use crate::cpu::walk::moves;
use crate::cpu::walk::storage::Storage;
use crate::cpu::walk::visit::apply_without_index;

/// Where self is, its elements being as far from each other as the destination's.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Origin {
    pub(in crate::cpu) storage: Storage,
    /// The difference between the offsets of an element in self and in the destination.
    pub(in crate::cpu) shift: isize,
}

/// Where tasks find self for what they own of out.
pub(in crate::cpu) fn origin(problem: &Problem, self_: Storage) -> Origin {
    let shift = problem.self_layout().offset() as isize - problem.out_layout().offset() as isize;
    Origin { storage: self_, shift }
}

/// out = self, where they don't overlap; or zeros.
///
/// # Safety
/// The storages of self and out are as the problem's layouts say, and nobody writes them, nor reads
/// out, until this returns.
pub(in crate::cpu) unsafe fn copy(problem: &Problem, from: Storage, to: Storage, planner: &Planner<'_>) {
    let walk = Walk::copy(problem);
    let run = if problem.starts_from_zeros() { moves::zero(to.size) } else { moves::copy(to.size) };
    // SAFETY: both layouts lie inside their storages and don't overlap, nor does out itself; nobody
    // else writes them, or reads out.
    unsafe { by_all_threads(&walk, from, to, run, planner) }
}

/// Hands every run of a walk without an index to a loop, on all threads.
///
/// # Safety
/// As [`apply_without_index`]; the loop writes different elements at different coordinates.
pub(in crate::cpu) unsafe fn by_all_threads(
    walk: &Walk,
    from: Storage,
    to: Storage,
    run: PairLoop,
    planner: &Planner<'_>,
) {
    let (grid, storages) = (planner.boxes(walk, to.size), Shared((from, to)));
    threads::run(grid.len(), grid.len() > 1, &|number| {
        let (from, to) = storages.get();
        // SAFETY: the caller promises that the walk's elements lie inside these storages, which
        // nobody else writes; tasks have different coordinates, so that no two write the same
        // element.
        unsafe { apply_without_index(&grid.task(number).walk, from, to, run, Context::NONE) }
    });
}

/// out = self where out overlaps self or itself: self is read whole before out is written, each of
/// its elements once.
///
/// # Safety
/// As [`copy`].
pub(in crate::cpu) unsafe fn copy_entangled(
    problem: &Problem,
    from: Storage,
    to: Storage,
) -> Result<(), NoMemory> {
    let (self_, out) = (problem.self_layout(), problem.out_layout());
    let distinct = self_.distinct();
    let mut values: Vec<u8> = reserved(distinct.elements().unwrap_or(usize::MAX).saturating_mul(from.size))?;
    for at in distinct.coordinates() {
        let element = from.at(self_.address(&at) as isize).cast_const();
        // SAFETY: the element lies inside self's storage, which nobody writes before all of self is
        // read.
        values.extend_from_slice(unsafe { core::slice::from_raw_parts(element, from.size) });
    }
    for at in out.shape().coordinates() {
        let number =
            at.iter().zip(distinct.iter()).fold(0, |number, (&i, &size)| number * size + i.min(size - 1));
        let element = to.at(out.address(&at) as isize);
        // SAFETY: the element lies inside out's storage, which nobody else reads or writes.
        unsafe { element.copy_from_nonoverlapping(values[number * to.size..][..to.size].as_ptr(), to.size) }
    }
    Ok(())
}
