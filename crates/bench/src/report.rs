//! The report of a measurement: a line of a table, and JSON.

use core::fmt;
use std::time::Duration;

use serde::Serialize;

use super::Options;
use super::measure::{FORMULA, median_seconds};

/// An engine's times for a workload, and whether its result is correct.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) workload: &'static str,
    pub(crate) self_shape: Vec<usize>,
    /// `None` where the operator takes a scalar in the place of src.
    pub(crate) src_shape: Option<Vec<usize>>,
    pub(crate) dtype: &'static str,
    /// The bytes that must be moved; see [`super::measure::bytes`].
    pub(crate) bytes: u64,
    /// The time of one run of the reference.
    pub(crate) reference_seconds: f64,
    pub(crate) engine: &'static str,
    /// The engine's setting.
    pub(crate) setting: String,
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

/// The outcome of an engine's calls.
#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The result equals the reference's, bit for bit.
    Equal(Rate),
    /// The result differs from the reference's.
    Different {
        #[serde(flatten)]
        rate: Rate,
        /// The number of elements that differ.
        differences: usize,
        /// A description of the first one.
        first: String,
    },
    /// The call, which is valid, was refused.
    Refused { error: String },
    /// The engine can't run the workload.
    NotApplicable { reason: String },
}

/// The times of the calls, and the rates that follow from them.
#[derive(Debug, Serialize)]
pub(crate) struct Rate {
    pub(crate) seconds: Vec<f64>,
    pub(crate) median_seconds: f64,
    pub(crate) best_seconds: f64,
    /// Computed from the median, like the next field.
    pub(crate) gb_per_second: f64,
    pub(crate) times_reference: f64,
}

impl Rate {
    /// The rates of calls that must move `bytes` bytes and took the reference the time `reference`.
    pub(crate) fn new(times: &[Duration], bytes: u64, reference: Duration) -> Self {
        let median = median_seconds(times);
        // The clock may measure 0 for a tiny call, and JSON has no infinity.
        let per_median = |amount: f64| if median > 0.0 { amount / median } else { 0.0 };
        Self {
            seconds: times.iter().map(Duration::as_secs_f64).collect(),
            median_seconds: median,
            best_seconds: times.iter().min().map_or(0.0, Duration::as_secs_f64),
            gb_per_second: per_median(bytes as f64 / 1e9),
            times_reference: per_median(reference.as_secs_f64()),
        }
    }
}

impl Row {
    /// Whether the engine's result is wrong or missing.
    pub(crate) const fn is_failure(&self) -> bool {
        matches!(self.outcome, Outcome::Different { .. } | Outcome::Refused { .. })
    }

    /// Why the engine can't run the workload; `None` where it can.
    pub(crate) fn not_applicable(&self) -> Option<&str> {
        if let Outcome::NotApplicable { reason } = &self.outcome { Some(reason) } else { None }
    }
}

/// The heading of the columns of [`Row`]s.
pub(crate) fn head() -> String {
    format!(
        "  {:<12}{:<16}{:>10}{:>10}{:>10}{:>14}   result",
        "engine", "setting", "median ms", "best ms", "GB/s", "x reference"
    )
}

/// A line of the table.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:<12}{:<16}", self.engine, self.setting)?;
        match &self.outcome {
            Outcome::Equal(rate) => write!(f, "{rate}   equal to the reference"),
            Outcome::Different { rate, differences, first } => {
                write!(f, "{rate}   WRONG in {differences} elements, first {first}")
            }
            Outcome::Refused { error } => write!(f, "{:>44}   REFUSED: {error}", ""),
            Outcome::NotApplicable { reason } => write!(f, "{:>44}   not applicable: {reason}", ""),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median_seconds, best_seconds, gb_per_second, times_reference, .. } = self;
        write!(f, "{:>10.2}{:>10.2}", median_seconds * 1e3, best_seconds * 1e3)?;
        write!(f, "{gb_per_second:>10.2}{times_reference:>14.1}")
    }
}

/// The whole file of `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    seed: u64,
    scale: u32,
    repeats: u16,
    threads: usize,
    formula: &'static str,
    results: &'a [Row],
}

impl<'a> Report<'a> {
    /// The report of these rows, measured with these options.
    pub(crate) fn new(options: &Options, results: &'a [Row]) -> Self {
        let Options { seed, scale, repeats, .. } = *options;
        Self { seed, scale, repeats, threads: options.engines.threads(), formula: FORMULA, results }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_below_its_head() {
        let times = [3, 1, 2].map(Duration::from_millis);
        let row = |outcome| Row {
            workload: "moe",
            self_shape: vec![2, 2],
            src_shape: Some(vec![3, 2]),
            dtype: "bf16",
            bytes: 4_000_000,
            reference_seconds: 0.1,
            engine: "cpu",
            setting: "2 threads".to_owned(),
            outcome,
        };
        let equal = row(Outcome::Equal(Rate::new(&times, 4_000_000, Duration::from_millis(100)))).to_string();
        let absent = row(Outcome::NotApplicable { reason: "too large".to_owned() }).to_string();
        assert!(equal.contains("2.00      1.00      2.00          50.0   equal"), "{equal}");
        for (line, result) in [(equal, "equal to"), (absent, "not applicable")] {
            assert_eq!(line.find(result), head().find("result"), "{}\n{line}", head());
        }
    }
}
