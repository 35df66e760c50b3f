//! Updates that are multiplied by a scalar before they are added. Loops for rows of f32, f16 and
//! bf16 do both at once. Otherwise the products, in the type in which sums are accumulated, are
//! kept, and then added as any other updates are; where sums are accumulated in another type than
//! out's, so is all of out.

use super::index::check::check_indices;
use super::limits::Limits;
use super::plan::{self, Planner, Scatter, enter};
use super::planned::{self, run_plan, work};
use super::pointers::Pointers;
use super::slot::loops::ScatterLoops;
use super::temporary::{collected, each_element_run};
use super::threads::shared::Shared;
use super::walk::Walk;
use crate::problem::Updates;
use crate::{Argument, Element, Error, Layout, Operand, Problem, Scalar};

/// Runs a problem whose updates are multiplied by `alpha`.
///
/// # Safety
/// The problem is a sum of elements of `T` with this alpha, and the pointers are as
/// [`planned::run`] asks for.
pub(super) unsafe fn run<T: Element>(
    problem: &Problem,
    alpha: Scalar,
    pointers: Pointers,
    limits: &Limits,
) -> Result<(), Error> {
    let (operator, expected) = (problem.operator(), T::Acc::DTYPE);
    let factor = T::Acc::from_scalar(alpha).ok_or(Error::Value { operator, expected, got: alpha })?;
    let (Some(updates), Some(src_at)) = (problem.updates(), problem.src_layout()) else {
        return Err(Error::Binding { operator, argument: Argument::Src });
    };
    let loops = ScatterLoops::of_add_scaled::<T>(factor);
    // SAFETY: the problem is a sum of elements of `T`, these are its updates, the loops are those
    // of `T` and its alpha, and the pointers are as `planned::run` asks for.
    if unsafe { run_rows(problem, updates, pointers, limits, loops) }? {
        return Ok(());
    }
    let src = Shared(pointers.src.cast::<T>());
    // An element of src that is repeated is multiplied once.
    let distinct = src_at.leading_block(&src_at.distinct());
    let products = collected(operator, &distinct, limits, |address| {
        // SAFETY: src is a storage as its layout says, which nobody writes.
        T::mul(factor, unsafe { src.get().offset(address).read() }.widen())
    })?;
    let of_products = Operand {
        dtype: Ok(T::Acc::DTYPE),
        layout: Layout::repeating(distinct.shape(), src_at.shape()),
        address: products.as_ptr().addr(),
    };
    let products = products.as_ptr().cast();
    if !T::WIDE_ACC {
        let sum = problem.of_products(&of_products, None)?;
        // SAFETY: the products are a storage as their operand says, of the problem's dtype, which
        // is that of its sums; self, index and out are storages as their layouts say.
        return unsafe {
            planned::run(
                &sum,
                Pointers { src: products, ..pointers },
                limits,
                ScatterLoops::of_add::<T::Acc>(),
            )
        };
    }
    let (out, out_at) = (pointers.out.cast::<T>(), problem.out_layout());
    let (self_, self_at) = match problem.in_place() {
        true => (Shared(out.cast_const()), out_at),
        false => (Shared(pointers.self_.cast::<T>()), problem.self_layout()),
    };
    let mut sums = collected(operator, self_at, limits, |address| {
        // SAFETY: self is a storage as its layout says, which nobody writes yet.
        unsafe { self_.get().offset(address).read() }.widen()
    })?;
    let of_sums = Operand {
        dtype: Ok(T::Acc::DTYPE),
        layout: Layout::contiguous(out_at.shape(), sums.len()),
        address: sums.as_ptr().addr(),
    };
    let sum = problem.of_products(&of_products, Some(&of_sums))?;
    let pointers = Pointers { src: products, out: sums.as_mut_ptr().cast(), ..pointers };
    // SAFETY: the products and the sums are storages as their operands say, of the dtype of this
    // problem; so is index, which nobody writes.
    unsafe { planned::run(&sum, pointers, limits, ScatterLoops::of_add::<T::Acc>()) }?;
    let out = Shared(out);
    each_element_run(out_at, limits, &|run| {
        for (number, address) in run.elements() {
            // SAFETY: out is a storage as its layout says, which nobody else reads or writes; and
            // each element is written by one thread, for no two share an address.
            unsafe { out.get().offset(address).write(T::narrow(sums[number])) }
        }
    })
}

/// Checks index, and runs the problem where there are loops and the plan is one for rows; false
/// where it isn't run.
///
/// # Safety
/// As [`run`]; the updates are the problem's, and the loops those of its dtype and alpha.
unsafe fn run_rows(
    problem: &Problem,
    updates: &Updates,
    pointers: Pointers,
    limits: &Limits,
    loops: Option<ScatterLoops>,
) -> Result<bool, Error> {
    let walk = &Walk::scatter(updates, problem.out_layout());
    let mut is_done = false;
    enter(limits, work(problem, Some(walk)), &mut || {
        let planner = &Planner::here(limits);
        // Before memory is asked for, so that a bad value is reported even if there is none.
        // SAFETY: index is a storage as its layout says, which nobody writes.
        let are_numbers = unsafe { check_indices(problem, pointers.index, planner) }?;
        let Some(loops) = loops else { return Ok(()) };
        let scatter = Scatter::of(problem, walk, loops.update.slot);
        let Some(plan) = &plan::of_scaled_rows(scatter, planner) else { return Ok(()) };
        // SAFETY: pointers are of storages as the problem's layouts say, index values were checked,
        // and the loops, which are those of the dtype, are for rows, as is the plan.
        is_done = unsafe { run_plan(problem, Some(plan), pointers, are_numbers, planner, loops) }?;
        Ok(())
    })?;
    Ok(is_done)
}
