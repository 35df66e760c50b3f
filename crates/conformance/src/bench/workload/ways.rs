//! What the CPU engine makes of the workloads, of which the result says nothing: each is done in the way that was measured to be
//! its fastest. Whoever finds a faster one changes the table.

use rayon::ThreadPoolBuilder;
use scatter::cpu::{Limits, Way, way};
use scatter::{DType, Layout, Operand, Problem};

use super::{Shape, Workload};

/// Workloads, and their ways on one thread and on two.
const WAYS: [(&[&str], [Way; 2]); 9] = [
    // Rows of 512 bytes and more for each thread are shared by columns.
    (
        &[
            "embedding",
            "embedding-full",
            "embedding-i64",
            "embedding-i64-full",
            "embedding-complex64",
            "embedding-complex64-full",
        ],
        [Way::RowsInOrder, Way::RowsInOrder],
    ),
    // Shorter ones that are too few bytes in all for a partition.
    (
        &["embedding-i8", "embedding-i8-full", "embedding-bool", "embedding-bool-full"],
        [Way::RowsInOrder, Way::RowsInOrder],
    ),
    (&["graph", "edges", "edges-full", "pairs", "onnx-28584"], [Way::RowsInOrder, Way::RowRanges]),
    // Long rows whose updates meet, or that need accumulators.
    (
        &["moe", "moe-full", "moe-f16", "moe-f16-full", "moe-f32", "moe-f32-full"],
        [Way::RowBuckets, Way::RowBuckets],
    ),
    (
        &["dim1", "dim1-index32", "value", "multiply", "replace", "dim1-i64", "dim1-complex64"],
        [Way::Lines, Way::Lines],
    ),
    (&["dim1-i8", "dim1-bool", "histogram"], [Way::Private, Way::Private]),
    (&["histogram-i32"], [Way::Private, Way::PrivateCopies]),
    (&["bins"], [Way::Private, Way::PrivateRanges]),
    (&["dim0", "dim0-index32"], [Way::Tiles, Way::Tiles]),
];

/// What none of the workloads does: lines that are too long for a copy, without and with accumulators, and few updates of one.
const OTHERS: [(Workload, [Way; 2]); 3] = [
    (line("f32", DType::F32, 1 << 23, 1 << 24), [Way::Lines, Way::LineRanges]),
    (line("f16", DType::F16, 1 << 22, 1 << 23), [Way::Sweep, Way::Buckets]),
    (line("few", DType::F16, 1 << 23, 1 << 18), [Way::Sweep, Way::Sweep]),
];

const fn line(name: &'static str, dtype: DType, size: usize, updates: usize) -> Workload {
    Workload { name, dtype, index: DType::I64, shape: Shape::Line { size, updates } }
}

impl Workload {
    /// The call without its data.
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
            // Stored whole or not, for rows that are constant come to the same.
            Shape::Rows { width, updates, .. } => {
                operand(self.index, &[updates, width], Some(&[1, 0]), 1 << 50)
            }
            Shape::Elements { rows, width, .. } => operand(self.index, &[rows, width], None, 1 << 50),
            Shape::Line { updates, .. } => operand(self.index, &[updates], None, 1 << 50),
            Shape::Pairs { updates, .. } => operand(self.index, &[updates, 2], None, 1 << 50),
        };
        let self_ = operand(self.dtype, &self_, None, 1 << 40);
        let src = src.map(|src| operand(self.dtype, &src, None, 1 << 60));
        Problem::new(self.op(), &self_, &index, src.as_ref(), &self_).unwrap()
    }
}

#[test]
fn each_workload_is_done_in_its_fastest_way() {
    let pools = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let ways = |workload: &Workload| {
        let problem = workload.problem();
        pools.each_ref().map(|pool| pool.install(|| way(&problem, &Limits::default())))
    };
    let small = (&["small"][..], [Way::Small; 2]);
    for workload in Workload::all() {
        let expected = WAYS.iter().chain([&small]).find(|(names, _)| names.contains(&workload.name));
        let expected = expected.map(|(_, ways)| ways.map(Some));
        assert_eq!(Some(ways(workload)), expected, "{}", workload.name);
    }
    for (other, expected) in &OTHERS {
        assert_eq!(ways(other), expected.map(Some), "{}", other.name);
    }
}
