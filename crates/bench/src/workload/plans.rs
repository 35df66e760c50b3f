//! Tests that the CPU engine chooses the intended plan for each workload, which results can't show.
//! For one and two threads it is the plan that was measured to be the fastest; the plans for more
//! threads are not measured. Change the tables when a faster plan is found.

use scatter::cpu::internals::Pattern::{self, *};
use scatter::cpu::internals::{Limits, Machine, Outline, outline};
use scatter::{DType, Layout, Operand, Problem};

use super::{RowIndex, Shape, Update, Workload};

/// The numbers of threads, for the columns of the tables.
const THREADS: [usize; 5] = [1, 2, 8, 32, 128];

/// Cases that no workload has: a line longer than that of `bins`, and one with few updates.
const OTHERS: [Workload; 2] =
    [line("long-f32", DType::F32, 1 << 23, 1 << 24), line("few-f16", DType::F16, 1 << 23, 1 << 18)];

const fn line(name: &'static str, dtype: DType, size: usize, updates: usize) -> Workload {
    Workload { name, dtype, index: DType::I64, shape: Shape::Line { update: Update::Add, size, updates } }
}

/// The workloads, and the other cases.
fn workloads() -> impl Iterator<Item = &'static Workload> {
    Workload::of_cpus().chain(&OTHERS)
}

impl Workload {
    /// The problem of the call, without data.
    fn problem(&self) -> Problem {
        let operand = |dtype: DType, shape: &[usize], strides: Option<&[isize]>, address| {
            let len = shape.iter().product();
            let layout = match strides {
                Some(strides) => Layout::new(shape, strides, 0, len),
                None => Layout::contiguous(shape, len),
            };
            Operand { dtype: Ok(dtype), layout, address }
        };
        let (self_, src) = self.shapes();
        let index = match self.shape {
            Shape::Rows { index: RowIndex::OneAxis, updates, .. } => {
                operand(self.index, &[updates], None, 1 << 50)
            }
            // For an expanded index and for a full one, because rows of a full index are found to
            // be constant.
            Shape::Rows { width, updates, .. } => {
                operand(self.index, &[updates, width], Some(&[1, 0]), 1 << 50)
            }
            Shape::Elements { index, .. } => operand(self.index, &index, None, 1 << 50),
            Shape::Line { updates, .. } => operand(self.index, &[updates], None, 1 << 50),
            Shape::Pairs { updates, .. } => operand(self.index, &[updates, 2], None, 1 << 50),
            Shape::Cache(_) => unreachable!("caches are only modelled"),
        };
        let self_ = operand(self.dtype, &self_, None, 1 << 40);
        let src = src.map(|src| operand(self.dtype, &src, None, 1 << 60));
        let out = match (self.gathers(), index.layout) {
            (true, Ok(index)) => operand(self.dtype, index.shape(), None, 1 << 60),
            _ => self_,
        };
        Problem::new(self.op(), &self_, &index, src.as_ref(), &out).unwrap()
    }

    /// The plans for [`THREADS`].
    fn plans(&self) -> [Outline; 5] {
        let problem = self.problem();
        THREADS.map(|threads| outline(&problem, Machine::with_threads(threads), &Limits::default()).unwrap())
    }
}

/// Workloads, and their plans for [`THREADS`].
const PLANS: [(&[&str], [Pattern; 5]); 15] = [
    // Where each thread gets at least 512 bytes of a row, the columns are shared among threads.
    (
        &[
            "embedding",
            "embedding-full",
            "embedding-i64",
            "embedding-i64-full",
            "embedding-complex64",
            "embedding-complex64-full",
            "index-add",
            "index-add-alpha",
            "embedding-backward",
        ],
        [Rows, Rows, RowBuckets, RowBuckets, RowBuckets],
    ),
    // Shorter rows, which in total have too few bytes for a partition on two threads.
    (
        &["embedding-i8", "embedding-i8-full", "embedding-bool", "embedding-bool-full"],
        [Rows, Rows, RowBuckets, RowBuckets, RowBuckets],
    ),
    (
        &["graph", "edges", "edges-full", "pairs", "onnx-28584", "index-put-rows"],
        [Rows, RowRanges, RowBuckets, RowBuckets, RowBuckets],
    ),
    // Long rows with several updates each, or that need accumulators.
    (
        &[
            "moe",
            "moe-full",
            "moe-f16",
            "moe-f16-full",
            "moe-f32",
            "moe-f32-full",
            "index-add-bf16",
            "index-add-bf16-alpha",
            "index-add-f16-alpha",
            "embedding-backward-bf16",
        ],
        [RowBuckets; 5],
    ),
    (
        &["dim1", "dim1-index32", "value", "multiply", "replace", "dim1-i64", "dim1-complex64", "small"],
        [Lines; 5],
    ),
    (&["top-two", "top-eight", "top-eight-f16"], [Lines; 5]),
    // No element has more than one update.
    (&["one-hot", "one-each-bf16"], [Sweep; 5]),
    (&["dim1-i8", "dim1-bool"], [LineCopy; 5]),
    // In a near cache an update is as fast as finding its owner; a partition pays where more
    // threads share it.
    (&["histogram"], [LineCopy, LineCopy, LineBuckets, LineBuckets, LineBuckets]),
    (&["histogram-i32"], [LineCopy, LineCopies, LineCopies, LineCopies, LineCopies]),
    // Where a copy is updated, index isn't read once more to be checked.
    (&["bins", "bins-f16"], [LineCopy, LineCopy, LineBuckets, LineBuckets, LineBuckets]),
    (&["long-f32", "index-put"], [Lines, LineRanges, LineBuckets, LineBuckets, LineBuckets]),
    (&["dim0", "dim0-index32"], [Tiles; 5]),
    (&["gather-rows", "gather-rows-full", "gather-moe"], [Rows; 5]),
    (&["gather-square", "gather-square-index32", "gather-top-two"], [Lines; 5]),
];

#[test]
fn each_workload_has_its_plan() {
    let few = (&["few-f16"][..], [Sweep; 5]);
    for workload in workloads() {
        let found = PLANS.iter().chain([&few]).find(|(names, _)| names.contains(&workload.name));
        let patterns = workload.plans().map(|plan| plan.pattern);
        assert_eq!(found.map(|&(_, patterns)| patterns), Some(patterns), "{}", workload.name);
    }
}

/// With ranges every task reads the whole index, which pays for at most four tasks. A partition
/// reads it twice, whatever the number of threads.
#[test]
fn many_threads_all_have_work_and_read_index_twice_at_the_most() {
    for workload in workloads() {
        for (plan, threads) in workload.plans().iter().zip(THREADS) {
            let (name, reads, portions) = (workload.name, plan.index_reads, plan.portions);
            match (name, plan.pattern) {
                // A small call stays on one thread.
                ("small", _) => assert_eq!(portions, 1),
                // Slots for the whole line would take 32 MiB for each thread, so parts of it are
                // swept one after the other.
                (_, Sweep) if plan.memory > 0 => {
                    assert!(portions <= 8 && reads == portions, "{name}: {reads}");
                }
                _ if threads <= 2 => assert!(reads <= 2, "{name}: {reads}"),
                _ => {
                    assert!(portions >= threads, "{name}: {portions} on {threads}");
                    assert!(reads <= 2, "{name}: {reads} on {threads}");
                }
            }
        }
    }
}

/// No plan takes more memory than docs/performance.md says.
#[test]
fn memory_is_bounded() {
    for workload in workloads() {
        let updates = match workload.shape {
            Shape::Rows { updates, .. } | Shape::Pairs { updates, .. } | Shape::Line { updates, .. } => {
                updates
            }
            Shape::Elements { index: [rows, width], .. } => rows * width,
            Shape::Cache(_) => unreachable!("caches are only modelled"),
        };
        for (plan, threads) in workload.plans().iter().zip(THREADS) {
            // The bound of each plan: entries and counts, slots of 4 bytes for each thread, or a
            // copy.
            let buckets = 8 * updates + threads * ((1 << 14) * 4 + (1 << 20) * 4);
            let most = match plan.pattern {
                Rows | RowRanges | LineRanges => 0,
                RowBuckets => buckets,
                LineCopy | LineCopies => 1 << 24,
                LineBuckets => (8 << 20) + (4 << 22) + threads * 1024 * 4,
                Lines if threads == 1 => (1 << 22) * 4,
                Lines | Tiles | Sweep => threads * (1 << 20) * 4,
            };
            assert!(plan.memory <= most, "{}: {} on {threads}", workload.name, plan.memory);
        }
    }
}
