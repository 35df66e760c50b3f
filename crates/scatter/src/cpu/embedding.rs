//! Sums that start from zeros, with a row that stays zero.

use super::limits::Limits;
use super::planned;
use super::pointers::Pointers;
use super::slot::block::{Context, Slots, Source};
use super::slot::loops::ScatterLoops;
use super::walk::moves;
use super::walk::storage::Storage;
use crate::{Error, Problem};

/// The zero from which all of out starts; aligned for every dtype.
static ZERO: u128 = 0;

/// Runs a problem that starts from zeros.
///
/// # Safety
/// As [`planned::run`], but that there is no self.
#[inline(never)]
pub(super) unsafe fn run(
    problem: &Problem,
    pointers: Pointers,
    limits: &Limits,
    loops: ScatterLoops,
) -> Result<(), Error> {
    let pointers = Pointers { self_: (&raw const ZERO).cast(), ..pointers };
    // SAFETY: the layout of self is that of one element repeated, which has the bits of a zero in
    // any dtype; the other pointers are of storages as the layouts say, and the loops are those of
    // the dtype and the reduction.
    unsafe { planned::run(problem, pointers, limits, loops) }?;
    let out = problem.out_layout();
    // Updates of the row that stays zero are made like others, so that no loop has to look for
    // them, and are then overwritten.
    if let (Some(row), [rows, columns], [to_row, to_column]) =
        (problem.op().padding(), &**out.shape(), out.strides())
        && row < *rows
        && *columns > 0
    {
        let size = problem.dtype().size();
        let first = out.offset() as isize + row as isize * to_row;
        let start = Storage { start: pointers.out, size }.at(first);
        let nothing = Source { start: pointers.self_, step: 0 };
        // SAFETY: these are elements of out, whose layout lies inside its storage, and which nobody
        // else reads or writes.
        unsafe {
            moves::zero(size)(Slots { start, step: *to_column }, nothing, *columns, Context::NONE);
        }
    }
    Ok(())
}
