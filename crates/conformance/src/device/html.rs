//! The report as an HTML page in a single file, which loads nothing else and has no scripts.

use core::fmt::Write;

use bench::cost::constants::{Constant, Measurement};

use super::report::Report;
use super::versions::Told;
use super::workloads::{Outcome, Row};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1d2126; --soft: #59626d; --paper: #ffffff; --line: #d5dae0;
  --head: #f2f4f7; --warn: #8a4b00; --warn-paper: #fff3e0; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7eb; --soft: #a2abb6; --paper: #15181c; --line: #363c44; --head: #1f242a;
    --warn: #ffc37a; --warn-paper: #33250f; --bad: #ff8a80; } }
body { margin: 0 auto; padding: 1.5rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; max-width: 48rem; }
.soft { color: var(--soft); }
.rehearsal { color: var(--warn); background: var(--warn-paper); padding: .4rem .7rem; border-radius: .3rem; }
.bad { color: var(--bad); font-weight: 600; }
td.bad { text-align: right; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .92rem; }
th, td { padding: .25rem .7rem .25rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
thead th { background: var(--head); white-space: nowrap; }
th:first-child, td:first-child { padding-left: .5rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
";

/// Formats the report as a page.
pub(super) fn page(report: &Report) -> String {
    let title = escaped(&report.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    let commit = report.commit.unwrap_or("not told");
    let machine = &report.machine;
    let _ = writeln!(
        page,
        "<p class=\"soft\">{}. conformance {}, commit {}. Host: {} on {}, {} threads.</p>",
        escaped(&report.date),
        report.version,
        escaped(commit),
        machine.system,
        machine.architecture,
        machine.threads
    );
    for (name, content) in [
        ("The device and its CANN", device(report)),
        ("The conformance suite", suite(report)),
        ("Workloads", workloads(report)),
        ("Constants of the cost table", constants(report)),
        ("What the probes measured", measurements(report)),
    ] {
        let _ = writeln!(page, "<section>\n<h2>{name}</h2>");
        if let Some(rehearsal) = report.rehearsal() {
            let _ = writeln!(page, "<p class=\"rehearsal\">{rehearsal}</p>");
        }
        let _ = writeln!(page, "{content}</section>");
    }
    page + "</body>\n</html>\n"
}

/// Text with the characters of markup escaped.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A cell's class and content.
enum Cell {
    Text(String),
    Number(String),
    Bad(String),
}

fn text(text: &str) -> Cell {
    Cell::Text(escaped(text))
}

fn number(number: Option<f64>, decimals: usize) -> Cell {
    Cell::Number(number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}")))
}

fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
    let mut table = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    let rows: Vec<_> = rows.into_iter().collect();
    for (column, name) in head.iter().enumerate() {
        // A heading is aligned like the cells below it.
        let is_number = rows.first().is_some_and(|row| matches!(row.get(column), Some(Cell::Number(_))));
        let class = if is_number { " class=\"n\"" } else { "" };
        let _ = write!(table, "<th{class}>{name}</th>");
    }
    table += "</tr></thead>\n<tbody>\n";
    for row in rows {
        table += "<tr>";
        for cell in row {
            let (class, content) = match cell {
                Cell::Text(content) => ("", content),
                Cell::Number(content) => (" class=\"n\"", content),
                Cell::Bad(content) => (" class=\"bad\"", content),
            };
            let _ = write!(table, "<td{class}>{content}</td>");
        }
        table += "</tr>\n";
    }
    table + "</tbody></table></div>\n"
}

fn device(report: &Report) -> String {
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
    table(&["property", "value"], rows)
}

fn suite(report: &Report) -> String {
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
    let table = table(&["family", "cases", "passed", "failed", "not applicable"], rows);
    let failed = count(suite, "failed");
    let told = match failed {
        0 => "<p>Every case gave what the reference computes, bit for bit.</p>\n".to_owned(),
        failed => format!("<p class=\"bad\">{failed} cases failed.</p>\n"),
    };
    let failures = suite["failures"].as_array().into_iter().flatten().take(20).map(|failure| {
        let field = |name: &str| failure[name].as_str().unwrap_or_default();
        let (name, what) = (escaped(field("name")), escaped(field("what")));
        format!("<p><code>{name}</code>: {what}</p>\n")
    });
    told + &table + &failures.collect::<String>()
}

fn workloads(report: &Report) -> String {
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
    "<p>The median of several calls, each between two events of CANN's on its stream: our kernels, CANN's own \
     operator, and copies on the device that read and write the bytes that the call must move.</p>\n"
        .to_owned()
        + &table(&head, rows)
        + &reasons.concat()
}

/// Why times are missing.
fn reasons(row: &Row) -> Vec<String> {
    let named = [("our kernels", &row.ours), ("CANN's own", &row.vendor), ("copies", &row.copies)];
    let reason = |(name, outcome): (&str, &Outcome)| match outcome {
        Outcome::NotTimed { reason } => Some(format!("<p>Not timed, {name}: {}</p>\n", escaped(reason))),
        Outcome::Timed { .. } => None,
    };
    named.into_iter().filter_map(reason).collect()
}

fn constants(report: &Report) -> String {
    if let Some(why) = &report.probes.not_run {
        return format!("<p>No probe was run: {}</p>\n", escaped(why));
    }
    let rows = report.probes.constants.iter().map(|constant: &Constant| {
        let Constant { name, value, table, unit, usable } = constant;
        let note = match (value, usable) {
            (None, _) => "not measured",
            (_, false) => "not usable",
            (_, true) => "",
        };
        vec![
            Cell::Text(format!("<code>{name}</code>")),
            number(*value, 2),
            number(Some(*table), 2),
            text(unit),
            text(note),
        ]
    });
    "<p>Computed from what the probes measured, beside the frozen constants by which this project models times. \
     <code>conformance cost --calibrate</code> takes them from the JSON file.</p>\n"
        .to_owned()
        + &table(&["constant", "measured", "the table's", "unit", ""], rows)
}

fn measurements(report: &Report) -> String {
    if report.probes.not_run.is_some() {
        return "<p>Nothing.</p>\n".to_owned();
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
    "<p>A round of each probe: the difference between the median times of two launches, of which one has twice as \
     many rounds. <code>kernels/include/scatter_probes.h</code> has the meaning of the numbers.</p>\n"
        .to_owned()
        + &table(
            &["probe", "blocks", "rounds", "repeats", "size", "form", "ns", "cycles", ""],
            rows,
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escaped("<a href=\"x\"> & b"), "&lt;a href=&quot;x&quot;&gt; &amp; b");
    }
}
