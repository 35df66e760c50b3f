//! `conformance device-report`: a report that a user with an Ascend host can send. It has the
//! suite's outcome on the device, times of the workloads, and the cost table's constants as the
//! probes measure them, in a JSON file and an HTML page.

mod html;
mod probes;
mod report;
mod versions;
mod workloads;

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bench::Workload;
use clap::Args;
use engines::Exit;
use engines::engine::{Engine, Engines, SafeApi};
use engines::report_file::ReportFile;
use engines::usage::UsageError;

use crate::command::{self, Console, Suite};
use crate::origin::Origin;
use crate::report::{Run, json};

use report::Report;

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
    name: PathBuf,
    /// At most N cases of the suite's matrix
    #[arg(long, value_name = "N", default_value_t = 1000)]
    cases: usize,
    /// Only cases whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// The host's threads that run the suite's cases on the device [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The seed with which cases and workloads are drawn
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// Which workloads of bench to time [default: all]
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',', value_parser = Workload::named)]
    workloads: Vec<Workload>,
    /// How often each workload, copy and probe is timed, after one run to warm up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Divides the number of updates, the number of rows that they go to, and the bytes with which
    /// the bandwidth is measured
    #[arg(long, value_name = "DIVISOR", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
    /// How often a probe does its work in the shorter of its two launches; in the longer it does so
    /// twice as often
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: u32,
}

impl Options {
    /// The options of the suite.
    fn suite(&self) -> Suite {
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
    fn workloads(&self) -> impl Iterator<Item = Workload> {
        let is_chosen = |workload: &&Workload| self.workloads.is_empty() || self.workloads.contains(workload);
        Workload::all().iter().filter(is_chosen).map(|workload| workload.divided(self.scale as usize))
    }

    /// The file with this ending; NAME may have one of the two already.
    fn file(&self, ending: &str) -> PathBuf {
        let is_ours = |of: &Path| of.extension().is_some_and(|of| of == "json" || of == "html");
        let name = if is_ours(&self.name) { self.name.with_extension("") } else { self.name.clone() };
        let mut file = name.into_os_string();
        file.push(format!(".{ending}"));
        file.into()
    }
}

/// Runs what the options ask for, and writes both files.
pub(crate) fn run(options: &Options, console: &mut Console<'_>) -> Result<Exit, UsageError> {
    let engine = SafeApi::installed()?;
    let (device, kernels) = (versions::device(&engine)?, versions::library(&engine));
    let json_file = ReportFile::create(&options.file("json"))?;
    let html_file = ReportFile::create(&options.file("html"))?;
    let engines: [Box<dyn Engine>; 1] = [Box::new(engine)];
    let of_suite = |run: &Run<'_>| Ok(serde_json::to_value(json::Report::new(run)).map_err(io::Error::from)?);
    let (exit, suite) = command::report(&engines, &options.suite(), console, of_suite)?;
    drop(engines);
    let out = &mut *console.out;

    // The suite took the engine as a `dyn Engine`; what follows needs its own type.
    let engine = SafeApi::installed()?;
    writeln!(out, "\n{}", workloads::head())?;
    let vendor = SafeApi::vendor().map_err(|error| error.to_string());
    let mut rows = Vec::new();
    for workload in options.workloads() {
        out.flush()?;
        let row = workloads::measure(&workload, &engine, vendor.as_ref(), options)?;
        writeln!(out, "{row}")?;
        rows.push(row);
    }
    let probed = probes::measure(&engine, &kernels, &device, options);
    writeln!(out, "\n{probed}")?;
    let is_wrong = rows.iter().any(workloads::Row::is_wrong);
    let report = Report::new(device, kernels, suite, rows, probed, Origin::here(SystemTime::now()));
    json_file.write_json(&report)?;
    html_file.write_text(&html::page(&report))?;
    if let Some(rehearsal) = report.rehearsal() {
        writeln!(out, "{rehearsal}")?;
    }
    let (json, html) = (options.file("json"), options.file("html"));
    writeln!(out, "written: {} and {}", json.display(), html.display())?;
    Ok(if is_wrong { Exit::Different } else { exit })
}
