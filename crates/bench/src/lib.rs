//! `conformance bench`: times of engines on realistic workloads at full size. Each result is
//! compared with the reference. On request, other implementations and the machine's limits are
//! measured too. [`cost`] is `conformance cost`, the modelled times of the kernels.

pub mod cost;
mod growth;
mod index_tensors;
mod limit;
mod measure;
mod memory;
mod peers;
mod report;
mod workload;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use engines::Exit;
use engines::case::Case;
use engines::engine::Engines;
use engines::engine::{self, Engine, Reference};
use engines::report_file::ReportFile;
use engines::tensor::Tensor;
use engines::usage::{Reason, UsageError};

use measure::{FORMULA, bytes, times};
pub use measure::{median, median_seconds, warm_up};
use report::{Outcome, Rate, Report, Row, head};
pub use workload::{Drawn, Workload};

/// Times engines on workloads of realistic size, and compares their results with the reference, bit
/// for bit.
///
/// Without --engine only cpu is timed. The reference is timed once in any case, for comparison; the
/// times of kernel are those of the host model, and the times of c-abi, aclnn and aclnn-any include
/// copies to the memory of a device and back.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The workloads, such as embedding (the gradient of an embedding), moe (the combine step of a
    /// mixture of experts) and graph (graph aggregation); an unknown name lists all [default:
    /// embedding,moe,graph]
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',', value_parser = Workload::named_of_cpus)]
    workloads: Vec<Workload>,
    /// All workloads
    #[arg(long, conflicts_with = "workloads")]
    all: bool,
    #[command(flatten)]
    engines: Engines,
    /// How often each engine is timed on a workload, after 100 ms of calls to warm up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Divides the number of updates, and the number of rows that they go to
    #[arg(long, value_name = "DIVISOR", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
    /// The seed with which the workloads are drawn
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// Times the CPU engine on one thread and on all threads, in turn with loops that move the same
    /// memory without computing anything
    #[arg(long, conflicts_with_all = OF_ENGINES)]
    limits: bool,
    /// Like --limits, and also times other implementations, in turn with the CPU engine: those that
    /// COMMAND runs, a program as described in benches/peers/README.md
    #[arg(long = "peer", value_name = "COMMAND", conflicts_with_all = OF_ENGINES)]
    peers: Vec<String>,
    /// Times the CPU engine on workloads in which one size grows and the others stay the same
    #[arg(long, conflicts_with_all = ["workloads", "all", "limits", "peers"])]
    #[arg(conflicts_with_all = OF_ENGINES)]
    growth: bool,
    /// Also writes the measurements to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The options that choose an engine or change it. What times the CPU engine as a program calls it
/// has no use for them.
const OF_ENGINES: [&str; 3] = ["names", "pattern", "c_libraries"];

impl Options {
    /// The workloads that are asked for, in the order of [`Workload::of_cpus`].
    fn workloads(&self) -> Vec<Workload> {
        let chosen = if self.workloads.is_empty() { &Workload::usual() } else { &self.workloads };
        let is_chosen = |workload: &&Workload| self.all || chosen.contains(workload);
        Workload::of_cpus().filter(is_chosen).copied().collect()
    }
}

/// A workload whose result is known.
#[derive(Debug)]
pub struct Known {
    /// The call.
    pub case: Case,
    /// The destination as it is before the call: self, or the out of a gather.
    pub before: Tensor,
    /// The destination as the reference leaves it.
    pub expected: Tensor,
    /// The bytes that any implementation must move; see `measure::bytes`.
    pub bytes: u64,
    /// How long the reference took.
    reference: Duration,
}

/// Runs what the options ask for.
///
/// # Errors
/// Options or files that can't be used, nothing that can be run, or output that can't be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit, UsageError> {
    let workloads = options.workloads();
    if options.growth {
        return growth::run(options, out);
    }
    if options.limits || !options.peers.is_empty() {
        return peers::run(options, &workloads, out);
    }
    let mut engines = engine::chosen(&options.engines)?;
    if options.engines.names.is_empty() {
        engines.retain(|engine| engine.is_benchmarked());
    }
    let json = options.json.as_deref().map(ReportFile::create).transpose()?;
    let mut rows = Vec::new();
    for workload in workloads {
        measure(workload, options, &engines, &mut rows, out)?;
    }
    writeln!(out, "Median of {} after 100 ms of calls to warm up; {FORMULA}.", options.repeats)?;
    if let Some(file) = json {
        file.write_json(&Report::new(options, &rows))?;
    }
    ended(&rows)
}

/// How a run with these rows ends. If no engine could run any workload, it has found nothing.
fn ended(rows: &[Row]) -> Result<Exit, UsageError> {
    if rows.iter().all(|row| row.not_applicable().is_some()) {
        let first = rows.iter().take_while(|row| row.workload == rows[0].workload);
        let engines = first.filter_map(|row| Some((row.engine.to_owned(), row.not_applicable()?.to_owned())));
        return Err(UsageError::NotApplicable { engines: engines.collect() });
    }
    Ok(if rows.iter().any(Row::is_failure) { Exit::Different } else { Exit::Same })
}

/// Measures every engine on a workload, and writes a line after each.
fn measure(
    workload: Workload,
    options: &Options,
    engines: &[Box<dyn Engine>],
    rows: &mut Vec<Row>,
    out: &mut dyn Write,
) -> Result<(), UsageError> {
    let workload = workload.divided(options.scale as usize);
    let mut known = Known::new(workload.draw(options.seed)?)?;
    let reference = known.reference.as_secs_f64();
    writeln!(out, "{}, reference {:.0} ms", title(&workload, &known), reference * 1e3)?;
    writeln!(out, "{}", head())?;
    for engine in engines {
        out.flush()?;
        let row = Row {
            workload: workload.name(),
            self_shape: known.case.self_.shape.clone(),
            src_shape: known.case.src.as_ref().map(|src| src.shape.clone()),
            dtype: known.case.dtype().name(),
            bytes: known.bytes,
            reference_seconds: reference,
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
    /// Runs the reference once.
    ///
    /// # Errors
    /// The reference refuses the call.
    pub fn new(drawn: Drawn) -> Result<Self, UsageError> {
        let bytes = bytes(&drawn);
        let mut case = drawn.case;
        let before = case.destination().clone();
        let times = times(&Reference, 0, &mut case, &before, 1)
            .map_err(|error| Reason::Refused(error).of(&case.name))?;
        let expected = core::mem::replace(case.destination_mut(), before.clone());
        Ok(Self { bytes, before, expected, case, reference: times.iter().sum() })
    }

    /// The outcome of `repeats` calls after others to warm up.
    fn outcome(&mut self, engine: &dyn Engine, repeats: usize) -> Outcome {
        if let Some(reason) = engine.not_applicable(&self.case) {
            return Outcome::NotApplicable { reason };
        }
        let mut timed = |calls| times(engine, engine.benchmarked(), &mut self.case, &self.before, calls);
        let times = match warm_up(|| timed(1)).and_then(|_| timed(repeats)) {
            Ok(times) => times,
            Err(error) => return Outcome::Refused { error: error.to_string() },
        };
        let rate = Rate::new(&times, self.bytes, self.reference);
        let (got, expected) = (self.case.destination(), &self.expected);
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

/// The title, such as `embedding: f32 [50000, 256] += [65536, 256], 94.4 MB`.
fn title(workload: &Workload, known: &Known) -> String {
    format!("{}, {:.1} MB", workload.title(&known.case), known.bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use scatter::{Argument, Error};

    use super::*;
    use engines::call::Call;
    use engines::refusal::Refusal;

    /// A command line of the options alone.
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        options: Options,
    }

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
                    Err(Error::Binding { operator: call.op.operator(), argument: Argument::Out }.into())
                }
                Self::Idle | Self::Unwilling => Ok(()),
            }
        }
    }

    /// The rows of these engines on a small workload, and what is printed.
    fn measured(engines: &[Box<dyn Engine>]) -> (Vec<Row>, String) {
        let arguments = ["bench", "--threads", "1", "--repeats", "1", "--scale", "1024"];
        let Alone { options } = Alone::try_parse_from(arguments).unwrap();
        let (mut rows, mut out) = (Vec::new(), Vec::new());
        measure(Workload::named("moe").unwrap(), &options, engines, &mut rows, &mut out).unwrap();
        (rows, String::from_utf8(out).unwrap())
    }

    #[test]
    fn one_engine_that_can_run_a_workload_is_enough() {
        let (rows, _) = measured(&[Box::new(Faulty::Unwilling), Box::new(Reference)]);
        assert_eq!(ended(&rows).unwrap(), Exit::Same);
    }

    #[test]
    fn a_wrong_result_a_refusal_and_no_result_are_failures() {
        for (engine, told) in [
            (Faulty::Idle, "first [0, 0]: got 0"),
            (Faulty::Refusing, "REFUSED: scatter_add"),
            (Faulty::Unwilling, "not applicable: too large"),
        ] {
            let is_none = matches!(engine, Faulty::Unwilling);
            let (rows, out) = measured(&[Box::new(engine)]);
            assert!(out.contains(told), "{out}");
            match ended(&rows) {
                Err(error) if is_none => {
                    assert_eq!(error.to_string(), "no case can be run on faulty (too large)");
                }
                ended => assert_eq!(ended.unwrap(), Exit::Different, "{out}"),
            }
        }
    }

    #[test]
    fn every_call_begins_with_the_same_self() {
        let graph = Workload::named("graph").unwrap().divided(2000);
        let mut known = Known::new(graph.draw(1).unwrap()).unwrap();
        assert!(matches!(known.outcome(&Reference, 3), Outcome::Equal(_)));
    }
}
