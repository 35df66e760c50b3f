//! The rows, and the modelled work of each.

use scatter::DType;
use scatter_kernels::model::Costs;

use super::Row;
use crate::cost::cann::elements::{self, ElementsCall};
use crate::cost::cann::gather::{self, Call, Stored};
use crate::cost::cann::{Work, moved, sorted};

/// The source doesn't say what device, clock and bandwidth it measured.
const NO_SOC: Option<&str> = Some("the device isn't named");
/// The device is a smaller one of the family.
const SMALLER: Option<&str> = Some("a 910B4 has less bandwidth and fewer cores");

/// All published times, in the order of their kinds.
pub(super) const ROWS: [Row; 23] = [
    // ScatterElementsV2 without a reduction: vllm-ascend, pull request 13847. The time of a sort, a
    // mask and the scatter, minus that of a sort and a mask.
    row("scatter [32, 128256] f32, permutations", "A3", 13_070.0, |costs| scatter(32, 128_256, costs), None),
    row("scatter [8, 128256] f32, permutations", "A3", 2300.0, |costs| scatter(8, 128_256, costs), None),
    row("scatter [8, 32000] f32, permutations, top-k", "A3", 630.0, |costs| scatter(8, 32_000, costs), None),
    row("scatter [8, 32000] f32, permutations, top-p", "A3", 550.0, |costs| scatter(8, 32_000, costs), None),
    // vllm-ascend, pull request 980.
    row(
        "scatter [24, 129280] in a sampler",
        "",
        6000.0,
        |costs| scatter(24, 129_280, costs),
        Some("neither the device nor the vocabulary is named"),
    ),
    // sglang, pull request 30205.
    row("InplaceMaskedScatter [6102, 8192] bf16", "", 45_000.0, masked_scatter, NO_SOC),
    // vllm-ascend, issue 10821: 224 ms, of which the rest of the kernel takes 4.7.
    row(
        "4-byte copies in turn, 90% of 384 x 151936",
        "910B2C",
        219_000.0,
        |costs| waited_writes(384 * 151_936 * 9 / 10, costs),
        None,
    ),
    // vllm-ascend, pull request 12232, each minus 2 ms for the rest of the kernel. One row on each
    // core is assumed.
    row("the same kernel, p = 1.0", "", 22_900.0, |costs| waited_writes(48 * 151_936, costs), NO_SHAPE),
    row("the same kernel, p = 0.9", "", 20_500.0, |costs| waited_writes(48 * 136_742, costs), NO_SHAPE),
    row("the same kernel, p = 0.5", "", 11_400.0, |costs| waited_writes(48 * 75_968, costs), NO_SHAPE),
    // CANN's gather: FlagGems, pull request 1290.
    row("gather [4096, 4096] by [4096, 8192]", "", 1199.5, |costs| gather(4096, costs), NO_SOC),
    row("gather [1024, 1024] by [1024, 2048]", "", 96.9, |costs| gather(1024, costs), NO_SOC),
    row("gather [256, 256] by [256, 512]", "", 14.6, |costs| gather(256, costs), NO_SOC),
    row("gather [64, 64] by [64, 128]", "", 9.9, |costs| gather(64, costs), NO_SOC),
    // Liger-Kernel, pull request 1028 and issue 1036.
    row("embedding, 16384 rows of 16 KB of 1024", "910B4", 484.0, |costs| embedding(1024, costs), SMALLER),
    row("embedding, 16384 rows of 16 KB of 2048", "910B4", 585.0, |costs| embedding(2048, costs), SMALLER),
    row("embedding, 16384 rows of 16 KB of 4096", "910B4", 701.0, |costs| embedding(4096, costs), SMALLER),
    row("embedding, 16384 rows of 16 KB of 8192", "910B4", 799.0, |costs| embedding(8192, costs), SMALLER),
    Row {
        what: "embedding of 1024 to 8192 by a Triton kernel",
        soc: "910B4",
        microseconds: 43_000.0,
        model: None,
        unsure: Some("no formula: what the compiler makes of the kernel isn't known"),
    },
    // CANN's swiglu: FlagGems, pull request 6324. It writes half of what it reads.
    row("swiglu, 268 M f16", "", 667.0, |costs| streamed(3 * 268_435_456, costs), NO_SOC),
    row("swiglu [10000, 65536] f16", "", 1611.0, |costs| streamed(3 * 655_360_000, costs), NO_SOC),
    row("swiglu [100, 65536, 100] f16, as short copies", "", 6333.0, short_rows, NO_OVERLAP),
    // vllm-ascend, pull request 13847.
    row(
        "sort and mask [32, 128256] f32, top-k",
        "A3",
        589.0,
        |costs| sort_and_mask(32, 128_256, costs),
        FUSED,
    ),
];

/// The number of rows isn't known.
const NO_SHAPE: Option<&str> = Some("neither the device nor the shape is named");
/// How CANN's tiling overlaps the work isn't known.
const NO_OVERLAP: Option<&str> = Some("neither the device nor what overlaps is known");
/// Several operators were measured together.
const FUSED: Option<&str> = Some("a sequence of operators that isn't known");

const fn row(
    what: &'static str,
    soc: &'static str,
    microseconds: f64,
    model: fn(&Costs) -> u64,
    unsure: Option<&'static str>,
) -> Row {
    Row { what, soc, microseconds, model: Some(model), unsure }
}

/// `scatter` along the last axis into a copy of self, with an index as large as self.
fn scatter(rows: u64, width: u64, costs: &Costs) -> u64 {
    let call = ElementsCall {
        dtype: DType::F32,
        index_bytes: 8,
        rows,
        targets: width,
        updates: width,
        is_last: true,
        in_place: false,
        is_sum: false,
    };
    elements::path(&call, costs).picoseconds
}

/// `InplaceMaskedScatter` with a mask value for each element (ops-nn, index/masked_scatter). A core
/// counts the mask values before its share, 1600 at a time, and waits for each count. Then the
/// scalar unit makes three accesses for each element of the share: to the mask, to self or src, and
/// to the result.
fn masked_scatter(costs: &Costs) -> u64 {
    let elements = 6102_u64 * 8192;
    let share = elements.div_ceil(costs.cores);
    let repeats = 1600_u64 / 64;
    let count = costs.copy_head
        + moved(1600, costs)
        + costs.read_latency
        // Casts from u8 to f16 to f32, and from f32 to i32.
        + (repeats.div_ceil(2) + 2 * repeats) * costs.vector_repeat_slow
        + repeats * costs.vector_repeat
        + 4 * costs.vector_latency;
    let one = costs.scalar_iteration + 2 * costs.scalar_block + 2 * costs.scalar_read + costs.scalar_write;
    // Loads of mask, self and src, and the store of the result, for 1024 elements at a time.
    let tile = 4 * costs.copy_head + moved(1024 * 7, costs) + 2 * costs.read_latency + costs.write_latency;
    let counts = (elements - share) / 1600;
    let millicycles = counts * count + share * one + share.div_ceil(1024) * tile;
    Work { millicycles, moved_bytes: elements * 7, working_set: elements * 5 }.launched(costs)
}

/// Writes of 4 bytes to GM, each of which is waited for, and each after three reads of UB and a
/// write to it.
fn waited_writes(elements: u64, costs: &Costs) -> u64 {
    let one = costs.scalar_iteration
        + 2 * costs.scalar_block
        + 3 * costs.scalar_read
        + costs.scalar_write
        + costs.copy_head
        + moved(4, costs)
        + costs.write_latency;
    let bytes = elements * 4;
    Work { millicycles: elements.div_ceil(costs.cores) * one, moved_bytes: bytes, working_set: bytes }
        .launched(costs)
}

/// `gather` of f32 along the last axis, from `[side, side]` by an i64 index of `[side, 2 * side]`.
fn gather(side: u64, costs: &Costs) -> u64 {
    gathered(&Call { before: side, from: side, picked: 2 * side, ..GATHER }, costs)
}

/// An embedding: reads 16,384 rows of 16 KB of a table of `table` rows, of which it is assumed that
/// each is read.
fn embedding(table: u64, costs: &Costs) -> u64 {
    let index = Stored::Expanded { distinct: table };
    gathered(&Call { after: 4096, from: table, picked: 16_384, is_last: false, index, ..GATHER }, costs)
}

/// A gather of f32 along the only axis.
const GATHER: Call = Call {
    dtype: DType::F32,
    index_bytes: 8,
    before: 1,
    after: 1,
    from: 1,
    picked: 1,
    is_last: true,
    index: Stored::Whole,
};

/// CANN's gather has a time for these dtypes.
fn gathered(call: &Call, costs: &Costs) -> u64 {
    gather::path(call, costs).map_or(0, |path| path.picoseconds)
}

/// A launch that moves each of `bytes` bytes once.
fn streamed(bytes: u64, costs: &Costs) -> u64 {
    Work::streamed(bytes).launched(costs)
}

/// Rows of 200 bytes. Each half of a row is copied in by itself, and the result is copied out; all
/// copies are unaligned and run one after the other.
fn short_rows(costs: &Costs) -> u64 {
    let rows = 100_u64 * 65_536;
    let half = costs.copy_head + moved(100, costs) * costs.unaligned_percent / 100;
    let bytes = rows * 300;
    Work { millicycles: rows.div_ceil(costs.cores) * 3 * half, moved_bytes: bytes, working_set: bytes }
        .launched(costs)
}

/// A sort of each row, by an equal share of the cores, and a launch that masks, which reads and
/// writes all elements.
fn sort_and_mask(rows: u64, width: u64, costs: &Costs) -> u64 {
    let mut one = *costs;
    one.cores = (costs.cores / rows).max(1);
    let sort = sorted::sort(width, &one);
    let bytes = rows * width * 4;
    Work { millicycles: sort.millicycles, moved_bytes: rows * sort.moved_bytes, working_set: 4 * bytes }
        .launched(costs)
        + streamed(2 * bytes, costs)
}
