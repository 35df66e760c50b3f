//! What is said of the costs: a table, and JSON.

use core::fmt;

use scatter_kernels::model::{Costs, Counters, SETTINGS, costs};
use serde::Serialize;

use super::Options;
use super::cann::{Absent, Path};
use super::measured::Measured;
use crate::bench::workload::Workload;
use crate::case::Case;

/// A workload with all that is told of it.
#[derive(Debug)]
pub(super) struct Row {
    title: String,
    name: &'static str,
    self_shape: Vec<usize>,
    index_shape: Vec<usize>,
    dtype: &'static str,
    /// Elements that an update goes to, one for each element of index (or of src, where an entry of index names a row).
    elements: u64,
    /// Bytes of GM that a call must move at least.
    bytes: u64,
    ours: Vec<Result<Measured, String>>,
    /// In each setting of the costs.
    cann: Result<[Path; SETTINGS], Absent>,
}

impl Row {
    /// Of a workload's case.
    pub(super) fn new(
        workload: &Workload,
        case: &Case,
        bytes: u64,
        ours: Vec<Result<Measured, String>>,
        cann: Result<[Path; SETTINGS], Absent>,
    ) -> Self {
        let elements = case.src.as_ref().unwrap_or(&case.index).elements() as u64;
        Self {
            title: workload.title(case),
            name: workload.name(),
            self_shape: case.self_.shape.clone(),
            index_shape: case.index.shape.clone(),
            dtype: case.dtype().name(),
            elements,
            bytes,
            ours,
            cann,
        }
    }

    /// Whether a kernel broke a rule or computed something else than the reference.
    pub(super) fn is_failure(&self) -> bool {
        self.ours.iter().any(Result::is_err)
    }

    fn per_element(&self, picoseconds: u64) -> f64 {
        picoseconds as f64 / self.elements as f64
    }
}

/// The widths of the columns behind the path.
const WIDTHS: [usize; 13] = [2, 3, 12, 12, 8, 10, 10, 10, 9, 6, 8, 9, 14];

/// A line of the table.
fn line(path: &str, cells: [String; 13]) -> String {
    let cells = cells.into_iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}"));
    format!("  {path:<11}{}", cells.collect::<String>())
}

/// The head of the columns.
pub(super) fn head() -> String {
    let names = [
        "n",
        "on",
        "loops",
        "scalar",
        "V",
        "MTE2",
        "MTE3",
        "us",
        "ps/elem",
        "of GM",
        "CANN/",
        "hopeful",
        "half, double",
    ];
    line("path", names.map(str::to_owned))
}

/// What the columns are.
pub(super) fn legend(cores: u16) -> String {
    let Costs { megahertz, .. } = costs()[0];
    format!(
        "
* is what the plan takes. n: launches; on: cores that have work; loops: iterations of the scalar
unit; scalar: its accesses to UB; V, MTE2, MTE3: instructions; us: the call on {cores} vector cores of
{megahertz} MHz, launches included; ps/elem: that by the elements that are updated; of GM: the time in
which memory could move what the call must move, by that time without launches; CANN/: CANN's time
divided by ours, in the cautious setting of the costs, in the hopeful one, and in the cautious one with
the scalar unit's costs halved and doubled. Modelled, not measured: see docs/kernels.md.
"
    )
}

/// The title, and a line for each path.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {} elements", self.title, self.elements)?;
        for measured in &self.ours {
            match measured {
                Ok(measured) => writeln!(f, "{}", self.ours(measured))?,
                Err(error) => writeln!(f, "  WRONG: {error}")?,
            }
        }
        match &self.cann {
            Ok(paths) => writeln!(f, "{}", self.cann(paths).trim_end()),
            Err(absent) => writeln!(f, "    CANN      {}", absent.reason()),
        }
    }
}

impl Row {
    fn ours(&self, measured: &Measured) -> String {
        let Measured { algorithm, is_chosen, launches, blocks, counters } = measured;
        let Counters { instructions: [_, v, mte2, mte3], nanoseconds, .. } = counters;
        let [us, each] = self.time(nanoseconds[0] * 1000);
        let [cautious, hopeful, halved, doubled] = self.ratios(counters).map(|ratio| match ratio {
            Some(ratio) => format!("{ratio:.2}"),
            None => "-".to_owned(),
        });
        let name = format!("{}{}", if *is_chosen { "* " } else { "  " }, algorithm.name());
        let counts = [u64::from(*launches), u64::from(*blocks), counters.scalar_iterations, scalar(counters)];
        let [n, on, loops, scalar] = counts.map(|n| n.to_string());
        let [v, mte2, mte3] = [v, mte2, mte3].map(u64::to_string);
        let of_gm = format!("{:.0} %", 100.0 * self.of_gm(measured));
        let scaled = format!("{halved}, {doubled}");
        line(&name, [n, on, loops, scalar, v, mte2, mte3, us, each, of_gm, cautious, hopeful, scaled])
    }

    fn cann(&self, paths: &[Path; SETTINGS]) -> String {
        let Path { kernel, launches, blocks, scalar_accesses, picoseconds, .. } = paths[0];
        let [us, each] = self.time(picoseconds);
        let [n, on, scalar] = [launches.into(), blocks, scalar_accesses].map(|n: u64| n.to_string());
        let none = String::new;
        let name = format!("  {}", kernel.short());
        let unknown = [(); 3].map(|()| "-".to_owned());
        let [v, mte2, mte3] = unknown;
        let (loops, scaled) = ("-".to_owned(), none());
        line(&name, [n, on, loops, scalar, v, mte2, mte3, us, each, none(), none(), none(), scaled])
    }

    /// CANN's time divided by ours, in each setting.
    fn ratios(&self, ours: &Counters) -> [Option<f64>; SETTINGS] {
        let mut ratios = [None; SETTINGS];
        if let Ok(paths) = &self.cann {
            for ((ratio, path), &nanoseconds) in ratios.iter_mut().zip(paths).zip(&ours.nanoseconds) {
                *ratio = Some(path.picoseconds as f64 / (nanoseconds * 1000) as f64);
            }
        }
        ratios
    }

    /// The time in which GM could move what a call must move, by the time of a path beside its launches.
    fn of_gm(&self, measured: &Measured) -> f64 {
        let costs = costs()[0];
        let least = self.bytes as f64 / costs.bandwidth(self.bytes) as f64;
        let launches = u64::from(measured.launches) * costs.launch_nanoseconds;
        least / measured.counters.nanoseconds[0].saturating_sub(launches).max(1) as f64
    }

    /// Microseconds, and picoseconds for each element.
    fn time(&self, picoseconds: u64) -> [String; 2] {
        [format!("{:.1}", picoseconds as f64 / 1e6), format!("{:.1}", self.per_element(picoseconds))]
    }
}

/// Scalar accesses to UB.
const fn scalar(counters: &Counters) -> u64 {
    counters.ub_scalar_reads + counters.ub_scalar_writes
}

/// The whole of `--json`. What the figures do not depend on is not in it.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    /// What the figures are.
    what: &'static str,
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
    /// In each setting of the costs.
    cann: Option<[Cann; SETTINGS]>,
    /// Why there is nothing of CANN's.
    no_cann: Option<String>,
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
    /// In each setting of the costs, as is all below.
    millicycles: [u64; SETTINGS],
    nanoseconds: [u64; SETTINGS],
    /// In the cautious setting.
    picoseconds_per_element: f64,
    of_gm_limit: f64,
    cann_by_ours: [Option<f64>; SETTINGS],
}

#[derive(Debug, Serialize)]
struct Pipe {
    instructions: u64,
    repeats: u64,
    bytes: u64,
    busy_millicycles: u64,
}

#[derive(Debug, Serialize)]
struct Cann {
    #[serde(flatten)]
    path: Path,
    picoseconds_per_element: f64,
}

impl<'a> Report<'a> {
    /// Of these rows.
    pub(super) fn new(options: &Options, rows: &'a [Row]) -> Self {
        let Costs { megahertz, .. } = costs()[0];
        let (cores, scale) = (options.cores.into(), options.scale);
        let what = "modelled by the host model of Ascend C; nothing is a measurement of a device";
        let settings = costs().map(|costs| costs.name().to_owned());
        Self { what, settings, cores, megahertz, scale, workloads: rows.iter().map(Row::json).collect() }
    }
}

impl Row {
    fn json(&self) -> WorkloadJson<'_> {
        let ours = self.ours.iter().flatten().map(|measured| {
            let Measured { algorithm, is_chosen, launches, blocks, counters } = *measured;
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
                of_gm_limit: self.of_gm(measured),
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
            errors: self.ours.iter().filter_map(|ours| ours.as_ref().err()).map(String::as_str).collect(),
            cann: self.cann.ok().map(|paths| {
                paths.map(|path| Cann { path, picoseconds_per_element: self.per_element(path.picoseconds) })
            }),
            no_cann: self.cann.err().map(Absent::reason),
        }
    }
}
