//! What CANN's own `aclnnInplaceScatterAdd`, `aclnnGather`, `aclnnIndexAdd`,
//! `aclnnEmbeddingDenseBackward` and `aclnnInplaceScatterUpdate` do on an Ascend 910B according to
//! their sources (ops-nn, and for the last one's kernel CANN 8.1.RC1; read 2026-08 and 2026-11),
//! and what that costs by the model's cost table.
//!
//! The result is a lower bound: what isn't known costs nothing. The modules list what is counted.
//! Each launch takes the time of CANN's smallest operators, plus the longer of two times: that of
//! its longest core, and that in which all cores together can move its bytes.

pub(crate) mod chunks;
pub(crate) mod elements;
pub(crate) mod gather;
pub(crate) mod sorted;
pub(crate) mod windows;

use engines::case::Case;
use scatter::{DType, Op, Scalar};
use scatter_kernels::model::Costs;
use serde::Serialize;

use chunks::ChunksCall;
use elements::ElementsCall;
use sorted::SortedCall;

use crate::workload::Drawn;

/// The launches of a call of CANN's operator, with their counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Path {
    /// The kernel that applies the updates or gathers, which names the path.
    pub(crate) kernel: Kernel,
    /// Launches of kernels.
    pub(crate) launches: u32,
    /// Vector cores that have work in it.
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

impl Path {
    /// Adds a launch that moves each byte once, limited only by the bandwidth.
    fn also(&mut self, read: u64, written: u64, costs: &Costs) {
        self.launches += 1;
        self.read_bytes += read;
        self.written_bytes += written;
        self.picoseconds += Work::streamed(read + written).launched(costs);
    }
}

/// A kernel that applies updates or gathers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Kernel {
    /// Element by element, on the scalar unit.
    ScatterElementsV2,
    /// Row by row, after a sort of the index.
    ScatterAddWithSorted,
    /// Gathers elements, by the vector unit's Gather where it can.
    GatherElementsV2,
    /// Gathers rows.
    GatherV2,
    /// Sums rows into zeros.
    EmbeddingDenseGradV2,
    /// Sums rows by an index of one axis.
    InplaceScatterAdd,
    /// Copies windows.
    Scatter,
}

impl Kernel {
    /// The name for a narrow column.
    pub(crate) const fn short(self) -> &'static str {
        match self {
            Self::ScatterElementsV2 | Self::GatherElementsV2 => "CANN V2",
            Self::ScatterAddWithSorted
            | Self::GatherV2
            | Self::EmbeddingDenseGradV2
            | Self::InplaceScatterAdd
            | Self::Scatter => "CANN rows",
        }
    }
}

/// Why CANN's path has no modelled time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// There is no kernel for the AI Core, only one for the AI CPU.
    AiCpu(DType),
    /// The accesses were counted for sums only.
    NotASum,
    /// Its kernel is not public, or was not looked at.
    Unknown,
    /// Elements of this dtype are gathered by `GatherElements`.
    GatherElements(DType),
    /// A gather of tensors that differ along another axis than dim.
    Differs,
}

impl Absent {
    /// The reason in words.
    pub(crate) fn reason(self) -> String {
        match self {
            Self::AiCpu(dtype) => format!("{dtype} is left to the AI CPU: no cost is known"),
            Self::NotASum => String::from("only what a sum accesses is known"),
            Self::Unknown => String::from("its path is not known"),
            Self::GatherElements(dtype) => {
                format!("{dtype} is left to GatherElements, whose kernel is not public")
            }
            Self::Differs => String::from("left to GatherElements, whose kernel is not public"),
        }
    }
}

/// CANN's path for the tensors of a workload.
pub(crate) fn path(drawn: &Drawn, costs: &Costs) -> Result<Path, Absent> {
    let case = &drawn.case;
    let dim = match case.op {
        Op::ScatterAdd { dim } => dim as usize,
        Op::Gather { dim } => {
            let call = gather::Call::of(case, dim as usize, drawn.touched).ok_or(Absent::Differs)?;
            return gather::path(&call, costs);
        }
        Op::IndexAdd { dim: 0, alpha: Scalar::Int(1) } => {
            return with_targets(case, |call| chunks::index_add(call, costs));
        }
        Op::EmbeddingBackward { padding: None, scale: false } => {
            return with_targets(case, |call| chunks::embedding(call, costs));
        }
        Op::ScatterUpdate { dim } => {
            return windows::Call::of(case, dim as usize).map(|call| windows::path(&call, costs));
        }
        Op::ScatterNdAdd | Op::IndexAdd { .. } | Op::EmbeddingBackward { .. } => return Err(Absent::Unknown),
        _ => return Err(Absent::NotASum),
    };
    let dtype = case.dtype();
    if ub_bytes(dtype).is_none() {
        return Err(Absent::AiCpu(dtype));
    }
    let (shape, index) = (&case.self_.shape, &case.index);
    if dim == 0 && shape.len() == 2 && index.strides == [1, 0] {
        let width = shape[1] as u64;
        let rows = RowCounts::of(case);
        let index_bytes = index.storage.dtype().size() as u64;
        return Ok(sorted::path(&SortedCall { dtype, index_bytes, width, rows: &rows }, costs));
    }
    let rest = |shape: &[usize]| {
        shape.iter().enumerate().filter(|&(axis, _)| axis != dim).map(|(_, &size)| size).product()
    };
    let rows: usize = rest(&index.shape);
    let call = ElementsCall {
        dtype,
        index_bytes: index.storage.dtype().size() as u64,
        rows: rows as u64,
        targets: shape[dim] as u64,
        updates: index.shape[dim] as u64,
        is_last: dim + 1 == shape.len(),
        in_place: true,
        is_sum: true,
    };
    Ok(elements::path(&call, costs))
}

/// Calls a function with the updates of a case, whose index has a value for each row of src.
fn with_targets<R>(case: &Case, path: impl Fn(&ChunksCall<'_>) -> R) -> R {
    let shape = &case.self_.shape;
    path(&ChunksCall {
        dtype: case.dtype(),
        index_bytes: case.index.storage.dtype().size() as u64,
        width: shape[1..].iter().product::<usize>() as u64,
        rows: shape[0] as u64,
        targets: &targets(case),
    })
}

/// The values of index, in their order.
fn targets(case: &Case) -> Vec<i64> {
    let index = &case.index.storage;
    match index.dtype() {
        DType::I32 => index.elements::<i32>().iter().map(|&row| row.into()).collect(),
        _ => index.elements::<i64>().to_vec(),
    }
}

/// The bytes of UB that the tiling of `ScatterElementsV2` counts for each element of self,
/// including what a sum needs: a counter, and an f32 where sums are computed in f32. `None` for a
/// dtype that runs on the AI CPU.
const fn ub_bytes(dtype: DType) -> Option<u64> {
    match dtype {
        DType::F32 | DType::I32 => Some(8),
        DType::F16 | DType::Bf16 => Some(10),
        DType::I8 | DType::U8 => Some(5),
        _ => None,
    }
}

/// The number of updates of each row that gets any, in the order of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowCounts(Vec<u64>);

impl RowCounts {
    /// The counts of a case whose index has one value for each row of src.
    fn of(case: &Case) -> Self {
        let mut counts = vec![0_u64; case.self_.shape[0]];
        targets(case).into_iter().for_each(|row| counts[row as usize] += 1);
        Self(counts.into_iter().filter(|&count| count != 0).collect())
    }

    /// The number of updates.
    fn updates(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The number of rows that get updates.
    fn distinct(&self) -> u64 {
        self.0.len() as u64
    }
}

/// The thousandths of a cycle that one core takes to move `bytes` bytes.
pub(crate) const fn moved(bytes: u64, costs: &Costs) -> u64 {
    bytes * 1000 / costs.gm_bytes_per_cycle
}

/// The thousandths of a cycle of a fast vector instruction on `elements` f32.
const fn vector(elements: u64, costs: &Costs) -> u64 {
    (elements * 4).div_ceil(256) * costs.vector_repeat
}

/// The thousandths of a cycle of a Cast from or to f32.
const fn cast(elements: u64, costs: &Costs) -> u64 {
    (elements * 4).div_ceil(256) * costs.vector_repeat_slow
}

/// The work of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    /// Thousandths of a cycle of the longest core.
    pub(crate) millicycles: u64,
    /// Bytes of GM that all cores move.
    pub(crate) moved_bytes: u64,
    /// The distinct bytes of GM that they move, on which the bandwidth depends.
    pub(crate) working_set: u64,
}

impl Work {
    /// The work of a launch that moves each byte once, limited only by the bandwidth.
    pub(crate) const fn streamed(bytes: u64) -> Self {
        Self { millicycles: 0, moved_bytes: bytes, working_set: bytes }
    }

    /// Picoseconds without the launch itself.
    pub(crate) fn picoseconds(&self, costs: &Costs) -> u64 {
        let streamed = self.moved_bytes * 1000 / costs.bandwidth(self.working_set);
        (self.millicycles * 1000 / costs.megahertz).max(streamed)
    }

    /// Picoseconds including the launch, as of CANN's operators.
    pub(crate) fn launched(&self, costs: &Costs) -> u64 {
        costs.cann_launch_nanoseconds * 1000 + self.picoseconds(costs)
    }
}
