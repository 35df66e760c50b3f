//! `conformance bench`: real workloads at real size, every engine, time and rate, and the result held against the
//! reference.

mod measure;
mod report;
mod targets;
mod workload;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::case::Case;
use crate::engine::{self, Engine, Reference};
use crate::tensor::Tensor;
use crate::usage::UsageError;
use measure::{bytes, times};
use report::{HEAD, Outcome, Rate, Report, Row, title};
use workload::Workload;

/// Time the engines on real workloads, and hold their results against the reference bit for bit
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A workload (repeatable) [default: all of them]
    #[arg(long = "workload", value_name = "NAME")]
    workloads: Vec<Workload>,
    /// An engine (repeatable) [default: all but the reference]
    #[arg(long = "engine", value_name = "NAME")]
    engines: Vec<String>,
    /// The threads of an engine that has threads [default: as many as the machine has]
    #[arg(long, value_name = "N", value_parser = positive)]
    threads: Option<usize>,
    /// How often an engine is timed, after one call to warm up
    #[arg(long, value_name = "N", default_value = "5", value_parser = positive)]
    repeats: usize,
    /// Divide the numbers of rows by so much
    #[arg(long, value_name = "DIVISOR", default_value = "1", value_parser = positive)]
    scale: usize,
    /// What the numbers are drawn from
    #[arg(long, value_name = "N", default_value = "42")]
    seed: u64,
    /// Write the measurements to a file as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("0 is not positive".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// A workload whose result is known.
#[derive(Debug)]
struct Known {
    case: Case,
    /// self as it is before the call.
    self_: Tensor,
    /// self as the reference leaves it.
    expected: Tensor,
    bytes: u64,
    /// How long the reference took.
    reference: Duration,
}

/// Runs what the options ask for. Returns whether every engine's result is the reference's.
pub(crate) fn run(options: &Options, output: &mut dyn Write) -> Result<bool, UsageError> {
    // Before anything takes time.
    let json = options.json.as_ref().map(|file| (file, File::create(file)));
    let json = json.map(|(file, made)| made.map_err(|error| UsageError::File { file: file.clone(), error }));
    let json = json.transpose()?;
    let threads = options.threads.unwrap_or_else(rayon::current_num_threads);
    let mut engines = engine::select(engine::available(threads)?, &options.engines)?;
    engines.retain(|engine| !options.engines.is_empty() || engine.name() != Reference.name());

    let mut rows = Vec::new();
    for workload in Workload::ALL {
        if options.workloads.is_empty() || options.workloads.contains(&workload) {
            measure(workload, options, &engines, &mut rows, output)?;
        }
    }
    writeln!(output, "median of {} after a warm-up; {}", options.repeats, measure::FORMULA)?;
    if let Some(file) = json {
        let report = Report::new(options, threads, &rows);
        serde_json::to_writer_pretty(BufWriter::new(file), &report).map_err(std::io::Error::from)?;
    }
    Ok(!rows.iter().any(Row::is_failure))
}

/// Measures every engine on a workload, and writes a line as each is done.
fn measure(
    workload: Workload,
    options: &Options,
    engines: &[Box<dyn Engine>],
    rows: &mut Vec<Row>,
    output: &mut dyn Write,
) -> Result<(), UsageError> {
    let size = workload.size(options.scale);
    let mut known = Known::new(workload.case(options.seed, options.scale)?)?;
    writeln!(output, "{}", title(workload.name(), &size, known.bytes, known.reference))?;
    writeln!(output, "{HEAD}")?;
    for engine in engines {
        output.flush()?;
        let row = Row {
            workload: workload.name(),
            self_shape: [size.rows, size.width],
            src_shape: [size.updates, size.width],
            dtype: size.dtype.name(),
            bytes: known.bytes,
            reference_seconds: known.reference.as_secs_f64(),
            engine: engine.name(),
            setting: engine.settings().swap_remove(engine.benchmarked()),
            outcome: known.outcome(engine.as_ref(), options.repeats),
        };
        writeln!(output, "{row}")?;
        rows.push(row);
    }
    writeln!(output)?;
    Ok(())
}

impl Known {
    /// Asks the reference, once.
    fn new(mut case: Case) -> Result<Self, UsageError> {
        let self_ = case.self_.clone();
        let times = times(&Reference, 0, &mut case, &self_, 1)
            .map_err(|error| crate::usage::Problem::Refused(error).of(&case.name))?;
        let expected = core::mem::replace(&mut case.self_, self_.clone());
        Ok(Self { bytes: bytes(&case), self_, expected, case, reference: times.iter().sum() })
    }

    /// What comes of one call to warm up and `repeats` more.
    fn outcome(&mut self, engine: &dyn Engine, repeats: usize) -> Outcome {
        if let Some(reason) = engine.not_applicable(&self.case) {
            return Outcome::NotApplicable { reason };
        }
        let times = match times(engine, engine.benchmarked(), &mut self.case, &self.self_, repeats + 1) {
            Ok(times) => times,
            Err(error) => return Outcome::Refused { error: error.to_string() },
        };
        let rate = Rate::new(&times[1..], self.bytes, self.reference);
        let (got, expected) = (&self.case.self_, &self.expected);
        let differences = got.storage.differences(&expected.storage);
        match differences.first() {
            None => Outcome::Equal(rate),
            Some(&first) => {
                let (got_first, expected_first) = (got.storage.shown(first), expected.storage.shown(first));
                let at = got.coordinates_of(first).unwrap_or_default();
                let first = format!("{at:?}: got {got_first}, expected {expected_first}");
                Outcome::Different { rate, differences: differences.len(), first }
            }
        }
    }
}
