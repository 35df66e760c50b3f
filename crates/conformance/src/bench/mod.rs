//! `conformance bench`: real workloads at real size, every engine, time and rate, and the result held against the
//! reference.

mod measure;
mod report;
mod targets;
mod workload;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::Exit;
use crate::case::Case;
use crate::cli::Engines;
use crate::engine::{self, Engine, Reference};
use crate::report::JsonFile;
use crate::tensor::Tensor;
use crate::usage::{Problem, UsageError};
use measure::{FORMULA, bytes, times};
use report::{Outcome, Rate, Report, Row, head, title};
use workload::Workload;

/// Times the engines on workloads of real size, and holds their results against the reference, bit for bit.
///
/// Without --engine: all but the reference, which is timed once anyway, for the comparison, and c-abi, whose time is that
/// of copies to the memory of a device and back.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// The workloads [default: all of them]
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',')]
    workloads: Vec<Workload>,
    #[command(flatten)]
    engines: Engines,
    /// How often an engine is timed, after one call to warm up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Divides the numbers of rows
    #[arg(long, value_name = "DIVISOR", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
    /// What the workloads are drawn with
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// Writes the measurements to FILE as JSON, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
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

/// Runs what the options ask for.
pub(crate) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit, UsageError> {
    let mut engines = engine::chosen(&options.engines)?;
    if options.engines.names.is_empty() {
        engines.retain(|engine| engine.is_benchmarked());
    }
    let json = options.json.as_deref().map(JsonFile::create).transpose()?;
    let mut rows = Vec::new();
    for workload in Workload::ALL {
        if options.workloads.is_empty() || options.workloads.contains(&workload) {
            measure(workload, options, &engines, &mut rows, out)?;
        }
    }
    writeln!(out, "Median of {} after a call to warm up; {FORMULA}.", options.repeats)?;
    if let Some(file) = json {
        file.write(&Report::new(options, &rows))?;
    }
    Ok(if rows.iter().any(Row::is_failure) { Exit::Different } else { Exit::Same })
}

/// Measures every engine on a workload, and writes a line as each is done.
fn measure(
    workload: Workload,
    options: &Options,
    engines: &[Box<dyn Engine>],
    rows: &mut Vec<Row>,
    out: &mut dyn Write,
) -> Result<(), UsageError> {
    let size = workload.size(options.scale as usize);
    let mut known = Known::new(workload.case(options.seed, options.scale as usize)?)?;
    writeln!(out, "{}", title(workload.name(), &size, known.bytes, known.reference))?;
    writeln!(out, "{}", head())?;
    for engine in engines {
        out.flush()?;
        let row = Row {
            workload: workload.name(),
            self_shape: [size.rows, size.width],
            src_shape: [size.updates, size.width],
            dtype: size.dtype.name(),
            bytes: known.bytes,
            reference_seconds: known.reference.as_secs_f64(),
            engine: engine.name(),
            setting: engine.settings().swap_remove(engine.benchmarked()),
            outcome: known.outcome(engine.as_ref(), options.repeats.into()),
        };
        writeln!(out, "{row}")?;
        rows.push(row);
    }
    writeln!(out)?;
    Ok(())
}

impl Known {
    /// Asks the reference, once.
    fn new(mut case: Case) -> Result<Self, UsageError> {
        let self_ = case.self_.clone();
        let times = times(&Reference, 0, &mut case, &self_, 1)
            .map_err(|error| Problem::Refused(error).of(&case.name))?;
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

#[cfg(test)]
mod tests {
    use scatter::{Argument, Error};

    use super::*;
    use crate::call::Call;
    use crate::engine::Refusal;

    /// An engine that does one thing wrong.
    enum Faulty {
        Idle,
        Refusing,
        Unwilling,
    }

    impl Engine for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn description(&self) -> String {
            String::new()
        }

        fn not_applicable(&self, _case: &Case) -> Option<String> {
            matches!(self, Self::Unwilling).then(|| "too large".to_owned())
        }

        fn run(&self, _setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
            match self {
                Self::Refusing => {
                    Err(Error::Binding { operator: call.task.operator(), argument: Argument::Out }.into())
                }
                Self::Idle | Self::Unwilling => Ok(()),
            }
        }
    }

    #[test]
    fn a_wrong_result_and_a_refusal_are_failures() {
        for (engine, told, fails) in [
            (Faulty::Idle, "first [0, 0]: got 0", true),
            (Faulty::Refusing, "REFUSED: scatter_add", true),
            (Faulty::Unwilling, "not applicable: too large", false),
        ] {
            let options = Options {
                workloads: Vec::new(),
                engines: Engines { names: Vec::new(), threads: Some(1), c_libraries: None },
                repeats: 1,
                scale: 1024,
                seed: 1,
                json: None,
            };
            let (mut rows, mut out) = (Vec::new(), Vec::new());
            measure(Workload::Moe, &options, &[Box::new(engine)], &mut rows, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            assert!(out.contains(told), "{out}");
            assert_eq!(rows.iter().map(Row::is_failure).collect::<Vec<_>>(), [fails], "{out}");
        }
    }

    #[test]
    fn every_call_begins_with_the_same_self() {
        let case = Workload::Graph.case(1, 2000).unwrap();
        let mut known = Known::new(case).unwrap();
        assert!(matches!(known.outcome(&Reference, 3), Outcome::Equal(_)));
    }
}
