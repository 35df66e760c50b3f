//! `conformance bench --growth`: how the cost of an update grows with each size while the others
//! are fixed.

use std::io::Write;

use engines::Exit;
use engines::report_file::ReportFile;
use engines::usage::UsageError;
use serde::Serialize;

use super::measure::median_seconds;
use super::peers::{Ours, Verdict, counts};
use super::workload::Workload;
use super::{Known, Options};

/// A sum of rows of f32, whose targets are drawn evenly among the first `distinct` of `rows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    rows: usize,
    width: usize,
    updates: usize,
    distinct: usize,
}

impl Point {
    /// The same with `divisor` times fewer rows, updates and distinct rows.
    fn divided(self, divisor: usize) -> Self {
        let [rows, updates, distinct] =
            [self.rows, self.updates, self.distinct].map(|count| (count / divisor).max(1));
        Self { rows, updates, distinct, ..self }
    }
}

/// The sizes while another one is varied; rows and width are those of the workload `graph`.
const BASE: Point = Point { rows: 200_000, width: 64, updates: 1 << 20, distinct: 200_000 };

/// A size that is varied, its values, the workload for each value, and the size of a workload.
struct Sweep {
    name: &'static str,
    values: &'static [usize],
    point: fn(usize) -> Point,
    size: fn(&Point) -> usize,
}

const SWEEPS: [Sweep; 4] = [
    Sweep {
        name: "updates",
        values: &[1 << 4, 1 << 7, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 21],
        point: |updates| Point { updates, ..BASE },
        size: |point| point.updates,
    },
    Sweep {
        name: "rows of self",
        values: &[1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20],
        point: |rows| Point { rows, distinct: rows, ..BASE },
        size: |point| point.rows,
    },
    Sweep {
        name: "elements of a row",
        values: &[1, 4, 16, 64, 256, 1024, 4096],
        // The number of elements stays the same whatever the width of a row.
        point: |width| {
            let of = |elements: usize| elements / width;
            Point { rows: of(1 << 24), width, updates: of(1 << 24), distinct: of(1 << 24) }
        },
        size: |point| point.width,
    },
    Sweep {
        name: "distinct rows",
        values: &[1, 4, 16, 64, 256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 200_000],
        point: |distinct| Point { distinct, ..BASE },
        size: |point| point.distinct,
    },
];

/// The measurement at one value of a sweep.
#[derive(Debug, Serialize)]
struct Measured {
    sweep: &'static str,
    /// The size that is varied, divided by `--scale` like the others (but for the elements of a
    /// row).
    value: usize,
    rows: usize,
    width: usize,
    updates: usize,
    bytes: u64,
    #[serde(flatten)]
    timed: Timed,
}

/// The time on a number of threads, and the verdict on the last result.
#[derive(Debug, Serialize)]
struct Timed {
    threads: usize,
    median_seconds: f64,
    #[serde(flatten)]
    verdict: Verdict,
}

/// The whole file of `--json`.
#[derive(Debug, Serialize)]
struct Report<'a> {
    seed: u64,
    scale: u32,
    repeats: u16,
    growth: &'a [Measured],
}

/// Measures all sweeps with our engine.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit, UsageError> {
    let json = options.json.as_deref().map(ReportFile::create).transpose()?;
    let mut measured = Vec::new();
    for sweep in &SWEEPS {
        writeln!(
            out,
            "{:<20}{:>8}{:>12}{:>14}{:>8}",
            sweep.name, "threads", "median ms", "ns / update", "GB/s"
        )?;
        for &value in sweep.values {
            let start = measured.len();
            measure(sweep, value, options, &mut measured)?;
            for Measured { value, updates, bytes, timed, .. } in &measured[start..] {
                let Timed { threads, median_seconds: seconds, verdict } = timed;
                let (each, rate) = (seconds * 1e9 / *updates as f64, *bytes as f64 / seconds / 1e9);
                write!(out, "{value:<20}{threads:>8}{:>12.3}{each:>14.2}{rate:>8.2}", seconds * 1e3)?;
                match verdict {
                    Verdict::Wrong { what } => writeln!(out, "   WRONG: {what}")?,
                    _ => writeln!(out)?,
                }
            }
            out.flush()?;
        }
        writeln!(out)?;
    }
    if let Some(file) = json {
        let Options { seed, scale, repeats, .. } = *options;
        file.write_json(&Report { seed, scale, repeats, growth: &measured })?;
    }
    Ok(ended(&measured))
}

/// How measurements with these results end.
fn ended(measured: &[Measured]) -> Exit {
    let is_wrong = measured.iter().any(|measured| measured.timed.verdict.is_wrong());
    if is_wrong { Exit::Different } else { Exit::Same }
}

fn measure(
    sweep: &Sweep,
    value: usize,
    options: &Options,
    measured: &mut Vec<Measured>,
) -> Result<(), UsageError> {
    let point = (sweep.point)(value).divided(options.scale as usize);
    let Point { rows, width, updates, distinct } = point;
    let known = Known::new(Workload::rows(rows, width, updates, distinct).draw(options.seed)?)?;
    let (value, bytes) = ((sweep.size)(&point), known.bytes);
    let of = |timed| Measured { sweep: sweep.name, value, rows, width, updates, bytes, timed };
    let timed = timed(&known, &counts(options.engines.threads()), options.repeats)?;
    measured.extend(timed.into_iter().map(of));
    Ok(())
}

/// Times the call on these numbers of threads by turns, and compares the last result of each.
fn timed(known: &Known, counts: &[usize], repeats: u16) -> Result<Vec<Timed>, UsageError> {
    let engines = counts.iter().map(|&threads| Ours::new(&known.case, threads));
    let mut engines = engines.collect::<Result<Vec<_>, _>>()?;
    let mut times = vec![Vec::new(); counts.len()];
    // The first round warms up.
    for round in 0..=repeats {
        for (engine, times) in engines.iter_mut().zip(&mut times) {
            let time = engine.time(&known.case, 1)?;
            if round > 0 {
                times.push(time);
            }
        }
    }
    let of = |((&threads, engine), times): ((&usize, &Ours), &Vec<_>)| Timed {
        threads,
        median_seconds: median_seconds(times),
        verdict: engine.verdict(&known.expected),
    };
    Ok(counts.iter().zip(&engines).zip(&times).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_result_is_a_failure() {
        let [rows, width, updates] = [8, 4, 16];
        let measured = |known: &Known| {
            let of =
                |timed| Measured { sweep: "updates", value: updates, rows, width, updates, bytes: 1, timed };
            timed(known, &[1, 2], 1).unwrap().into_iter().map(of).collect::<Vec<_>>()
        };
        let workload = Workload::rows(rows, width, updates, rows);
        let mut known = Known::new(workload.draw(1).unwrap()).unwrap();
        let right = measured(&known);
        assert!(right.iter().all(|right| right.timed.verdict == Verdict::Equal), "{right:?}");
        assert_eq!(ended(&right), Exit::Same);
        known.expected.storage.bytes_mut()[0] ^= 1;
        let mut wrong = measured(&known);
        assert!(wrong.iter().all(|wrong| wrong.timed.verdict.is_wrong()), "{wrong:?}");
        // One is enough.
        wrong.extend(right);
        assert_eq!(ended(&wrong), Exit::Different);
    }

    #[test]
    fn a_sweep_varies_one_size() {
        for sweep in &SWEEPS {
            let points: Vec<_> = sweep.values.iter().map(|&value| (sweep.point)(value)).collect();
            assert!(points.iter().map(sweep.size).eq(sweep.values.iter().copied()), "{}", sweep.name);
            for point in points.iter().flat_map(|point| [1, 7, 1 << 30].map(|scale| point.divided(scale))) {
                assert!(point.distinct <= point.rows && point.distinct > 0, "{point:?}");
            }
            assert!(points.windows(2).all(|pair| pair[0] != pair[1]), "{}", sweep.name);
        }
    }
}
