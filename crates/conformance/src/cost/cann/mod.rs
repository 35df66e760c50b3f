//! What CANN's own `aclnnInplaceScatterAdd` does on an Ascend 910B, as its sources say (ops-nn, read 2026-08), and what
//! that costs by the model's cost table.
//!
//! It is a bound from below: only what the sources count has a cost, and all that our kernels' figures contain beyond it
//! (heads of copies that are not known, latencies, indivisible work) is nothing here. What is left out besides is said
//! where it is.

mod elements;
mod sorted;

use scatter::{DType, Op};
use scatter_kernels::model::Costs;
use serde::Serialize;

use crate::bench::workload::Drawn;
use crate::case::Case;
use crate::task::Task;

/// What a call of CANN's does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Path {
    /// For short, the kernel that does the updates.
    pub(crate) kernel: Kernel,
    /// Launches of kernels.
    pub(crate) launches: u32,
    /// Vector cores that do the updates.
    pub(crate) blocks: u64,
    /// Scalar accesses to UB, of all cores.
    pub(crate) scalar_accesses: u64,
    /// Bytes of GM that all launches read.
    pub(crate) read_bytes: u64,
    /// Bytes of GM that all launches write.
    pub(crate) written_bytes: u64,
    /// The modelled time.
    pub(crate) picoseconds: u64,
}

/// A kernel that does the updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Kernel {
    /// Element by element, on the scalar unit.
    ScatterElementsV2,
    /// Row by row, after a sort of the index.
    ScatterAddWithSorted,
}

impl Kernel {
    /// The name in a narrow column.
    pub(crate) const fn short(self) -> &'static str {
        match self {
            Self::ScatterElementsV2 => "CANN V2",
            Self::ScatterAddWithSorted => "CANN rows",
        }
    }
}

/// Why nothing can be computed of CANN's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// No kernel for an AI Core.
    AiCpu(DType),
    /// The accesses were counted for sums only.
    NotASum,
    /// `scatter_nd_add`.
    Nd,
}

impl Absent {
    /// In words.
    pub(crate) fn reason(self) -> String {
        match self {
            Self::AiCpu(dtype) => format!("{dtype} is added on the AI CPU, by one thread: no cost is known"),
            Self::NotASum => String::from("only what a sum accesses is known"),
            Self::Nd => String::from("its path is not known"),
        }
    }
}

/// CANN's path for the tensors of a workload.
pub(crate) fn path(drawn: &Drawn, costs: &Costs) -> Result<Path, Absent> {
    let case = &drawn.case;
    let dim = match case.task {
        Task::Scatter(Op::ScatterAdd { dim }) => dim as usize,
        Task::Scatter(Op::ScatterNdAdd) => return Err(Absent::Nd),
        _ => return Err(Absent::NotASum),
    };
    let dtype = case.dtype();
    if ub_bytes(dtype).is_none() {
        return Err(Absent::AiCpu(dtype));
    }
    let (shape, index) = (&case.self_.shape, &case.index);
    if dim == 0 && shape.len() == 2 && index.strides == [1, 0] {
        let width = shape[1] as u64;
        let rows = Rows::of(case);
        let index_bytes = index.storage.dtype().size() as u64;
        return Ok(sorted::path(&sorted::Updates { dtype, index_bytes, width, rows }, costs));
    }
    let rest = |shape: &[usize]| {
        shape.iter().enumerate().filter(|&(axis, _)| axis != dim).map(|(_, &size)| size).product()
    };
    let rows: usize = rest(&index.shape);
    let updates = elements::Updates {
        dtype,
        index_bytes: index.storage.dtype().size() as u64,
        rows: rows as u64,
        targets: shape[dim] as u64,
        updates: index.shape[dim] as u64,
        is_last: dim + 1 == shape.len(),
        in_place: true,
    };
    Ok(elements::path(&updates, costs))
}

/// The bytes of UB for each element of self (with its counter) in `ScatterElementsV2`; `None` for a dtype that is left to
/// the AI CPU.
const fn ub_bytes(dtype: DType) -> Option<u64> {
    match dtype {
        DType::F32 | DType::I32 => Some(8),
        DType::F16 | DType::Bf16 => Some(10),
        DType::I8 | DType::U8 => Some(5),
        _ => None,
    }
}

/// How the updates of rows are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rows {
    /// All of them.
    updates: u64,
    /// Rows that one goes to.
    distinct: u64,
    /// Updates of the row that has the most.
    hottest: u64,
}

impl Rows {
    /// Of a case whose index has one value for each row.
    fn of(case: &Case) -> Self {
        let mut counts = vec![0_u64; case.self_.shape[0]];
        let mut count = |row: i64| counts[row as usize] += 1;
        match case.index.storage.dtype() {
            DType::I32 => case.index.storage.elements::<i32>().iter().for_each(|&row| count(row.into())),
            _ => case.index.storage.elements::<i64>().iter().for_each(|&row| count(row)),
        }
        Self {
            updates: counts.iter().sum(),
            distinct: counts.iter().filter(|&&count| count != 0).count() as u64,
            hottest: counts.iter().copied().max().unwrap_or(0),
        }
    }
}

/// Thousandths of a cycle in which one core moves so many bytes.
const fn moved(bytes: u64, costs: &Costs) -> u64 {
    bytes * 1000 / costs.gm_bytes_per_cycle
}

/// Thousandths of a cycle in which the vector unit takes so many f32.
const fn vector(elements: u64, costs: &Costs) -> u64 {
    (elements * 4).div_ceil(256) * costs.vector_repeat
}

/// Picoseconds in which all cores together move so many bytes at the best.
const fn streamed(bytes: u64, costs: &Costs) -> u64 {
    bytes * 1000 / costs.gm_bytes_per_nanosecond
}

/// Picoseconds of a launch whose longest core takes `millicycles`, and all of whose cores move `bytes`.
fn launched(millicycles: u64, bytes: u64, costs: &Costs) -> u64 {
    (millicycles * 1000 / costs.megahertz).max(streamed(bytes, costs))
}
