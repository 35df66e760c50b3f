//! How long an engine takes, and how much it has to move.

use std::time::{Duration, Instant};

use crate::case::Case;
use crate::engine::{Engine, Refusal};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// What is stated with every rate: [`bytes`] in words.
pub(crate) const FORMULA: &str = "GB/s = (index values x 8 + src elements x their size + 2 x distinct destination rows x \
     the size of a row) / median time / 10^9";

/// The bytes that any implementation must move: each index value as it is stored (an i64 per row) and each element of
/// src read once; each row of the destination that an update goes to read once and written once.
///
/// Neither a row that is read again for its next update counts nor what an engine moves for itself, so that the rates of
/// engines can be compared.
pub(crate) fn bytes(case: &Case) -> u64 {
    let rows = case.self_.shape[0];
    let row = case.self_.storage.bytes().len() / rows;
    let src = case.src.as_ref().map_or(0, |src| src.storage.bytes().len());
    let moved = case.index.storage.bytes().len() + src + 2 * touched(&case.index.storage, rows) * row;
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

/// The times of `calls` calls, each on a fresh copy of `self_`, the making of which takes no part in them. The result of
/// the last one is left in the case.
pub(crate) fn times(
    engine: &dyn Engine,
    setting: usize,
    case: &mut Case,
    self_: &Tensor,
    calls: usize,
) -> Result<Vec<Duration>, Refusal> {
    let call = |_| {
        case.self_.clone_from(self_);
        let mut call = case.call();
        let start = Instant::now();
        engine.run(setting, &mut call)?;
        Ok(start.elapsed())
    };
    (0..calls).map(call).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::workload::Workload;

    #[test]
    fn the_median_is_in_the_middle() {
        let median_of = |millis: &[u64]| {
            median(&millis.iter().map(|&ms| Duration::from_millis(ms)).collect::<Vec<_>>()).as_millis()
        };
        assert_eq!(median_of(&[]), 0);
        assert_eq!(median_of(&[9, 1, 4]), 4);
        assert_eq!(median_of(&[9, 1, 4, 6]), 5);
    }

    #[test]
    fn every_row_counts_once() {
        assert_eq!(touched(&Storage::of(&[3_i64, 0, 3, 3]), 5), 2);
        // Of the mixture every row is touched, twice: 8 per index, 2 bytes an element.
        let case = Workload::Moe.case(1, 512).unwrap();
        assert_eq!(bytes(&case), 32 * 8 + 32 * 4096 * 2 + 2 * 16 * 4096 * 2);
    }
}
