//! A candidate on a workload: its times, and the verdict on its result.

use engines::storage::Storage;
use scatter::DType;
use serde::Serialize;

use crate::measure::median;

/// What runs a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Our engine, by its position among the numbers of threads.
    Ours(usize),
    /// The limit (the loop without arithmetic), likewise.
    Limit(usize),
    /// A candidate of a peer.
    Peer { worker: usize, candidate: usize },
}

/// A candidate on a workload.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) threads: usize,
    /// The seconds of a call as estimated before the rounds, and the number of calls of a sample.
    pub(super) first: f64,
    pub(super) calls: usize,
    /// The samples: seconds per call, one for each round until the candidate is given up.
    pub(super) seconds: Vec<f64>,
    pub(super) verdict: Verdict,
    /// The maximum of the bytes that a call of our engine held beyond its operands.
    pub(super) extra_memory: Option<usize>,
}

/// The verdict on a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// The candidate hasn't run yet.
    Unknown,
    /// The candidate has no result to compare, as the limit.
    Nothing,
    /// Equal to the reference's, bit for bit.
    Equal,
    /// As near as another order or other roundings can make it. The distance is |got - expected| /
    /// |expected|, of vectors.
    Near { distance: f64 },
    /// A wrong result.
    Wrong { what: String },
    /// The candidate doesn't support this workload.
    NotApplicable { reason: String },
}

impl Entry {
    /// A candidate. `absent` says why it can't run the workload; `None` where it can.
    pub(super) fn new(kind: Kind, name: &str, threads: usize, absent: Option<String>) -> Self {
        let verdict = absent.map_or(Verdict::Unknown, |reason| Verdict::NotApplicable { reason });
        let name = name.to_owned();
        Self { kind, name, threads, first: 0.0, calls: 1, seconds: Vec::new(), verdict, extra_memory: None }
    }

    /// Whether the candidate is timed.
    pub(super) const fn is_running(&self) -> bool {
        matches!(self.verdict, Verdict::Nothing | Verdict::Equal | Verdict::Near { .. })
    }

    /// Whether its result is neither the reference's nor near it.
    pub(super) const fn is_failure(&self) -> bool {
        self.verdict.is_wrong()
    }

    /// The median of its samples in seconds, if it has any.
    pub(super) fn median(&self) -> Option<f64> {
        median(self.seconds.iter().copied())
    }

    /// The time relative to that of `other`: the median of the quotients of each round, because the
    /// machine's speed changes between rounds. `None` where no round timed both.
    pub(super) fn times(&self, other: &Self) -> Option<f64> {
        median(self.seconds.iter().zip(&other.seconds).map(|(seconds, other)| seconds / other))
    }

    /// The shortest of its samples in seconds, if it has any.
    pub(super) fn best(&self) -> Option<f64> {
        self.seconds.iter().copied().reduce(f64::min)
    }
}

impl Verdict {
    /// Whether the result is wrong.
    pub(crate) const fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong { .. })
    }

    /// The verdict on the result `got`, where `expected` is correct.
    pub(super) fn of(got: &Storage, expected: &Storage, exactly: bool) -> Self {
        if got.bytes() == expected.bytes() {
            return Self::Equal;
        }
        if got.len() != expected.len() {
            return Self::Wrong { what: format!("{} elements, expected {}", got.len(), expected.len()) };
        }
        let (difference, size) = (0..got.len())
            .filter_map(|at| got.parts(at).zip(expected.parts(at)))
            .flat_map(|(got, expected)| got.into_iter().zip(expected))
            .fold((0.0, 0.0), |(difference, size), (got, expected)| {
                (difference + (got - expected).powi(2), size + expected.powi(2))
            });
        let distance = f64::sqrt(difference / size);
        // False if the distance is NaN, which it is for NaN elements and for integers, which have
        // no parts.
        if !exactly && distance <= nearness(got.dtype()) {
            return Self::Near { distance };
        }
        let first = got.bytes().iter().zip(expected.bytes()).position(|(got, expected)| got != expected);
        let first = first.unwrap_or(0) / got.dtype().size();
        let (got, expected) = (got.shown(first), expected.shown(first));
        Self::Wrong { what: format!("element {first}: got {got}, expected {expected}") }
    }
}

/// The distance up to which a result counts as the same sum as the sequential one: thousands of
/// roundings of f32, or a few of 16 bits. A wrong sum would have a distance of about 1.
fn nearness(dtype: DType) -> f64 {
    if dtype.size() == 2 { 0.02 } else { 1e-3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_not_wrong_and_wrong_is_not_near() {
        let of = |got: &[f32], exactly| {
            Verdict::of(&Storage::of(got), &Storage::of(&[1.0_f32, -2.0, 4.0]), exactly)
        };
        assert_eq!(of(&[1.0, -2.0, 4.0], true), Verdict::Equal);
        assert!(matches!(of(&[1.0, -2.0, 4.001], false), Verdict::Near { .. }));
        assert!(matches!(of(&[1.0, -2.0, 4.001], true), Verdict::Wrong { .. }));
        for wrong in [&[1.0, -2.0, 4.1][..], &[1.0, -2.0], &[1.0, f32::NAN, 4.0], &[0.0; 3]] {
            assert!(matches!(of(wrong, false), Verdict::Wrong { .. }), "{wrong:?}");
        }
        let integers = Verdict::of(&Storage::of(&[1_i32, 2]), &Storage::of(&[1_i32, 3]), false);
        assert_eq!(integers, Verdict::Wrong { what: "element 1: got 2, expected 3".to_owned() });
    }

    #[test]
    fn the_median_of_no_samples_is_none() {
        let mut entry = Entry::new(Kind::Ours(0), "scatter", 1, None);
        assert_eq!((entry.median(), entry.best()), (None, None));
        entry.seconds = vec![0.25, 0.75, 0.5];
        assert_eq!((entry.median(), entry.best()), (Some(0.5), Some(0.25)));
    }

    #[test]
    fn two_are_compared_round_by_round() {
        let of = |seconds: &[f64]| Entry {
            seconds: seconds.to_vec(),
            ..Entry::new(Kind::Ours(0), "scatter", 1, None)
        };
        // The machine slows down within the second round. The quotient of the medians would be 3.
        let (mine, its) = (of(&[1.0, 3.0, 3.0]), of(&[1.0, 1.0, 3.0]));
        assert_eq!(mine.times(&its), Some(1.0));
        // A candidate that was given up is compared in the rounds in which it was timed.
        assert_eq!(of(&[8.0, 30.0]).times(&mine), Some(9.0));
        assert_eq!(of(&[]).times(&mine), None);
    }
}
