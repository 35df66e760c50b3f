//! The options of `device-report`.

use std::path::{Path, PathBuf};

use bench::Workload;
use clap::Args;
use engines::engine::{Engines, SafeApi};

use crate::command::Suite;

/// Reports on the device of the installed CANN: runs the suite there, times workloads and copies
/// with CANN's events, and measures the constants of the cost table with small kernels (probes).
/// Writes the report to NAME.json and, as a page that needs no other file, to NAME.html.
///
/// On a device it fails without a device library of the kernels. If CANN has no operators of its
/// own, or the library has no probes, the report says so in place of their times.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// The name of the report's files, NAME.json and NAME.html
    #[arg(value_name = "NAME")]
    pub(super) name: PathBuf,
    /// At most N cases of the suite's matrix
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(super) cases: usize,
    /// Only cases whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    pub(super) filter: Option<String>,
    /// The host's threads that run the suite's cases on the device [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// The seed with which cases and workloads are drawn
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub(super) seed: u64,
    /// Which workloads of bench to time [default: all]
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',', value_parser = Workload::named)]
    pub(super) workloads: Vec<Workload>,
    /// How often each workload, copy and probe is timed, after one run to warm up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) repeats: u16,
    /// Divides the number of updates, the number of rows that they go to, and the bytes with which
    /// the bandwidth is measured
    #[arg(long, value_name = "DIVISOR", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) scale: u32,
    /// How often a probe does its work in the shorter of its two launches; in the longer it does so
    /// twice as often
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) rounds: u32,
}

impl Options {
    /// The options of the suite.
    pub(super) fn suite(&self) -> Suite {
        let engines = Engines {
            names: vec![SafeApi::DEVICE.to_owned()],
            threads: self.threads,
            c_libraries: None,
            pattern: None,
        };
        Suite {
            engines,
            operators: Vec::new(),
            dtypes: Vec::new(),
            filter: self.filter.clone(),
            cases: self.cases,
            full: false,
            every_setting: false,
            seed: self.seed,
            list: false,
            counts: false,
            vectors: None,
            json: None,
            html: None,
            quiet: false,
        }
    }

    /// The workloads that are asked for, divided by `--scale`.
    pub(super) fn workloads(&self) -> impl Iterator<Item = Workload> {
        let is_chosen = |workload: &&Workload| self.workloads.is_empty() || self.workloads.contains(workload);
        Workload::all().iter().filter(is_chosen).map(|workload| workload.divided(self.scale as usize))
    }

    /// The file with this ending; NAME may have one of the two already.
    pub(super) fn file(&self, ending: &str) -> PathBuf {
        let is_ours = |of: &Path| of.extension().is_some_and(|of| of == "json" || of == "html");
        let name = if is_ours(&self.name) { self.name.with_extension("") } else { self.name.clone() };
        let mut file = name.into_os_string();
        file.push(format!(".{ending}"));
        file.into()
    }
}
