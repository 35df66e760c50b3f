//! The engine that people use: parallel, without materialising a strided tensor, and bit for bit the reference.
//!
//! A call goes through four steps:
//! 1. every index value is checked, in parallel; nothing is written before all are known to be in range;
//! 2. out of place, self is copied to out;
//! 3. the destination is divided into boxes of the axes along which updates can't meet (all but dim, or the slice that
//!    a row of indices points to), and into ranges along dim where there are too few of those;
//! 4. each task walks the whole of index along dim, in order, and applies the updates whose destinations it owns.
//!
//! A destination element has one owner, which sees its updates in row-major order of index. So there are no atomics and
//! no locks, and the result doesn't depend on the number of threads.
//!
//! # Memory
//! Replace, and sums, products and extrema of what accumulates in itself, take no memory beyond the operands. f16 and
//! bf16 (f32 accumulators), Mean (counts) and `include_self = false` (what was touched) keep one segment of the
//! destination per thread, of at most 2^20 slots: 4 bytes each for f16 and bf16 sums, 24 bytes at the most, so 24 MiB
//! per thread, and a bit for each target where updates are few. Nothing grows with index or src. A scatter with nothing
//! to do whose out overlaps self copies through a buffer as large as self.
//!
//! # Time
//! It grows with the updates, and out of place with self; a segment loads and stores little beyond what updates go to.

mod grid;
mod memory;
mod rule;
mod segment;
mod sweep;
mod targets;
mod threads;
mod touched;
mod update;
mod walk;

pub use memory::{AsTensor, AsTensorMut, Memory, TensorMut, TensorRef};

use core::ptr;

use crate::problem::Updates;
use crate::{Argument, Element, Error, Index, Layout, Operator, Problem, Shape, SrcGrad, with_element};
use grid::{Goal, Grid};
use segment::{MAX_SLOTS, PREFERRED_SLOTS};
use sweep::{Storages, all_valid};
use targets::IndexStorage;
use update::{each_update, update};
use walk::Walk;

/// Below so many steps a call stays on its thread: waking another one takes as long.
const WORTH_A_THREAD: usize = 1 << 15;

/// How finely a call is divided. The default is what [`run`] takes; others change speed and memory, never the result.
/// They are there for tests, and no part of the API.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The tasks at least; by default one per thread where the call is worth it.
    pub tasks: Option<usize>,
    /// The slots of a segment that are preferred, as far as dividing a destination so costs nothing.
    pub slots: usize,
    /// The slots of a segment at the most.
    pub slots_at_most: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tasks: None, slots: PREFERRED_SLOTS, slots_at_most: MAX_SLOTS }
    }
}

impl Limits {
    /// How many tasks a walk should have at least.
    fn tasks_for(&self, walk: &Walk) -> usize {
        self.tasks.unwrap_or_else(|| if walk.steps() < WORTH_A_THREAD { 1 } else { threads::count() })
    }

    /// For a destination that needs no segments.
    fn direct(&self, walk: &Walk, element_size: usize) -> Goal {
        Goal { tasks: self.tasks_for(walk), elements: usize::MAX, elements_at_most: usize::MAX, element_size }
    }

    fn segmented(&self, walk: &Walk, element_size: usize) -> Goal {
        let elements_at_most = self.slots_at_most.min(MAX_SLOTS);
        Goal {
            tasks: self.tasks_for(walk),
            elements: self.slots.min(elements_at_most),
            elements_at_most,
            element_size,
        }
    }
}

/// Runs a scatter.
///
/// Threads are those of the current rayon pool (`ThreadPool::install` chooses another); without the feature `rayon`,
/// the caller's.
///
/// # Errors
/// [`Error::Binding`] if `memory` is not what the problem was built for; [`Error::IndexOutOfRange`] for the first bad
/// index value in row-major order. Nothing has been written then.
pub fn run<T: Element, I: Index>(problem: &Problem, memory: &mut Memory<'_, T, I>) -> Result<(), Error> {
    run_with(problem, memory, &Limits::default())
}

/// [`run`], divided as `limits` say.
///
/// # Errors
/// As [`run`].
#[doc(hidden)]
pub fn run_with<T: Element, I: Index>(
    problem: &Problem,
    memory: &mut Memory<'_, T, I>,
    limits: &Limits,
) -> Result<(), Error> {
    let Memory { self_, index, src, out } = memory;
    problem.check_binding(
        self_.as_ref().map(TensorRef::operand),
        index.operand(),
        src.as_ref().map(TensorRef::operand),
        out.operand(),
    )?;
    let pointers = Pointers {
        self_: self_.as_ref().map_or(ptr::null(), |self_| self_.storage().cast()),
        index: IndexStorage::new(problem.index_dtype(), index.storage().cast()),
        src: src.as_ref().map_or(ptr::null(), |src| src.storage().cast()),
        out: out.storage().cast(),
    };
    run_erased(problem, pointers, limits)
}

/// [`run_with`] behind its binding check. Not generic, so that the loops are compiled here, once, and not again in every
/// crate that calls an engine.
fn run_erased(problem: &Problem, pointers: Pointers, limits: &Limits) -> Result<(), Error> {
    if let Some(updates) = problem.updates() {
        check_indices(updates, problem.operator(), problem.out_layout(), pointers.index, limits)?;
    }
    with_element!(problem.dtype(), T => run_typed::<T>(problem, pointers, limits))
}

/// Storages whose types are in the problem.
#[derive(Clone, Copy)]
struct Pointers {
    self_: *const u8,
    index: IndexStorage,
    src: *const u8,
    out: *mut u8,
}

/// [`run_erased`] for the type of the problem, once all indices are known to be valid.
fn run_typed<T: Element>(problem: &Problem, pointers: Pointers, limits: &Limits) -> Result<(), Error> {
    let Pointers { self_, index, src, out } = pointers;
    let out = out.cast::<T>();
    // A scalar is a src that never moves.
    let (operator, expected) = (problem.operator(), problem.dtype());
    let convert = |got| T::from_scalar(got).ok_or(Error::Value { operator, expected, got });
    let mut value = problem.op().value().map(convert).transpose()?;
    if !problem.in_place() {
        copy(problem, self_.cast::<T>(), out, limits);
    }
    if let Some(updates) = problem.updates() {
        let src = value.as_mut().map_or(src.cast::<T>().cast_mut(), ptr::from_mut);
        let walk = Walk::scatter(updates, problem.out_layout());
        update(problem, &walk, Storages { index, src, dst: out }, limits);
    }
    Ok(())
}

/// Runs the gather that is the gradient for src: `out[i][j][k] = grad[i][index[i][j][k]][k]` for rank 3 and dim 1.
///
/// # Errors
/// As [`run`].
pub fn run_src_grad<T: Element, I: Index>(
    problem: &SrcGrad,
    grad: &TensorRef<'_, T>,
    index: &TensorRef<'_, I>,
    out: &mut TensorMut<'_, T>,
) -> Result<(), Error> {
    run_src_grad_with(problem, grad, index, out, &Limits::default())
}

/// [`run_src_grad`], divided as `limits` say.
///
/// # Errors
/// As [`run`].
#[doc(hidden)]
pub fn run_src_grad_with<T: Element, I: Index>(
    problem: &SrcGrad,
    grad: &TensorRef<'_, T>,
    index: &TensorRef<'_, I>,
    out: &mut TensorMut<'_, T>,
    limits: &Limits,
) -> Result<(), Error> {
    problem.check_binding(grad.operand(), index.operand(), out.operand())?;
    let pointers = Pointers {
        self_: grad.storage().cast(),
        index: IndexStorage::new(problem.index_dtype(), index.storage().cast()),
        src: ptr::null(),
        out: out.storage().cast(),
    };
    src_grad_erased(problem, pointers, limits)
}

/// [`run_src_grad_with`] behind its binding check, compiled here once as [`run_erased`] is.
fn src_grad_erased(problem: &SrcGrad, pointers: Pointers, limits: &Limits) -> Result<(), Error> {
    let Some(updates) = problem.updates() else { return Ok(()) };
    check_indices(updates, Operator::ScatterSrcGrad, problem.grad_layout(), pointers.index, limits)?;
    with_element!(problem.dtype(), T => {
        let walk = Walk::gather(updates, problem);
        // grad is where an update would go, out where it would come from.
        let (src, dst) = (pointers.out.cast::<T>(), pointers.self_.cast::<T>().cast_mut());
        // SAFETY: the binding was checked: the layouts that the walk was made from lie inside these storages. Index
        // values were checked. out, which overlaps neither itself nor grad, is written once per coordinate.
        unsafe {
            let gather = |grad: *mut T, out: *mut T| out.write(grad.read());
            each_update(&walk, Storages { index: pointers.index, src, dst }, limits, gather);
        }
    });
    Ok(())
}

/// The rule that needs the data, before anything is written.
fn check_indices(
    updates: &Updates,
    operator: Operator,
    indexed: &Layout,
    index: IndexStorage,
    limits: &Limits,
) -> Result<(), Error> {
    let walk = Walk::index_entries(updates, indexed);
    let grid = Grid::new(&walk, limits.direct(&walk, 1));
    let any_bad = threads::any(grid.len(), &|number| {
        // SAFETY: the layout of index, from which the walk was made, was proved to lie inside this storage.
        !unsafe { all_valid(&grid.task(number).walk, index) }
    });
    if !any_bad {
        return Ok(());
    }
    // SAFETY: an address of the same layout.
    let read = |address: usize| unsafe { index.read(address as isize) };
    // There is one; were there none, the memory would have changed under us, which the caller has promised it doesn't.
    updates
        .first_bad_index(operator, indexed, read)
        .map_or(Err(Error::Binding { operator, argument: Argument::Index }), Err)
}

/// out = self.
fn copy<T: Element>(problem: &Problem, from: *const T, to: *mut T, limits: &Limits) {
    if problem.is_entangled() {
        return copy_entangled(problem, from, to);
    }
    let walk = Walk::copy(problem);
    let storages = Storages { index: IndexStorage::NONE, src: from.cast_mut(), dst: to };
    // SAFETY: both layouts lie inside their storages and don't overlap, nor does out itself. A copy has no index
    // components, so index is never read.
    unsafe { each_update(&walk, storages, limits, |to: *mut T, from: *mut T| to.write(from.read())) }
}

/// out = self where out overlaps self or itself: self is read whole before out is written, each of its elements once.
fn copy_entangled<T: Element>(problem: &Problem, from: *const T, to: *mut T) {
    let (self_, out) = (problem.self_layout(), problem.out_layout());
    let distinct = self_.distinct();
    // SAFETY: addresses of a layout that lies inside its storage.
    let read = |at: Shape| unsafe { from.add(self_.address(&at)).read() };
    let values: Vec<T> = distinct.coordinates().map(read).collect();
    for at in out.shape().coordinates() {
        let number =
            at.iter().zip(distinct.iter()).fold(0, |number, (&i, &size)| number * size + i.min(size - 1));
        // SAFETY: an address of a layout that lies inside its storage.
        unsafe { to.add(out.address(&at)).write(values[number]) }
    }
}
