//! What several sections of the page have.

use scatter::{DType, Operator};

use crate::html::{Markup, grouped};
use crate::suite::{Failure, Tally};

/// A command that can be copied.
pub(super) fn command(command: &str) -> Markup {
    Markup::tag("code", &[("class", "command")], Markup::text(command))
}

/// The id of the part of an operator and a dtype.
pub(super) fn id(operator: Operator, dtype: DType) -> String {
    format!("{operator}-{dtype}")
}

/// Counts in words, without those that are 0.
pub(super) fn told(tally: &Tally) -> String {
    let Tally { passed, failed, deviating, not_applicable, .. } = *tally;
    let counts =
        [(failed, "failed"), (deviating, "differ"), (passed, "passed"), (not_applicable, "not applicable")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let told: Vec<_> = counts.map(|(count, what)| format!("{} {what}", grouped(count))).collect();
    if told.is_empty() { "–".to_owned() } else { told.join(", ") }
}

/// A failure on one line.
pub(super) fn line(failure: &Failure) -> Markup {
    let Failure { name, engine, setting, mismatch, .. } = failure;
    let told = format!(" on {engine}, {setting}: {mismatch}");
    Markup::tag("p", &[("class", "bad")], Markup::text("✗ ").and(Markup::code(name)).and(Markup::text(&told)))
}

/// Where the failures are that aren't shown.
pub(super) fn more(count: usize) -> Markup {
    let (told, json) = (format!("{} more failed; ", grouped(count)), Markup::code("--json"));
    Markup::tag("p", &[], Markup::text(&told).and(json).and(Markup::text(" has them all.")))
}
