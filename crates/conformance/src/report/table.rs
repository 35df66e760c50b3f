//! The report as a table.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::Run;
use crate::family::Family;
use crate::suite::{Deviating, Failure, Tally};

/// Writes the table, the cases that are not applicable, the deviations, and the smallest failure.
pub(crate) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let width = run.engines.iter().map(|engine| engine.name().len()).max().unwrap_or(0).max(10);
    writeln!(
        out,
        "{:<width$} {:<9} {:>8} {:>8} {:>7} {:>5} {:>9}",
        "engine", "family", "cases", "passed", "failed", "n/a", "seconds"
    )?;
    let mut total = Tally::default();
    for (&(number, family), tally) in &run.outcome.tallies {
        let tally = with_absent(run, family, *tally);
        row(out, width, run.engines[number].name(), family.name(), &tally)?;
        total.passed += tally.passed;
        total.failed += tally.failed;
        total.deviating += tally.deviating;
        total.not_applicable += tally.not_applicable;
        total.time += tally.time;
    }
    row(out, width, "total", "", &total)?;
    deviations(run, out)?;
    not_applicable(run, out)?;
    writeln!(out, "\nseed {}, {:.1} s", run.seed, run.seconds)?;
    failure(run, out)
}

/// Adds the cases that no engine can run to an engine's tally.
fn with_absent(run: &Run<'_>, family: Family, mut tally: Tally) -> Tally {
    tally.not_applicable += run.not_applicable.iter().filter(|absent| absent.family == family).count();
    tally
}

fn row(out: &mut dyn Write, width: usize, engine: &str, family: &str, tally: &Tally) -> io::Result<()> {
    let Tally { passed, failed, deviating, not_applicable, time } = tally;
    let (cases, seconds) = (passed + failed + deviating, time.as_secs_f64());
    writeln!(
        out,
        "{engine:<width$} {family:<9} {cases:>8} {passed:>8} {failed:>7} {not_applicable:>5} {seconds:>9.2}"
    )
}

/// Writes the deviations by kind and operator, with the smallest case of each; JSON has all cases.
fn deviations(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut kinds: BTreeMap<_, Vec<&Deviating>> = BTreeMap::new();
    for deviating in &run.outcome.deviations {
        let of = (deviating.failure.engine, deviating.kind, deviating.operator.name());
        kinds.entry(of).or_default().push(deviating);
    }
    if kinds.is_empty() {
        return Ok(());
    }
    writeln!(out, "\ndifferences from the reference that are the vendor's to have: counted, not failed")?;
    writeln!(out, "  {:<34}{:<16}{:>8}  dtypes; the smallest case", "kind", "operator", "cases")?;
    for ((_, kind, operator), cases) in kinds {
        let dtypes: BTreeSet<_> = cases.iter().map(|deviating| deviating.dtype.name()).collect();
        let dtypes = dtypes.into_iter().collect::<Vec<_>>().join(", ");
        writeln!(out, "  {:<34}{operator:<16}{:>8}  {dtypes}", kind.to_string(), cases.len())?;
        if let Some(smallest) = cases.iter().min_by_key(|deviating| deviating.failure.elements) {
            let Failure { name, mismatch, .. } = &smallest.failure;
            writeln!(out, "      {name}: {mismatch}")?;
        }
    }
    Ok(())
}

/// Writes the cases that are not applicable, grouped by reason to keep it short; JSON has all of
/// them.
fn not_applicable(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let everywhere = run.not_applicable.iter().map(|absent| (EVERY, absent));
    let somewhere =
        run.outcome.not_applicable.iter().map(|(number, absent)| (run.engines[*number].name(), absent));
    let mut by_reason: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for (engine, absent) in everywhere.chain(somewhere) {
        by_reason.entry((engine, absent.family, &absent.reason)).or_default().push(&absent.what);
    }
    if by_reason.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nnot applicable")?;
    for ((engine, family, reason), names) in by_reason {
        writeln!(out, "  {family}, {engine}: {reason}")?;
        // Of the matrix, names that apply to every engine stand for kinds of cases, so all are
        // shown. Other names are single cases, of which one is shown.
        let shown = if (engine, family) == (EVERY, Family::Matrix) { names.len() } else { 1 };
        let mut line = String::from("   ");
        for name in &names[..shown] {
            let name = name.split_once('/').map_or(*name, |(_, name)| name);
            if line.len() + name.len() > WIDTH {
                writeln!(out, "{line}")?;
                line.truncate(3);
            }
            line = line + " " + name;
        }
        let hidden = names.len() - shown;
        let more = if hidden > 0 { format!(" and {hidden} more") } else { String::new() };
        writeln!(out, "{line}{more}")?;
    }
    Ok(())
}

/// Stands for all engines, of cases that the library itself doesn't support.
const EVERY: &str = "every engine";

/// The columns of a line of names.
const WIDTH: usize = 110;

fn failure(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(failure) = run.outcome.smallest_failure() else {
        return match run.outcome.deviations.len() {
            0 => writeln!(out, "every case passed"),
            differ => writeln!(out, "no case failed; {differ} differ as above"),
        };
    };
    writeln!(out, "\n{} failed; the smallest:", run.outcome.failures.len())?;
    writeln!(out, "  {} on {}, {}", failure.name, failure.engine, failure.setting)?;
    writeln!(out, "  {}", failure.call)?;
    writeln!(out, "  {}", failure.mismatch)?;
    writeln!(out, "replay it:\n  {}", run.replay(failure))
}
