//! Pools of threads.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::usage::UsageError;

/// A pool of this many threads.
///
/// # Errors
/// The threads can't be had.
pub fn pool(threads: usize) -> Result<ThreadPool, UsageError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| UsageError::Threads { threads, error })
}
