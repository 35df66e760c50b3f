//! Limits of the machine that don't depend on the workload: streaming memory, and random accesses
//! to cache lines.

use std::time::Instant;

use engines::random::Random;
use engines::threads;
use engines::usage::UsageError;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;

use super::elements::{Access, Elements};
use super::{LimitLoop, Share};
use crate::measure::{median_seconds, warm_up};

/// The measurements on a number of threads.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MachineLimits {
    pub(crate) threads: usize,
    /// The GB/s of bytes that a copy reads and writes.
    pub(crate) copy: f64,
    /// The GB/s of bytes that `a += b` reads and writes.
    pub(crate) read_modify_write: f64,
    /// For each size of a buffer in KiB the nanoseconds to update a random line of 64 bytes.
    pub(crate) random_line: Vec<(usize, f64)>,
}

/// The length of a stream in words of 8 bytes: 128 MiB, more than any cache.
const STREAM: usize = 1 << 24;
const BUFFERS_KIB: [usize; 4] = [512, 8 << 10, 64 << 10, 512 << 10];
const LINES: usize = 1 << 20;
const REPEATS: usize = 5;

/// Measures on `threads` threads, with the sizes divided by `scale`.
pub(crate) fn machine(threads: usize, scale: usize) -> Result<MachineLimits, UsageError> {
    let pool = || threads::pool(threads);
    let stream = (STREAM / scale).max(1 << 10);
    let (copy, read_modify_write) = streams(&pool()?, stream, threads);
    let line = |kib: usize| Ok((kib, random_line(pool()?, kib / scale, LINES / scale, threads)));
    let random_line = BUFFERS_KIB.into_iter().map(line).collect::<Result<_, UsageError>>()?;
    Ok(MachineLimits { threads, copy, read_modify_write, random_line })
}

/// The GB/s of a copy, and of an addition in place.
fn streams(pool: &ThreadPool, words: usize, threads: usize) -> (f64, f64) {
    let (mut to, from) = (vec![0_u64; words], vec![1_u64; words]);
    let chunk = words.div_ceil(threads);
    let mut rate = |bytes: usize, run: fn(&mut [u64], &[u64])| {
        let mut time = || {
            let start = Instant::now();
            pool.install(|| {
                let pairs = to.par_chunks_mut(chunk).zip(from.par_chunks(chunk));
                pairs.for_each(|(to, from)| run(to, from));
            });
            start.elapsed()
        };
        warm_up(&mut time);
        let times: Vec<_> = std::iter::repeat_with(time).take(REPEATS).collect();
        (bytes * words) as f64 / 1e9 / median_seconds(&times)
    };
    let copy = rate(16, <[u64]>::copy_from_slice);
    let add =
        rate(24, |to, from| to.iter_mut().zip(from).for_each(|(to, from)| *to = to.wrapping_add(*from)));
    (copy, add)
}

/// The nanoseconds for each line. One word of it is written, so that the line is loaded and written
/// back.
fn random_line(pool: ThreadPool, kib: usize, lines: usize, threads: usize) -> f64 {
    let words = (kib << 10).div_ceil(8).max(threads);
    let mut random = Random::of(1, "machine");
    let index: Vec<i64> = (0..lines.max(threads)).map(|_| random.below(words as u64) as i64).collect();
    let shares = Elements::line(words, Access::<u64>::Value, &index, threads);
    let shares = shares.map(|share| Box::new(share) as Box<dyn Share>).collect();
    let mut limit = LimitLoop { pool, shares, choice: 0 };
    limit.tune();
    let times: Vec<_> = std::iter::repeat_with(|| limit.time(1)).take(REPEATS).collect();
    median_seconds(&times) * 1e9 / index.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_measured() {
        let machine = machine(2, 512).unwrap();
        assert!(machine.copy > 0.0 && machine.read_modify_write > 0.0);
        assert_eq!(machine.random_line.len(), BUFFERS_KIB.len());
        assert!(machine.random_line.iter().all(|(_, nanoseconds)| *nanoseconds > 0.0));
    }
}
