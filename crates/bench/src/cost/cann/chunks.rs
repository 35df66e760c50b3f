//! `EmbeddingDenseGradV2` and `InplaceScatterAdd`, which sum rows by an index of one axis. A core
//! takes an even share of the updates, sorts a chunk of their index values in UB, adds the rows of
//! equal values there, and adds each sum to GM by an atomic copy. So which sum comes first is not
//! determined.
//!
//! Which calls go there, and the launches around them, from `aclnn_embedding_dense_backward.cpp`
//! and `aclnn_index_add.cpp` (ops-nn, e5c3fa93), where nothing asks for deterministic results:
//! - `EmbeddingDenseGradV2` has a mode for rows of at most 512 elements
//!   (`CheckIsSmallDimMode`), behind a Cast of an i64 index to i32, a Cast of f16 and bf16 to f32
//!   for tensors below 100 MB (`IsNeedCast`), and zeros in the sums; a Cast of these to out's
//!   dtype follows;
//! - `InplaceScatterAdd` takes f32 and i32 with an alpha of 1, along axis 0
//!   (`inplaceScatterAddSupport`), and, for rows of more than 128 elements, the mode that is
//!   modelled here.
//!
//! Counted, from `embedding_dense_grad_v2_small_dim.h` and `inplace_scatter_add_big_tail.h`:
//! - `EmbeddingDenseGradV2` loads the rows of a chunk at once, into its one buffer, while it sorts.
//!   It reads an index value and a position for each row, and adds the row. Each sum is stored,
//!   waited for, and set to zeros again;
//! - `InplaceScatterAdd` loads rows one by one into two buffers of at most 128 rows, adds rows of
//!   equal values by halves, and waits for the stores of a buffer before it goes on.
//!
//! Not counted: what an atomic copy costs beyond a plain one, flags between the vector unit and
//! copies, the widening of i64 index values in UB, the issue of instructions.

use scatter::DType;
use scatter_kernels::model::Costs;

use super::sorted::in_ub;
use super::{Absent, Kernel, Path, Work, moved, vector};

/// Bytes of UB of a device of this family.
const UB: u64 = 196_608;

/// A call, in the words of a sum of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunksCall<'a> {
    pub(crate) dtype: DType,
    pub(crate) index_bytes: u64,
    /// Elements of a row.
    pub(crate) width: u64,
    /// Rows of out.
    pub(crate) rows: u64,
    /// The row of each update.
    pub(crate) targets: &'a [i64],
}

/// Rows that are sorted and added together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunk {
    rows: u64,
    /// Different targets among them.
    sums: u64,
}

impl Chunk {
    fn of(targets: &[i64]) -> Self {
        let mut sorted = targets.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        Self { rows: targets.len() as u64, sums: sorted.len() as u64 }
    }
}

impl ChunksCall<'_> {
    const fn updates(&self) -> u64 {
        self.targets.len() as u64
    }

    /// Bytes of a row of f32 or i32, which both kernels add.
    const fn row(&self) -> u64 {
        self.width * 4
    }

    /// The work of a kernel in which a core takes `millicycles` for its share, and the bytes that
    /// it reads and writes; `chunk` is the number of rows that are added together.
    fn work(&self, chunk: u64, costs: &Costs, millicycles: impl Fn(&[Chunk]) -> u64) -> (Work, [u64; 2]) {
        let share = self.updates().div_ceil(costs.cores).max(1) as usize;
        let (mut longest, mut sums) = (0, 0);
        for share in self.targets.chunks(share) {
            let chunks: Vec<_> = share.chunks(chunk as usize).map(Chunk::of).collect();
            longest = longest.max(millicycles(&chunks));
            sums += chunks.iter().map(|chunk| chunk.sums).sum::<u64>();
        }
        let read = self.updates() * (self.row() + 4);
        let written = sums * self.row();
        let distinct = Chunk::of(self.targets).sums;
        let working_set = read + distinct * self.row();
        (Work { millicycles: longest, moved_bytes: read + written, working_set }, [read, written])
    }

    /// The time of the scalar unit for a row: an index value and a position are read, and the value
    /// is compared with the one before.
    const fn scalar(costs: &Costs) -> u64 {
        costs.scalar_iteration + 4 * costs.scalar_block + 2 * costs.scalar_read
    }

    fn path(&self, kernel: Kernel, (work, [read, written]): (Work, [u64; 2]), costs: &Costs) -> Path {
        Path {
            kernel,
            launches: 1,
            blocks: self.updates().min(costs.cores),
            scalar_accesses: 2 * self.updates(),
            read_bytes: read,
            written_bytes: written,
            picoseconds: work.launched(costs),
        }
    }
}

/// The path of `aclnnEmbeddingDenseBackward` without padding and without a scale.
pub(crate) fn embedding(call: &ChunksCall<'_>, costs: &Costs) -> Result<Path, Absent> {
    let ChunksCall { dtype, index_bytes, width, rows, .. } = *call;
    let is_half = matches!(dtype, DType::F16 | DType::Bf16);
    let elements = [call.updates() * width, rows * width];
    let is_widened = elements.iter().sum::<u64>() * 2 < 100 << 20 || call.updates() < 512;
    if dtype != DType::F32 && !is_half || width > 512 || rows > 16_777_216 || is_half && !is_widened {
        return Err(Absent::Unknown);
    }
    // The tiling (`Tiling4SmallDim`): 4 bytes for each element of a row, and ten numbers for the
    // sort.
    let chunk = ((UB - 20_480) / 4 - width - 256) / (10 + width.next_multiple_of(8));
    let work =
        call.work(chunk, costs, |chunks| chunks.iter().map(|chunk| in_one_buffer(call, *chunk, costs)).sum());
    let mut path = call.path(Kernel::EmbeddingDenseGradV2, work, costs);
    path.also(0, rows * call.row(), costs);
    if index_bytes == 8 {
        path.also(call.updates() * 8, call.updates() * 4, costs);
    }
    if is_half {
        let [grad, out] = elements;
        path.also(grad * 2, grad * 4, costs);
        path.also(out * 4, out * 2, costs);
    }
    Ok(path)
}

/// The time of `EmbeddingDenseGradV2` for a chunk.
fn in_one_buffer(call: &ChunksCall<'_>, chunk: Chunk, costs: &Costs) -> u64 {
    let Chunk { rows, sums } = chunk;
    let index = costs.copy_head + moved(rows * 4, costs) + costs.read_latency;
    let blocks = (rows - 1) * costs.copy_block;
    let load = costs.copy_head + blocks + moved(rows * call.row(), costs) + costs.read_latency;
    let add = vector(call.width, costs);
    let store = costs.copy_head + moved(call.row(), costs) + costs.write_latency;
    let vectors = rows * add + sums * (add + costs.vector_latency + store);
    load.max(index + in_ub(rows, costs)) + (rows * ChunksCall::scalar(costs)).max(vectors)
}

/// The path of `aclnnIndexAdd` along axis 0 with an alpha of 1.
pub(crate) fn index_add(call: &ChunksCall<'_>, costs: &Costs) -> Result<Path, Absent> {
    if !matches!(call.dtype, DType::F32 | DType::I32) || call.width <= 128 {
        return Err(Absent::Unknown);
    }
    // `BIG_TAIL_OP_MAX_SORT_NUMS`, and the rows of one of two buffers beside that many values and
    // positions (`MAX_BATCH_SIZE`).
    let sorted = call.updates().div_ceil(costs.cores).min(6976);
    let batch = ((UB / 4 - 2 * sorted.next_multiple_of(32)) / (2 * call.width.next_multiple_of(8))).min(128);
    if batch == 0 {
        return Err(Absent::Unknown);
    }
    // Batches follow the order of the sort, so they are made of sorted targets.
    let mut targets = call.targets.to_vec();
    for share in targets.chunks_mut(call.updates().div_ceil(costs.cores).max(1) as usize) {
        share.chunks_mut(sorted as usize).for_each(<[i64]>::sort_unstable);
    }
    let call = ChunksCall { targets: &targets, ..*call };
    let work = call.work(batch, costs, |batches| in_two_buffers(&call, sorted, batches, costs));
    Ok(call.path(Kernel::InplaceScatterAdd, work, costs))
}

/// The time of `InplaceScatterAdd` for a core's batches, of which each sort has as many as it has
/// values.
fn in_two_buffers(call: &ChunksCall<'_>, sorted: u64, batches: &[Chunk], costs: &Costs) -> u64 {
    let row = costs.copy_head + moved(call.row(), costs);
    let load = |batch: &Chunk| batch.rows * row + costs.read_latency;
    let compute = |batch: &Chunk| {
        let &Chunk { rows, sums } = batch;
        // The rows of the next batch are requested before these are added.
        let requested = rows * (costs.scalar_iteration + costs.scalar_read);
        let scalar = requested + rows * (costs.scalar_iteration + 2 * costs.scalar_block + costs.scalar_read);
        let added = rows - sums;
        let vectors = vector(added * call.width, costs) + sums.min(added) * costs.vector_latency;
        (scalar + vectors).max(sums * row) + costs.write_latency
    };
    let rows: u64 = batches.iter().map(|batch| batch.rows).sum();
    let sorts = rows.div_ceil(sorted);
    let index = costs.copy_head + costs.read_latency + in_ub(sorted.min(rows), costs);
    let first = batches.first().map_or(0, load);
    let next = batches.iter().skip(1).map(load).chain([0]);
    first
        + sorts * index
        + batches.iter().zip(next).map(|(batch, load)| compute(batch).max(load)).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use scatter_kernels::model::costs;

    use super::*;

    fn call(targets: &[i64]) -> ChunksCall<'_> {
        ChunksCall { dtype: DType::F32, index_bytes: 8, width: 256, rows: 1000, targets }
    }

    #[test]
    fn what_is_read_and_written_is_that_of_every_chunk() {
        let costs = &costs()[0];
        // On each core two updates of row 7 and one of row 8, in one chunk.
        let targets = [7, 8, 7].repeat(48);
        let path = embedding(&call(&targets), costs).unwrap();
        let (updates, row) = (3 * 48, 1024);
        assert_eq!((path.launches, path.kernel), (3, Kernel::EmbeddingDenseGradV2));
        assert_eq!(path.read_bytes, updates * (row + 4) + updates * 8);
        assert_eq!(path.written_bytes, 2 * 48 * row + 1000 * row + updates * 4);
        let path = index_add(&call(&targets), costs).unwrap();
        assert_eq!((path.launches, path.kernel), (1, Kernel::InplaceScatterAdd));
        assert_eq!([path.read_bytes, path.written_bytes], [updates * (row + 4), 2 * 48 * row]);
    }

    #[test]
    fn many_sums_take_longer_than_one() {
        let costs = &costs()[0];
        let (one, many): (Vec<_>, Vec<_>) = (0..48 * 150).map(|update| (5, update % 1000)).unzip();
        for path in [embedding, index_add] {
            let [one, many] = [&one, &many].map(|targets| path(&call(targets), costs).unwrap().picoseconds);
            assert!(one < many, "{one} {many}");
        }
    }

    #[test]
    fn what_goes_another_way_has_no_time() {
        let (targets, costs) = ([1, 2, 3], &costs()[0]);
        let half = ChunksCall { dtype: DType::F16, ..call(&targets) };
        assert_eq!(embedding(&half, costs).map(|path| path.launches), Ok(5));
        for other in [
            ChunksCall { width: 513, ..call(&targets) },
            ChunksCall { dtype: DType::F64, ..call(&targets) },
            ChunksCall { rows: 16_777_217, ..call(&targets) },
        ] {
            assert_eq!(embedding(&other, costs), Err(Absent::Unknown));
        }
        for other in [half, ChunksCall { width: 128, ..call(&targets) }] {
            assert_eq!(index_add(&other, costs), Err(Absent::Unknown));
        }
    }
}
