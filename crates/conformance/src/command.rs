//! The suite as a command: chooses engines and cases, runs them, and reports.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::Exit;
use crate::cli::Suite;
use crate::engine;
use crate::family::{Cases, Entry, Family, NotApplicable, matrix, refusals, vectors};
use crate::report::{JsonFile, Run, json, table};
use crate::select::{Filter, sample};
use crate::suite;
use crate::usage::UsageError;

/// Runs the suite, or lists its cases.
pub(crate) fn suite(options: &Suite, out: &mut dyn Write) -> Result<Exit, UsageError> {
    let threads = options.engines.threads();
    let engines = engine::select(engine::available(threads)?, &options.engines.names)?;
    let (entries, not_applicable) = cases(options)?;
    if options.list {
        for entry in &entries {
            writeln!(out, "{}", entry.name)?;
        }
        return Ok(Exit::Same);
    }
    let json_file = options.json.as_deref().map(JsonFile::create).transpose()?;
    for engine in &engines {
        writeln!(out, "{}: {}", engine.name(), engine.description())?;
    }
    writeln!(out)?;
    out.flush()?;
    let start = Instant::now();
    let outcome = with_progress(&entries, |done| suite::run(&engines, &entries, threads, done));
    let run = Run {
        engines: &engines,
        seed: options.seed,
        vectors: options.vectors.as_ref().map(|folder| folder.display().to_string()),
        threads: options.engines.threads.map(usize::from),
        outcome: &outcome,
        not_applicable: &not_applicable,
        seconds: start.elapsed().as_secs_f64(),
    };
    table::write(&run, out)?;
    if let Some(file) = json_file {
        file.write(&json::Report::new(&run))?;
    }
    Ok(if outcome.failures.is_empty() { Exit::Same } else { Exit::Different })
}

/// The cases that the options ask for, and those that there can't be.
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

/// Runs `work` beneath a progress bar, which is only there on a terminal.
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
