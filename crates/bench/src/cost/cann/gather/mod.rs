//! `aclnnGather`: which kernels it launches, and the launches around them.
//!
//! From `index/gather_elements_v2/op_host/op_api/aclnn_gather.cpp` (ops-nn, e5c3fa93):
//! - an index `[n, width]` that is expanded from `[n]`, along axis 0 of a self `[.., width]`, goes
//!   to `GatherV2` (`IfMoeUseV2`, `CalGatherV2`);
//! - otherwise f32, f16, bf16 and i32 go to `GatherElementsV2`, behind a Cast of an i64 index to
//!   i32 (`CalGather`). It gathers along another axis than the last by itself where
//!   `IfUseGatherElementsV2` and `MemCheck` say so; else self and index are transposed before, and
//!   the result after;
//! - the other dtypes go to `GatherElements`, and so do tensors that differ along another axis than
//!   dim. That kernel is not in ops-nn for this device, so no time is known.
//!
//! Where the sources leave something open, CANN gets the better of it:
//! - `GatherV2`, too, is not in ops-nn for this device: it takes a launch, and the time in which
//!   all cores together can move its bytes, or each can read a share of them. Embeddings were
//!   measured to take 1.2 to 2 times as long on a smaller device (`--published`);
//! - the `Slice` that makes `[n]` of the expanded index costs nothing, nor does `ViewCopy` to out;
//! - a transposition costs no more than moving its bytes.

mod by_columns;
mod last_axis;

use engines::case::Case;
use scatter::DType;
use scatter_kernels::model::Costs;

use super::{Absent, Kernel, Path, Work, moved, vector};
use by_columns::Columns;
use last_axis::Rows;

/// A call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) dtype: DType,
    pub(crate) index_bytes: u64,
    /// The sizes of the axes before dim, and of those behind it, each multiplied. self and index
    /// have them in common.
    pub(crate) before: u64,
    pub(crate) after: u64,
    /// The elements along dim of self.
    pub(crate) from: u64,
    /// The elements along dim of index and of out.
    pub(crate) picked: u64,
    /// Whether dim is the last axis.
    pub(crate) is_last: bool,
    /// The form of index, and of what it names.
    pub(crate) index: Stored,
}

/// How index is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// A value for each element of out.
    Whole,
    /// A value for each row of out. Rows that are read several times are counted once in
    /// `distinct`.
    Expanded { distinct: u64 },
}

impl Call {
    /// The gather of a case along `dim`; `touched` is the number of distinct elements of self that
    /// it reads. `None` where self and index differ along another axis.
    pub(crate) fn of(case: &Case, dim: usize, touched: usize) -> Option<Self> {
        let (from, index) = (&case.self_.shape, &case.index);
        let is_other = |axis: usize| axis != dim && from[axis] != index.shape[axis];
        if (0..from.len()).any(is_other) {
            return None;
        }
        let product = |sizes: &[usize]| sizes.iter().product::<usize>() as u64;
        let is_expanded = dim == 0 && from.len() == 2 && index.strides == [1, 0];
        let after = product(&from[dim + 1..]);
        Some(Self {
            dtype: case.dtype(),
            index_bytes: index.storage.dtype().size() as u64,
            before: product(&from[..dim]),
            after,
            from: from[dim] as u64,
            picked: index.shape[dim] as u64,
            is_last: dim + 1 == from.len(),
            index: match is_expanded {
                true => Stored::Expanded { distinct: touched as u64 / after.max(1) },
                false => Stored::Whole,
            },
        })
    }

    const fn size(&self) -> u64 {
        self.dtype.size() as u64
    }

    /// The elements of out.
    const fn entries(&self) -> u64 {
        self.before * self.picked * self.after
    }

    /// The elements of self.
    const fn elements(&self) -> u64 {
        self.before * self.from * self.after
    }

    /// Whether `GatherElementsV2` gathers along dim where that is not the last axis
    /// (`IfUseGatherElementsV2`, with the constants of `MemCheck`: 48 cores, whatever the device
    /// has).
    fn is_direct(&self) -> bool {
        const CORES: u64 = 48;
        let Self { index_bytes, before, after, from, picked, .. } = *self;
        let size = self.size();
        if self.is_last || after <= 32 || self.elements() >= i32::MAX as u64 {
            return false;
        }
        if from * size >= 120_000 {
            return from * size > 196_608;
        }
        let lines = before * after;
        let columns = (512 / size).min(after.div_ceil((CORES / before).max(1)));
        let saves = match lines <= CORES {
            true => self.elements() > lines * (picked + from),
            false => {
                let workspace = CORES * columns * (picked * index_bytes + from * size);
                self.elements() * size + self.entries() * index_bytes > self.entries() * size + workspace
            }
        };
        picked >= 16 && from >= 16 && saves
    }
}

/// What a kernel does: its work, the cores that have work, the scalar accesses of all cores, and
/// the bytes that are read and written.
#[derive(Clone, Copy, Debug)]
struct Done {
    work: Work,
    blocks: u64,
    scalar_accesses: u64,
    read_bytes: u64,
    written_bytes: u64,
}

/// The whole path of a call.
pub(crate) fn path(call: &Call, costs: &Costs) -> Result<Path, Absent> {
    let Call { dtype, index_bytes, before, after, from, picked, is_last, index } = *call;
    let (size, entries) = (call.size(), call.entries());
    if let Stored::Expanded { distinct } = index {
        return rows(call, distinct, costs);
    }
    if !matches!(dtype, DType::F32 | DType::F16 | DType::Bf16 | DType::I32) {
        return Err(Absent::GatherElements(dtype));
    }
    let is_direct = call.is_direct();
    let done = if is_direct {
        Columns { before, after, from, picked, size }.done(costs)
    } else {
        Rows { rows: before * after, from, picked, size }.done(costs)
    };
    let Done { work, blocks, scalar_accesses, read_bytes, written_bytes } = done;
    let picoseconds = work.launched(costs);
    let kernel = Kernel::GatherElementsV2;
    let mut path =
        Path { kernel, launches: 1, blocks, scalar_accesses, read_bytes, written_bytes, picoseconds };
    if index_bytes != 4 {
        path.also(entries * index_bytes, entries * 4, costs); // Cast
    }
    if !is_last && !is_direct {
        path.also(entries * index_bytes, entries * index_bytes, costs); // Transpose of index
        path.also(call.elements() * size, call.elements() * size, costs); // of self
        path.also(entries * size, entries * size, costs); // of the result
    }
    Ok(path)
}

/// The path by rows: `GatherV2`, whose dtypes are those of `index/gather_v2/op_api/gather_v2.cpp`.
fn rows(call: &Call, distinct: u64, costs: &Costs) -> Result<Path, Absent> {
    if matches!(call.dtype, DType::F64 | DType::Complex64 | DType::Complex128) {
        return Err(Absent::AiCpu(call.dtype));
    }
    let row = call.after * call.size();
    let (index, out) = (call.picked * call.index_bytes, call.picked * row);
    let share = call.picked.div_ceil(costs.cores) * (row + call.index_bytes);
    let work = Work {
        millicycles: moved(share, costs),
        moved_bytes: index + 2 * out,
        working_set: index + out + distinct * row,
    };
    Ok(Path {
        kernel: Kernel::GatherV2,
        launches: 1,
        blocks: call.picked.min(costs.cores),
        scalar_accesses: 0,
        read_bytes: index + out,
        written_bytes: out,
        picoseconds: work.launched(costs),
    })
}

/// The vector unit's time for what `DoNegativeIndices`, `Muls` and `Gather` do of `entries` entries
/// that are gathered `at_once` at a time. Between them is at most one barrier, and another until
/// what waits for them.
fn pick(entries: u64, at_once: u64, costs: &Costs) -> u64 {
    4 * vector(entries, costs)
        + entries * costs.gather
        + entries.div_ceil(at_once.max(1)) * 2 * costs.vector_latency
}

/// The scalar unit's time for entries whose elements it reads from GM one by one: a loop of one
/// basic block, which reads the index value from UB and writes the element there.
const fn read_one_by_one(entries: u64, costs: &Costs) -> u64 {
    entries
        * (costs.scalar_iteration
            + costs.scalar_block
            + costs.scalar_read
            + costs.scalar_gm
            + costs.scalar_write)
}

/// A copy of `bytes` bytes to UB that is waited for.
const fn load(bytes: u64, costs: &Costs) -> u64 {
    costs.copy_head + moved(bytes, costs) + costs.read_latency
}

/// A copy of `bytes` bytes to GM that is waited for.
const fn store(bytes: u64, costs: &Costs) -> u64 {
    costs.copy_head + moved(bytes, costs) + costs.write_latency
}

#[cfg(test)]
mod tests;
