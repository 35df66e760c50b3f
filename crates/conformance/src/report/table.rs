//! The report as a table.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::{EVERY, Run};
use crate::family::Family;
use crate::suite::{Failure, Tally};

/// Writes the table, the cases that are not applicable, the deviations, and the smallest failure.
pub(crate) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let width = run.engines.iter().map(|engine| engine.name().len()).max().unwrap_or(0).max(10);
    writeln!(
        out,
        "{:<width$} {:<9} {:>8} {:>8} {:>7} {:>5} {:>9}",
        "engine", "family", "cases", "passed", "failed", "n/a", "seconds"
    )?;
    for (&(number, family), tally) in &run.by_family() {
        row(out, width, run.engines[number].name(), family.name(), tally)?;
    }
    row(out, width, "total", "", &run.total())?;
    deviations(run, out)?;
    not_applicable(run, out)?;
    writeln!(out, "\nseed {}, {:.1} s", run.seed, run.seconds)?;
    failure(run, out)
}

fn row(out: &mut dyn Write, width: usize, engine: &str, family: &str, tally: &Tally) -> io::Result<()> {
    let Tally { passed, failed, not_applicable, time, .. } = tally;
    let (cases, seconds) = (tally.cases(), time.as_secs_f64());
    writeln!(
        out,
        "{engine:<width$} {family:<9} {cases:>8} {passed:>8} {failed:>7} {not_applicable:>5} {seconds:>9.2}"
    )
}

/// Writes the deviations by kind and operator, with the smallest case of each; JSON has all cases.
fn deviations(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let kinds = run.deviations();
    if kinds.is_empty() {
        return Ok(());
    }
    writeln!(out, "\ndifferences from the reference that are the vendor's to have: counted, not failed")?;
    writeln!(out, "  {:<34}{:<16}{:>8}  dtypes; the smallest case", "kind", "operator", "cases")?;
    for ((_, kind, operator), cases) in kinds {
        let dtypes: BTreeSet<_> = cases.iter().map(|deviating| deviating.failure.dtype.name()).collect();
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
    let by_reason = run.not_applicable();
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
