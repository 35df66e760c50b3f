//! Our engine, called as a program would that has its threads already.

use std::time::{Duration, Instant};

use engines::call::Call;
use engines::case::Case;
use engines::engine::Cpu;
use engines::tensor::Tensor;
use engines::usage::{Problem, UsageError};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use scatter::Error;

/// The engine in a pool of some threads, and a self for it.
pub(crate) struct Ours {
    pool: ThreadPool,
    self_: Tensor,
}

impl Ours {
    /// On `threads` threads.
    pub(crate) fn new(case: &Case, threads: usize) -> Result<Self, UsageError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| UsageError::Threads { threads, error })?;
        Ok(Self { pool, self_: case.self_.clone() })
    }

    /// The mean of `calls` calls on one self, which is the case's before the first of them.
    pub(crate) fn time(&mut self, case: &Case, calls: usize) -> Result<Duration, UsageError> {
        let Self { pool, self_ } = self;
        let Case { task, index, src, .. } = case;
        // The clock runs on a thread of the pool, so that going there doesn't count; and the
        // threads of the pool make self anew, so that they have just worked, as a limit's have, and
        // the thread at least that calls a peer.
        let elapsed = pool.install(|| {
            let (to, from) = (self_.storage.bytes_mut(), case.self_.storage.bytes());
            let share = from.len().div_ceil(pool.current_num_threads()).max(1);
            to.par_chunks_mut(share)
                .zip(from.par_chunks(share))
                .for_each(|(to, from)| to.copy_from_slice(from));
            let mut call =
                Call { task: *task, self_: None, index, src: src.as_ref(), out: self_, claim: None };
            let start = Instant::now();
            for _ in 0..calls {
                Cpu::compute(&mut call)?;
            }
            Ok(start.elapsed() / calls as u32)
        });
        elapsed.map_err(|error: Error| Problem::from(error).of(&case.name))
    }

    /// self as the last call left it.
    pub(crate) fn result(&self) -> &Tensor {
        &self.self_
    }
}
