//! The suite as a command: chooses engines and cases, runs them, and reports.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use clap::Args;
use engines::Exit;
use engines::engine::{self, Engine, Engines};
use engines::operator;
use engines::report_file::ReportFile;
use engines::usage::UsageError;

use crate::family::{Cases, Entry, Family, matrix, refusals, vectors};
use crate::origin::Origin;
use crate::progress::with_progress;
use crate::report::{Run, html, json, table};
use crate::select::{CASES, Filter, sample};
use crate::{counts, suite};
use scatter::{DType, Operator};

/// Which cases are run, on which engines, and what is reported.
#[derive(Args, Clone, Debug)]
pub(crate) struct Suite {
    #[command(flatten)]
    pub(crate) engines: Engines,
    /// Only cases of these operators (scatter_add, scatter, …)
    #[arg(long = "op", value_name = "NAME", value_delimiter = ',', value_parser = operator::parse_operator)]
    pub(crate) operators: Vec<Operator>,
    /// Only cases of these dtypes (bf16, f32, bool, complex64, …)
    #[arg(long = "dtype", value_name = "NAME", value_delimiter = ',')]
    pub(crate) dtypes: Vec<DType>,
    /// Only cases whose name contains TEXT; if TEXT is the whole name of a case, only that case
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// At most N cases of the matrix
    #[arg(long, value_name = "N", default_value_t = CASES, conflicts_with = "full")]
    pub(crate) cases: usize,
    /// All cases of the matrix
    #[arg(long)]
    pub(crate) full: bool,
    /// Runs every case in every setting of each engine, also in the settings of cpu and kernel that
    /// are otherwise sampled; for kernel that is slow
    #[arg(long)]
    pub(crate) every_setting: bool,
    /// The seed with which the matrix is drawn
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub(crate) seed: u64,
    /// Lists the names of the cases without running them
    #[arg(long)]
    pub(crate) list: bool,
    /// Counts the cases that each engine would run, without running them, as a table in Markdown
    #[arg(long, conflicts_with = "list")]
    pub(crate) counts: bool,
    /// A folder of vectors to use instead of the program's own
    #[arg(long, value_name = "DIR")]
    pub(crate) vectors: Option<PathBuf>,
    /// Also writes the report to FILE as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "counts"])]
    pub(crate) json: Option<PathBuf>,
    /// Also writes the report to FILE as a page that needs no other file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "counts"])]
    pub(crate) html: Option<PathBuf>,
    /// Doesn't tell on stderr how many cases are done
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Where a command is told from, and where it tells.
pub(crate) struct Console<'a> {
    /// The program with all its arguments.
    pub(crate) command_line: &'a str,
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut (dyn Write + Send),
}

/// Runs the suite, or lists or counts its cases.
pub(crate) fn suite(options: &Suite, console: &mut Console<'_>) -> Result<Exit, UsageError> {
    let engines = engine::chosen(&options.engines)?;
    suite_on(&engines, options, console)
}

/// Runs the suite on these engines, or lists or counts its cases.
fn suite_on(
    engines: &[Box<dyn Engine>],
    options: &Suite,
    console: &mut Console<'_>,
) -> Result<Exit, UsageError> {
    if options.list {
        for entry in cases(options)?.entries {
            writeln!(console.out, "{}", entry.name)?;
        }
        return Ok(Exit::Same);
    }
    if options.counts {
        counts::write(engines, &cases(options)?, options.engines.threads(), console.out)?;
        return Ok(Exit::Same);
    }
    let cases = runnable(engines, options)?;
    // After all that can be wrong with options, for older files of these names are overwritten.
    let [json, page] = ReportFile::create_two([options.json.as_deref(), options.html.as_deref()])?;
    let written = |run: &Run<'_>| {
        json.map_or(Ok(()), |file| file.write_json(&json::Report::new(run)))?;
        page.map_or(Ok(()), |file| file.write_text(&html::page(run, &Origin::here(SystemTime::now()))))
    };
    let (exit, ()) = report(engines, &cases, options, console, written)?;
    Ok(exit)
}

/// Runs the cases, passes the finished run to `told`, and writes the table.
pub(crate) fn report<T>(
    engines: &[Box<dyn Engine>],
    Cases { entries, not_applicable }: &Cases,
    options: &Suite,
    console: &mut Console<'_>,
    told: impl FnOnce(&Run<'_>) -> Result<T, UsageError>,
) -> Result<(Exit, T), UsageError> {
    let Console { command_line, out, err } = console;
    for engine in engines {
        writeln!(out, "{}: {}", engine.name(), engine.description())?;
    }
    writeln!(out)?;
    out.flush()?;
    let start = Instant::now();
    let workers = options.engines.threads();
    let run =
        |done: &(dyn Fn(&Entry) + Sync)| suite::run(engines, entries, options.every_setting, workers, done);
    let outcome = if options.quiet { run(&|_| ()) } else { with_progress(entries, *err, run) };
    let run = Run {
        command_line,
        engines,
        seed: options.seed,
        every_setting: options.every_setting,
        vectors: options.vectors.as_ref().map(|folder| folder.display().to_string()),
        threads: options.engines.threads.map(usize::from),
        pattern: options.engines.pattern.map(scatter::cpu::internals::Pattern::name),
        c_libraries: options.engines.c_libraries.as_deref(),
        outcome: &outcome,
        not_applicable,
        seconds: start.elapsed().as_secs_f64(),
    };
    let told = told(&run)?;
    table::write(&run, *out)?;
    let exit = if outcome.failures.is_empty() { Exit::Same } else { Exit::Different };
    Ok((exit, told))
}

/// The cases that the options select, of which an engine can run one at least.
pub(crate) fn runnable(engines: &[Box<dyn Engine>], options: &Suite) -> Result<Cases, UsageError> {
    let cases = cases(options)?;
    suite::expect_runnable(engines, cases.entries.iter().map(Entry::case))?;
    Ok(cases)
}

/// The cases that the options select.
fn cases(options: &Suite) -> Result<Cases, UsageError> {
    let filter = Filter {
        operators: options.operators.clone(),
        dtypes: options.dtypes.clone(),
        text: options.filter.clone(),
    };
    let mut all = Cases::default();
    for cases in [vectors::load(options.vectors.as_deref())?, matrix::cases(options.seed), refusals::cases()]
    {
        all.entries.extend(cases.entries);
        all.not_applicable.extend(cases.not_applicable);
    }
    let (matrix, mut entries): (Vec<_>, Vec<_>) =
        filter.apply(all.entries).into_iter().partition(|entry| entry.family == Family::Matrix);
    let most = if options.full { usize::MAX } else { options.cases };
    entries.extend(sample(matrix, most, options.seed));
    if entries.is_empty() {
        return Err(UsageError::NoCase { filters: filter.describe() });
    }
    all.not_applicable.retain(|absent| filter.has(absent.operator, absent.dtype, &absent.what));
    Ok(Cases { entries, ..all })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use clap::Parser;
    use engines::call::Call;
    use engines::engine::Reference;
    use engines::refusal::Refusal;

    /// A command line of the options alone.
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        options: Suite,
    }

    /// An engine that loses the sign of the last element of a result with more than three elements.
    struct Broken;

    impl Engine for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn description(&self) -> String {
            String::from("for tests")
        }

        fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
            Reference.run(setting, call)?;
            let addresses = call.out.addresses();
            if let (Some(&last), true) = (addresses.last(), addresses.len() > 3) {
                let wrong = engines::storage::Storage::filled(call.out.storage.dtype(), 1, 0x5b);
                call.out.storage.scattered(&[last], &wrong);
            }
            Ok(())
        }
    }

    /// The exit code and the output of a command line on the broken engine, which `--engine`
    /// doesn't know.
    fn broken(arguments: &[&str]) -> (Exit, String) {
        let arguments = std::iter::once("conformance").chain(arguments.iter().copied()).map(OsString::from);
        let Alone { options } = Alone::try_parse_from(arguments).unwrap();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console { command_line: "conformance", out: &mut out, err: &mut err };
        let exit = suite_on(&[Box::new(Broken)], &options, &mut console).unwrap();
        (exit, String::from_utf8(out).unwrap())
    }

    fn line_after<'a>(text: &'a str, start: &str) -> &'a str {
        text.lines().skip_while(|line| !line.contains(start)).nth(1).unwrap().trim()
    }

    #[test]
    fn the_smallest_difference_replays_alone() {
        let (exit, report) = broken(&[
            "--cases",
            "400",
            "--filter",
            "matrix/",
            "--seed",
            "7",
            "--dtype",
            "f32",
            "--threads",
            "3",
        ]);
        assert_eq!(exit, Exit::Different);
        let command = line_after(&report, "replay it:");
        let name = line_after(&report, "failed; the smallest:").split(' ').next().unwrap();
        assert_eq!(
            command,
            format!("cargo run --release -- --engine broken --filter {name} --seed 7 --threads 3")
        );

        let (exit, replayed) = broken(&["--filter", name, "--seed", "7", "--threads", "3"]);
        assert_eq!(exit, Exit::Different);
        let told = |report: &str| report.split_once("the smallest:").unwrap().1.to_owned();
        assert_eq!(told(&replayed), told(&report));
        assert!(replayed.contains("1 failed; the smallest:"), "{replayed}");
        // The coordinates in out of the last of four elements.
        assert!(told(&report).contains("expected"), "{report}");
    }

    #[test]
    fn the_report_is_the_same_for_any_number_of_workers() {
        let lines = |threads| {
            let (_, report) =
                broken(&["--cases", "300", "--filter", "matrix/scatter_add", "--threads", threads]);
            report.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect::<Vec<_>>()
        };
        let without_threads =
            |lines: Vec<String>| lines.into_iter().map(|line| line.replace("--threads 4", "--threads 1"));
        assert!(without_threads(lines("4")).eq(lines("1")));
    }
}
