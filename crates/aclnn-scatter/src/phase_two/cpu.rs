//! The CPU engine on addresses.

use scatter::{Error, Operand, Problem, SrcGrad};

use crate::executor::call::Operands;
use crate::phase_two::ranges::Ranges;

/// Runs a problem that is bound to the addresses of `operands`, where `places` say that these lie.
///
/// # Safety
/// There lie storages that are as large as the problem's layouts say, aligned, and other than by
/// this call neither written nor, where out is, read until it returns. The provenance of the
/// addresses of `operands` is exposed.
pub(crate) unsafe fn run(problem: &Problem, operands: &Operands, places: &Ranges) -> Result<(), Error> {
    let (mut problem, mut operands) = (*problem, *operands);
    if places.are_elsewhere() {
        let Operands { self_, index, src, out } = &mut operands;
        for operand in [Some(self_), Some(index), src.as_mut(), Some(out)].into_iter().flatten() {
            operand.address = places.place(operand.address);
        }
        problem = problem.rebind(operands.addresses())?;
    }
    // SAFETY: by the caller's word these addresses are good for what the layouts say, and exposed
    // where they are the operands'; `place` exposes every other.
    unsafe { scatter::cpu::run_bound(&problem) }
}

/// Runs a gradient that is bound to the addresses of `operands`, where `places` say that these lie:
/// grad, index and out.
///
/// # Safety
/// As [`run`].
pub(crate) unsafe fn run_src_grad(
    problem: &SrcGrad,
    operands: &[Operand; 3],
    places: &Ranges,
) -> Result<(), Error> {
    let mut problem = *problem;
    if places.are_elsewhere() {
        let [grad, index, out] = operands.map(|operand| places.place(operand.address));
        problem = problem.rebind(grad, index, out)?;
    }
    // SAFETY: as for `run`.
    unsafe { scatter::cpu::run_src_grad_bound(&problem) }
}
