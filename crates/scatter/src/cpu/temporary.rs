//! Tensors that are made for a call, beside its operands.

use core::ops::Range;

use super::{Limits, threads};
use crate::{Error, Layout, Operator};

/// What `element` makes of each element of a tensor, in row-major order. It is given addresses.
pub(super) fn collected<A: Copy + Send + Sync>(
    operator: Operator,
    layout: &Layout,
    limits: &Limits,
    element: impl Fn(usize) -> A + Sync,
) -> Result<Vec<A>, Error> {
    let mut all = room::<A>(operator, layout.elements())?;
    let places = Places(all.as_mut_ptr());
    each_element_run(layout, limits, &|run| {
        for (number, address) in run.elements() {
            // SAFETY: there is room for an element of each number, and each is written by one
            // thread.
            unsafe { places.at(number).write(element(address)) }
        }
    })?;
    // SAFETY: all of them have been written.
    unsafe { all.set_len(layout.elements()) };
    Ok(all)
}

/// Memory for `len` elements, which are not written yet.
pub(super) fn room<A>(operator: Operator, len: usize) -> Result<Vec<A>, Error> {
    let (mut all, bytes) = (Vec::new(), len.saturating_mul(size_of::<A>()));
    all.try_reserve_exact(len).map_err(|_| Error::Memory { operator, bytes })?;
    Ok(all)
}

/// Elements of a tensor that follow one another by a step.
#[derive(Clone)]
pub(super) struct ElementRun {
    /// Their numbers in row-major order.
    pub(super) numbers: Range<usize>,
    /// The address of the first.
    pub(super) start: usize,
    pub(super) step: isize,
}

impl ElementRun {
    /// The number and the address of each.
    pub(super) fn elements(self) -> impl Iterator<Item = (usize, usize)> {
        let Self { numbers, start, step } = self;
        numbers.zip(0_isize..).map(move |(number, along)| (number, start.wrapping_add_signed(along * step)))
    }
}

/// Visits all elements of a tensor, in runs, on all threads where that is worth it.
///
/// # Errors
/// None.
pub(super) fn each_element_run(
    layout: &Layout,
    limits: &Limits,
    visit: &(dyn Fn(ElementRun) + Sync),
) -> Result<(), Error> {
    let (len, runs) = (layout.elements(), Runs::of(layout));
    limits.enter(len, &mut || {
        let is_worth_it = limits.is_worth_threads(len);
        let tasks = if is_worth_it { limits.tasks.unwrap_or_else(threads::count).min(len) } else { 1 };
        threads::run(tasks, is_worth_it, &|task| {
            let Range { start: mut first, end } = threads::share(len, tasks, task);
            while first < end {
                let (run, skipped) = (first / runs.len, first % runs.len);
                let start = runs.address(layout, run).wrapping_add_signed(skipped as isize * runs.step);
                let next = end.min(first + runs.len - skipped);
                visit(ElementRun { numbers: first..next, start, step: runs.step });
                first = next;
            }
        });
        Ok(())
    })
}

/// The elements of a tensor that follow one another by a single step, as far as its last axes go.
struct Runs {
    /// The elements of a run.
    len: usize,
    /// From one to the next.
    step: isize,
    /// The axes in front of those of a run.
    axes: usize,
}

impl Runs {
    fn of(layout: &Layout) -> Self {
        let (shape, strides) = (layout.shape(), layout.strides());
        let mut runs = Self { len: 1, step: 1, axes: layout.rank() };
        while let Some(axis) = runs.axes.checked_sub(1) {
            let (size, stride) = (shape[axis], strides[axis]);
            if size != 1 {
                if runs.len == 1 {
                    runs.step = stride;
                } else if stride != runs.step.wrapping_mul(runs.len as isize) {
                    break;
                }
            }
            (runs.len, runs.axes) = (runs.len * size, axis);
        }
        // Not 0, for a tensor without elements, which has no runs.
        runs.len = runs.len.max(1);
        runs
    }

    /// The address of the first element of a run.
    fn address(&self, layout: &Layout, mut run: usize) -> usize {
        let axes = layout.shape().iter().zip(layout.strides()).take(self.axes).rev();
        axes.fold(layout.offset(), |address, (&size, &stride)| {
            let at = run % size;
            run /= size;
            address.wrapping_add_signed(stride.wrapping_mul(at as isize))
        })
    }
}

/// Where elements are written that are made for a call.
#[derive(Clone, Copy)]
pub(super) struct Places<A>(pub(super) *mut A);

// SAFETY: an address that belongs to no thread; whoever has the memory behind it waits until the
// elements are written, each by one thread.
unsafe impl<A: Send> Send for Places<A> {}
// SAFETY: an address that belongs to no thread; whoever has the memory behind it waits until the
// elements are written, each by one thread.
unsafe impl<A: Send> Sync for Places<A> {}

impl<A> Places<A> {
    /// The place of an element.
    ///
    /// # Safety
    /// The memory reaches as far.
    pub(super) unsafe fn at(self, number: usize) -> *mut A {
        // SAFETY: the memory reaches as far.
        unsafe { self.0.add(number) }
    }
}

/// Where elements are read.
#[derive(Clone, Copy)]
pub(super) struct Read<T>(pub(super) *const T);

// SAFETY: an address that belongs to no thread; the memory behind it is only read, until the call
// is done.
unsafe impl<T: Sync> Send for Read<T> {}
// SAFETY: an address that belongs to no thread; the memory behind it is only read, until the call
// is done.
unsafe impl<T: Sync> Sync for Read<T> {}

impl<T: Copy> Read<T> {
    /// The element at an address.
    ///
    /// # Safety
    /// It is one of the memory.
    pub(super) unsafe fn element(self, address: usize) -> T {
        // SAFETY: the address is one of the memory.
        unsafe { self.0.add(address).read() }
    }
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
        ] {
            let layout = Layout::new(shape, strides, offset, 64).unwrap();
            let expected: Vec<_> = layout.shape().coordinates().map(|at| layout.address(&at)).collect();
            for tasks in [None, Some(3)] {
                let limits = Limits { tasks, ..Limits::default() };
                let got = collected(Operator::IndexAdd, &layout, &limits, |address| address);
                assert_eq!(got.unwrap(), expected, "{layout:?}");
            }
        }
    }
}
