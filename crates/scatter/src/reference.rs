//! The contract as one sequential loop. It is the definition: every engine is held to it bit for
//! bit.
//!
//! Read it beside `docs/semantics.md`. It has no fast path and never will.

use crate::element::combine;
use crate::{Argument, Element, Error, Index, Layout, Operator, Problem, Reduce};

/// Runs a scatter, or a gather, on the storages that the problem is bound to: `self_` is `None` in
/// place and where the operator takes none, `src` is `None` where the operator takes none.
///
/// # Errors
/// [`Error::IndexOutOfRange`] for the first bad index value in row-major order, [`Error::Binding`]
/// where a storage is shorter than the problem's or its type is another, and [`Error::Memory`]
/// where there is none for an accumulator for each element of out. Nothing has been written then.
pub fn run<T: Element, I: Index>(
    problem: &Problem,
    self_: Option<&[T]>,
    index: &[I],
    src: Option<&[T]>,
    out: &mut [T],
) -> Result<(), Error> {
    check_storages(problem, self_, index, src, out)?;
    let operator = problem.operator();
    let (self_at, out_at) = (problem.self_layout(), problem.out_layout());
    let read_index = |address: usize| index[address].to_i64();

    if let Some(updates) = problem.updates()
        && let Some(error) = updates.first_bad_index(operator, self_at, &read_index)
    {
        return Err(error);
    }

    if problem.gathers() {
        let Some(updates) = problem.updates() else { return Ok(()) };
        let Some(self_) = self_ else {
            return Err(Error::Binding { operator, argument: Argument::SelfTensor });
        };
        for position in out_at.shape().coordinates() {
            let from = self_at.address(&updates.target(&position, self_at, read_index));
            out[out_at.address(&position)] = self_[from];
        }
        return Ok(());
    }

    // Of each element of out that an update touches: the accumulator, and how many values went into
    // it.
    let mut touched: Vec<Option<(T::Acc, u64)>> = Vec::new();
    let len = if problem.updates().is_some() { out.len() } else { 0 };
    let bytes = len.saturating_mul(size_of::<Option<(T::Acc, u64)>>());
    touched.try_reserve_exact(len).map_err(|_| Error::Memory { operator, bytes })?;
    touched.resize(len, None);

    // out = self, or zeros
    if problem.starts_from_zeros() {
        for at in out_at.shape().coordinates() {
            out[out_at.address(&at)] = T::zeroed();
        }
    } else if let Some(self_) = self_ {
        for at in out_at.shape().coordinates() {
            out[out_at.address(&at)] = self_[self_at.address(&at)];
        }
    }

    // An index with no elements: out is self and nothing else is touched.
    let Some(updates) = problem.updates() else { return Ok(()) };

    let (reduce, include_self) = (problem.reduce(), problem.op().include_self());
    let alpha = match problem.alpha() {
        None => None,
        Some(got) => {
            let expected = problem.dtype().accumulator();
            Some(T::Acc::from_scalar(got).ok_or(Error::Value { operator, expected, got })?)
        }
    };

    // Row-major order of index.
    for position in updates.shape().coordinates() {
        let to = out_at.address(&updates.target(&position, out_at, read_index));
        let update = match (src, &updates.src) {
            (Some(src), Some(src_at)) => src[src_at.address(&position)],
            _ => value_of(problem)?,
        };
        if reduce == Reduce::None {
            out[to] = update.stored(); // the last writer stays
        } else {
            let start = if include_self { (out[to].widen(), 1) } else { (T::identity(reduce), 0) };
            let (acc, count) = touched[to].unwrap_or(start);
            let update = update.widen();
            let update = alpha.map_or(update, |alpha| T::mul(alpha, update));
            touched[to] = Some((combine::<T>(reduce, acc, update), count + 1));
        }
    }

    // Rounded once per touched element.
    for (element, touched) in out.iter_mut().zip(touched) {
        if let Some((acc, count)) = touched {
            *element = if reduce == Reduce::Mean { T::mean(acc, count) } else { T::narrow(acc) };
        }
    }

    if let Some(padding) = problem.op().padding() {
        for at in out_at.shape().coordinates().filter(|at| at[0] == padding) {
            out[out_at.address(&at)] = T::zeroed();
        }
    }
    Ok(())
}

fn value_of<T: Element>(problem: &Problem) -> Result<T, Error> {
    let (operator, expected) = (problem.operator(), problem.dtype());
    match problem.op().value() {
        Some(value) => T::from_scalar(value).ok_or(Error::Value { operator, expected, got: value }),
        None => Err(Error::Binding { operator, argument: Argument::Src }),
    }
}

/// Whether the slices can be the storages of this problem, so that no address below is outside
/// them.
fn check_storages<T: Element, I: Index>(
    problem: &Problem,
    self_: Option<&[T]>,
    index: &[I],
    src: Option<&[T]>,
    out: &[T],
) -> Result<(), Error> {
    let operator = problem.operator();
    let is_long_enough = |len: usize, layout: &Layout| len >= layout.storage_len();
    let self_fits = match self_ {
        // Two tensors without elements may start at one address, and are the same then; there is
        // nothing to copy.
        Some(self_) => {
            let layout = problem.self_layout();
            let is_apart = !problem.in_place() || layout.is_empty();
            is_apart && !problem.starts_from_zeros() && is_long_enough(self_.len(), layout)
        }
        None => problem.in_place() || problem.starts_from_zeros(),
    };
    let (index_fits, src_fits) = match problem.updates() {
        None => (true, true),
        Some(updates) => (
            problem.index_dtype() == Some(I::DTYPE) && is_long_enough(index.len(), &updates.index),
            match (src, &updates.src) {
                (Some(src), Some(layout)) => is_long_enough(src.len(), layout),
                (None, None) => true,
                _ => false,
            },
        ),
    };
    let bindings = [
        (Argument::Out, T::DTYPE == problem.dtype() && is_long_enough(out.len(), problem.out_layout())),
        (Argument::SelfTensor, self_fits),
        (Argument::Index, index_fits),
        (Argument::Src, src_fits),
    ];
    check_bindings(operator, bindings)
}

/// The first argument that doesn't fit, as the error that says so.
fn check_bindings<const N: usize>(operator: Operator, bindings: [(Argument, bool); N]) -> Result<(), Error> {
    match bindings.into_iter().find(|(_, fits)| !fits) {
        None => Ok(()),
        Some((argument, _)) => Err(Error::Binding { operator, argument }),
    }
}
