//! `--markdown`: the tables in docs/kernels/figures.md, with the algorithm that the plan chooses
//! for each workload.

use super::Row;
use crate::cost::bars::Verdict;
use crate::cost::measured::Measured;

/// The columns, of which the first two and the last two are text.
const NAMES: [&str; 12] = [
    "workload",
    "by",
    "us",
    "ps/elem",
    "of GM",
    "CANN us",
    "CANN/",
    "hopeful",
    "half, double",
    "of f32",
    "limit",
    "misses",
];

/// The heading of the table.
pub(in crate::cost) fn head() -> String {
    let aligned = |at: usize| if (2..10).contains(&at) { "---:" } else { "---" };
    let rule: Vec<_> = (0..NAMES.len()).map(aligned).collect();
    format!("| {} |\n|{}|", NAMES.join(" | "), rule.join("|"))
}

/// The row of a workload, in bold where it misses a bar; its errors where there are no figures of
/// the algorithm that the plan chooses.
pub(in crate::cost) fn row(row: &Row) -> String {
    let Some(measured) = row.chosen() else {
        return row.errors().map(|error| format!("| {} | WRONG: {error} |\n", row.title)).collect();
    };
    let Measured { algorithm, counters, .. } = measured;
    let [us, each] = row.time(counters.nanoseconds[0] * 1000);
    let [cautious, hopeful, halved, doubled] = row.ratio_cells(counters);
    let of_gm = format!("{:.0} %", 100.0 * row.of_gm(measured)[0]);
    let cann = row.cann.as_ref().map_or("-".to_owned(), |paths| row.time(paths[0].picoseconds)[0].clone());
    let of_f32 = row.verdicts.iter().find_map(Verdict::of_f32);
    let missed: Vec<_> = row.missed().map(Verdict::need).collect();
    let cells = [
        row.title.clone(),
        algorithm.name().to_owned(),
        us,
        each,
        of_gm,
        cann,
        cautious,
        hopeful,
        format!("{halved}, {doubled}"),
        of_f32.unwrap_or_else(|| "-".to_owned()),
        measured.limit.to_string(),
        missed.join("; "),
    ];
    let bold = |cell: String| match (missed.is_empty(), cell.is_empty()) {
        (false, false) => format!("**{cell}**"),
        _ => cell,
    };
    format!("| {} |\n", cells.map(bold).join(" | "))
}
