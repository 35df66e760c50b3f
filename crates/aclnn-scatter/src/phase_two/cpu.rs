//! Runs the CPU engine on memory that host-cann holds.

use scatter::{Error, IndexList, Problem};

use crate::executor::call::Operands;
use crate::phase_two::ranges::Ranges;

/// Runs a problem that is bound to the device addresses of `operands`. `places` says at which
/// addresses the host can access the same memory.
///
/// # Safety
/// At the host's addresses there are aligned storages of the size that the problem's layouts say.
/// Until this returns, nothing else writes them, or reads out. The provenance of the addresses of
/// `operands`, and of `list`, is exposed.
pub(crate) unsafe fn run(
    problem: &Problem,
    operands: &Operands,
    list: Option<&IndexList>,
    places: &Ranges,
) -> Result<(), Error> {
    let (mut problem, mut operands) = (*problem, *operands);
    if places.are_elsewhere() {
        let Operands { self_, index, src, out } = &mut operands;
        for operand in [Some(self_), Some(index), src.as_mut(), Some(out)].into_iter().flatten() {
            operand.address = places.place(operand.address);
        }
        problem = problem.rebind(operands.addresses())?;
    }
    let list = list.filter(|_| !problem.is_copy()).map(|list| list.moved(|address| places.place(address)));
    // SAFETY: the caller guarantees that the layouts lie in valid, aligned memory at these
    // addresses, which nothing else uses in a conflicting way. The provenance of the addresses of
    // operands and list is exposed, and `place` exposes that of the others.
    unsafe {
        match list {
            Some(list) => scatter::cpu::run_list(&problem, &list),
            None => scatter::cpu::run_bound(&problem),
        }
    }
}
