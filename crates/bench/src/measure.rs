//! Times of engines, and the bytes that a workload must move.

use std::time::{Duration, Instant};

use engines::case::Case;
use engines::engine::Engine;
use engines::refusal::Refusal;
use engines::tensor::Tensor;
use scatter::Reduce;

use super::workload::Drawn;

/// The formula that is printed with rates: [`bytes`] in words.
pub(crate) const FORMULA: &str = "GB/s = (index values x 8, or 4 for i32, + src elements x their size + distinct \
     destination elements x their size, x 2 where they are read too; of a gather + distinct self elements and \
     all out elements x their size) / median time / 10^9";

/// The bytes that any implementation must move: each index value as it is stored and each element
/// of src read once; each element of the destination that gets an update written once, and also
/// read once unless updates replace it. In a gather, each element of self that is named is read
/// once, and each element of out written once.
///
/// Repeated reads of an element and an engine's own buffers don't count, so that the rates of
/// engines can be compared.
pub(crate) fn bytes(drawn: &Drawn) -> u64 {
    let case = &drawn.case;
    let size = |tensor: &Option<Tensor>| tensor.as_ref().map_or(0, |of| of.storage.bytes().len());
    let moved = drawn.touched * case.dtype().size() * if is_replace(case) { 1 } else { 2 };
    (case.index.storage.bytes().len() + size(&case.src) + size(&case.out) + moved) as u64
}

/// Whether updates replace the previous elements.
pub(crate) fn is_replace(case: &Case) -> bool {
    case.op.reduce() == Reduce::None
}

/// The least time of the calls that aren't counted, before those that are. Two threads that have
/// slept may be woken on one core, and stay there until the system moves one of them: on Linux that
/// took up to 30 ms.
pub(crate) const WARM_UP: Duration = Duration::from_millis(100);

/// Makes calls for 100 ms, and one at least, so that those after them find threads awake, each on a
/// core of its own. Returns what the last one does.
pub fn warm_up<T>(mut call: impl FnMut() -> T) -> T {
    let start = Instant::now();
    loop {
        let last = call();
        if start.elapsed() >= WARM_UP {
            return last;
        }
    }
}

/// The bytes that are copied at a time. A larger `memcpy` would store past the caches, and self is
/// to be in them as far as it fits, as it is for a peer that has just made its own.
const COPIED: usize = 1 << 16;

/// Copies bytes so that they are in the caches as far as they fit.
pub(crate) fn copy_cached(to: &mut [u8], from: &[u8]) {
    to.chunks_mut(COPIED).zip(from.chunks(COPIED)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// The times of `calls` calls, before each of which the destination gets the values of `before`, in
/// the memory that it has. The times don't include that. The result of the last call is left in the
/// case.
pub(crate) fn times(
    engine: &dyn Engine,
    setting: usize,
    case: &mut Case,
    before: &Tensor,
    calls: usize,
) -> Result<Vec<Duration>, Refusal> {
    let call = |_| {
        copy_cached(case.destination_mut().storage.bytes_mut(), before.storage.bytes());
        let mut call = case.call();
        let start = Instant::now();
        engine.run(setting, &mut call)?;
        Ok(start.elapsed())
    };
    (0..calls).map(call).collect()
}

/// The median: the middle number, or the mean of the two in the middle. `None` without numbers.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<_> = numbers.into_iter().collect();
    numbers.sort_unstable_by(f64::total_cmp);
    match numbers.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(numbers[odd / 2]),
        even => Some(f64::midpoint(numbers[even / 2 - 1], numbers[even / 2])),
    }
}

/// The median of some times, in seconds.
pub fn median_seconds(times: &[Duration]) -> f64 {
    median(times.iter().map(Duration::as_secs_f64)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Workload;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([]), None);
        assert_eq!(median([9.0, 1.0, 4.0]), Some(4.0));
        assert_eq!(median([9.0, 1.0, 4.0, 6.0]), Some(5.0));
        assert_eq!(median_seconds(&[3, 1].map(Duration::from_secs)), 2.0);
    }

    #[test]
    fn every_byte_counts_once_in_each_direction() {
        let moved = |name| {
            let drawn = Workload::named_of_cpus(name).unwrap().divided(512).draw(1).unwrap();
            (bytes(&drawn) as usize, drawn.touched)
        };
        // In `moe` every row gets updates; an index value has 8 bytes, an element 2.
        assert_eq!(moved("moe").0, 32 * 8 + 32 * 4096 * 2 + 2 * 16 * 4096 * 2);
        let elements = 8 * 4096;
        let (multiply, touched) = moved("multiply");
        assert_eq!(multiply, elements * (8 + 4) + 2 * 4 * touched);
        let (replace, touched) = moved("replace");
        assert_eq!(replace, elements * (8 + 4) + 4 * touched);
        let (value, touched) = moved("value");
        assert_eq!(value, elements * 8 + 4 * touched);
        let (gather, touched) = moved("gather-square");
        assert_eq!(gather, elements * (8 + 4) + 4 * touched);
        // Of 131,072 values for 1024 targets all are read, and all are written.
        let line = Workload::named_of_kernels("gather-line-index32").unwrap().divided(128);
        let drawn = line.draw(1).unwrap();
        assert_eq!(bytes(&drawn) as usize, (1 << 17) * (4 + 4) + 4 * drawn.touched);
    }
}
