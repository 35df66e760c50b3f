//! The whole report: what goes to the JSON file, and what the page is made of.

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
    /// Why this is no report of a device; `None` where it is one.
    rehearsal: Option<&'static str>,
    /// UTC.
    pub(super) date: String,
    /// The program's version.
    pub(super) version: &'static str,
    /// What the program was built from, without changes that were not committed; `None` where no
    /// git told it.
    pub(super) commit: Option<&'static str>,
    pub(super) machine: Machine,
    pub(super) device: Device,
    pub(super) kernels: Library,
    /// As the suite's own `--json` has it.
    pub(super) suite: Value,
    pub(super) workloads: Vec<Row>,
    pub(super) probes: Probed,
}

/// The host.
#[derive(Debug, Serialize)]
pub(super) struct Machine {
    pub(super) system: &'static str,
    pub(super) architecture: &'static str,
    /// That a program may use at once.
    pub(super) threads: usize,
}

/// What is said where no device has a part in a report.
const REHEARSAL: &str = "A rehearsal on a stand-in for a device: its times mean nothing about a device.";

impl Report {
    /// Of what was found at this time.
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

    /// What to say where no device had a part in it.
    pub(super) const fn rehearsal(&self) -> Option<&'static str> {
        self.rehearsal
    }
}

/// `2026-11-24 18:06 UTC`, of a time since 1970.
fn date(since: Duration) -> String {
    let (days, minutes) = (since.as_secs() / 86_400, since.as_secs() / 60 % 1440);
    // Years of 365.2425 days from 1 March 0000 on, of which a day is the end.
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
