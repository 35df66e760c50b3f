//! How long an engine takes, and how much it has to move.

use std::time::{Duration, Instant};

use super::workload::Input;
use crate::storage::Storage;

/// What is stated with every rate.
pub(crate) const FORMULA: &str = "GB/s = bytes / median time / 10^9, where bytes = index values x 8 + src elements x \
     their size + 2 x distinct destination rows x the size of a row";

/// The bytes that any implementation must move: each index value as it is stored (once per row) and each element of src
/// read once; each row of the destination that an update goes to read once and written once. Neither a row that is
/// read again for its next update nor what an engine moves for itself counts, so that rates of engines can be
/// compared.
pub(crate) fn bytes(input: &Input) -> u64 {
    let row = input.target.storage.bytes().len() / input.target.shape[0];
    let moved = input.index.storage.bytes().len()
        + input.src.storage.bytes().len()
        + 2 * touched(&input.index.storage, input.target.shape[0]) * row;
    moved as u64
}

/// The number of distinct rows that an update goes to.
fn touched(index: &Storage, rows: usize) -> usize {
    let mut seen = vec![false; rows];
    for &row in index.elements::<i64>() {
        seen[row as usize] = true;
    }
    seen.into_iter().filter(|&seen| seen).count()
}

/// Calls `run` once to warm up and then `repeats` times, of which it returns the times. `prepare` is called before each
/// and takes no part in its time.
pub(crate) fn times<S, E>(
    repeats: usize,
    state: &mut S,
    mut prepare: impl FnMut(&mut S),
    mut run: impl FnMut(&mut S) -> Result<(), E>,
) -> Result<Vec<Duration>, E> {
    let mut times = Vec::with_capacity(repeats);
    for call in 0..=repeats {
        prepare(state);
        let start = Instant::now();
        run(state)?;
        let time = start.elapsed();
        if call > 0 {
            times.push(time);
        }
    }
    Ok(times)
}

/// The middle one of the times, or the mean of the two in the middle.
pub(crate) fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    match times.len() {
        0 => Duration::ZERO,
        odd if odd % 2 == 1 => times[odd / 2],
        even => (times[even / 2 - 1] + times[even / 2]) / 2,
    }
}
