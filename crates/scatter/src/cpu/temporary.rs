//! Tensors that are made for a call, beside its operands.

use core::ops::Range;

use super::limits::Limits;
use super::plan::{Planner, enter};
use super::threads;
use super::threads::room::{NoMemory, reserved};
use super::threads::shared::Shared;
use super::walk::Walk;
use super::walk::turns::each_run;
use crate::{Error, Layout, Operator};

/// What `element` returns for the address of each element of a tensor, in row-major order.
pub(super) fn collected<A: Copy + Send + Sync>(
    operator: Operator,
    layout: &Layout,
    limits: &Limits,
    element: impl Fn(isize) -> A + Sync,
) -> Result<Vec<A>, Error> {
    let mut all = room::<A>(operator, layout.elements())?;
    let places = Shared(all.as_mut_ptr());
    each_element_run(layout, limits, &|run| {
        for (number, address) in run.elements() {
            // SAFETY: there is room for an element of each number, and each is written by one
            // thread.
            unsafe { places.get().add(number).write(element(address)) }
        }
    })?;
    // SAFETY: all of them have been written.
    unsafe { all.set_len(layout.elements()) };
    Ok(all)
}

/// Memory for `len` elements, which are not written yet.
pub(super) fn room<A>(operator: Operator, len: usize) -> Result<Vec<A>, Error> {
    reserved(len).map_err(|NoMemory { bytes }| Error::Memory { operator, bytes })
}

/// Elements of a tensor that follow one another by a step.
#[derive(Clone)]
pub(super) struct ElementRun {
    /// Their numbers in row-major order.
    pub(super) numbers: Range<usize>,
    /// The address of the first.
    pub(super) start: isize,
    pub(super) step: isize,
}

impl ElementRun {
    /// The number and the address of each.
    pub(super) fn elements(self) -> impl Iterator<Item = (usize, isize)> {
        let Self { numbers, start, step } = self;
        numbers.zip(0..).map(move |(number, along): (_, isize)| (number, start + along * step))
    }
}

/// Visits all elements of a tensor, in runs, on all threads where that is worth it.
///
/// # Errors
/// Never: [`enter`] asks for a result.
pub(super) fn each_element_run(
    layout: &Layout,
    limits: &Limits,
    visit: &(dyn Fn(ElementRun) + Sync),
) -> Result<(), Error> {
    let walk = &Walk::elements(layout);
    enter(limits, walk.updates(), &mut || {
        let grid = Planner::here(limits).portions(walk, 1);
        threads::run(grid.len(), grid.len() > 1, &|task| {
            each_run(&grid.task(task).walk, |inner, [_, start, first]| {
                let first = first as usize;
                visit(ElementRun { numbers: first..first + inner.extent, start, step: inner.src });
            });
        });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_visited_once_and_in_its_place() {
        for (shape, strides, offset) in [
            (&[3, 4][..], &[4, 1][..], 0),
            (&[3, 4], &[1, 3], 1),
            (&[2, 3, 4], &[20, 4, 1], 0),
            (&[2, 3, 4], &[12, -4, 1], 8),
            (&[2, 1, 4], &[4, 7, 1], 0),
            (&[4, 3], &[0, 1], 2),
            (&[3, 4], &[1, 0], 0),
            (&[5], &[-2], 8),
            (&[2, 0], &[1, 1], 0),
            (&[], &[], 3),
            // Large enough to be divided among tasks.
            (&[40, 70], &[1, 40], 0),
            (&[3000], &[-1], 2999),
        ] {
            let layout = Layout::new(shape, strides, offset, 3000).unwrap();
            let expected: Vec<_> =
                layout.shape().coordinates().map(|at| layout.address(&at) as isize).collect();
            for tasks in [None, Some(3)] {
                let limits = Limits { tasks, ..Limits::default() };
                let got = collected(Operator::IndexAdd, &layout, &limits, |address| address);
                assert_eq!(got.unwrap(), expected, "{layout:?}");
            }
        }
    }
}
