//! `conformance bench --growth`: how the cost of an update grows with each size while the others
//! are fixed.

use std::io::Write;

use engines::Exit;
use engines::report_file::ReportFile;
use engines::usage::UsageError;
use serde::Serialize;

use super::measure::median_seconds;
use super::peers::{Ours, counts};
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

/// The sizes while another one is varied; rows and width are those of the workload `graph`.
const BASE: Point = Point { rows: 200_000, width: 64, updates: 1 << 20, distinct: 200_000 };

/// A size that is varied, its values, and the workload for each value.
struct Sweep {
    name: &'static str,
    values: &'static [usize],
    point: fn(usize) -> Point,
}

const SWEEPS: [Sweep; 4] = [
    Sweep {
        name: "updates",
        values: &[1 << 4, 1 << 7, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 21],
        point: |updates| Point { updates, ..BASE },
    },
    Sweep {
        name: "rows of self",
        values: &[1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20],
        point: |rows| Point { rows, distinct: rows, ..BASE },
    },
    Sweep {
        name: "elements of a row",
        values: &[1, 4, 16, 64, 256, 1024, 4096],
        // The number of elements stays the same whatever the width of a row.
        point: |width| {
            let of = |elements: usize| elements / width;
            Point { rows: of(1 << 24), width, updates: of(1 << 24), distinct: of(1 << 24) }
        },
    },
    Sweep {
        name: "distinct rows",
        values: &[1, 4, 16, 64, 256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 200_000],
        point: |distinct| Point { distinct, ..BASE },
    },
];

/// The measurement at one value of a sweep.
#[derive(Debug, Serialize)]
struct Measured {
    sweep: &'static str,
    value: usize,
    rows: usize,
    width: usize,
    updates: usize,
    bytes: u64,
    threads: usize,
    median_seconds: f64,
}

/// The whole file of `--json`.
#[derive(Debug, Serialize)]
struct Report<'a> {
    seed: u64,
    scale: u32,
    repeats: u16,
    growth: &'a [Measured],
}

/// Measures all sweeps with our engine, alternating between one thread and all threads.
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
            for Measured { threads, updates, bytes, median_seconds: seconds, .. } in &measured[start..] {
                let (each, rate) = (seconds * 1e9 / *updates as f64, *bytes as f64 / seconds / 1e9);
                writeln!(out, "{value:<20}{threads:>8}{:>12.3}{each:>14.2}{rate:>8.2}", seconds * 1e3)?;
            }
            out.flush()?;
        }
        writeln!(out)?;
    }
    if let Some(file) = json {
        let Options { seed, scale, repeats, .. } = *options;
        file.write_json(&Report { seed, scale, repeats, growth: &measured })?;
    }
    Ok(Exit::Same)
}

fn measure(
    sweep: &Sweep,
    value: usize,
    options: &Options,
    measured: &mut Vec<Measured>,
) -> Result<(), UsageError> {
    let Point { rows, width, updates, distinct } = (sweep.point)(value);
    let workload = Workload::rows(rows, width, updates, distinct).divided(options.scale as usize);
    let known = Known::new(workload.draw(options.seed)?)?;
    let (shape, updates) = (&known.before.shape, known.case.index.shape[0]);
    let counts = counts(options.engines.threads());
    let engines = counts.iter().map(|&threads| Ours::new(&known.case, threads));
    let mut engines = engines.collect::<Result<Vec<_>, _>>()?;
    let mut times = vec![Vec::new(); counts.len()];
    // The first round warms up.
    for round in 0..=options.repeats {
        for (engine, times) in engines.iter_mut().zip(&mut times) {
            let time = engine.time(&known.case, 1)?;
            if round > 0 {
                times.push(time);
            }
        }
    }
    let of = |(&threads, times): (&usize, &Vec<_>)| Measured {
        sweep: sweep.name,
        value,
        rows: shape[0],
        width: shape[1],
        updates,
        bytes: known.bytes,
        threads,
        median_seconds: median_seconds(times),
    };
    measured.extend(counts.iter().zip(&times).map(of));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_varies_one_size() {
        for sweep in &SWEEPS {
            let points: Vec<_> = sweep.values.iter().map(|&value| (sweep.point)(value)).collect();
            assert!(
                points.iter().all(|point| point.distinct <= point.rows && point.distinct > 0),
                "{}",
                sweep.name
            );
            assert!(points.windows(2).all(|pair| pair[0] != pair[1]), "{}", sweep.name);
        }
    }
}
