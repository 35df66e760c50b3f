//! How long an engine takes, and how much it has to move.

use std::time::{Duration, Instant};

use scatter::Reduce;

use super::workload::Drawn;
use crate::case::Case;
use crate::engine::{Engine, Refusal};
use crate::task::Task;
use crate::tensor::Tensor;

/// What is stated with every rate: [`bytes`] in words.
pub(crate) const FORMULA: &str = "GB/s = (index values x 8, or 4 for i32, + src elements x their size + distinct \
     destination elements x their size, x 2 where they are read too) / median time / 10^9";

/// The bytes that any implementation must move: each index value as it is stored and each element of src read once;
/// each element of the destination that an update goes to written once, and read once unless it is replaced.
///
/// Neither an element that is read again for its next update counts nor what an engine moves for itself, so that the
/// rates of engines can be compared.
pub(crate) fn bytes(drawn: &Drawn) -> u64 {
    let case = &drawn.case;
    let src = case.src.as_ref().map_or(0, |src| src.storage.bytes().len());
    let moved = drawn.touched * case.dtype().size() * if is_replace(case) { 1 } else { 2 };
    (case.index.storage.bytes().len() + src + moved) as u64
}

/// Whether what the destination held is lost.
pub(crate) fn is_replace(case: &Case) -> bool {
    matches!(case.task, Task::Scatter(op) if op.reduce() == Reduce::None)
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
    fn every_byte_counts_once_in_each_direction() {
        let moved = |name| {
            let drawn = Workload::named(name).unwrap().divided(512).draw(1).unwrap();
            (bytes(&drawn) as usize, drawn.touched)
        };
        // Of the mixture every row is touched: 8 per index, 2 bytes an element.
        assert_eq!(moved("moe").0, 32 * 8 + 32 * 4096 * 2 + 2 * 16 * 4096 * 2);
        let elements = 8 * 4096;
        let (multiply, touched) = moved("multiply");
        assert_eq!(multiply, elements * (8 + 4) + 2 * 4 * touched);
        let (replace, touched) = moved("replace");
        assert_eq!(replace, elements * (8 + 4) + 4 * touched);
        let (value, touched) = moved("value");
        assert_eq!(value, elements * 8 + 4 * touched);
    }
}
