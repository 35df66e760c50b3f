//! The report of a comparison: a table for each workload, a summary, and JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::entry::{Entry, Kind, Verdict};
use crate::limit::MachineLimits;
use crate::measure::FORMULA;
use crate::workload::Workload;
use crate::{Known, Options, title};

/// A workload with its candidates.
#[derive(Debug)]
pub(super) struct Section {
    title: String,
    name: &'static str,
    dtype: &'static str,
    index: String,
    bytes: u64,
    pub(super) entries: Vec<Entry>,
}

/// How our engine compares, on a number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Standing {
    threads: usize,
    median_seconds: f64,
    /// The fastest peer on at most as many threads.
    best_peer: Option<String>,
    best_peer_seconds: Option<f64>,
    /// The best peer's time / ours. Like the next two, computed by [`Entry::times`].
    ratio: Option<f64>,
    /// The limit's time / ours.
    of_limit: f64,
    /// Our time on the fewest threads / ours; `None` where ours is wrong on these.
    speed_up: Option<f64>,
    extra_memory: Option<usize>,
}

impl Section {
    /// A section without candidates.
    pub(super) fn new(workload: &Workload, known: &Known) -> Self {
        Self {
            title: title(workload, known),
            name: workload.name(),
            dtype: known.case.dtype().name(),
            index: known.case.index.to_string(),
            bytes: known.bytes,
            entries: Vec::new(),
        }
    }

    /// Writes the table.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}, index {}", self.title, self.index)?;
        writeln!(
            out,
            "  {:<24}{:>8}{:>12}{:>12}{:>8}   result",
            "", "threads", "median ms", "best ms", "GB/s"
        )?;
        for entry in &self.entries {
            write!(out, "  {:<24}{:>8}", entry.name, entry.threads)?;
            match entry.median().zip(entry.best()) {
                Some((median, best)) => {
                    let rate = self.bytes as f64 / median / 1e9;
                    write!(out, "{:>12}{:>12}{rate:>8.2}", milliseconds(median), milliseconds(best))?;
                }
                None => write!(out, "{:>32}", "")?,
            }
            match &entry.verdict {
                Verdict::Nothing | Verdict::Unknown => writeln!(out)?,
                Verdict::Equal => writeln!(out, "   equal")?,
                Verdict::Near { distance } => writeln!(out, "   near ({distance:.0e})")?,
                Verdict::Wrong { what } => writeln!(out, "   WRONG: {what}")?,
                Verdict::NotApplicable { reason } => writeln!(out, "   n/a: {reason}")?,
            }
        }
        for Standing { threads, best_peer, ratio, of_limit, extra_memory, .. } in self.standings() {
            write!(out, "  on {threads}: {:.0} % of the limit", of_limit * 100.0)?;
            if let Some((peer, ratio)) = best_peer.zip(ratio) {
                write!(out, ", {ratio:.2} x {peer}")?;
            }
            writeln!(out, ", {} bytes of extra memory", extra_memory.unwrap_or_default())?;
        }
        writeln!(out)
    }

    /// How our engine compares, on each number of threads.
    fn standings(&self) -> Vec<Standing> {
        let ours = self.entries.iter().filter(|entry| matches!(entry.kind, Kind::Ours(_)));
        ours.filter_map(|ours| self.standing(ours)).collect()
    }

    fn standing(&self, ours: &Entry) -> Option<Standing> {
        let threads = ours.threads;
        let is_peer = |entry: &&Entry| matches!(entry.kind, Kind::Peer { .. }) && entry.threads <= threads;
        let peers = self.entries.iter().filter(is_peer);
        let best = peers
            .filter_map(|peer| peer.times(ours).map(|ratio| (ratio, peer)))
            .min_by(|(one, _), (other, _)| one.total_cmp(other));
        let is_limit = |entry: &&Entry| matches!(entry.kind, Kind::Limit(_)) && entry.threads == threads;
        let fewest = self.entries.iter().find(|entry| matches!(entry.kind, Kind::Ours(0)));
        Some(Standing {
            threads,
            median_seconds: ours.median()?,
            best_peer: best.map(|(_, peer)| format!("{} ({})", peer.name, peer.threads)),
            best_peer_seconds: best.and_then(|(_, peer)| peer.median()),
            ratio: best.map(|(ratio, _)| ratio),
            of_limit: self.entries.iter().find(is_limit)?.times(ours)?,
            speed_up: fewest?.times(ours),
            extra_memory: ours.extra_memory,
        })
    }
}

/// A time in milliseconds, with at least three digits.
fn milliseconds(seconds: f64) -> String {
    let milliseconds = seconds * 1e3;
    match milliseconds {
        large if large >= 100.0 => format!("{large:.0}"),
        small if small < 0.1 => format!("{small:.4}"),
        other => format!("{other:.2}"),
    }
}

/// Writes the machine's limits.
pub(super) fn machines(machines: &[MachineLimits], out: &mut dyn Write) -> io::Result<()> {
    for MachineLimits { threads, copy, read_modify_write, random_line } in machines {
        write!(
            out,
            "{threads} threads: copy {copy:.1} GB/s, a += b {read_modify_write:.1} GB/s, a random line of"
        )?;
        for (kib, nanoseconds) in random_line {
            write!(out, " {kib} KiB {nanoseconds:.1} ns")?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

/// Writes the summary, one line for each workload.
pub(super) fn summary(sections: &[Section], counts: &[usize], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{:<24}", "workload")?;
    for count in counts {
        write!(out, "{:>11}{:>9}  {:<26}{:>6}", format!("{count}T ms"), "% limit", "best peer", "ratio")?;
    }
    writeln!(out, "{:>10}{:>13}", "speed-up", "extra bytes")?;
    for section in sections {
        let standings = section.standings();
        write!(out, "{:<24}", section.name)?;
        let on = |count: usize| standings.iter().find(|standing| standing.threads == count);
        let or_not = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
        for &count in counts {
            let time = or_not(on(count).map(|of| milliseconds(of.median_seconds)));
            let limit = or_not(on(count).map(|of| format!("{:.0}", of.of_limit * 100.0)));
            let peer = or_not(on(count).and_then(|of| of.best_peer.clone()));
            let ratio = or_not(on(count).and_then(|of| of.ratio).map(|ratio| format!("{ratio:.2}")));
            write!(out, "{time:>11}{limit:>9}  {peer:<26}{ratio:>6}")?;
        }
        let last = counts.last().and_then(|&count| on(count));
        let speed_up = or_not(last.and_then(|of| of.speed_up).map(|times| format!("{times:.2}")));
        let memory = or_not(last.and_then(|of| of.extra_memory).map(|bytes| bytes.to_string()));
        writeln!(out, "{speed_up:>10}{memory:>13}")?;
    }
    writeln!(
        out,
        "Medians, of times and of each round's ratios; best peer: on as many threads at the most; % limit: the time of the loop \
         without arithmetic / ours."
    )?;
    writeln!(out, "{FORMULA}.")
}

/// The whole file of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    seed: u64,
    scale: u32,
    repeats: u16,
    threads: usize,
    formula: &'static str,
    machine: &'a [MachineLimits],
    workloads: Vec<WorkloadReport<'a>>,
}

#[derive(Debug, Serialize)]
struct WorkloadReport<'a> {
    workload: &'static str,
    title: &'a str,
    dtype: &'static str,
    index: &'a str,
    bytes: u64,
    standings: Vec<Standing>,
    candidates: Vec<CandidateReport<'a>>,
}

#[derive(Debug, Serialize)]
struct CandidateReport<'a> {
    kind: &'static str,
    name: &'a str,
    threads: usize,
    median_seconds: Option<f64>,
    best_seconds: Option<f64>,
    gb_per_second: Option<f64>,
    seconds: &'a [f64],
    #[serde(flatten)]
    verdict: &'a Verdict,
}

impl<'a> Report<'a> {
    /// The report of these sections, measured with these options.
    pub(super) fn new(options: &Options, machine: &'a [MachineLimits], sections: &'a [Section]) -> Self {
        let Options { seed, scale, repeats, .. } = *options;
        let workloads = sections.iter().map(Section::report).collect();
        Self {
            seed,
            scale,
            repeats,
            threads: options.engines.threads(),
            formula: FORMULA,
            machine,
            workloads,
        }
    }
}

impl Section {
    fn report(&self) -> WorkloadReport<'_> {
        WorkloadReport {
            workload: self.name,
            title: &self.title,
            dtype: self.dtype,
            index: &self.index,
            bytes: self.bytes,
            standings: self.standings(),
            candidates: self.entries.iter().map(|entry| CandidateReport::new(entry, self.bytes)).collect(),
        }
    }
}

impl<'a> CandidateReport<'a> {
    fn new(entry: &'a Entry, bytes: u64) -> Self {
        Self {
            kind: match entry.kind {
                Kind::Ours(_) => "ours",
                Kind::Limit(_) => "limit",
                Kind::Peer { .. } => "peer",
            },
            name: &entry.name,
            threads: entry.threads,
            median_seconds: entry.median(),
            best_seconds: entry.best(),
            gb_per_second: entry.median().map(|median| bytes as f64 / median / 1e9),
            seconds: &entry.seconds,
            verdict: &entry.verdict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of a workload in the summary, where our engine is wrong on one of two numbers of
    /// threads.
    fn cells(wrong: usize) -> Vec<String> {
        let entry = |kind, threads, seconds| Entry {
            seconds,
            extra_memory: Some(7),
            ..Entry::new(kind, "candidate", threads, None)
        };
        let of_count = |number: usize| {
            let seconds = if number == wrong { Vec::new() } else { vec![1.0] };
            let (ours, limit) = (Kind::Ours(number), Kind::Limit(number));
            [entry(ours, number + 1, seconds), entry(limit, number + 1, vec![0.5])]
        };
        let section = Section {
            title: String::new(),
            name: "moe",
            dtype: "f32",
            index: String::new(),
            bytes: 1,
            entries: [0, 1].into_iter().flat_map(of_count).collect(),
        };
        let mut out = Vec::new();
        summary(&[section], &[1, 2], &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        out.lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn where_the_engine_is_wrong_the_summary_has_no_figures_and_keeps_its_columns() {
        assert_eq!(cells(0), ["moe", "-", "-", "-", "-", "1000", "50", "-", "-", "-", "7"]);
        assert_eq!(cells(1), ["moe", "1000", "50", "-", "-", "-", "-", "-", "-", "-", "-"]);
    }
}
