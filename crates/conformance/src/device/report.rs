//! The whole report, which the JSON file and the page are made from.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bench::cost::constants::{FORMAT, KIND};
use serde::Serialize;
use serde_json::Value;

use super::probes::Probed;
use super::versions::{Device, Library};
use super::workloads::Row;

/// A report.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    kind: &'static str,
    format: u64,
    pub(super) title: String,
    /// A note that no device was involved; `None` where one was.
    rehearsal: Option<&'static str>,
    /// The time of the report, in UTC.
    pub(super) date: String,
    /// The program's version.
    pub(super) version: &'static str,
    /// The commit that the program was built from (uncommitted changes aren't shown); `None` where
    /// git was not available.
    pub(super) commit: Option<&'static str>,
    pub(super) machine: Machine,
    pub(super) device: Device,
    pub(super) kernels: Library,
    /// The suite's report in the form of its own `--json`.
    pub(super) suite: Value,
    pub(super) workloads: Vec<Row>,
    pub(super) probes: Probed,
}

/// The host.
#[derive(Debug, Serialize)]
pub(super) struct Machine {
    pub(super) system: &'static str,
    pub(super) architecture: &'static str,
    /// Hardware threads that a program may use.
    pub(super) threads: usize,
}

/// The note in a report where no device was involved.
const REHEARSAL: &str = "A rehearsal on a stand-in for a device: its times mean nothing about a device.";

impl Report {
    /// A report of these results, dated `now`.
    pub(super) fn new(
        device: Device,
        kernels: Library,
        suite: Value,
        workloads: Vec<Row>,
        probes: Probed,
        now: SystemTime,
    ) -> Self {
        let is_rehearsal = device.is_host || kernels.is_model();
        let scatter = format!("Scatter on {}", device.soc);
        Self {
            kind: KIND,
            format: FORMAT,
            title: if is_rehearsal {
                format!("Rehearsal on a stand-in, no device: {scatter}")
            } else {
                scatter
            },
            rehearsal: is_rehearsal.then_some(REHEARSAL),
            date: date(now.duration_since(UNIX_EPOCH).unwrap_or_default()),
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("CONFORMANCE_COMMIT"),
            machine: Machine {
                system: std::env::consts::OS,
                architecture: std::env::consts::ARCH,
                threads: std::thread::available_parallelism().map_or(1, usize::from),
            },
            device,
            kernels,
            suite,
            workloads,
            probes,
        }
    }

    /// The note that no device was involved; `None` where one was.
    pub(super) const fn rehearsal(&self) -> Option<&'static str> {
        self.rehearsal
    }
}

/// Formats a time since 1970 as `2026-11-24 18:06 UTC`.
fn date(since: Duration) -> String {
    let (days, minutes) = (since.as_secs() / 86_400, since.as_secs() / 60 % 1440);
    // Years that begin on 1 March, counted from year 0, so that a leap day is the last day of its
    // year.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    format!("{year}-{month:02}-{of_month:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_that_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (951_868_800, "2000-03-01 00:00 UTC"),
            (1_795_543_593, "2026-11-24 18:06 UTC"),
            (4_102_444_799, "2099-12-31 23:59 UTC"),
        ] {
            assert_eq!(date(Duration::from_secs(seconds)), expected);
        }
    }
}
