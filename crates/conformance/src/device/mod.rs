//! `conformance device-report`: a report that a user with an Ascend host can send. It has the
//! suite's outcome on the device, times of the workloads, and the cost table's constants as the
//! probes measure them, in a JSON file and an HTML page.

mod html;
mod probes;
mod report;
mod versions;
mod workloads;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bench::Workload;
use clap::Args;
use engines::Exit;
use engines::engine::{Engine, Engines, SafeApi};
use engines::json_file::JsonFile;
use engines::usage::UsageError;

use crate::command::{self, Suite};
use crate::report::{Run, json};

use report::Report;

/// Runs the suite on the device of the CANN that is installed, times workloads and copies there by
/// CANN's events, measures with small kernels what the cost table has constants for, and writes all
/// of it to NAME.json and to NAME.html, a page that needs nothing else.
///
/// Without a device library of the kernels that is the suite's error; without CANN's own operators,
/// or without probes in the library, the report says so in their place.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Where the report goes: NAME.json and NAME.html
    #[arg(value_name = "NAME")]
    name: PathBuf,
    /// How many cases of the suite's matrix
    #[arg(long, value_name = "N", default_value_t = 1000)]
    cases: usize,
    /// Only cases whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Threads that give the suite's cases to the device [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// What cases and workloads are drawn with
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// The workloads, as bench has them [default: all]
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',', value_parser = Workload::named)]
    workloads: Vec<Workload>,
    /// How often each is timed, after once to warm up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Divides the numbers of updates, those of the rows that they go to, and the memory by which
    /// the bandwidth is measured
    #[arg(long, value_name = "DIVISOR", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
    /// How often a probe does its work in the shorter of its two launches; the longer has twice as
    /// many
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
            vectors: None,
            json: None,
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
pub(crate) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit, UsageError> {
    let engine = SafeApi::installed()?;
    let (device, kernels) = (versions::device(&engine)?, versions::library(&engine));
    let json_file = JsonFile::create(&options.file("json"))?;
    let html_file = options.file("html");
    let unwritten = |error| UsageError::File { file: html_file.clone(), error };
    // Written now, as the JSON file is created now, so that a path that can't be written is found
    // before the work begins.
    std::fs::write(&html_file, "").map_err(unwritten)?;
    let engines: [Box<dyn Engine>; 1] = [Box::new(engine)];
    let of_suite = |run: &Run<'_>| Ok(serde_json::to_value(json::Report::new(run)).map_err(io::Error::from)?);
    let (exit, suite) = command::report(&engines, &options.suite(), out, of_suite)?;
    drop(engines);

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
    let report = Report::new(device, kernels, suite, rows, probed, SystemTime::now());
    let page = html::page(&report);
    json_file.write(&report)?;
    std::fs::write(&html_file, page).map_err(unwritten)?;
    if let Some(rehearsal) = report.rehearsal() {
        writeln!(out, "{rehearsal}")?;
    }
    writeln!(out, "written: {} and {}", options.file("json").display(), html_file.display())?;
    Ok(if is_wrong { Exit::Different } else { exit })
}
