//! What is tables alone: differences of the vendor's, times, reasons, engines, and where the report
//! comes from.

use super::super::Run;
use crate::family::Family;
use crate::html::{Cell, Markup, count, grouped, scrolled, table, text};
use crate::origin::{Machine, Origin};
use crate::suite::Tally;

/// The differences that don't count as failures; `None` where there are none.
pub(super) fn deviations(run: &Run<'_>) -> Option<Markup> {
    let kinds = run.deviations();
    if kinds.is_empty() {
        return None;
    }
    let rows = kinds.iter().map(|(&(engine, kind, operator), cases)| {
        let smallest = cases.iter().min_by_key(|of| of.failure.elements);
        let smallest = smallest.map(|of| {
            let mismatch = Markup::text(&format!(": {}", of.failure.mismatch));
            Markup::code(&of.failure.name).and(mismatch)
        });
        let (kind, smallest) = (text(&kind.to_string()), Cell::Text(smallest.unwrap_or_default()));
        vec![kind, text(engine), text(operator), count(cases.len()), smallest]
    });
    let head = ["kind", "engine", "operator", "cases", "the smallest case"];
    Some(table("Counted, not failed", &head, rows))
}

/// The time in each engine by family.
pub(super) fn times(run: &Run<'_>) -> Option<Markup> {
    let tallies = run.by_family();
    let most = tallies.values().map(|tally| tally.time.as_secs_f64()).fold(f64::MIN_POSITIVE, f64::max);
    let head = ["engine", "family", "cases", "s", "µs a case"];
    let heading = |(column, name): (usize, &&str)| {
        let class = if column < 2 { "" } else { "n" };
        Markup::tag("th", &[("scope", "col"), ("class", class)], Markup::text(name))
    };
    let head: Markup = head.iter().enumerate().map(heading).collect();
    let head = head.and(Markup::tag("td", &[], Markup::none()));
    let row = |(&(engine, family), tally): (&(usize, Family), &Tally)| {
        let (cases, seconds) = (tally.cases(), tally.time.as_secs_f64());
        let cell = |text: &str| Markup::tag("td", &[("class", "n")], Markup::text(text));
        let each = 1e6 * seconds / cases.max(1) as f64;
        let width = format!("width: {:.1}%", 100.0 * seconds / most);
        let bar = [("class", "bar"), ("style", &*width), ("aria-hidden", "true")];
        let bar = Markup::tag("span", &bar, Markup::none());
        let name = Markup::tag("th", &[("scope", "row")], Markup::text(run.engines[engine].name()));
        let cells = name
            .and(Markup::tag("td", &[], Markup::text(family.name())))
            .and(cell(&grouped(cases)))
            .and(cell(&format!("{seconds:.2}")))
            .and(cell(&format!("{each:.0}")))
            .and(Markup::tag("td", &[("class", "bars")], bar));
        Markup::tag("tr", &[], cells)
    };
    let rows = Markup::tag("tbody", &[], tallies.iter().map(row).collect());
    let head = Markup::tag("thead", &[], Markup::tag("tr", &[], head));
    let told = "The time in the engine, over all its settings and threads. It includes the checks of the call, and for \
                the libraries the copies of the tensors, so it is no measure of speed: for that there is ";
    let told = Markup::text(told).and(Markup::code("conformance bench")).and(Markup::text("."));
    let table = scrolled("Time by engine and family", &[], head.and(rows));
    Some(Markup::tag("p", &[], told).and(Markup::tag("div", &[("class", "times")], table)))
}

/// The cases that weren't run, by reason; `None` where there are none.
pub(super) fn not_applicable(run: &Run<'_>) -> Option<Markup> {
    let by_reason = run.not_applicable();
    if by_reason.is_empty() {
        return None;
    }
    let rows = by_reason.iter().map(|(&(engine, family, reason), names)| {
        let example = names.first().copied().unwrap_or_default();
        let example = Cell::Text(Markup::code(example));
        vec![text(reason), text(engine), text(family.name()), count(names.len()), example]
    });
    let head = ["reason", "engine", "family", "cases", "the first"];
    Some(table("Cases that were not run, by reason", &head, rows))
}

/// The engines and their settings.
pub(super) fn engines(run: &Run<'_>) -> Option<Markup> {
    let rows = run.engines.iter().map(|engine| {
        vec![text(engine.name()), text(&engine.description()), text(&engine.settings().join("; "))]
    });
    Some(table("What was run", &["engine", "what it is", "settings"], rows))
}

/// The program and the machine.
pub(super) fn origin(run: &Run<'_>, origin: &Origin) -> Option<Markup> {
    let Origin { date, version, commit, rustc, opt_level, machine } = origin;
    let Machine { system, architecture, processor, threads, memory } = machine;
    let or_not = |told: Option<&str>| told.unwrap_or("not told").to_owned();
    let memory = memory.map(|bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)));
    let rows = [
        ("date", date.clone()),
        ("conformance", (*version).to_owned()),
        ("commit", or_not(*commit)),
        ("compiled by", or_not(*rustc)),
        ("opt-level", or_not(*opt_level)),
        ("system", format!("{system} on {architecture}")),
        ("processor", or_not(processor.as_deref())),
        ("hardware threads", threads.to_string()),
        ("memory", or_not(memory.as_deref())),
        ("seed", run.seed.to_string()),
        ("time of the run", format!("{:.1} s", run.seconds)),
    ];
    let rows = rows.into_iter().map(|(what, value)| vec![text(what), text(&value)]);
    Some(table("The program and the machine", &["what", "value"], rows))
}
