// What the host tells a kernel: plain data, passed by value. `kernels/tiling.rs` has the same structs in Rust, and a
// test of both layouts.
//
// Offsets and strides of GM are in bytes and signed; places in UB are in bytes; sizes are in elements.
//
// The script of CANN 8.1 that makes the launch functions copies these structs, and nothing else of
// this header. So their members are integers and other such structs, and the length of an array is
// a number once the preprocessor has run: a member that holds an enum is a uint32_t, and the
// comment names the enum.
#pragma once

#include <stdint.h>

#define SCATTER_MAX_AXES 8
constexpr uint32_t kScatterStatusBytes = 64;

/// The numbers of the dtypes: their places in `scatter::DType::ALL`.
enum class ScatterDType : uint32_t {
    BF16 = 0,
    F16 = 1,
    F32 = 2,
    F64 = 3,
    I64 = 4,
    I32 = 5,
    I16 = 6,
    I8 = 7,
    U8 = 8,
    Bool = 9,
    Complex64 = 10,
    Complex128 = 11,
};

/// The numbers of the reductions, which are those of the C ABI.
enum class ScatterReduce : uint32_t { None = 0, Add = 1, Mul = 2, Max = 3, Min = 4, Mean = 5 };

/// An axis of the updates. `position` is its stride in the row-major order of index, in elements.
struct ScatterAxis {
    uint64_t size;
    int64_t out;
    int64_t index;
    int64_t src;
    uint64_t position;
};

/// An axis of the targets, the elements of out that an update can choose from.
struct ScatterTarget {
    uint64_t size;
    int64_t out;
};

/// Which way a box of two axes goes between GM and UB.
enum class ScatterRun : uint32_t {
    /// Each element by itself, in 32 bytes of UB.
    None = 0,
    /// Runs along axis 0, each padded to 32 bytes of UB.
    Axis0 = 1,
    /// Runs along axis 1, each padded to 32 bytes of UB.
    Axis1 = 2,
    /// One run: a whole axis, then the other.
    Whole = 3,
};

/// A box of two axes of a tensor, as it lies in GM and in UB. An axis along which the tensor does not move has no
/// stride in either, and one element of it is there.
struct ScatterBox {
    int64_t gm[2];
    uint32_t ub[2];
    uint32_t element;
    /// A `ScatterRun`.
    uint32_t run;
    /// The bytes of UB that the largest box takes.
    uint32_t bytes;
    uint32_t reserved;
};

/// The plan of `scatter_general`.
///
/// The updates are the coordinates of `outer` × `lane` × `update`. Those that share the first two choose, in the order
/// of the third, among the same `targets` elements of out. A task is one coordinate of `outer`, a tile of `lane_tile`
/// lanes and a part of `target_part` targets; no two tasks share an element of out.
struct ScatterTiling {
    /// A `ScatterDType`.
    uint32_t dtype;
    /// A `ScatterReduce`.
    uint32_t reduce;
    uint32_t include_self;
    /// The bytes of an index value: 4 or 8.
    uint32_t index_bytes;

    /// Where the tensors' first elements are.
    int64_t out_offset;
    int64_t index_offset;
    int64_t src_offset;

    uint32_t outer_axes;
    uint32_t update_axes;
    uint32_t components;
    uint32_t target_axes;
    ScatterAxis outer[SCATTER_MAX_AXES];
    /// The last of these is cut into chunks of `chunk` updates.
    ScatterAxis update[SCATTER_MAX_AXES];
    ScatterAxis lane;
    /// The sizes of the axes that the values of an entry of index point into.
    uint64_t component[SCATTER_MAX_AXES];
    ScatterTarget target[SCATTER_MAX_AXES];

    uint64_t outers;
    uint64_t targets;
    uint64_t lane_tile;
    uint64_t lane_tiles;
    uint64_t target_part;
    uint64_t target_parts;
    uint64_t tasks;
    /// The update axes but the last, multiplied.
    uint64_t runs;
    uint64_t chunk;

    /// Updates × lanes, or updates × components where `lane_tile` is 1.
    ScatterBox index_box;
    /// Updates × lanes.
    ScatterBox src_box;
    /// Targets × lanes: one line of the window.
    ScatterBox out_box;

    /// A line holds 2^line_shift targets, or all of a part for 63.
    uint32_t line_shift;
    /// Lines in the window.
    uint32_t lines;
    /// A line is held in the slot of its number's lowest bits.
    uint32_t slot_mask;
    /// Rows of src that `scatter_rows` takes at once.
    uint32_t group;
    /// Whether each element (or row) counts its updates.
    uint32_t counted;
    /// Whether `value` stands for src.
    uint32_t has_value;
    uint64_t value[2];
    /// How many blocks of `scatter_index` have told whether columns differ: where none do, `scatter_rows` has made the
    /// updates. 0 where none was to look.
    uint32_t told;
    uint32_t reserved;
};

/// How `scatter_elements` finds the updates of a task.
enum class ScatterForm : uint32_t {
    /// A task has all targets of its lanes, and so all their updates.
    Lanes = 0,
    /// A task has a part of the targets of one lane, and looks for their updates.
    Part = 1,
};

/// The plan of an update, for `scatter_elements`. A task holds all its elements of out in UB at once. What is not said
/// here is as in `ScatterTiling`.
struct ScatterElementsTiling {
    /// A `ScatterDType`.
    uint32_t dtype;
    /// A `ScatterReduce`.
    uint32_t reduce;
    uint32_t include_self;
    uint32_t index_bytes;

    int64_t out_offset;
    int64_t index_offset;
    int64_t src_offset;

    /// A `ScatterForm`.
    uint32_t form;
    uint32_t told;
    uint32_t outer_axes;
    uint32_t update_axes;
    ScatterAxis outer[SCATTER_MAX_AXES];
    ScatterAxis update[SCATTER_MAX_AXES];
    ScatterAxis lane;

    uint64_t outers;
    uint64_t targets;
    uint64_t lane_tile;
    uint64_t lane_tiles;
    uint64_t target_part;
    uint64_t target_parts;
    uint64_t tasks;
    uint64_t runs;
    uint64_t chunk;

    /// Updates × lanes, in runs along the same axis.
    ScatterBox index_box;
    ScatterBox src_box;
    /// Targets × lanes, in runs along either axis.
    ScatterBox out_box;

    /// The elements that there is room for in what a task holds: its own, and around each run of them some that are nobody's.
    uint32_t held;
    /// Where the first target of the first lane is, and how far the next target and the next lane are.
    /// Where lanes follow each other (`out_box` has runs along them), these are whole blocks of UB.
    uint32_t held_first;
    uint32_t held_target;
    uint32_t held_lane;
    /// Places of a chunk's updates, and how far those of the next update and of the next lane are.
    uint32_t places;
    uint32_t place_update;
    uint32_t place_lane;

    /// How far src of the next update and of the next lane is as it is computed with, in bytes: f16 and bf16 as f32.
    uint32_t src_update;
    uint32_t src_lane;
    /// The targets that come and go at once: all, but for what is held as f32. `out_box` says how so many lie in UB then.
    uint32_t piece;

    uint32_t counted;
    uint32_t has_value;
    uint64_t value[2];
};

/// The plan of a copy, for `scatter_copy`: the coordinates of `outer` × a box of two axes, cut into tiles. Of an axis,
/// `index` is self's stride; `src` and `position` are not used.
struct ScatterCopyTiling {
    int64_t out_offset;
    int64_t self_offset;
    uint32_t outer_axes;
    /// Whether a tile may write where one before it has written, and only one block runs.
    uint32_t in_order;
    ScatterAxis outer[SCATTER_MAX_AXES];
    ScatterAxis step[2];
    uint64_t tile[2];
    uint64_t tiles[2];
    uint64_t tasks;
    ScatterBox self_box;
    ScatterBox out_box;
};

/// The plan of `scatter_index`: the entries of index as targets, for a kernel that reads them again and again.
///
/// The list has a f32 for each entry: its target, or a number outside [0, targets) for a bad one. The entries of a
/// coordinate of `outer` follow each other; behind them, up to `padded`, no target follows. Behind the list of all
/// coordinates comes a sample of each.
struct ScatterIndexTiling {
    /// The bytes of an index value: 4 or 8.
    uint32_t index_bytes;
    uint32_t components;
    int64_t index_offset;
    /// The sizes of the axes that the values of an entry point into. Their product is at most 2^24 - 2.
    uint64_t component[SCATTER_MAX_AXES];
    uint32_t outer_axes;
    /// Columns of an entry, which follow each other in GM and should all say the same. 1 for none to compare.
    uint32_t columns;
    ScatterAxis outer[SCATTER_MAX_AXES];
    ScatterAxis update;
    uint64_t outers;
    uint64_t padded;
    /// Entries that a block takes at once, and how many such chunks a coordinate of `outer` has.
    uint64_t chunks;
    uint32_t chunk;
    /// From an entry to the next in UB, in values.
    uint32_t values;
    /// The targets of a chunk that are in the sample, which follows the list; 0 for no sample.
    uint32_t picks;
    /// One chunk of this many is in the sample.
    uint32_t chunk_step;
    /// The places of the sample of a coordinate of `outer`: a multiple of 32.
    uint32_t sample;
    /// One block of 8 targets of this many, in a chunk that is sampled, is sorted for it.
    uint32_t block_step;
};

/// The plan of `scatter_rows`, which adds rows of src to rows of out.
struct ScatterRowsTiling {
    /// A `ScatterDType`.
    uint32_t dtype;
    /// A `ScatterReduce`.
    uint32_t reduce;
    uint32_t include_self;
    /// Whether `value` stands for src.
    uint32_t has_value;
    uint64_t value[2];
    int64_t out_offset;
    int64_t src_offset;
    uint32_t outer_axes;
    /// How many blocks of `scatter_index` have told whether columns differ; 0 where none was to look.
    uint32_t told;
    ScatterAxis outer[SCATTER_MAX_AXES];
    uint64_t outers;
    /// Rows of out, and the bytes from one to the next.
    uint64_t targets;
    int64_t out_step;
    /// Rows of src, the bytes from one to the next, and the places of the list for them.
    uint64_t updates;
    int64_t src_step;
    uint64_t padded;
    /// Where the sample of the first coordinate of `outer` is, from which shares are estimated, and how far the next one is: in
    /// bytes, from the start of the list.
    uint64_t sample_at;
    uint64_t sample_step;
    /// Blocks that share the updates of a coordinate of `outer`.
    uint32_t shares;
    /// The bytes of a row, and the most of them that are in UB at once.
    uint32_t row;
    uint32_t piece;
    /// Rows in a group.
    uint32_t group;
    /// Entries of the list that are looked through at once, and the most updates that are sorted at once: 2^`bits`.
    uint32_t bits;
    /// The places of a sample, a multiple of 32, and how many of them are sampled.
    uint32_t sample;
    uint32_t sampled;
    uint32_t reserved;
};

/// What a block says of the index values that it met; `kScatterStatusBytes` apart, written by every block of a kernel that
/// looks at index.
struct ScatterStatus {
    /// The first bad value's place in the row-major order of index; all ones where there is none.
    uint64_t position;
    int64_t value;
    /// Whether the columns of an entry differ (`scatter_index`).
    uint64_t columns_differ;
    uint64_t reserved[5];
};

static_assert(sizeof(ScatterStatus) == kScatterStatusBytes, "one slot");

/// The sizes of the kernels' tilings, in the order of their numbers in `launch.h`.
#define SCATTER_TILING_BYTES \
    { sizeof(ScatterCopyTiling), sizeof(ScatterTiling), sizeof(ScatterIndexTiling), sizeof(ScatterRowsTiling), \
      sizeof(ScatterElementsTiling) }
