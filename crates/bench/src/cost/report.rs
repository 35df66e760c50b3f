//! Reports of the costs: the table here, Markdown and JSON in further files.

pub(super) mod json;
pub(super) mod markdown;

use core::fmt;

use engines::case::Case;
use scatter_kernels::Algorithm;
use scatter_kernels::model::{Costs, Counters, SETTINGS, costs};
use scatter_kernels::plan::Unsupported;

use super::bars::{Figures, Verdict, verdicts};
use super::cann::{Absent, Path};
use super::measured::Measured;
use crate::workload::Workload;

/// A workload with everything that is reported of it.
#[derive(Debug)]
pub(super) struct Row {
    title: String,
    name: &'static str,
    self_shape: Vec<usize>,
    index_shape: Vec<usize>,
    dtype: &'static str,
    /// The number of element updates: the elements of index (or of src, where an entry of index
    /// names a row).
    elements: u64,
    /// The bytes of GM that every implementation of the call must move.
    bytes: u64,
    ours: Vec<Result<Measured, String>>,
    /// The algorithms that were asked for by name and can't compute it, and why.
    absent: Vec<(Algorithm, Unsupported)>,
    /// CANN's path in each setting of the costs.
    cann: Result<[Path; SETTINGS], Absent>,
    /// The verdicts on the algorithm that the plan chooses.
    verdicts: Vec<Verdict>,
}

impl Row {
    /// The row of a workload's case.
    pub(super) fn new(
        workload: &Workload,
        case: &Case,
        bytes: u64,
        ours: Vec<Result<Measured, String>>,
        absent: Vec<(Algorithm, Unsupported)>,
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
            absent,
            cann,
            verdicts: Vec::new(),
        }
    }

    /// Applies the bars for this scale. `in_f32` is the row of the same workload in f32.
    pub(super) fn judge(&mut self, scale: u32, in_f32: Option<&Self>) {
        let in_f32 = in_f32.and_then(|row| Some(row.chosen()?.counters.nanoseconds));
        let figures = self.chosen().map(|measured| Figures { in_f32, ..self.figures(measured) });
        self.verdicts = figures.map(|figures| verdicts(self.name, scale, &figures)).unwrap_or_default();
    }

    /// The workload's name.
    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    /// The algorithm that the plan chooses, if it was run.
    pub(super) fn chosen(&self) -> Option<&Measured> {
        self.ours.iter().flatten().find(|measured| measured.is_chosen)
    }

    /// CANN's time divided by that of the chosen algorithm, in the cautious setting.
    pub(super) fn chosen_ratio(&self) -> Option<f64> {
        self.ratios(&self.chosen()?.counters).map(|[cautious, ..]| cautious)
    }

    /// The bars that it misses.
    fn missed(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| verdict.is_missed())
    }

    /// The algorithms that can't compute it, each with the reason; `None` where one was to be run.
    pub(super) fn not_applicable(&self) -> Option<Vec<(String, String)>> {
        let reason = |(algorithm, why): &(Algorithm, Unsupported)| {
            (format!("the kernels by {}", algorithm.name()), why.to_string())
        };
        self.ours.is_empty().then(|| self.absent.iter().map(reason).collect())
    }

    /// Errors: calls that the plan refuses, wrong results, and rules that kernels broke.
    pub(super) fn errors(&self) -> impl Iterator<Item = &str> {
        self.ours.iter().filter_map(|ours| ours.as_ref().err()).map(String::as_str)
    }

    /// Whether the plan refuses the call, a kernel broke a rule, or its result differs from the
    /// reference.
    pub(super) fn is_failure(&self) -> bool {
        self.ours.iter().any(Result::is_err)
    }

    fn per_element(&self, picoseconds: u64) -> f64 {
        picoseconds as f64 / self.elements as f64
    }
}

/// The widths of the columns after the path.
const WIDTHS: [usize; 13] = [2, 3, 12, 12, 8, 10, 10, 10, 9, 6, 8, 9, 14];

/// A line of the table.
fn line(path: &str, cells: [String; 13]) -> String {
    let cells = cells.into_iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}"));
    format!("  {path:<11}{}", cells.collect::<String>())
}

/// The heading of the columns.
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

/// The explanation of the columns.
pub(super) fn legend(cores: u16) -> String {
    let Costs { megahertz, .. } = costs()[0];
    format!(
        "
* is what the plan takes. n: launches; on: cores that have work; loops: iterations of the scalar
unit; scalar: its accesses to UB; V, MTE2, MTE3: instructions; us: the call on {cores} vector cores of
{megahertz} MHz, launches included; ps/elem: that by the elements that are updated; of GM: the time in
which memory could move what the call must move, by that time without launches; CANN/: CANN's time
divided by ours, in the cautious setting of the costs, in the hopeful one, and in the cautious one with
the scalar unit's costs halved and doubled. Modelled, not measured: see docs/kernels/cost.md.
"
    )
}

/// How many workloads reach their bars; empty if no bar applies.
pub(super) fn bars(rows: &[Row]) -> String {
    let held = || rows.iter().filter(|row| !row.verdicts.is_empty());
    let (all, reached) = (held().count(), held().filter(|row| row.missed().next().is_none()).count());
    if all == 0 {
        return String::new();
    }
    format!(
        "
MISSED: what the plan takes doesn't reach a bar: its busiest pipe, and how much of the longest core's
time that works on the average of all cores, or GM where the bandwidth of all decides; then the bar,
and its figure in the settings' order. {reached} of {all} workloads reach their bars.
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
        for (algorithm, why) in &self.absent {
            writeln!(f, "    {:<9} not applicable: {why}", algorithm.name())?;
        }
        match &self.cann {
            Ok(paths) => writeln!(f, "{}", self.cann(paths).trim_end())?,
            Err(absent) => writeln!(f, "    CANN      {}", absent.reason())?,
        }
        for verdict in self.verdicts.iter().filter(|verdict| verdict.holds().contains(&false)) {
            let told = if verdict.is_missed() { "MISSED" } else { "not in every setting" };
            let limit = self.chosen().map_or_else(String::new, |measured| measured.limit.to_string());
            writeln!(f, "    {told}, {limit}: {}: {}", verdict.need(), verdict.figures().join(", "))?;
        }
        Ok(())
    }
}

impl Row {
    fn ours(&self, measured: &Measured) -> String {
        let Measured { algorithm, is_chosen, launches, blocks, counters, .. } = measured;
        let Counters { instructions: [_, v, mte2, mte3], nanoseconds, .. } = counters;
        let [us, each] = self.time(nanoseconds[0] * 1000);
        let [cautious, hopeful, halved, doubled] = self.ratio_cells(counters);
        let name = format!("{}{}", if *is_chosen { "* " } else { "  " }, algorithm.name());
        let counts = [u64::from(*launches), u64::from(*blocks), counters.scalar_iterations, scalar(counters)];
        let [n, on, loops, scalar] = counts.map(|n| n.to_string());
        let [v, mte2, mte3] = [v, mte2, mte3].map(u64::to_string);
        let of_gm = format!("{:.0} %", 100.0 * self.of_gm(measured)[0]);
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
    pub(super) fn ratios(&self, ours: &Counters) -> Option<[f64; SETTINGS]> {
        let paths = self.cann.as_ref().ok()?;
        let ratio = |at: usize| paths[at].picoseconds as f64 / (ours.nanoseconds[at] * 1000) as f64;
        Some(core::array::from_fn(ratio))
    }

    /// [`Self::ratios`] as text.
    fn ratio_cells(&self, ours: &Counters) -> [String; SETTINGS] {
        let ratios = self.ratios(ours);
        core::array::from_fn(|at| ratios.map_or("-".to_owned(), |ratios| format!("{:.2}", ratios[at])))
    }

    /// The time that GM needs for the bytes that a call must move, divided by the call's time
    /// without launches.
    fn of_gm(&self, measured: &Measured) -> [f64; SETTINGS] {
        let costs = costs()[0];
        let least = self.bytes as f64 / costs.bandwidth(self.bytes) as f64;
        let launches = u64::from(measured.launches) * costs.launch_nanoseconds;
        measured.counters.nanoseconds.map(|all| least / all.saturating_sub(launches).max(1) as f64)
    }

    /// The figures for the bars, without the time in f32.
    fn figures(&self, measured: &Measured) -> Figures {
        let nanoseconds = measured.counters.nanoseconds;
        Figures {
            nanoseconds,
            per_element: nanoseconds.map(|all| self.per_element(all * 1000)),
            of_gm: self.of_gm(measured),
            ratios: self.ratios(&measured.counters),
            in_f32: None,
        }
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
