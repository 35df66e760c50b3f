//! The suite as a command: chooses engines and cases, runs them, and reports.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use engines::Exit;
use engines::engine::{self, Engine, Engines};
use engines::json_file::JsonFile;
use engines::operator;
use engines::usage::UsageError;
use indicatif::{ProgressBar, ProgressStyle};

use crate::family::{Cases, Entry, Family, NotApplicable, matrix, refusals, vectors};
use crate::report::{Run, json, table};
use crate::select::{CASES, Filter, sample};
use crate::suite;
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
    /// A folder of vectors to use instead of the program's own
    #[arg(long, value_name = "DIR")]
    pub(crate) vectors: Option<PathBuf>,
    /// Also writes the report to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Runs the suite, or lists its cases.
pub(crate) fn suite(options: &Suite, out: &mut dyn Write) -> Result<Exit, UsageError> {
    let engines = engine::chosen(&options.engines)?;
    suite_on(&engines, options, out)
}

/// Runs the suite on these engines, or lists its cases.
fn suite_on(engines: &[Box<dyn Engine>], options: &Suite, out: &mut dyn Write) -> Result<Exit, UsageError> {
    if options.list {
        for entry in cases(options)?.0 {
            writeln!(out, "{}", entry.name)?;
        }
        return Ok(Exit::Same);
    }
    let file = options.json.as_deref().map(JsonFile::create).transpose()?;
    let written = |run: &Run<'_>| file.map_or(Ok(()), |file| file.write(&json::Report::new(run)));
    let (exit, ()) = report(engines, options, out, written)?;
    Ok(exit)
}

/// Runs the cases, passes the finished run to `told`, and writes the table.
pub(crate) fn report<T>(
    engines: &[Box<dyn Engine>],
    options: &Suite,
    out: &mut dyn Write,
    told: impl FnOnce(&Run<'_>) -> Result<T, UsageError>,
) -> Result<(Exit, T), UsageError> {
    let (entries, not_applicable) = cases(options)?;
    for engine in engines {
        writeln!(out, "{}: {}", engine.name(), engine.description())?;
    }
    writeln!(out)?;
    out.flush()?;
    let start = Instant::now();
    let workers = options.engines.threads();
    let outcome =
        with_progress(&entries, |done| suite::run(engines, &entries, options.every_setting, workers, done));
    let run = Run {
        engines,
        seed: options.seed,
        every_setting: options.every_setting,
        vectors: options.vectors.as_ref().map(|folder| folder.display().to_string()),
        threads: options.engines.threads.map(usize::from),
        c_libraries: options.engines.c_libraries.as_deref(),
        outcome: &outcome,
        not_applicable: &not_applicable,
        seconds: start.elapsed().as_secs_f64(),
    };
    let told = told(&run)?;
    let exit = if outcome.failures.is_empty() { Exit::Same } else { Exit::Different };
    match table::write(&run, out).map_err(UsageError::from) {
        // If the reader has closed the output, the exit code still reports a difference.
        Err(error) if !error.is_broken_pipe() => Err(error),
        _ => Ok((exit, told)),
    }
}

/// The cases that the options select, and those that no engine can run.
fn cases(options: &Suite) -> Result<(Vec<Entry>, Vec<NotApplicable>), UsageError> {
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
    Ok((entries, all.not_applicable))
}

/// Runs `work` with a progress bar, which is shown only on a terminal.
fn with_progress<T>(entries: &[Entry], work: impl FnOnce(&(dyn Fn(&Entry) + Sync)) -> T) -> T {
    let bar = match std::io::stderr().is_terminal() {
        true => ProgressBar::new(entries.len() as u64),
        false => ProgressBar::hidden(),
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} cases, {eta} left, {msg}") {
        bar.set_style(style);
    }
    let result = work(&|entry| {
        bar.set_message(entry.family.name());
        bar.inc(1);
    });
    bar.finish_and_clear();
    result
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
        let mut out = Vec::new();
        let exit = suite_on(&[Box::new(Broken)], &options, &mut out).unwrap();
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
            format!("cargo run --release -- --engine broken --filter '{name}' --seed 7 --threads 3")
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
