//! Where a report comes from: when, by which program, and on which machine.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// Where a report comes from.
#[derive(Debug, Serialize)]
pub(crate) struct Origin {
    /// The time of the report, in UTC.
    pub(crate) date: String,
    /// The program's version.
    pub(crate) version: &'static str,
    /// The commit that the program was built from (uncommitted changes aren't shown); `None` where
    /// git was not available.
    pub(crate) commit: Option<&'static str>,
    /// The compiler that built the program, as `rustc --version` prints it.
    pub(crate) rustc: Option<&'static str>,
    /// The compiler's `opt-level`.
    pub(crate) opt_level: Option<&'static str>,
    pub(crate) machine: Machine,
}

/// The host.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) system: &'static str,
    pub(crate) architecture: &'static str,
    /// The processor's name; `None` where Linux doesn't tell it.
    pub(crate) processor: Option<String>,
    /// Hardware threads that a program may use.
    pub(crate) threads: usize,
    /// Bytes of memory; `None` where Linux doesn't tell them.
    pub(crate) memory: Option<u64>,
}

impl Origin {
    /// This program, on this machine, at this time.
    pub(crate) fn here(now: SystemTime) -> Self {
        Self {
            date: date(now.duration_since(UNIX_EPOCH).unwrap_or_default()),
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("CONFORMANCE_COMMIT"),
            rustc: option_env!("CONFORMANCE_RUSTC"),
            opt_level: option_env!("CONFORMANCE_OPT_LEVEL"),
            machine: Machine {
                system: std::env::consts::OS,
                architecture: std::env::consts::ARCH,
                processor: field("/proc/cpuinfo", "model name"),
                threads: std::thread::available_parallelism().map_or(1, usize::from),
                memory: field("/proc/meminfo", "MemTotal").and_then(|text| kibibytes(&text)),
            },
        }
    }
}

/// The first value of this name in a file of Linux's with lines such as `MemTotal: 16 kB`.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let values = text.lines().filter_map(|line| line.split_once(':'));
    let value = values.into_iter().find(|(of, _)| of.trim() == name)?.1.trim();
    Some(value.to_owned())
}

/// The bytes of a text such as `16 kB`, where Linux means KiB.
fn kibibytes(text: &str) -> Option<u64> {
    let kib: u64 = text.strip_suffix(" kB")?.trim().parse().ok()?;
    kib.checked_mul(1 << 10)
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

    #[test]
    fn memory_is_in_kibibytes() {
        assert_eq!(kibibytes("8047032 kB"), Some(8_240_160_768));
        assert_eq!(kibibytes("8047032"), None);
    }
}
