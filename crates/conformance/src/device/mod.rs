//! `conformance device-report`: a report that a user with an Ascend host can send. It has the
//! suite's outcome on the device, times of the workloads, and the cost table's constants as the
//! probes measure them, in a JSON file and an HTML page.

mod html;
mod options;
mod probes;
mod report;
mod versions;
mod workloads;

use std::io;
use std::time::SystemTime;

use engines::Exit;
use engines::engine::{Engine, SafeApi};
use engines::report_file::ReportFile;
use engines::usage::UsageError;

use crate::command::{self, Console};
use crate::origin::Origin;
use crate::report::{Run, json};

pub(crate) use options::Options;
use report::Report;

/// Runs what the options ask for, and writes both files.
pub(crate) fn run(options: &Options, console: &mut Console<'_>) -> Result<Exit, UsageError> {
    let engine = SafeApi::installed()?;
    let (device, kernels) = (versions::device(&engine)?, versions::library(&engine));
    let engines: [Box<dyn Engine>; 1] = [Box::new(engine)];
    let suite = options.suite();
    let cases = command::runnable(&engines, &suite)?;
    let paths = ["json", "html"].map(|extension| options.file(extension));
    let [json_file, html_file] = ReportFile::create_two([Some(&paths[0]), Some(&paths[1])])?;
    let of_suite = |run: &Run<'_>| Ok(serde_json::to_value(json::Report::new(run)).map_err(io::Error::from)?);
    let (exit, suite) = command::report(&engines, &cases, &suite, console, of_suite)?;
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
    json_file.map_or(Ok(()), |file| file.write_json(&report))?;
    html_file.map_or(Ok(()), |file| file.write_text(&html::page(&report)))?;
    if let Some(rehearsal) = report.rehearsal() {
        writeln!(out, "{rehearsal}")?;
    }
    let (json, html) = (options.file("json"), options.file("html"));
    writeln!(out, "written: {} and {}", json.display(), html.display())?;
    Ok(if is_wrong { Exit::Different } else { exit })
}
