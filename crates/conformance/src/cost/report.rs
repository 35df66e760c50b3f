//! What is said of the costs: a table, and JSON.

use core::fmt;

use scatter_kernels::model::{Costs, Counters, costs};
use serde::Serialize;

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
    ours: Vec<Result<Measured, String>>,
    cann: Result<Path, Absent>,
}

impl Row {
    /// Of a workload's case.
    pub(super) fn new(
        workload: &Workload,
        case: &Case,
        ours: Vec<Result<Measured, String>>,
        cann: Result<Path, Absent>,
    ) -> Self {
        let elements = case.src.as_ref().unwrap_or(&case.index).elements() as u64;
        Self {
            title: workload.title(case),
            name: workload.name(),
            self_shape: case.self_.shape.clone(),
            index_shape: case.index.shape.clone(),
            dtype: case.dtype().name(),
            elements,
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
const WIDTHS: [usize; 12] = [2, 5, 11, 8, 11, 10, 11, 10, 11, 10, 10, 7];

/// A line of the table.
fn line(path: &str, cells: [String; 12]) -> String {
    let cells = cells.into_iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}"));
    format!("  {path:<12}{}", cells.collect::<String>())
}

/// The head of the columns.
pub(super) fn head() -> String {
    let names =
        ["n", "on", "scalar", "V", "bytes", "MTE2", "bytes", "MTE3", "bytes", "us", "ps/elem", "CANN/"];
    line("path", names.map(str::to_owned))
}

/// What the columns are.
pub(super) fn legend() -> String {
    let Costs { cores, megahertz, .. } = costs();
    format!(
        "
* is what the plan takes. n: launches; on: cores that have work; scalar: accesses to UB; V, MTE2, MTE3: instructions, and
the bytes that they write or move; us: the call on {cores} vector cores of {megahertz} MHz; ps/elem: that by the elements
that are updated; CANN/: CANN's time divided by it. Modelled, not measured: see docs/kernels.md.
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
            Ok(path) => writeln!(f, "{}", self.cann(path).trim_end()),
            Err(absent) => writeln!(f, "    CANN      {}", absent.reason()),
        }
    }
}

impl Row {
    fn ours(&self, measured: &Measured) -> String {
        let Measured { algorithm, is_chosen, launches, blocks, counters } = measured;
        let Counters { instructions: [_, v, mte2, mte3], bytes: [_, vector, read, written], .. } = counters;
        let picoseconds = counters.nanoseconds * 1000;
        let [us, each] = self.time(picoseconds);
        let ratio = self.cann.map(|path| format!("{:.2}", path.picoseconds as f64 / picoseconds as f64));
        let [n, on, scalar] =
            [u64::from(*launches), u64::from(*blocks), scalar(counters)].map(|n| n.to_string());
        let [v, vector, mte2, read, mte3, written] =
            [v, vector, mte2, read, mte3, written].map(u64::to_string);
        let name = format!("{}{}", if *is_chosen { "* " } else { "  " }, algorithm.name());
        let ratio = ratio.unwrap_or_else(|_| "-".to_owned());
        line(&name, [n, on, scalar, v, vector, mte2, read, mte3, written, us, each, ratio])
    }

    fn cann(&self, path: &Path) -> String {
        let Path { kernel, launches, blocks, scalar_accesses, read_bytes, written_bytes, picoseconds } =
            *path;
        let [us, each] = self.time(picoseconds);
        let [n, on, scalar, read, written] =
            [launches.into(), blocks, scalar_accesses, read_bytes, written_bytes].map(|n: u64| n.to_string());
        let unknown = || "-".to_owned();
        let name = format!("  {}", kernel.short());
        let (v, vector, mte2, mte3) = (unknown(), unknown(), unknown(), unknown());
        line(&name, [n, on, scalar, v, vector, mte2, read, mte3, written, us, each, String::new()])
    }

    /// Microseconds, and picoseconds for each element.
    fn time(&self, picoseconds: u64) -> [String; 2] {
        [format!("{:.1}", picoseconds as f64 / 1e6), format!("{:.2}", self.per_element(picoseconds))]
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
    cann: Option<Cann>,
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
    flags: u64,
    barriers: u64,
    vector: Pipe,
    mte2: Pipe,
    mte3: Pipe,
    millicycles: u64,
    nanoseconds: u64,
    picoseconds_per_element: f64,
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
    pub(super) fn new(scale: u32, rows: &'a [Row]) -> Self {
        let Costs { cores, megahertz, .. } = costs();
        let what = "modelled by the host model of Ascend C; nothing is a measurement of a device";
        Self { what, cores, megahertz, scale, workloads: rows.iter().map(Row::json).collect() }
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
                flags: counters.flags,
                barriers: counters.barriers,
                vector: pipe(1),
                mte2: pipe(2),
                mte3: pipe(3),
                millicycles: counters.millicycles,
                nanoseconds: counters.nanoseconds,
                picoseconds_per_element: self.per_element(counters.nanoseconds * 1000),
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
            cann: self
                .cann
                .ok()
                .map(|path| Cann { path, picoseconds_per_element: self.per_element(path.picoseconds) }),
            no_cann: self.cann.err().map(Absent::reason),
        }
    }
}
