//! Every workload with its full size.

use scatter::DType::{self, Bf16, Bool, Complex64, F16, F32, I8, I16, I32, I64, U8};

use super::RowIndex::{Expanded, Full, OneAxis};
use super::{Cache, PairsOp, RowIndex, Shape, Targets, Update, Workload};

/// The workloads that are timed on CPUs and on devices, and modelled.
pub(super) const ALL: [Workload; 37] = [
    // The gradient of an embedding: 65,536 tokens of natural language, from a vocabulary of 50,000.
    embedding("embedding", F32, Expanded),
    embedding("embedding-full", F32, Full),
    // The combine step of a mixture of experts: 8,192 tokens, two of eight experts each.
    moe("moe", Bf16, Expanded),
    moe("moe-full", Bf16, Full),
    moe("moe-f16", F16, Expanded),
    moe("moe-f16-full", F16, Full),
    moe("moe-f32", F32, Expanded),
    moe("moe-f32-full", F32, Full),
    // Updates of a random element of the same row, or of the same column.
    square("dim1", F32, I64, 1, Update::Add),
    square("dim1-index32", F32, I32, 1, Update::Add),
    square("dim0", F32, I64, 0, Update::Add),
    square("dim0-index32", F32, I32, 0, Update::Add),
    // Histograms, with few bins and with more than a cache holds.
    line("histogram", F32, 1 << 10),
    line("histogram-i32", I32, 1 << 10),
    line("bins", F32, 1 << 22),
    line("bins-f16", F16, 1 << 22),
    // Message aggregation: 2 million edges of a power-law graph, and of one with uniform targets.
    graph("graph", Targets::PowerLaw, Expanded),
    graph("edges", Targets::Uniform, Expanded),
    graph("edges-full", Targets::Uniform, Full),
    // The fixed cost of a call.
    elements("small", F32, I64, Update::Add, 1, 64),
    square("value", F32, I64, 1, Update::Value),
    square("multiply", F32, I64, 1, Update::Multiply),
    square("replace", F32, I64, 1, Update::Replace),
    Workload {
        name: "pairs",
        dtype: F32,
        index: I64,
        shape: Shape::Pairs { op: PairsOp::ScatterNdAdd, side: 1000, width: 64, updates: 1_000_000 },
    },
    square("dim1-i64", I64, I64, 1, Update::Add),
    square("dim1-i8", I8, I64, 1, Update::Add),
    square("dim1-bool", Bool, I64, 1, Update::Add),
    square("dim1-complex64", Complex64, I64, 1, Update::Add),
    embedding("embedding-i64", I64, Expanded),
    embedding("embedding-i64-full", I64, Full),
    embedding("embedding-i8", I8, Expanded),
    embedding("embedding-i8-full", I8, Full),
    embedding("embedding-bool", Bool, Expanded),
    embedding("embedding-bool-full", Bool, Full),
    embedding("embedding-complex64", Complex64, Expanded),
    embedding("embedding-complex64-full", Complex64, Full),
    // The shape of onnxruntime's issue 28584, where 24 threads took 0.76 s.
    Workload {
        name: "onnx-28584",
        dtype: F32,
        index: I64,
        shape: Shape::Rows {
            update: Update::Add,
            targets: Targets::Uniform,
            rows: 556_416,
            width: 80,
            updates: 481_385,
            index: Full,
        },
    },
];

/// Sums of rows by an index of one axis, which are timed on CPUs, and modelled.
pub(super) const SUMS: [Workload; 7] = [
    // The embedding and the combine step by `index_add`; with an alpha, a step of gradient descent.
    summed_rows("index-add", F32, EMBEDDING, Targets::Tokens, Update::Add),
    summed_rows("index-add-alpha", F32, EMBEDDING, Targets::Tokens, STEP),
    summed_rows("index-add-bf16", Bf16, MOE, Targets::Routed, Update::Add),
    summed_rows("index-add-bf16-alpha", Bf16, MOE, Targets::Routed, STEP),
    summed_rows("index-add-f16-alpha", F16, MOE, Targets::Routed, STEP),
    // The gradient of the embedding, from zeros.
    summed_rows("embedding-backward", F32, EMBEDDING, Targets::Tokens, Update::AddToZeros),
    summed_rows("embedding-backward-bf16", Bf16, EMBEDDING, Targets::Tokens, Update::AddToZeros),
];

/// Sums by two index tensors, which are timed on CPUs, and modelled: the gradient of
/// `grid[rows, columns]`, of points and of rows of a grid.
pub(super) const PUTS: [Workload; 2] =
    [index_put("index-put", 2048, 1, 1 << 22), index_put("index-put-rows", 1000, 64, 1_000_000)];

/// A few elements of each of many short rows, which are timed on CPUs only.
pub(super) const CHOICES: [Workload; 5] = [
    // The router of a mixture of experts: the weights of two, or eight, of 64 for each token. They
    // are drawn evenly, and so some twice.
    choices("top-two", F32, Update::Replace, 64, 2),
    choices("top-eight", F32, Update::Add, 64, 8),
    choices("top-eight-f16", F16, Update::Add, 64, 8),
    // Labels as rows with a single number; and a sum into one element of each row.
    choices("one-hot", F32, Update::Value, 128, 1),
    choices("one-each-bf16", Bf16, Update::Add, 128, 1),
];

/// Gathers, which are timed on CPUs only.
pub(super) const CPU_GATHERS: [Workload; 6] = [
    // A random element of the same row.
    square("gather-square", F32, I64, 1, Update::Gather),
    square("gather-square-index32", F32, I32, 1, Update::Gather),
    // The weights of the experts that the router has chosen.
    choices("gather-top-two", F32, Update::Gather, 64, 2),
    // The lookup of an embedding.
    gather_rows("gather-rows", F32, EMBEDDING, Targets::Tokens, Expanded),
    gather_rows("gather-rows-full", F32, EMBEDDING, Targets::Tokens, Full),
    // The dispatch step of a mixture of experts.
    gather_rows("gather-moe", Bf16, MOE, Targets::Routed, Expanded),
];

/// Workloads whose updates are uneven over the rows, or sorted, which are hard for kernels that
/// share updates among cores.
pub(super) const HARD: [Workload; 6] = [
    hard("one-row", Targets::FirstOf(usize::MAX)),
    hard("one-core", Targets::FirstOf(48)),
    hard("steep", Targets::Steep),
    hard("sorted", Targets::Sorted),
    hard("reversed", Targets::Reversed),
    line("one-bin", F32, 1),
];

/// Further workloads for the bars of the kernels: sums of other dtypes, and replacements of
/// integers, with rows and with elements.
pub(super) const FURTHER: [Workload; 30] = [
    embedding("embedding-i32", I32, Expanded),
    embedding("embedding-i16", I16, Expanded),
    embedding("embedding-u8", U8, Expanded),
    replaced("embedding-replace", F32),
    replaced("embedding-replace-i64", I64),
    replaced("embedding-replace-i32", I32),
    replaced("embedding-replace-i16", I16),
    replaced("embedding-replace-i8", I8),
    replaced("embedding-replace-u8", U8),
    replaced("embedding-replace-bool", Bool),
    square("dim1-f16", F16, I64, 1, Update::Add),
    square("dim1-bf16", Bf16, I64, 1, Update::Add),
    square("dim1-i32", I32, I64, 1, Update::Add),
    square("dim1-i16", I16, I64, 1, Update::Add),
    square("dim1-u8", U8, I64, 1, Update::Add),
    square("dim0-f16", F16, I64, 0, Update::Add),
    square("dim0-bf16", Bf16, I64, 0, Update::Add),
    square("dim0-i64", I64, I64, 0, Update::Add),
    square("dim0-i32", I32, I64, 0, Update::Add),
    square("dim0-i16", I16, I64, 0, Update::Add),
    square("dim0-i8", I8, I64, 0, Update::Add),
    square("dim0-u8", U8, I64, 0, Update::Add),
    square("dim0-bool", Bool, I64, 0, Update::Add),
    square("dim0-complex64", Complex64, I64, 0, Update::Add),
    square("replace-i64", I64, I64, 1, Update::Replace),
    square("replace-i32", I32, I64, 1, Update::Replace),
    square("replace-i16", I16, I64, 1, Update::Replace),
    square("replace-i8", I8, I64, 1, Update::Replace),
    square("replace-u8", U8, I64, 1, Update::Replace),
    square("replace-bool", Bool, I64, 1, Update::Replace),
];

/// Gathers. At a 16th, the scale at which the kernels are compared, there are 16,384 rows and 2
/// million elements.
pub(super) const GATHERS: [Workload; 15] = [
    // Lookups in a table of embeddings.
    gather("gather", F32, I64, Expanded),
    gather("gather-index32", F32, I32, Expanded),
    gather("gather-bf16", Bf16, I64, Expanded),
    gather("gather-i64", I64, I64, Expanded),
    gather("gather-i8", I8, I64, Expanded),
    // The same with an index as torch_npu passes it.
    gather("gather-full", F32, I64, Full),
    // Elements of the same row, or of the same column.
    picked("gather-dim1", F32, I64, 1, [1 << 15, 1 << 10]),
    picked("gather-dim1-index32", F32, I32, 1, [1 << 15, 1 << 10]),
    picked("gather-dim1-f16", F16, I64, 1, [1 << 15, 1 << 10]),
    picked("gather-dim1-i64", I64, I64, 1, [1 << 15, 1 << 10]),
    picked("gather-dim1-i8", I8, I64, 1, [1 << 15, 1 << 10]),
    picked("gather-dim0", F32, I64, 0, [1 << 10, 1 << 15]),
    picked("gather-dim0-index32", F32, I32, 0, [1 << 10, 1 << 15]),
    // Elements of a line that is longer than what a core can hold.
    shuffled("gather-line", I64),
    shuffled("gather-line-index32", I32),
];

/// Tokens that are put into a cache of keys by `scatter_update`, which are only modelled: one token
/// for each sequence, and prompts of 512. There are 8 heads of 128 numbers.
pub(super) const WINDOWS: [Workload; 4] = [
    cache("cache-decode", Cache { sequences: 32, tokens: 1, ..PROMPTS }),
    cache("cache-prefill", PROMPTS),
    // The keys are transposed behind the layer that makes them, but not copied.
    cache("cache-prefill-transposed", Cache { by_tokens: true, ..PROMPTS }),
    cache("cache-prefill-numbered", Cache { is_numbered: true, ..PROMPTS }),
];

const PROMPTS: Cache = Cache {
    sequences: 16,
    heads: 8,
    places: 4096,
    width: 128,
    tokens: 512,
    by_tokens: false,
    is_numbered: false,
};

/// Sums of rows, most of which get several updates.
const fn rows(
    name: &'static str,
    dtype: DType,
    targets: Targets,
    [rows, width, updates]: [usize; 3],
    index: RowIndex,
) -> Workload {
    let shape = Shape::Rows { update: Update::Add, targets, rows, width, updates, index };
    Workload { name, dtype, index: I64, shape }
}

/// The rows of the embedding, their width, and the number of tokens.
const EMBEDDING: [usize; 3] = [50_000, 256, 65_536];

/// The embedding with other targets.
const fn hard(name: &'static str, targets: Targets) -> Workload {
    rows(name, F32, targets, EMBEDDING, Expanded)
}

const fn embedding(name: &'static str, dtype: DType, index: RowIndex) -> Workload {
    rows(name, dtype, Targets::Tokens, EMBEDDING, index)
}

/// The embedding with its rows replaced.
const fn replaced(name: &'static str, dtype: DType) -> Workload {
    let [rows, width, updates] = EMBEDDING;
    let (update, targets, index) = (Update::Replace, Targets::Tokens, Expanded);
    Workload { name, dtype, index: I64, shape: Shape::Rows { update, targets, rows, width, updates, index } }
}

/// The tokens of the mixture of experts, the width of each, and the updates.
const MOE: [usize; 3] = [8_192, 4_096, 16_384];

const fn moe(name: &'static str, dtype: DType, index: RowIndex) -> Workload {
    rows(name, dtype, Targets::Routed, MOE, index)
}

const fn cache(name: &'static str, cache: Cache) -> Workload {
    Workload { name, dtype: F16, index: I64, shape: Shape::Cache(cache) }
}

/// A step of gradient descent, by alpha.
const STEP: Update = Update::AddScaled { alpha: -0.01 };

/// Sums of rows by an index of one axis.
const fn summed_rows(
    name: &'static str,
    dtype: DType,
    [rows, width, updates]: [usize; 3],
    targets: Targets,
    update: Update,
) -> Workload {
    let shape = Shape::Rows { update, targets, rows, width, updates, index: OneAxis };
    Workload { name, dtype, index: I64, shape }
}

/// Sums of rows, or of elements where the width is 1, at `[side, side]` places.
const fn index_put(name: &'static str, side: usize, width: usize, updates: usize) -> Workload {
    let shape = Shape::Pairs { op: PairsOp::IndexPut, side, width, updates };
    Workload { name, dtype: F32, index: I64, shape }
}

const fn gather_rows(
    name: &'static str,
    dtype: DType,
    [rows, width, updates]: [usize; 3],
    targets: Targets,
    index: RowIndex,
) -> Workload {
    let shape = Shape::Rows { update: Update::Gather, targets, rows, width, updates, index };
    Workload { name, dtype, index: I64, shape }
}

const fn graph(name: &'static str, targets: Targets, index: RowIndex) -> Workload {
    rows(name, F32, targets, [200_000, 64, 2_000_000], index)
}

const fn line(name: &'static str, dtype: DType, size: usize) -> Workload {
    let shape = Shape::Line { update: Update::Add, size, updates: 1 << 24 };
    Workload { name, dtype, index: I64, shape }
}

/// Rows of 256 elements, evenly drawn from a table.
const fn gather(name: &'static str, dtype: DType, index: DType, stored: RowIndex) -> Workload {
    let rows = if matches!(stored, Expanded) { 800_000 } else { 50_000 };
    let shape = Shape::Rows {
        update: Update::Gather,
        targets: Targets::Uniform,
        rows,
        width: 256,
        updates: 1 << 18,
        index: stored,
    };
    Workload { name, dtype, index, shape }
}

const fn picked(name: &'static str, dtype: DType, index: DType, dim: usize, shape: [usize; 2]) -> Workload {
    let shape = Shape::Elements { update: Update::Gather, dim, self_: shape, index: shape };
    Workload { name, dtype, index, shape }
}

const fn shuffled(name: &'static str, index: DType) -> Workload {
    let shape = Shape::Line { update: Update::Gather, size: 1 << 20, updates: 1 << 24 };
    Workload { name, dtype: F32, index, shape }
}

/// Elements of 65,536 rows, `updates` of each.
const fn choices(name: &'static str, dtype: DType, update: Update, width: usize, updates: usize) -> Workload {
    let (self_, index) = ([1 << 16, width], [1 << 16, updates]);
    Workload { name, dtype, index: I64, shape: Shape::Elements { update, dim: 1, self_, index } }
}

const fn square(name: &'static str, dtype: DType, index: DType, dim: usize, update: Update) -> Workload {
    elements(name, dtype, index, update, dim, 4096)
}

const fn elements(
    name: &'static str,
    dtype: DType,
    index: DType,
    update: Update,
    dim: usize,
    side: usize,
) -> Workload {
    let shape = Shape::Elements { update, dim, self_: [side, side], index: [side, side] };
    Workload { name, dtype, index, shape }
}
