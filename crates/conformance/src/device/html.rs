//! The report as an HTML page.

use bench::cost::constants::{Constant, Measurement};

use super::report::Report;
use super::versions::Told;
use super::workloads::{Outcome, Row};
use crate::html::{self, Cell, Markup, number, table, text};

/// Formats the report as a page.
pub(super) fn page(report: &Report) -> String {
    let origin = &report.origin;
    let machine = &origin.machine;
    let of = format!(
        "{}. conformance {}, commit {}. Host: {} on {}, {} threads.",
        origin.date,
        origin.version,
        origin.commit.unwrap_or("not told"),
        machine.system,
        machine.architecture,
        machine.threads
    );
    let section = |(name, content): (&str, Markup)| {
        let rehearsal = |told| Markup::tag("p", &[("class", "rehearsal")], Markup::text(told));
        let heading = Markup::simple("h2", name);
        let rehearsal = report.rehearsal().map(rehearsal).unwrap_or_default();
        Markup::tag("section", &[], heading.and(rehearsal).and(content))
    };
    let sections = [
        ("The device and its CANN", device(report)),
        ("The conformance suite", suite(report)),
        ("Workloads", workloads(report)),
        ("Constants of the cost table", constants(report)),
        ("What the probes measured", measurements(report)),
    ];
    let body = Markup::tag("p", &[("class", "soft")], Markup::text(&of));
    html::page(&report.title, body.and(sections.into_iter().map(section).collect()))
}

fn device(report: &Report) -> Markup {
    let device = &report.device;
    let path = report.kernels.path.as_ref().map(|path| path.display().to_string());
    let kernels = match (&report.kernels.description, &report.kernels.problem) {
        (Some(description), _) => format!("{description} ({})", path.unwrap_or_default()),
        (None, problem) => problem.clone().unwrap_or_default(),
    };
    let clock = format!("{} MHz, {}", device.megahertz, device.megahertz_of);
    let mut rows = vec![
        vec![text("processor"), text(&device.soc)],
        vec![text("devices"), text(&device.devices.to_string())],
        vec![text("vector cores, as planned for"), text(&device.cores.to_string())],
        vec![text("clock"), text(&clock)],
        vec![text("kernels"), text(&kernels)],
    ];
    let told = |Told { what, value, not_told }: &Told| {
        let reason = || format!("not told ({})", not_told.as_deref().unwrap_or_default());
        vec![text(what), text(&value.clone().unwrap_or_else(reason))]
    };
    rows.extend(device.properties.iter().map(told));
    let version = |of: &Told| {
        let mut row = told(of);
        row[0] = text(&format!("version: {}", of.what));
        row
    };
    rows.extend(device.versions.iter().map(version));
    table("What the device and its CANN say of themselves", &["property", "value"], rows)
}

fn suite(report: &Report) -> Markup {
    let suite = &report.suite;
    let count = |of: &serde_json::Value, name: &str| of[name].as_u64().unwrap_or_default();
    let rows = suite["rows"].as_array().into_iter().flatten().map(|row| {
        let number = |name| Cell::Number(count(row, name).to_string());
        vec![
            text(row["family"].as_str().unwrap_or_default()),
            number("cases"),
            number("passed"),
            number("failed"),
            number("not_applicable"),
        ]
    });
    let head = ["family", "cases", "passed", "failed", "not applicable"];
    let table = table("Cases by family", &head, rows);
    let told = match count(suite, "failed") {
        0 => Markup::paragraph("Every case gave what the reference computes, bit for bit."),
        failed => Markup::tag("p", &[("class", "bad")], Markup::text(&format!("{failed} cases failed."))),
    };
    let failures = suite["failures"].as_array().into_iter().flatten().take(20).map(|failure| {
        let field = |name: &str| failure[name].as_str().unwrap_or_default();
        let what = Markup::text(&format!(": {}", field("what")));
        Markup::tag("p", &[], Markup::code(field("name")).and(what))
    });
    told.and(table).and(failures.collect())
}

fn workloads(report: &Report) -> Markup {
    let cell = |outcome: &Outcome| match outcome {
        Outcome::Timed { differences: 0, median, .. } => number(Some(*median), 1),
        Outcome::Timed { differences, median, .. } => {
            Cell::Bad(format!("{median:.1} ({differences} elements differ)"))
        }
        Outcome::NotTimed { .. } => number(None, 1),
    };
    let rows = report.workloads.iter().map(|row: &Row| {
        let rate = |of: &Outcome| of.median().filter(|&median| median > 0.0);
        let ratio = rate(&row.vendor).zip(rate(&row.ours)).map(|(vendor, ours)| vendor / ours);
        let of_copies = rate(&row.copies).zip(rate(&row.ours)).map(|(copies, ours)| 100.0 * copies / ours);
        vec![
            text(&row.title),
            number(Some(row.bytes as f64 / 1e6), 1),
            cell(&row.ours),
            cell(&row.vendor),
            cell(&row.copies),
            number(ratio, 2),
            number(of_copies, 0),
        ]
    });
    let head =
        ["workload", "MB", "ours, us", "CANN's, us", "copies, us", "CANN's / ours", "copies / ours, %"];
    let mut reasons: Vec<_> = report.workloads.iter().flat_map(reasons).collect();
    reasons.sort();
    reasons.dedup();
    let told = "The median of several calls, each between two events of CANN's on its stream: our kernels, CANN's \
                own operator, and copies on the device that read and write the bytes that the call must move.";
    let reasons = reasons.iter().map(|reason| Markup::paragraph(reason));
    Markup::paragraph(told).and(table("Times of the workloads", &head, rows)).and(reasons.collect())
}

/// Why times are missing.
fn reasons(row: &Row) -> Vec<String> {
    let named = [("our kernels", &row.ours), ("CANN's own", &row.vendor), ("copies", &row.copies)];
    let reason = |(name, outcome): (&str, &Outcome)| match outcome {
        Outcome::NotTimed { reason } => Some(format!("Not timed, {name}: {reason}")),
        Outcome::Timed { .. } => None,
    };
    named.into_iter().filter_map(reason).collect()
}

fn constants(report: &Report) -> Markup {
    if let Some(why) = &report.probes.not_run {
        return Markup::paragraph(&format!("No probe was run: {why}"));
    }
    let rows = report.probes.constants.iter().map(|constant: &Constant| {
        let Constant { name, value, table, unit, usable } = constant;
        let note = match (value, usable) {
            (None, _) => "not measured",
            (_, false) => "not usable",
            (_, true) => "",
        };
        vec![
            Cell::Text(Markup::code(name)),
            number(*value, 2),
            number(Some(*table), 2),
            text(unit),
            text(note),
        ]
    });
    let told = Markup::text(
        "Computed from what the probes measured, beside the frozen constants by which this project models times. ",
    );
    let told = told.and(Markup::code("conformance cost --calibrate"));
    let told = told.and(Markup::text(" takes them from the JSON file."));
    let head = ["constant", "measured", "the table's", "unit", ""];
    Markup::tag("p", &[], told).and(table("Constants, measured and frozen", &head, rows))
}

fn measurements(report: &Report) -> Markup {
    if report.probes.not_run.is_some() {
        return Markup::paragraph("Nothing.");
    }
    let megahertz = report.device.megahertz as f64;
    let rows = report.probes.measurements.iter().map(|measurement: &Measurement| {
        let Measurement { name, blocks, repeats, size, form, rounds, nanoseconds, problem, .. } = measurement;
        let whole = |n: &u32| Cell::Number(n.to_string());
        vec![
            text(name),
            whole(blocks),
            whole(rounds),
            whole(repeats),
            whole(size),
            whole(form),
            number(*nanoseconds, 1),
            number(nanoseconds.map(|nanoseconds| nanoseconds * megahertz / 1e3), 1),
            text(problem.as_deref().unwrap_or_default()),
        ]
    });
    let told = Markup::text(
        "A round of each probe: the difference between the median times of two launches, of which one has twice as \
         many rounds. ",
    );
    let told = told.and(Markup::code("kernels/include/scatter_probes.h"));
    let told = told.and(Markup::text(" has the meaning of the numbers."));
    let head = ["probe", "blocks", "rounds", "repeats", "size", "form", "ns", "cycles", ""];
    Markup::tag("p", &[], told).and(table("Times of the probes", &head, rows))
}
