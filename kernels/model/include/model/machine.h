// The functions that the headers of the model call, one for each kind of instruction. They apply to
// the block that runs on this thread.
//
// The headers only translate a call of Ascend C into one of these; rules, schedule and arithmetic
// are behind them, in kernels/model/src/.
#pragma once

#include "scalar.h"
#include "site.h"
#include "types.h"

#include <cstdint>
#include <cstring>

namespace ascendc_model {

enum class Type : uint8_t { S8, U8, S16, U16, S32, U32, S64, U64, F16, BF16, F32, F64, Count };

constexpr uint32_t size_of(Type type)
{
    constexpr uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 0};
    return sizes[static_cast<uint32_t>(type)];
}

template <typename T> struct TypeOf;
// clang-format off
template <> struct TypeOf<int8_t>     { static constexpr Type value = Type::S8; };
template <> struct TypeOf<uint8_t>    { static constexpr Type value = Type::U8; };
template <> struct TypeOf<int16_t>    { static constexpr Type value = Type::S16; };
template <> struct TypeOf<uint16_t>   { static constexpr Type value = Type::U16; };
template <> struct TypeOf<int32_t>    { static constexpr Type value = Type::S32; };
template <> struct TypeOf<uint32_t>   { static constexpr Type value = Type::U32; };
template <> struct TypeOf<int64_t>    { static constexpr Type value = Type::S64; };
template <> struct TypeOf<uint64_t>   { static constexpr Type value = Type::U64; };
template <> struct TypeOf<half>       { static constexpr Type value = Type::F16; };
template <> struct TypeOf<bfloat16_t> { static constexpr Type value = Type::BF16; };
template <> struct TypeOf<float>      { static constexpr Type value = Type::F32; };
template <> struct TypeOf<double>     { static constexpr Type value = Type::F64; };
// clang-format on
template <typename T> constexpr Type type_of = TypeOf<T>::value;

/// True when T is one of Allowed: the lists of data types in the headers of dav-2201.
template <typename T, typename... Allowed> constexpr bool one_of = (... || (type_of<T> == type_of<Allowed>));

/// The bits of a scalar operand, in the low bytes.
template <typename T> uint64_t bits_of(const T& value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

/// A LocalTensor: `bytes` of UB from `address` on, which belong to one buffer of the block as that
/// buffer was when the tensor was made (`generation` grows when it is freed).
struct Local {
    uint32_t address = 0;
    uint32_t bytes = 0;
    uint32_t buffer = UINT32_MAX;
    uint32_t generation = 0;
    /// Whether it is a part of its buffer whose length the kernel gave.
    bool is_part = false;
};

/// A GlobalTensor's address in GM, and the range of the launch in which its pointer lies.
struct Global {
    uint64_t address = 0;
    uint32_t region = UINT32_MAX;
};

/// A tensor as an operand of a vector instruction; strides in blocks of 32 bytes.
struct Operand {
    Local tensor;
    Type type;
    uint16_t block_stride = 1;
    uint16_t repeat_stride = 8;
};

/// Which elements a vector instruction works on.
struct Extent {
    enum class Kind : uint8_t {
        /// `count` adjacent elements; sets counter mode, and restores a full mask afterwards.
        Count,
        /// `repeat` times the elements whose bit is set in `mask`.
        Bits,
        /// As `Bits`, with the mask register and its mode.
        Held,
    };
    Kind kind;
    /// As the kernel gave it, not truncated to 8 bits.
    uint64_t repeat = 1;
    int64_t count = 0;
    uint64_t mask[2] = {0, 0};

    static Extent elements(int64_t count) { return Extent{Kind::Count, 1, count, {0, 0}}; }
    static Extent bits(const uint64_t mask[], uint64_t repeat)
    {
        return Extent{Kind::Bits, repeat, 0, {mask[0], mask[1]}};
    }
    /// The first `lanes` elements of each repeat.
    static Extent lanes(uint64_t lanes, uint64_t repeat);
    static Extent held(uint64_t repeat) { return Extent{Kind::Held, repeat, 0, {0, 0}}; }
};

enum class VectorOp : uint8_t {
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    And,
    Or,
    Not,
    Abs,
    Adds,
    Muls,
    Maxs,
    Mins,
    ShiftLeft,
    ShiftRight,
    Duplicate,
    Copy,
    Cast,
    Compare,
    CompareScalar,
    Select,
    SelectScalar,
    Gather,
    VecIndex,
    ReduceSum,
    ReduceMax,
    ReduceMin,
    Axpy,
    MulAddDst,
    Brcb,
    Gatherb,
    GatherMask,
    Sort32,
    MrgSort,
    TransDataTo5HD,
};

/// Issues a vector instruction. `operands[0]` is the destination. `variant` is the RoundMode of a
/// Cast, the CMPMODE of a comparison, the SELMODE of a Select; `scalar` the bits of a scalar
/// operand.
void vector(VectorOp op, const Operand* operands, uint32_t operand_count, const Extent& extent, uint8_t variant,
    uint64_t scalar, const Site& site);

/// A GatherMask.
struct Packing {
    Local dst;
    Local src;
    /// The tensor of bits, where `pattern` is 0.
    Local bits;
    Type type;
    uint8_t pattern = 0;
    /// Whether each repeat takes `mask` elements, in counter mode, rather than 256 bytes.
    bool counted = false;
    uint32_t mask = 0;
    uint16_t repeats = 0;
    uint16_t repeat_stride = 8;
    uint8_t block_stride = 1;
    uint8_t bits_stride = 8;
};
/// Returns how many elements were chosen; the scalar unit waits for that.
uint64_t gather_mask(const Packing& packing, const Site& site);

/// Sorts 32 keys of each repeat, with their indices, into records of 8 bytes.
void sort32(const Local& dst, const Local& keys, const Local& indices, Type type, uint64_t repeats, const Site& site);

/// A MrgSort: up to four sorted lists of records into one.
struct Merging {
    Local dst;
    Local lists[4];
    Type type;
    uint16_t lengths[4] = {0, 0, 0, 0};
    /// Whether it ends as soon as one of its lists does.
    bool suspends = false;
    uint16_t valid = 0;
    uint64_t repeats = 1;
};
void merge_sorted(const Merging& merging, const Site& site);
/// How many records the last MrgSort took from a list, if it was one that ends as soon as a list
/// does; the scalar unit waits.
uint16_t merged_of(uint32_t list, const Site& site);

/// Blocks on each side of a TransDataTo5HD.
constexpr uint32_t kTransposedBlocks = 16;
/// A TransDataTo5HD; the strides are in blocks of 32 bytes.
struct Transposing {
    Local dst[kTransposedBlocks];
    Local src[kTransposedBlocks];
    Type type;
    /// Of types of 8 bits, which half of each block is written, and which is read.
    bool dst_high = false;
    bool src_high = false;
    uint8_t repeats = 1;
    uint16_t dst_stride = 0;
    uint16_t src_stride = 0;
};
void transpose_blocks(const Transposing& transposing, const Site& site);
/// UB from an address on, to the end of the buffer that holds it now.
Local local_at(uint64_t address);

/// A copy between GM and UB: `count` blocks of `length` bytes. GM's gap is in bytes; UB's in blocks
/// of 32 bytes.
struct Transfer {
    Global gm;
    Local ub;
    Type type;
    uint32_t count = 1;
    uint32_t length = 0;
    uint64_t gm_gap = 0;
    uint32_t ub_gap = 0;
    /// DataCopyPad, which takes any length; DataCopy moves whole blocks of 32 bytes.
    bool pad = false;
    /// Whether the value of DataCopyPad's padding is given, rather than undefined.
    bool pad_given = false;
    /// In elements.
    uint8_t left = 0;
    uint8_t right = 0;
    uint64_t pad_value = 0;
};

void copy_in(const Transfer& transfer, const Site& site);
void copy_out(const Transfer& transfer, const Site& site);
/// DataCopy from UB to UB: `count` blocks of `length` times 32 bytes, gaps in blocks of 32 bytes,
/// on the vector pipe.
void copy_local(const Local& dst, const Local& src, uint32_t count, uint32_t length, uint32_t src_gap, uint32_t dst_gap,
    const Site& site);
/// Reports a DataCopy of a count whose bytes are no multiple of 32, which the device rounds down.
void copy_remainder(const char* name, uint64_t bytes, const Site& site);

enum class AtomicOp : uint8_t { None, Add, Max, Min };
/// Every copy to GM from now on adds, until `AtomicOp::None`.
void set_atomic(AtomicOp op, Type type, const Site& site);

void set_flag(AscendC::HardEvent event, int32_t id, const Site& site);
void wait_flag(AscendC::HardEvent event, int32_t id, const Site& site);
void pipe_barrier(pipe_t pipe, const Site& site);

void set_vector_mask(uint64_t high, uint64_t low, const Site& site);
void set_mask_mode(AscendC::MaskMode mode, const Site& site);

int64_t block_index();
int64_t block_count();
/// Refuses a function that the model does not run; ends the block.
void unsupported(const char* what, const Site& site);

/// Ends the block, in strict mode.
void assertion_failed(const char* what, const Site& site);
/// Reports a parameter that violates an assertion of the real headers.
void refuse_parameter(const char* what, const Site& site);

/// A scalar access to UB. Not inlined, because a kernel's basic blocks are counted, and must not
/// include the model's. A read that is refused gives zero.
void scalar_read(const Local& tensor, uint64_t offset, void* value, uint32_t bytes, const Site& site);
void scalar_write(const Local& tensor, uint64_t offset, const void* value, uint32_t bytes, const Site& site);

Global global_at(const void* address);
/// Reads GM by the scalar unit; false when that is refused.
bool read_global(const Global& tensor, uint64_t offset, void* value, uint32_t bytes, const Site& site);
/// Always a report: kernels write GM by DMA.
void write_global(const Global& tensor, uint64_t offset, uint32_t bytes, const Site& site);

/// The state of a queue or TBuf; the position decides the events that guard its buffers.
struct QueueState {
    uint32_t first_buffer = 0;
    uint8_t buffers = 0;
    uint8_t next_buffer = 0;
    uint8_t depth = 0;
    uint8_t queued = 0;
    uint8_t head = 0;
    bool initialised = false;
    AscendC::HardEvent filled = AscendC::HardEvent::MAX;
    AscendC::HardEvent freed = AscendC::HardEvent::MAX;
    const char* position = "";
    uint32_t order[64];
};

void pipe_begin(void* pipe, const Site& site);
void pipe_end();
/// The pipe of the last `pipe_begin`; ends the block when there was none.
void* current_pipe(const Site& site);
/// Gives a queue its buffers.
void init_queue(QueueState& queue, uint32_t buffers, uint32_t bytes, const Site& site);
/// Gives a TBuf its one buffer, which is never freed.
Local init_buffer(uint32_t bytes, const char* position, const Site& site);
/// `bytes` bytes of a TBuf from byte `offset` on. From now on no access to the bytes before them
/// may run into them.
Local part_of(const Local& buffer, uint64_t offset, uint64_t bytes, const Site& site);
Local alloc_tensor(QueueState& queue, const Site& site);
bool enque(QueueState& queue, const Local& tensor, const Site& site);
Local deque(QueueState& queue, const Site& site);
void free_tensor(QueueState& queue, const Local& tensor, const Site& site);

int32_t alloc_event(AscendC::HardEvent event, const Site& site);
void release_event(AscendC::HardEvent event, int32_t id, const Site& site);
/// The lowest free id, which is not allocated.
int32_t fetch_event(AscendC::HardEvent event, const Site& site);

} // namespace ascendc_model
