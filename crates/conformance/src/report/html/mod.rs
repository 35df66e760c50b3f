//! The report as an HTML page: a summary, failed cases with their tensors, heat maps of the counts,
//! the cases behind each field of these, times, and where the report comes from.

mod cases;
mod failures;
mod maps;
mod parts;
mod rest;
mod tensor;

use super::Run;
use crate::html::{self, Markup, grouped};
use crate::origin::Origin;

use parts::command;

/// Formats the report of a run as a page.
pub(crate) fn page(run: &Run<'_>, origin: &Origin) -> String {
    let parts = [
        ("failures", "Failures", failures::failures(run)),
        ("differences", "Differences that are the vendor's to have", rest::deviations(run)),
        ("maps", "Cases by operator, dtype and engine", maps::maps(run)),
        ("cases", "The cases of each operator and dtype", cases::cases(run)),
        ("times", "Times", rest::times(run)),
        ("not-applicable", "Not applicable", rest::not_applicable(run)),
        ("engines", "Engines", rest::engines(run)),
        ("origin", "Where this comes from", rest::origin(run, origin)),
    ];
    let parts: Vec<_> =
        parts.into_iter().filter_map(|(id, name, content)| Some((id, name, content?))).collect();
    let links = parts.iter().map(|(id, name, _)| Markup::tag("li", &[], Markup::link(id, name)));
    let contents = Markup::tag("nav", &[("aria-label", "Contents")], Markup::tag("ul", &[], links.collect()));
    let sections = parts.into_iter().map(|(id, name, content)| {
        Markup::tag("section", &[("id", id)], Markup::simple("h2", name).and(content))
    });
    let sections: Markup = sections.collect();
    html::page("Conformance of the scatter engines", summary(run, origin).and(contents).and(sections))
}

/// Whether all is as expected, the counts, and the command that was run.
fn summary(run: &Run<'_>, origin: &Origin) -> Markup {
    let total = run.total();
    let (failed, differ) = (run.outcome.failures.len(), run.outcome.deviations.len());
    let (class, verdict) = match (failed, differ) {
        (0, 0) => ("verdict good", "✓ Every case passed.".to_owned()),
        (0, _) => ("verdict good", format!("✓ No case failed; {} differ as below.", grouped(differ))),
        (_, _) => ("verdict bad", format!("✗ {} of {} failed.", grouped(failed), grouped(total.cases()))),
    };
    let figure = |class: &str, number: &str, name: &str| {
        let content = Markup::simple("b", number).and(Markup::text(name));
        Markup::tag("li", &[("class", class)], content)
    };
    let figures = [
        figure("", &grouped(total.passed), "passed"),
        figure(if failed > 0 { "bad" } else { "" }, &grouped(failed), "failed"),
        figure("", &grouped(total.not_applicable), "not applicable"),
        figure("", &run.seed.to_string(), "seed"),
        figure("", &format!("{:.1} s", run.seconds), "in all"),
    ];
    let about = "Each case is a call whose outcome is compared with what is expected, bit for bit, on each engine; a \
                 case on an engine counts as one.";
    Markup::tag("p", &[("class", "soft")], Markup::text(&format!("{}. {about}", origin.date)))
        .and(Markup::tag("p", &[("class", class)], Markup::text(&verdict)))
        .and(Markup::tag("ul", &[("class", "figures")], figures.into_iter().collect()))
        .and(Markup::paragraph("The command that was run:"))
        .and(command(run.command_line))
}
