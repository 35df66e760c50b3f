//! Our engine, called as by a program that already has its threads.

use std::time::{Duration, Instant};

use engines::call::Call;
use engines::case::Case;
use engines::engine::Cpu;
use engines::tensor::Tensor;
use engines::usage::{Problem, UsageError};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use scatter::Error;

/// The engine in a thread pool, with a self to update.
pub(crate) struct Ours {
    pool: ThreadPool,
    self_: Tensor,
}

impl Ours {
    /// The engine on `threads` threads.
    pub(crate) fn new(case: &Case, threads: usize) -> Result<Self, UsageError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| UsageError::Threads { threads, error })?;
        Ok(Self { pool, self_: case.self_.clone() })
    }

    /// The mean time of `calls` calls on one self, which is restored to the case's before the first
    /// call.
    pub(crate) fn time(&mut self, case: &Case, calls: usize) -> Result<Duration, UsageError> {
        let Self { pool, self_ } = self;
        let Case { op, index, src, .. } = case;
        // The clock runs on a thread of the pool, so that entering the pool doesn't count. The
        // pool's threads restore self, so that they are awake when the clock starts, like those of
        // a limit, and like at least the calling thread of a peer.
        let elapsed = pool.install(|| {
            let (to, from) = (self_.storage.bytes_mut(), case.self_.storage.bytes());
            let share = from.len().div_ceil(pool.current_num_threads()).max(1);
            to.par_chunks_mut(share)
                .zip(from.par_chunks(share))
                .for_each(|(to, from)| to.copy_from_slice(from));
            let mut call = Call { op: *op, self_: None, index, src: src.as_ref(), out: self_, claim: None };
            let start = Instant::now();
            for _ in 0..calls {
                Cpu::compute(&mut call)?;
            }
            Ok(start.elapsed() / calls as u32)
        });
        elapsed.map_err(|error: Error| Problem::from(error).of(&case.name))
    }

    /// self after the last call.
    pub(crate) fn result(&self) -> &Tensor {
        &self.self_
    }
}
