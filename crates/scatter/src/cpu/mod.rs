//! The engine for the CPU: parallel, without copies of strided tensors, and bit for bit equal to
//! the reference.
//!
//! A call has three steps:
//! 1. The access pattern is recognised: whether index is constant along rows (by its strides, or by
//!    reading it up to the first difference), whether dim is the innermost axis, or its columns are
//!    few and can be taken for lines, how many lines there are and how long. From this a plan is
//!    made (`plan`), which names the loops, the shares of the tasks and the buffers; nothing else
//!    chooses a strategy, except that without memory a call is planned again, swept, or refused.
//! 2. Every index value is checked, in parallel, unless the loops do so themselves. Nothing is
//!    written before all are known to be in range.
//! 3. The loops of the plan run: rows in order, by ranges or by buckets; lines, ranges of them,
//!    lines by buckets, lines by way of a copy (which check index), or the general sweep, which
//!    also packs tiles of columns. Out of place, each task copies what it owns from self just
//!    before it updates that. All of self is copied first for lines by buckets, for a sweep without
//!    tiles, and where the updates are few or don't reach all of out.
//!
//! A destination element has one owner, a task, which makes its updates in row-major order of
//! index. Integers alone may have a slot in each of several tasks, for their sums, products and
//! extrema don't depend on order. So there are no locks, and the result doesn't depend on the
//! number of threads, the pattern or the instruction set (AVX2 and AVX-512 where the machine has
//! them).
//!
//! # Memory
//! Beyond the operands:
//! - rows whose index is stored whole: 4 bytes for each of its rows;
//! - rows that are partitioned by target: 8 bytes for each entry of index (for each batch anew,
//!   where batches share entries by a stride of 0), counts per thread for at most 2^14 buckets (one
//!   per batch where there are more), and at most 2^20 slots per thread.
//!   These are rows of 4 KiB or more, rows of f16, bf16 or Mean, and rows that are too short to
//!   share by columns (each thread would get less than 512 bytes), with more than four threads or
//!   several batches;
//! - lines: nothing, or the slots of one line, or of several short ones, per thread (2^20 at most,
//!   2^22 where a single thread makes all updates);
//! - tiles: at most 2^20 slots per thread;
//! - line copies: a slot for each element of the destination, 16 MiB at most, and no more bytes
//!   than there are updates, also where several tasks have slots for one element. Where threads get
//!   parts of an axis, each part has room for the largest. That room is reserved, but never
//!   touched, unless the allocator writes the zeros that slots of f16, bf16 and means are;
//! - line buckets: 8 MiB for a round of 2^20 updates, at most 2^22 slots in all, and counts per
//!   thread for no more ranges than one for each 256 updates of a line;
//! - sweep: nothing, or at most 2^20 slots per thread, and a bit for each target where updates are
//!   few.
//!
//! An `index_add` whose alpha is not 1 keeps the products in the dtype in which sums are
//! accumulated, each distinct element of src once, and, for f16 and bf16, all of self in f32; but
//! not where it adds rows of f32, f16 or bf16. A `scatter_update` by several elements along its
//! axis keeps an index of i64 with all coordinates, and so does an `index_put`, unless an i32 for
//! each element that is named will do. A gather keeps 4 bytes for each row of an index that is
//! stored whole, if it is constant along its rows.
//!
//! A slot needs no memory for Replace, nor for sums, products and extrema of dtypes that accumulate
//! in themselves (but tiles and line copies hold a copy); it has 4 bytes for f16 and bf16, and 24
//! at the most (Mean of complex128; of rows, whose updates are counted together, 16). A scatter
//! without updates whose out overlaps self copies through a buffer as large as self.
//!
//! All memory is allocated before anything is written. Where the system has none, loops that need
//! less run, on fewer threads if need be; where there are no such loops, the call is refused
//! ([`Error::Memory`]).
//!
//! # Time
//! It grows with the updates, and out of place with self. A segment loads and stores little more
//! than the elements that are updated; a line with slots all of its elements, up to 512 for each
//! update.

mod aligned;
mod call;
mod embedding;
mod gathers;
mod index;
#[cfg(feature = "unstable-internals")]
pub mod internals;
#[cfg_attr(not(feature = "unstable-internals"), allow(dead_code, unreachable_pub))]
mod limits;
mod lines;
mod memory;
#[cfg_attr(not(feature = "unstable-internals"), allow(dead_code, unreachable_pub))]
mod plan;
mod planned;
mod pointers;
mod points;
mod prefetch;
mod rows;
mod scaled;
mod slot;
mod sweep;
mod temporary;
mod threads;
mod update;
mod walk;
mod windows;

pub(crate) use limits::Limits;
pub use memory::{AsTensor, AsTensorMut, Memory, TensorMut, TensorRef};
pub(crate) use points::OneIndex;
pub(crate) use slot::loops::{HasLoops, ScatterLoops};

use core::ptr;

use crate::{Argument, Element, Error, Index, IndexList, Problem, with_element};
use pointers::Pointers;

/// Runs a scatter, or a gather.
///
/// Threads are those of the rayon pool that the caller is in (`ThreadPool::install` chooses one),
/// or else of a pool of the crate's own, which has as many as rayon's global pool would have. Where
/// that can't be made, in a child of the process that made it, and without the feature `rayon`, all
/// is done on the caller's thread.
///
/// # Errors
/// [`Error::Binding`] if `memory` is not what the problem was built for; [`Error::IndexOutOfRange`]
/// for the first bad index value in row-major order; [`Error::Memory`] where the system has none
/// for what is kept beside the operands, and no loops do without it. Nothing has been written then.
pub fn run<T: Element, I: Index>(problem: &Problem, memory: &mut Memory<'_, T, I>) -> Result<(), Error> {
    run_limited(problem, memory, &Limits::default())
}

/// [`run`], divided as `limits` say.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_limited<T: Element, I: Index>(
    problem: &Problem,
    memory: &mut Memory<'_, T, I>,
    limits: &Limits,
) -> Result<(), Error> {
    let pointers = bound(problem, memory)?;
    // SAFETY: `bound` has checked that these are storages of the problem's dtypes, as large as its
    // layouts say, which nobody else writes while they are borrowed.
    unsafe { run_any::<T>(problem, pointers, limits) }
}

/// Runs any problem of a dtype.
///
/// # Safety
/// The problem's dtype is `T`, and the pointers are as [`planned::run`] asks for.
unsafe fn run_any<T: Element>(problem: &Problem, pointers: Pointers, limits: &Limits) -> Result<(), Error> {
    // SAFETY: the pointers are of storages as the problem's layouts say; each function is given the
    // problems that it is for, and the loops are those of the dtype and the reduction.
    unsafe {
        match problem.alpha() {
            _ if problem.gathers() => gathers::run(problem, pointers, limits),
            Some(alpha) => scaled::run::<T>(problem, alpha, pointers, limits),
            None => scatter(problem, pointers, limits, ScatterLoops::of::<T>(problem.op())),
        }
    }
}

/// [`run`] by the loops that are given.
///
/// # Safety
/// The problem was made for these tensors. The loops are those of `T` and of the problem's
/// reduction. The problem neither gathers nor has an alpha.
///
/// # Errors
/// As [`run`], but that tensors are not compared with those of the problem.
pub(crate) unsafe fn run_by<T: Element, I: Index>(
    problem: &Problem,
    memory: &mut Memory<'_, T, I>,
    loops: ScatterLoops,
) -> Result<(), Error> {
    let pointers = Pointers::of(problem, memory);
    // SAFETY: these are storages of the problem's dtypes, as large as its layouts say, which nobody
    // else writes while they are borrowed. The loops are those of `T`, which is the problem's
    // dtype, and of its reduction; and the problem neither gathers nor has an alpha.
    unsafe { scatter(problem, pointers, &Limits::default(), loops) }
}

/// The storages of `memory`, which must be what the problem was built for.
fn bound<T: Element, I: Index>(problem: &Problem, memory: &mut Memory<'_, T, I>) -> Result<Pointers, Error> {
    problem.check_binding(
        memory.self_.as_ref().map(TensorRef::operand),
        memory.index.operand(),
        memory.src.as_ref().map(TensorRef::operand),
        memory.out.operand(),
    )?;
    Ok(Pointers::of(problem, memory))
}

/// [`run`] on the memory at the addresses that the problem is bound to, whatever its dtypes are.
///
/// # Safety
/// At each address there is a storage as large as the problem's layout says, aligned, whose
/// provenance is exposed, and which is neither written nor, where it is out's, read by anybody else
/// until this returns.
///
/// # Errors
/// As [`run`].
pub unsafe fn run_bound(problem: &Problem) -> Result<(), Error> {
    let (pointers, limits) = (Pointers::exposed(problem), Limits::default());
    // SAFETY: at each address there is a storage as the problem's layout says, which is free for
    // this.
    with_element!(problem.dtype(), T => unsafe { run_any::<T>(problem, pointers, &limits) })
}

/// [`run_bound`] of an `index_put` by the index tensors of a list, which are at the addresses of
/// the list.
///
/// # Safety
/// As [`run_bound`], but that the problem's index has no address; each tensor of the list is a
/// storage as its layout says, aligned, whose provenance is exposed, and which nobody writes until
/// this returns.
///
/// # Errors
/// As [`run`].
pub unsafe fn run_list(problem: &Problem, list: &IndexList) -> Result<(), Error> {
    // SAFETY: the tensors of the list are storages as their layouts say, and nobody writes them.
    let (index, problem) = unsafe { OneIndex::new(list, problem) }?;
    let pointers = Pointers { index: index.storage(), ..Pointers::exposed(&problem) };
    let loops = with_element!(problem.dtype(), T => ScatterLoops::of::<T>(problem.op()));
    // SAFETY: at each address there is a storage as the problem's layout says, which is free for
    // this, and index was made for it; the loops are those of the problem's dtype and reduction,
    // and an `index_put` neither gathers nor has an alpha, or windows, and has a self.
    unsafe { planned::run(&problem, pointers, &Limits::default(), loops) }
}

/// [`run_limited`] of a scatter without an alpha, behind its binding check.
///
/// # Safety
/// As [`planned::run`], but that the problem may have windows, or start from zeros.
unsafe fn scatter(
    problem: &Problem,
    pointers: Pointers,
    limits: &Limits,
    loops: ScatterLoops,
) -> Result<(), Error> {
    // SAFETY: the pointers are of storages as the problem's layouts say, and the loops are those of
    // its dtype and reduction; each function is given the problems that it is for.
    unsafe {
        if problem.window().is_some() {
            windows::run(problem, pointers, limits, loops)
        } else if problem.starts_from_zeros() {
            embedding::run(problem, pointers, limits, loops)
        } else {
            planned::run(problem, pointers, limits, loops)
        }
    }
}

/// Runs a problem that may have an alpha, a sum.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_scaled<T: Element, I: Index>(
    problem: &Problem,
    memory: &mut Memory<'_, T, I>,
    limits: &Limits,
) -> Result<(), Error> {
    let pointers = bound(problem, memory)?;
    let Some(alpha) = problem.alpha() else {
        // SAFETY: `bound` has checked the storages. The loops are those of the dtype and of Add,
        // which all operators with an alpha are; here it is 1. None of these gathers or has
        // windows.
        return unsafe { planned::run(problem, pointers, limits, ScatterLoops::of_add::<T>()) };
    };
    // SAFETY: the problem is a sum with this alpha. `bound` has checked that these are storages of
    // its dtypes, as large as its layouts say, which nobody else writes while they are borrowed.
    unsafe { scaled::run::<T>(problem, alpha, pointers, limits) }
}

/// Runs an `index_put` by an index that was made of its list.
///
/// # Safety
/// The problem was made for these tensors and this index, in place without `self_`. The loops are
/// those of `T` and of the problem's reduction.
///
/// # Errors
/// As [`run`].
pub(crate) unsafe fn run_put<T: Element>(
    problem: &Problem,
    index: &OneIndex,
    self_: Option<TensorRef<'_, T>>,
    src: TensorRef<'_, T>,
    out: &TensorMut<'_, T>,
    loops: ScatterLoops,
) -> Result<(), Error> {
    let pointers = Pointers {
        self_: self_.map_or(ptr::null(), |self_| self_.storage().cast()),
        index: index.storage(),
        src: src.storage().cast(),
        out: out.storage().cast(),
    };
    // SAFETY: these are storages of the problem's dtypes, as large as its layouts say, which nobody
    // else writes while they are borrowed; the loops are as the caller promises, and an `index_put`
    // neither gathers nor has an alpha, or windows, and has a self.
    unsafe { planned::run(problem, pointers, &Limits::default(), loops) }
}

/// Runs a problem that gathers; another one is refused.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_gather<T: Element, I: Index>(
    problem: &Problem,
    memory: &mut Memory<'_, T, I>,
    limits: &Limits,
) -> Result<(), Error> {
    if !problem.gathers() {
        return Err(Error::Binding { operator: problem.operator(), argument: Argument::SelfTensor });
    }
    let pointers = bound(problem, memory)?;
    // SAFETY: the problem gathers. `bound` has checked that these are storages of the problem's
    // dtypes, as large as its layouts say, which nobody else writes while they are borrowed.
    unsafe { gathers::run(problem, pointers, limits) }
}
