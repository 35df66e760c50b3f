//! The parameters of the kernels: the structs of `include/scatter_tiling.h` in Rust.
//!
//! They are plain data, passed to a kernel by value. Offsets and strides of GM are in bytes and
//! signed; places in UB are in bytes; sizes are in elements.

/// The most axes of a kind.
pub const MAX_AXES: usize = scatter::MAX_RANK;

/// The bytes of a [`Status`].
pub const STATUS_BYTES: usize = 64;

/// The [`Tiling::line_shift`] with which a line holds all targets of a part.
pub const WHOLE_PART: u32 = 63;

/// An axis of the updates.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// Its size.
    pub size: u64,
    /// out's stride.
    pub out: i64,
    /// index's stride (self's in a copy).
    pub index: i64,
    /// src's stride.
    pub src: i64,
    /// The stride in the row-major order of index, in elements.
    pub position: u64,
}

/// An axis of the targets, the elements of out that an update can choose from.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetAxis {
    /// Its size.
    pub size: u64,
    /// out's stride.
    pub out: i64,
}

/// How a box of two axes is copied between GM and UB.
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Run {
    /// Each element by itself, in 32 bytes of UB.
    #[default]
    None = 0,
    /// Runs along axis 0, each padded to 32 bytes of UB.
    Axis0 = 1,
    /// Runs along axis 1, each padded to 32 bytes of UB.
    Axis1 = 2,
    /// One run: a whole axis, then the other.
    Whole = 3,
}

/// A box of two axes of a tensor, with its layouts in GM and in UB. An axis along which the tensor
/// is broadcast has stride 0 in both, and the box has one element along it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Box2 {
    /// The strides in GM.
    pub gm: [i64; 2],
    /// The strides in UB.
    pub ub: [u32; 2],
    /// The bytes of an element.
    pub element: u32,
    /// How it is moved.
    pub run: Run,
    /// The bytes of UB that the largest box takes.
    pub bytes: u32,
    /// Zero.
    pub reserved: u32,
}

/// The plan of `scatter_general`.
///
/// The updates are the coordinates of `outer` × `lane` × `update`. Updates with the same `outer`
/// and `lane` go to the same `targets` elements of out, and are applied in the order of `update`. A
/// task is one coordinate of `outer`, a tile of `lane_tile` lanes and a part of `target_part`
/// targets; no two tasks share an element of out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tiling {
    /// The dtype's place in [`scatter::DType::ALL`].
    pub dtype: u32,
    /// The reduction's code.
    pub reduce: u32,
    /// Whether self's value is reduced too.
    pub include_self: u32,
    /// The bytes of an index value: 4 or 8.
    pub index_bytes: u32,
    /// Where out's first element is.
    pub out_offset: i64,
    /// Where index's first element is.
    pub index_offset: i64,
    /// Where src's first element is.
    pub src_offset: i64,
    /// How many of `outer` there are.
    pub outer_axes: u32,
    /// How many of `update` there are; at least one.
    pub update_axes: u32,
    /// How many of `component` there are.
    pub components: u32,
    /// How many of `target` there are.
    pub target_axes: u32,
    /// The axes along which index, src and out move together, except `lane`.
    pub outer: [Axis; MAX_AXES],
    /// The axes along which only index and src move. The last is cut into chunks of `chunk`
    /// updates.
    pub update: [Axis; MAX_AXES],
    /// One more axis of the kind of `outer`, which is cut into tiles.
    pub lane: Axis,
    /// The sizes of the axes that the components of an entry of index address.
    pub component: [u64; MAX_AXES],
    /// The axes of the targets.
    pub target: [TargetAxis; MAX_AXES],
    /// How many coordinates `outer` has.
    pub outers: u64,
    /// How many coordinates `target` has.
    pub targets: u64,
    /// The lanes of a tile; the last may have fewer.
    pub lane_tile: u64,
    /// The tiles of lanes.
    pub lane_tiles: u64,
    /// The targets of a part; the last may have fewer.
    pub target_part: u64,
    /// The parts of targets.
    pub target_parts: u64,
    /// `outers` × `lane_tiles` × `target_parts`.
    pub tasks: u64,
    /// The product of the sizes of all update axes except the last.
    pub runs: u64,
    /// The updates of a chunk; the last of a run may have fewer.
    pub chunk: u64,
    /// Updates × lanes; or updates × components, if an entry has several components.
    pub index_box: Box2,
    /// Updates × lanes.
    pub src_box: Box2,
    /// Targets × lanes: one line of the window.
    pub out_box: Box2,
    /// A line holds 2^`line_shift` targets, or all targets of a part for [`WHOLE_PART`].
    pub line_shift: u32,
    /// Lines in the window.
    pub lines: u32,
    /// The bits of a line's number that are the number of its slot.
    pub slot_mask: u32,
    /// Not used: it keeps `value` aligned.
    pub reserved: u32,
    /// Whether each element (or row) counts its updates.
    pub counted: u32,
    /// Whether the call has the scalar `value` instead of src.
    pub has_value: u32,
    /// The value's bytes, repeated; or those of alpha, where src is `scaled`, in the type of the
    /// accumulator.
    pub value: [u64; 2],
    /// How many blocks of `scatter_index` have reported whether columns of index differ: where none
    /// do, `scatter_rows` has made the updates. 0 where columns were not compared.
    pub told: u32,
    /// Whether src is multiplied by alpha before it is added.
    pub scaled: u32,
    /// How many targets the last value of an entry of index names. More than 1 where it names the
    /// beginning of a window: then the last update axis has this size, and an update goes as many
    /// targets further as its place there says.
    pub window: u64,
}

/// How `scatter_elements` finds the updates of a task.
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A task owns all targets of its lanes, and so makes all their updates.
    #[default]
    Lanes = 0,
    /// A task owns a part of the targets of some lanes, and picks the updates that go there.
    Part = 1,
}

/// The plan of `scatter_elements`. A task holds all its elements of out in UB at once.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementsTiling {
    /// The dtype's place in [`scatter::DType::ALL`].
    pub dtype: u32,
    /// The reduction's code.
    pub reduce: u32,
    /// Whether self's value is reduced too.
    pub include_self: u32,
    /// The bytes of an index value: 4 or 8.
    pub index_bytes: u32,
    /// Where out's first element is.
    pub out_offset: i64,
    /// Where index's first element is.
    pub index_offset: i64,
    /// Where src's first element is.
    pub src_offset: i64,
    /// How a task finds its updates.
    pub form: Form,
    /// As in [`Tiling`].
    pub told: u32,
    /// How many of `outer` there are.
    pub outer_axes: u32,
    /// How many of `update` there are; at least one.
    pub update_axes: u32,
    /// As in [`Tiling`].
    pub outer: [Axis; MAX_AXES],
    /// As in [`Tiling`].
    pub update: [Axis; MAX_AXES],
    /// As in [`Tiling`].
    pub lane: Axis,
    /// How many coordinates `outer` has.
    pub outers: u64,
    /// How many targets there are.
    pub targets: u64,
    /// The lanes of a tile; the last may have fewer.
    pub lane_tile: u64,
    /// The tiles of lanes.
    pub lane_tiles: u64,
    /// The targets of a part; the last may have fewer.
    pub target_part: u64,
    /// The parts of targets.
    pub target_parts: u64,
    /// `outers` × `lane_tiles` × `target_parts`.
    pub tasks: u64,
    /// The product of the sizes of all update axes except the last.
    pub runs: u64,
    /// The updates of a chunk; the last of a run may have fewer.
    pub chunk: u64,
    /// Updates × lanes, in runs along the same axis as src's.
    pub index_box: Box2,
    /// Updates × lanes.
    pub src_box: Box2,
    /// Targets × lanes, in runs along either axis.
    pub out_box: Box2,
    /// The elements that a task has room for: its own, and around each run of them some that belong
    /// to no target.
    pub held: u32,
    /// Where the first target of the first lane is.
    pub held_first: u32,
    /// The stride of targets.
    pub held_target: u32,
    /// The stride of lanes.
    pub held_lane: u32,
    /// How many places the updates of a chunk have.
    pub places: u32,
    /// The stride of places along updates.
    pub place_update: u32,
    /// The stride of places along lanes.
    pub place_lane: u32,
    /// The stride of src along updates, in bytes, in the type of the arithmetic: f16 and bf16 as
    /// f32.
    pub src_update: u32,
    /// The same along lanes.
    pub src_lane: u32,
    /// The targets that are loaded or stored at once: all, unless they are held as f32. In that
    /// case `out_box` is the layout in which this many targets are staged in UB.
    pub piece: u32,
    /// Whether each element counts its updates.
    pub counted: u32,
    /// Whether the call has the scalar `value` instead of src.
    pub has_value: u32,
    /// The value's bytes, repeated.
    pub value: [u64; 2],
}

/// The plan of `scatter_copy`: the coordinates of `outer` × a box of two axes, cut into tiles.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyTiling {
    /// Where out's first element is.
    pub out_offset: i64,
    /// Where self's first element is.
    pub self_offset: i64,
    /// How many of `outer` there are.
    pub outer_axes: u32,
    /// Whether a tile may write where an earlier one has written, so that they must stay in order;
    /// only one block runs then.
    pub in_order: u32,
    /// Whether out becomes zeros: there is no self, and `self_offset` and `self_box` are out's.
    pub zeros: u32,
    /// Whether self has i32 and out i64, which has the same values.
    pub widened: u32,
    /// Whether self has index values, of which each is repeated along the second of `step`: out is
    /// contiguous there, and has i64.
    pub repeated: u32,
    /// 0.
    pub reserved: u32,
    /// The axes that are not cut.
    pub outer: [Axis; MAX_AXES],
    /// The two axes that are cut into tiles.
    pub step: [Axis; 2],
    /// The sizes of a tile; the last may be smaller.
    pub tile: [u64; 2],
    /// The tiles along each of the two axes.
    pub tiles: [u64; 2],
    /// The tiles in all.
    pub tasks: u64,
    /// A tile of self.
    pub self_box: Box2,
    /// A tile of out, which lies in UB as `self_box` does; widened, all its strides are twice as
    /// large.
    pub out_box: Box2,
}

/// The plan of `scatter_index`, which turns index into a list of targets, for a kernel that reads
/// it several times.
///
/// The list has an f32 for each entry: its target, or a number outside `[0, targets)` for a bad
/// one. Where one value alone names the target, a number below 0 says that it is too low, and one
/// of at least `targets` that it is too high. The entries of a coordinate of `outer` are adjacent,
/// and padded to `padded` with numbers that are no target.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexTiling {
    /// The bytes of an index value: 4 or 8.
    pub index_bytes: u32,
    /// How many of `component` there are.
    pub components: u32,
    /// Where index's first element is.
    pub index_offset: i64,
    /// The sizes of the axes that the components of an entry address. Their product is at most
    /// [`MOST_TARGETS`], and so is the number of targets of all entries that are targets apart
    /// (`update`).
    pub component: [u64; MAX_AXES],
    /// How many of `outer` there are.
    pub outer_axes: u32,
    /// Columns of an entry, which are adjacent in GM and should all be equal. 1 where there are
    /// none to compare.
    pub columns: u32,
    /// The axes along which index, src and out move together.
    pub outer: [Axis; MAX_AXES],
    /// The axis along which only index and src move. Its `out` is not in bytes: it says how many
    /// targets an entry is further on than the one before it, where both have the same index value.
    /// That is more than 0 where each entry has a range of targets of its own.
    pub update: Axis,
    /// How many coordinates `outer` has.
    pub outers: u64,
    /// The length of the list of one coordinate with its padding: a multiple of 64.
    pub padded: u64,
    /// How many chunks one coordinate has.
    pub chunks: u64,
    /// Entries of a chunk, which a block converts at once.
    pub chunk: u32,
    /// The stride of entries in UB, in values.
    pub values: u32,
    /// The targets of a chunk that are in the sample, which follows the list; 0 for no sample.
    pub picks: u32,
    /// One chunk in this many is sampled.
    pub chunk_step: u32,
    /// The records of the sample of a coordinate of `outer`.
    pub sample: u32,
    /// In a chunk that is sampled, one block of 8 targets in this many is sorted.
    pub block_step: u32,
    /// The stride of the components of an entry in bytes, where those of one axis are adjacent for
    /// all entries instead; 0 where those of an entry are.
    pub component_step: i64,
    /// Whether the list has i32 instead of f32, for a kernel that takes it as its index: a bad
    /// entry stays bad there.
    pub integers: u32,
    /// The records of the sample that a chunk has, in descending order of their targets: `picks`,
    /// and padding to a multiple of 4.
    pub sample_list: u32,
}

/// The most targets that the vector unit can tell apart: whole numbers that are exact as f32, and
/// one on either side.
pub const MOST_TARGETS: u64 = (1 << 24) - 2;

/// The plan of `scatter_rows`, which adds rows of src to rows of out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowsTiling {
    /// The dtype's place in [`scatter::DType::ALL`].
    pub dtype: u32,
    /// The reduction's code.
    pub reduce: u32,
    /// Whether self's value is reduced too.
    pub include_self: u32,
    /// Whether the call has the scalar `value` instead of src.
    pub has_value: u32,
    /// As in [`Tiling`].
    pub value: [u64; 2],
    /// Where out's first element is.
    pub out_offset: i64,
    /// Where src's first element is.
    pub src_offset: i64,
    /// How many of `outer` there are.
    pub outer_axes: u32,
    /// How many blocks of `scatter_index` have reported whether columns differ; 0 where columns
    /// were not compared.
    pub told: u32,
    /// The axes along which index, src and out move together.
    pub outer: [Axis; MAX_AXES],
    /// How many coordinates `outer` has.
    pub outers: u64,
    /// Rows of out.
    pub targets: u64,
    /// Their stride in bytes.
    pub out_step: i64,
    /// Rows of src.
    pub updates: u64,
    /// Their stride in bytes.
    pub src_step: i64,
    /// The length of their list with its padding.
    pub padded: u64,
    /// Where the sample of the first coordinate of `outer` is, from which shares are estimated, in
    /// bytes from the start of the list.
    pub sample_at: u64,
    /// The stride of samples in bytes.
    pub sample_step: u64,
    /// Blocks that share the updates of a coordinate of `outer`.
    pub shares: u32,
    /// The bytes of a row.
    pub row: u32,
    /// The most bytes of a row that are in UB at once.
    pub piece: u32,
    /// Rows in a group.
    pub group: u32,
    /// 2^`bits` is how many entries of the list are searched at once, and the most updates that are
    /// sorted at once.
    pub bits: u32,
    /// The length of a sample with its padding.
    pub sample: u32,
    /// The length of a sample without its padding.
    pub sampled: u32,
    /// The records of each of the sorted lists of which a sample consists; 0 where it is the
    /// beginning of the list of targets, whose length is a multiple of 32 then.
    pub sample_list: u32,
    /// As in [`Tiling`].
    pub scaled: u32,
    /// Zero.
    pub reserved: u32,
}

/// How `scatter_gather` reads self.
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GatherForm {
    /// Element by element, each by a copy of its own.
    #[default]
    General = 0,
    /// Rows along `lane`, on which index doesn't move, and self and out are contiguous.
    Rows = 1,
    /// All targets of some lanes, of which the vector unit picks elements in UB.
    Elements = 2,
    /// As `Rows`, but index is the list of `scatter_index`. Nothing is done where columns differ.
    ListedRows = 3,
}

/// The plan of `scatter_gather`. It has the axes of a scatter whose elements move the other way: so
/// `out` of an axis is the stride of self, into which index points, and `src` that of out.
///
/// A task is a chunk of `chunk` updates for a tile of lanes. The chunks of a tile follow each
/// other.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatherTiling {
    /// How self is read.
    pub form: GatherForm,
    /// The bytes of an index value: 4 or 8.
    pub index_bytes: u32,
    /// Where self's first element is.
    pub out_offset: i64,
    /// Where index's first element is.
    pub index_offset: i64,
    /// Where out's first element is.
    pub src_offset: i64,
    /// How many of `outer` there are.
    pub outer_axes: u32,
    /// How many of `update` there are: one.
    pub update_axes: u32,
    /// The axes along which index, self and out move together, except `lane`.
    pub outer: [Axis; MAX_AXES],
    /// The axis along which only index and out move.
    pub update: [Axis; 1],
    /// One more axis of the kind of `outer`, which is cut into tiles.
    pub lane: Axis,
    /// How many elements of self an index value chooses from.
    pub targets: u64,
    /// Their stride in bytes.
    pub target_step: i64,
    /// The lanes of a tile; the last may have fewer.
    pub lane_tile: u64,
    /// The tiles of lanes.
    pub lane_tiles: u64,
    /// The chunks of all tiles.
    pub tasks: u64,
    /// The updates of a chunk; the last of a tile may have fewer.
    pub chunk: u64,
    /// Updates × lanes; of rows, one lane.
    pub index_box: Box2,
    /// Updates × lanes.
    pub src_box: Box2,
    /// Targets × lanes of self, for [`GatherForm::Elements`].
    pub out_box: Box2,
    /// General: elements that are fetched before the first of them is taken. Rows: the rows of a
    /// group.
    pub group: u32,
    /// Rows: whether the scalar unit reads index, because its values are not adjacent, or there are
    /// too many targets for f32.
    pub by_scalar: u32,
    /// Rows, Elements: how many targets the vector unit makes of a chunk, some of which may belong
    /// to no update.
    pub places: u32,
    /// Elements: how many boxes of self are in UB: 2 where there is room, else 1.
    pub held: u32,
    /// How many blocks of `scatter_index` have reported whether columns of index differ: where none
    /// do, [`GatherForm::ListedRows`] gathers, and else the launch of another form behind it. 0
    /// where columns were not compared.
    pub told: u32,
    /// 0.
    pub reserved: u32,
}

/// The plan of `scatter_windows`, which copies each window of src to where its entry of index says.
///
/// A window is the coordinates of `outer` × a box of two axes, `step`, that is cut into tiles. A
/// task is a tile; the `pieces` tiles of an entry follow each other.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowsTiling {
    /// The bytes of an index value: 4 or 8.
    pub index_bytes: u32,
    /// The values of an entry: 1, or 2, a sequence and a place in it.
    pub components: u32,
    /// Where out's first element is.
    pub out_offset: i64,
    /// Where index's first element is.
    pub index_offset: i64,
    /// Where src's first element is.
    pub src_offset: i64,
    /// The entries. `out` is 0 where their values alone say where windows go.
    pub entry: Axis,
    /// What each component chooses from; the last one from the places where a window fits.
    pub component: [TargetAxis; 2],
    /// The elements of a window along the axis that the last component points into.
    pub extent: u64,
    /// How many elements of the box each of these takes, along axis `along` of it.
    pub unit: u64,
    /// Which axis of the box that is.
    pub along: u32,
    /// How many of `outer` there are.
    pub outer_axes: u32,
    /// The axes of a window beside the box; only their `src` and `out` are used.
    pub outer: [Axis; MAX_AXES],
    /// The axes of the box.
    pub step: [Axis; 2],
    /// The elements of a tile along these; the last of an axis may have fewer.
    pub tile: [u64; 2],
    /// The tiles along these.
    pub tiles: [u64; 2],
    /// The tiles of a window.
    pub pieces: u64,
    /// The tiles of all windows.
    pub tasks: u64,
    /// The entries that a block converts at once.
    pub chunk: u32,
    /// The entries that it has room for.
    pub entries: u32,
    /// Whether windows may meet: then the last one stays, and each block looks at all entries.
    pub may_meet: u32,
    /// Whether elements become 0 or 1.
    pub is_bool: u32,
    /// Entries × components.
    pub index_box: Box2,
    /// A tile of src.
    pub src_box: Box2,
    /// A tile of out, which lies in UB as src's does.
    pub out_box: Box2,
}

/// What a block reports of the index values that it read.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The first bad value's position in the row-major order of index; all ones where there is
    /// none.
    pub position: u64,
    /// The bad value.
    pub value: i64,
    /// Whether the columns of an entry differ (`scatter_index`).
    pub columns_differ: u64,
    /// Zero.
    pub reserved: [u64; 5],
}

impl Status {
    /// No bad value.
    pub const GOOD: Self = Self { position: u64::MAX, value: 0, columns_differ: 0, reserved: [0; 5] };
}
