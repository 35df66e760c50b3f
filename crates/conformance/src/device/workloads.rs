//! Times the workloads on the device: our kernels, CANN's own operator, and a copy of as many
//! bytes.

use core::fmt;
use std::time::Duration;

use bench::Known;
use bench::Workload;
use bench::median_seconds;
use engines::engine::SafeApi;
use engines::usage::UsageError;
use serde::Serialize;

use super::options::Options;

/// A workload and its times.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) workload: &'static str,
    pub(super) title: String,
    /// The bytes that any implementation must move.
    pub(super) bytes: u64,
    pub(super) ours: Outcome,
    pub(super) vendor: Outcome,
    /// A copy that reads half of `bytes` and writes the other half.
    pub(super) copies: Outcome,
}

/// Times, or why there are none.
#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(super) enum Outcome {
    /// Times in microseconds, between two CANN events.
    Timed {
        median: f64,
        all: Vec<f64>,
        /// The number of elements that differ from the reference.
        differences: usize,
    },
    NotTimed {
        reason: String,
    },
}

impl Outcome {
    fn new(times: Result<(Vec<Duration>, usize), String>) -> Self {
        match times {
            Ok((times, differences)) => Self::Timed {
                median: median_seconds(&times) * 1e6,
                all: times.iter().map(|time| time.as_secs_f64() * 1e6).collect(),
                differences,
            },
            Err(reason) => Self::NotTimed { reason },
        }
    }

    /// The median in microseconds, if it was timed.
    pub(super) fn median(&self) -> Option<f64> {
        if let Self::Timed { median, .. } = self { Some(*median) } else { None }
    }
}

impl Row {
    /// Whether our kernels' result is wrong or missing. A wrong result of CANN's own operator is
    /// reported, but is no failure.
    pub(super) fn is_wrong(&self) -> bool {
        !matches!(self.ours, Outcome::Timed { differences: 0, .. })
    }
}

/// Times a workload.
pub(super) fn measure(
    workload: &Workload,
    engine: &SafeApi,
    vendor: Result<&SafeApi, &String>,
    options: &Options,
) -> Result<Row, UsageError> {
    let mut known = Known::new(workload.draw(options.seed)?)?;
    let calls = usize::from(options.repeats);
    let mut timed = |engine: &SafeApi| {
        known.case.self_.clone_from(&known.before);
        let times = engine.timed(&mut known.case, calls).map_err(|refusal| refusal.to_string())?;
        let differences = known.case.self_.storage.differences(&known.expected.storage).len();
        Ok((times, differences))
    };
    let ours = Outcome::new(timed(engine));
    let vendor = Outcome::new(vendor.map_err(Clone::clone).and_then(timed));
    let copies = engine.timed_copies((known.bytes / 2) as usize, calls);
    let copies = copies.map(|times| (times, 0)).map_err(|refusal| refusal.to_string());
    Ok(Row {
        workload: workload.name(),
        title: workload.title(&known.case),
        bytes: known.bytes,
        ours,
        vendor,
        copies: Outcome::new(copies),
    })
}

/// The heading of the table.
pub(super) fn head() -> String {
    format!("{:<20}{:>14}{:>14}{:>14}  median us", "workload", "our kernels", "CANN's own", "copies")
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<20}", self.workload)?;
        for outcome in [&self.ours, &self.vendor, &self.copies] {
            match outcome.median() {
                Some(median) => write!(f, "{median:>14.1}")?,
                None => write!(f, "{:>14}", "-")?,
            }
        }
        match &self.ours {
            Outcome::Timed { differences: 0, .. } => Ok(()),
            Outcome::Timed { differences, .. } => write!(f, "  WRONG in {differences} elements"),
            Outcome::NotTimed { reason } => write!(f, "  REFUSED: {reason}"),
        }
    }
}
