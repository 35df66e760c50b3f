// The parameters of the kernels: plain data, passed by value. `kernels/tiling.rs` has the same
// structs in Rust, and `kernels/tests/layout.rs` compares the layouts of both.
//
// Offsets and strides of GM are in bytes and signed; places in UB are in bytes; sizes are in
// elements.
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
struct ScatterTargetAxis {
    uint64_t size;
    int64_t out;
};

/// How a box of two axes is copied between GM and UB.
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

/// A box of two axes of a tensor, with its layouts in GM and in UB. An axis along which the tensor
/// is broadcast has stride 0 in both, and the box has one element along it.
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
/// The updates are the coordinates of `outer` × `lane` × `update`. Updates with the same `outer`
/// and `lane` go to the same `targets` elements of out, and are applied in the order of `update`. A
/// task is one coordinate of `outer`, a tile of `lane_tile` lanes and a part of `target_part`
/// targets; no two tasks share an element of out.
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
    /// The sizes of the axes that the components of an entry of index address.
    uint64_t component[SCATTER_MAX_AXES];
    ScatterTargetAxis target[SCATTER_MAX_AXES];

    uint64_t outers;
    uint64_t targets;
    uint64_t lane_tile;
    uint64_t lane_tiles;
    uint64_t target_part;
    uint64_t target_parts;
    uint64_t tasks;
    /// The product of the sizes of all update axes except the last.
    uint64_t runs;
    uint64_t chunk;

    /// Updates × lanes; or updates × components, if an entry has several components.
    ScatterBox index_box;
    /// Updates × lanes.
    ScatterBox src_box;
    /// Targets × lanes: one line of the window.
    ScatterBox out_box;

    /// A line holds 2^line_shift targets; 63 means all targets of a part.
    uint32_t line_shift;
    /// Lines in the window.
    uint32_t lines;
    /// The bits of a line's number that are the number of its slot.
    uint32_t slot_mask;
    /// Not used: it keeps `value` aligned.
    uint32_t reserved;
    /// Whether each element (or row) counts its updates.
    uint32_t counted;
    /// Whether the call has the scalar `value` instead of src.
    uint32_t has_value;
    /// That scalar; or alpha, where src is `scaled`, in the type of the accumulator.
    uint64_t value[2];
    /// How many blocks of `scatter_index` have reported whether columns of index differ: where none
    /// do, `scatter_rows` has made the updates. 0 where columns were not compared.
    uint32_t told;
    /// Whether src is multiplied by alpha before it is added.
    uint32_t scaled;
    /// How many targets the last value of an entry of index names. More than 1 where it names the
    /// beginning of a window: then the last update axis has this size, and an update goes as many
    /// targets further as its place there says.
    uint64_t window;
};

/// How `scatter_elements` finds the updates of a task.
enum class ScatterForm : uint32_t {
    /// A task owns all targets of its lanes, and so makes all their updates.
    Lanes = 0,
    /// A task owns a part of the targets of some lanes, and picks the updates that go there.
    Part = 1,
};

/// The plan of `scatter_elements`. A task holds all its elements of out in UB at once. Fields
/// without a comment are as in `ScatterTiling`.
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

    /// The elements that a task has room for: its own, and around each run of them some that belong
    /// to no target.
    uint32_t held;
    /// Where the first target of the first lane is, and the strides of targets and of lanes. Where
    /// lanes are adjacent (`out_box` has runs along them), these are whole blocks of UB.
    uint32_t held_first;
    uint32_t held_target;
    uint32_t held_lane;
    /// The places of a chunk's updates, and their strides along updates and along lanes.
    uint32_t places;
    uint32_t place_update;
    uint32_t place_lane;

    /// The strides of src along updates and along lanes, in bytes, in the type of the arithmetic:
    /// f16 and bf16 as f32.
    uint32_t src_update;
    uint32_t src_lane;
    /// The targets that are loaded or stored at once: all, unless they are held as f32. In that
    /// case `out_box` is the layout in which this many targets are staged in UB.
    uint32_t piece;

    uint32_t counted;
    uint32_t has_value;
    uint64_t value[2];
};

/// The plan of `scatter_copy`: the coordinates of `outer` × a box of two axes, cut into tiles.
/// `index` of an axis is self's stride; `src` and `position` are not used.
struct ScatterCopyTiling {
    int64_t out_offset;
    int64_t self_offset;
    uint32_t outer_axes;
    /// Whether a tile may write where an earlier one has written, so that they must stay in order;
    /// only one block runs then.
    uint32_t in_order;
    /// Whether out becomes zeros: there is no self, and `self_offset` and `self_box` are out's.
    uint32_t zeros;
    /// Whether self has i32 and out i64, which has the same values.
    uint32_t widened;
    /// Whether self has index values, of which each is repeated along the second of `step`: out is
    /// contiguous there, and has i64.
    uint32_t repeated;
    uint32_t reserved;
    ScatterAxis outer[SCATTER_MAX_AXES];
    ScatterAxis step[2];
    uint64_t tile[2];
    uint64_t tiles[2];
    uint64_t tasks;
    /// out's lies in UB as self's does; widened, all its strides are twice as large.
    ScatterBox self_box;
    ScatterBox out_box;
};

/// The plan of `scatter_index`, which turns index into a list of targets, for a kernel that reads
/// it several times.
///
/// The list has an f32 for each entry: its target, or a number outside [0, targets) for a bad one.
/// Where one value alone names the target, a number below 0 says that it is too low, and one of at
/// least `targets` that it is too high. The entries of a coordinate of `outer` are adjacent, and
/// padded to `padded` with numbers that are no target. Behind the lists of all coordinates comes a
/// sample of each: records of 8 bytes, of which the first 4 are a target.
struct ScatterIndexTiling {
    /// The bytes of an index value: 4 or 8.
    uint32_t index_bytes;
    uint32_t components;
    int64_t index_offset;
    /// The sizes of the axes that the components of an entry address. Their product is at most
    /// 2^24 - 2, and so is the number of targets of all entries that are targets apart (`update`).
    uint64_t component[SCATTER_MAX_AXES];
    uint32_t outer_axes;
    /// Columns of an entry, which are adjacent in GM and should all be equal. 1 where there are
    /// none to compare.
    uint32_t columns;
    ScatterAxis outer[SCATTER_MAX_AXES];
    /// Its `out` is not in bytes: it says how many targets an entry is further on than the one
    /// before it, where both have the same index value.
    ScatterAxis update;
    uint64_t outers;
    uint64_t padded;
    /// Entries of a chunk, which a block converts at once, and how many chunks a coordinate of
    /// `outer` has.
    uint64_t chunks;
    uint32_t chunk;
    /// The stride of entries in UB, in values.
    uint32_t values;
    /// The targets of a chunk that are in the sample, which follows the list; 0 for no sample.
    uint32_t picks;
    /// One chunk in this many is sampled.
    uint32_t chunk_step;
    /// The records of the sample of a coordinate of `outer`.
    uint32_t sample;
    /// In a chunk that is sampled, one block of 8 targets in this many is sorted.
    uint32_t block_step;
    /// The stride of the components of an entry in bytes, where those of one axis are adjacent for
    /// all entries instead; 0 where those of an entry are.
    int64_t component_step;
    /// Whether the list has i32 instead of f32, for a kernel that takes it as its index: a bad
    /// entry stays bad there.
    uint32_t integers;
    /// The records of the sample that a chunk has, in descending order of their targets: `picks`,
    /// and padding to a multiple of 4.
    uint32_t sample_list;
};

/// The plan of `scatter_rows`, which adds rows of src to rows of out.
struct ScatterRowsTiling {
    /// A `ScatterDType`.
    uint32_t dtype;
    /// A `ScatterReduce`.
    uint32_t reduce;
    uint32_t include_self;
    /// Whether the call has the scalar `value` instead of src.
    uint32_t has_value;
    /// As in `ScatterTiling`.
    uint64_t value[2];
    int64_t out_offset;
    int64_t src_offset;
    uint32_t outer_axes;
    /// How many blocks of `scatter_index` have reported whether columns differ; 0 where columns
    /// were not compared.
    uint32_t told;
    ScatterAxis outer[SCATTER_MAX_AXES];
    uint64_t outers;
    /// Rows of out, and their stride in bytes.
    uint64_t targets;
    int64_t out_step;
    /// Rows of src, their stride in bytes, and the length of their list with its padding.
    uint64_t updates;
    int64_t src_step;
    uint64_t padded;
    /// Where the sample of the first coordinate of `outer` is, from which shares are estimated, in
    /// bytes from the start of the list; and the stride of samples in bytes.
    uint64_t sample_at;
    uint64_t sample_step;
    /// Blocks that share the updates of a coordinate of `outer`.
    uint32_t shares;
    /// The bytes of a row, and the most of them that are in UB at once.
    uint32_t row;
    uint32_t piece;
    /// Rows in a group.
    uint32_t group;
    /// 2^`bits` is how many entries of the list are searched at once, and the most updates that are
    /// sorted at once.
    uint32_t bits;
    /// The length of a sample with its padding, and without it.
    uint32_t sample;
    uint32_t sampled;
    /// The records of each of the sorted lists of which a sample consists; 0 where it is the
    /// beginning of the list of targets, whose length is a multiple of 32 then.
    uint32_t sample_list;
    /// As in `ScatterTiling`.
    uint32_t scaled;
    uint32_t reserved;
};

/// How `scatter_gather` reads self.
enum class ScatterGatherForm : uint32_t {
    /// Element by element, each by a copy of its own.
    General = 0,
    /// Rows along `lane`, on which index doesn't move, and self and out are contiguous.
    Rows = 1,
    /// All targets of some lanes, of which the vector unit picks elements in UB.
    Elements = 2,
    /// As `Rows`, but index is the list of `scatter_index`. Nothing is done where columns differ.
    ListedRows = 3,
};

/// The plan of `scatter_gather`. It has the axes of a scatter whose elements move the other way: so
/// `out` of an axis is the stride of self, into which index points, and `src` that of out. Fields
/// without a comment are as in `ScatterTiling`.
///
/// A task is a chunk of `chunk` updates for a tile of lanes. The chunks of a tile follow each
/// other.
struct ScatterGatherTiling {
    /// A `ScatterGatherForm`.
    uint32_t form;
    uint32_t index_bytes;

    int64_t out_offset;
    int64_t index_offset;
    int64_t src_offset;

    uint32_t outer_axes;
    uint32_t update_axes;
    ScatterAxis outer[SCATTER_MAX_AXES];
    ScatterAxis update[1];
    ScatterAxis lane;

    /// How many elements of self an index value chooses from, and their stride in bytes.
    uint64_t targets;
    int64_t target_step;
    uint64_t lane_tile;
    uint64_t lane_tiles;
    uint64_t tasks;
    uint64_t chunk;

    /// Updates × lanes; of rows, one lane.
    ScatterBox index_box;
    /// Updates × lanes.
    ScatterBox src_box;
    /// Targets × lanes of self, for `Elements`.
    ScatterBox out_box;

    /// General: elements that are fetched before the first of them is taken. Rows: the rows of a
    /// group.
    uint32_t group;
    /// Rows: whether the scalar unit reads index, because its values are not adjacent, or there are
    /// too many targets for f32.
    uint32_t by_scalar;
    /// Rows, Elements: how many targets the vector unit makes of a chunk, some of which may belong
    /// to no update.
    uint32_t places;
    /// Elements: how many boxes of self are in UB: 2 where there is room, else 1.
    uint32_t held;
    /// How many blocks of `scatter_index` have reported whether columns of index differ: where none
    /// do, `ListedRows` gathers, and else the launch of another form behind it. 0 where columns
    /// were not compared.
    uint32_t told;
    uint32_t reserved;
};

/// The plan of `scatter_windows`, which copies each window of src to where its entry of index says.
///
/// A window is the coordinates of `outer` × a box of two axes, `step`, that is cut into tiles. A
/// task is a tile; the `pieces` tiles of an entry follow each other.
struct ScatterWindowsTiling {
    /// The bytes of an index value: 4 or 8.
    uint32_t index_bytes;
    /// The values of an entry: 1, or 2, a sequence and a place in it.
    uint32_t components;
    int64_t out_offset;
    int64_t index_offset;
    int64_t src_offset;
    /// The entries. `out` is 0 where their values alone say where windows go.
    ScatterAxis entry;
    /// What each component chooses from; the last one from the places where a window fits.
    ScatterTargetAxis component[2];
    /// The elements of a window along the axis that the last component points into. They lie along
    /// axis `along` of the box, where each takes `unit` elements.
    uint64_t extent;
    uint64_t unit;
    uint32_t along;
    uint32_t outer_axes;
    /// Only their `src` and `out` are used.
    ScatterAxis outer[SCATTER_MAX_AXES];
    ScatterAxis step[2];
    uint64_t tile[2];
    uint64_t tiles[2];
    uint64_t pieces;
    uint64_t tasks;
    /// The entries that a block converts at once.
    uint32_t chunk;
    /// The entries that a block has room for.
    uint32_t entries;
    /// Whether windows may meet: then the last one stays, and each block looks at all entries.
    uint32_t may_meet;
    /// Whether elements become 0 or 1.
    uint32_t is_bool;
    /// Entries × components.
    ScatterBox index_box;
    /// out's lies in UB as src's does.
    ScatterBox src_box;
    ScatterBox out_box;
};

/// What a block reports of the index values that it read; written, `kScatterStatusBytes` apart, by
/// every block of a kernel that reads index.
struct ScatterStatus {
    /// The first bad value's position in the row-major order of index; all ones where there is
    /// none.
    uint64_t position;
    int64_t value;
    /// Whether the columns of an entry differ (`scatter_index`).
    uint64_t columns_differ;
    uint64_t reserved[5];
};

static_assert(sizeof(ScatterStatus) == kScatterStatusBytes, "one slot");

/// The sizes of the kernels' tilings, in the order of their numbers in `launch.h`.
#define SCATTER_TILING_BYTES                                                                                  \
    {sizeof(ScatterCopyTiling), sizeof(ScatterTiling), sizeof(ScatterIndexTiling), sizeof(ScatterRowsTiling), \
        sizeof(ScatterElementsTiling), sizeof(ScatterGatherTiling), sizeof(ScatterWindowsTiling)}
