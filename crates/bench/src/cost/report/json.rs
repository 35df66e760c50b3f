//! `--json`: the whole report, with the counters.

use scatter_kernels::model::{Costs, SETTINGS, costs};
use serde::Serialize;

use super::Row;
use crate::cost::Options;
use crate::cost::bars::Verdict;
use crate::cost::cann::{Absent, Path};
use crate::cost::measured::Measured;

/// The whole file. It contains nothing that the figures don't depend on.
#[derive(Debug, Serialize)]
pub(in crate::cost) struct Report<'a> {
    /// A description of the figures.
    what: &'static str,
    /// The device report whose constants replace the frozen ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<String>,
    settings: [String; SETTINGS],
    cores: u64,
    megahertz: u64,
    scale: u32,
    workloads: Vec<WorkloadJson<'a>>,
}

#[derive(Debug, Serialize)]
struct WorkloadJson<'a> {
    workload: &'a str,
    self_shape: &'a [usize],
    index_shape: &'a [usize],
    dtype: &'a str,
    elements: u64,
    ours: Vec<Ours>,
    errors: Vec<&'a str>,
    /// CANN's path in each setting of the costs.
    cann: Option<[Cann; SETTINGS]>,
    /// Why CANN's path is missing; `None` where it isn't.
    no_cann: Option<String>,
    bars: Vec<Bar>,
}

/// An algorithm of ours.
#[derive(Debug, Serialize)]
struct Ours {
    algorithm: &'static str,
    chosen: bool,
    launches: u32,
    blocks: u32,
    ub_scalar_reads: u64,
    ub_scalar_writes: u64,
    gm_scalar_reads: u64,
    scalar_iterations: u64,
    scalar_blocks: u64,
    flags: u64,
    barriers: u64,
    vector: Pipe,
    mte2: Pipe,
    mte3: Pipe,
    /// Like all fields below, in each setting of the costs, unless stated otherwise.
    millicycles: [u64; SETTINGS],
    nanoseconds: [u64; SETTINGS],
    /// In the cautious setting.
    picoseconds_per_element: f64,
    of_gm_limit: f64,
    /// In the cautious setting.
    limit: String,
    cann_by_ours: Option<[f64; SETTINGS]>,
}

#[derive(Debug, Serialize)]
struct Pipe {
    instructions: u64,
    repeats: u64,
    bytes: u64,
    busy_millicycles: u64,
}

/// A bar for the algorithm that the plan chooses.
#[derive(Debug, Serialize)]
struct Bar {
    need: String,
    missed: bool,
    /// In each setting of the costs.
    figures: [String; SETTINGS],
    holds: [bool; SETTINGS],
}

#[derive(Debug, Serialize)]
struct Cann {
    #[serde(flatten)]
    path: Path,
    picoseconds_per_element: f64,
}

impl<'a> Report<'a> {
    /// The report of these rows.
    pub(in crate::cost) fn new(options: &Options, rows: &'a [Row]) -> Self {
        let Costs { megahertz, .. } = costs()[0];
        let (cores, scale) = (options.cores.into(), options.scale);
        let what = "modelled by the host model of Ascend C; nothing is a measurement of a device";
        let settings = costs().map(|costs| costs.name().to_owned());
        let calibrated = options.calibrate.as_ref().map(|file| file.display().to_string());
        let workloads = rows.iter().map(Row::json).collect();
        Self { what, calibrated, settings, cores, megahertz, scale, workloads }
    }
}

impl Row {
    fn json(&self) -> WorkloadJson<'_> {
        let ours = self.ours.iter().flatten().map(|measured| {
            let Measured { algorithm, is_chosen, launches, blocks, counters, limit } = *measured;
            let pipe = |at: usize| Pipe {
                instructions: counters.instructions[at],
                repeats: counters.repeats[at],
                bytes: counters.bytes[at],
                busy_millicycles: counters.busy_millicycles[at],
            };
            Ours {
                algorithm: algorithm.name(),
                chosen: is_chosen,
                launches,
                blocks,
                ub_scalar_reads: counters.ub_scalar_reads,
                ub_scalar_writes: counters.ub_scalar_writes,
                gm_scalar_reads: counters.gm_scalar_reads,
                scalar_iterations: counters.scalar_iterations,
                scalar_blocks: counters.scalar_blocks,
                flags: counters.flags,
                barriers: counters.barriers,
                vector: pipe(1),
                mte2: pipe(2),
                mte3: pipe(3),
                millicycles: counters.millicycles,
                nanoseconds: counters.nanoseconds,
                picoseconds_per_element: self.per_element(counters.nanoseconds[0] * 1000),
                of_gm_limit: self.of_gm(measured)[0],
                limit: limit.to_string(),
                cann_by_ours: self.ratios(&counters),
            }
        });
        WorkloadJson {
            workload: self.name,
            self_shape: &self.self_shape,
            index_shape: &self.index_shape,
            dtype: self.dtype,
            elements: self.elements,
            ours: ours.collect(),
            errors: self.errors().collect(),
            cann: self.cann.ok().map(|paths| {
                paths.map(|path| Cann { path, picoseconds_per_element: self.per_element(path.picoseconds) })
            }),
            no_cann: self.cann.err().map(Absent::reason),
            bars: self.verdicts.iter().map(Bar::of).collect(),
        }
    }
}

impl Bar {
    fn of(verdict: &Verdict) -> Self {
        let (need, missed, figures) = (verdict.need(), verdict.is_missed(), verdict.figures());
        Self { need, missed, figures, holds: *verdict.holds() }
    }
}
