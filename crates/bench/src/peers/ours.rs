//! Our engine, called as by a program that already has its threads.

use std::time::{Duration, Instant};

use engines::call::Call;
use engines::case::Case;
use engines::engine::Cpu;
use engines::tensor::Tensor;
use engines::threads;
use engines::usage::{Reason, UsageError};
use rayon::ThreadPool;
use rayon::prelude::*;
use scatter::{Argument, Error, Op, Reduce, index_put, with_element};

use super::entry::Verdict;
use crate::index_tensors::index_tensors;
use crate::measure::copy_cached;

/// The engine in a thread pool, with a destination.
pub(crate) struct Ours {
    pool: ThreadPool,
    /// Self, or the out of a gather.
    destination: Tensor,
    /// The index tensors of `index_put`, which a program has in the place of the case's index.
    indices: Vec<Tensor>,
}

impl Ours {
    /// The engine on `threads` threads.
    pub(crate) fn new(case: &Case, threads: usize) -> Result<Self, UsageError> {
        let pool = threads::pool(threads)?;
        Ok(Self { pool, destination: case.destination().clone(), indices: index_tensors(case) })
    }

    /// The mean time of `calls` calls on one destination, which is restored to the case's before
    /// the first call.
    pub(crate) fn time(&mut self, case: &Case, calls: usize) -> Result<Duration, UsageError> {
        let Self { pool, destination, indices } = self;
        // The clock runs on a thread of the pool, so that entering the pool doesn't count. The
        // pool's threads restore the destination, so that they are awake when the clock starts,
        // like those of a limit, and like at least the calling thread of a peer.
        let elapsed = pool.install(|| {
            let (to, from) = (destination.storage.bytes_mut(), case.destination().storage.bytes());
            let share = from.len().div_ceil(pool.current_num_threads()).max(1);
            to.par_chunks_mut(share).zip(from.par_chunks(share)).for_each(|(to, from)| copy_cached(to, from));
            let start = Instant::now();
            for _ in 0..calls {
                match case.op {
                    Op::IndexPut { .. } => put(case, indices, destination)?,
                    _ => compute(case, destination)?,
                }
            }
            Ok(start.elapsed() / calls as u32)
        });
        elapsed.map_err(|error: Error| Reason::from(error).of(&case.name))
    }

    /// The verdict on the destination after the last call, if that was the only one on it.
    pub(crate) fn verdict(&self, expected: &Tensor) -> Verdict {
        Verdict::of(&self.destination.storage, &expected.storage, true)
    }
}

/// The call of a case, with a destination of its own.
fn compute(case: &Case, out: &mut Tensor) -> Result<(), Error> {
    let Case { op, self_, index, src, .. } = case;
    let self_ = case.out.is_some().then_some(self_);
    Cpu::compute(&mut Call { op: *op, self_, index, src: src.as_ref(), out, claim: None })
}

/// The same for `index_put` in place along leading axes, from several index tensors.
fn put(case: &Case, indices: &[Tensor], self_: &mut Tensor) -> Result<(), Error> {
    let operator = case.op.operator();
    let of = |argument| move |got| Error::Layout { operator, argument, got };
    let missing = Error::Binding { operator, argument: Argument::Src };
    let views = indices.iter().map(|index| index.view::<i64>().map_err(of(Argument::Index)));
    let views = views.collect::<Result<Vec<_>, _>>()?;
    let views: Vec<_> = views.iter().map(Some).collect();
    let accumulate = case.op.reduce() == Reduce::Add;
    with_element!(case.dtype(), T => {
        let values = case.src.as_ref().ok_or(missing)?.view::<T>().map_err(of(Argument::Src))?;
        let mut self_ = self_.view_mut::<T>().map_err(of(Argument::SelfTensor))?;
        index_put(&mut self_, &views, &values, accumulate)
    })
}
