// GM: bounds, permissions, and conflicts of blocks.

#include "planted.h"

#include <stdexcept>

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kTile = 256;
/// The bytes of a block of UB.
constexpr uint32_t kBlock = 32;

struct Full {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    LocalTensor<float> a;

    explicit Full(float value)
    {
        pipe.InitBuffer(memory, kTile * sizeof(float));
        a = memory.Get<float>();
        Duplicate(a, value, kTile);
        sync<HardEvent::V_MTE3>(pipe);
        sync<HardEvent::V_MTE2>(pipe);
    }
};

uint32_t block()
{
    return static_cast<uint32_t>(GetBlockIdx());
}

void beyond_the_end(const Call& call)
{
    Full use(1.0f);
    DataCopy(output(call)[kElements - kTile + (call.broken ? 8 : 0)], use.a, kTile);
}

bool last_tile(const float* out)
{
    return is_all<kTile, 1>(out + kElements - kTile) && out[kElements - kTile - 1] == -1;
}

void before_the_start(const Call& call)
{
    Full use(1.0f);
    // The result of unsigned arithmetic for an index below zero.
    const uint64_t from = call.broken ? uint64_t{0} - 8 : 0;
    DataCopy(output(call)[from], use.a, kTile);
}

void read_beyond_the_end(const Call& call)
{
    Full use(1.0f);
    DataCopy(use.a, input(call)[kElements - (call.broken ? 8 : kTile)], kTile);
}

void blocks_beyond_the_end(const Call& call)
{
    Full use(1.0f);
    const uint32_t gap = (kElements / 2 - 8) * sizeof(float);
    DataCopyPad(output(call), use.a, DataCopyExtParams(call.broken ? 3 : 2, 32, 0, gap, 0));
}

void of_no_tensor(const Call& call)
{
    Full use(1.0f);
    GlobalTensor<float> other;
    other.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(call.broken ? call.elsewhere : call.out));
    DataCopy(other, use.a, kTile);
}

void scalar_read_beyond(const Call& call)
{
    (void)input(call).GetValue(call.broken ? kElements : kElements - 1);
}

void writes_the_input(const Call& call)
{
    Full use(1.0f);
    GlobalTensor<float> target = call.broken ? input(call) : output(call);
    DataCopy(target, use.a, kTile);
}

void two_blocks_overlap(const Call& call)
{
    Full use(1.0f);
    const uint32_t step = call.broken ? kTile - 8 : kTile;
    DataCopy(output(call)[block() * step], use.a, kTile);
}

/// One byte too many, from a partition that does not end on an element's boundary.
void two_blocks_share_a_byte(const Call& call)
{
    Full use(0.0f);
    GlobalTensor<int8_t> bytes;
    bytes.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(call.out));
    DataCopyPad(
        bytes[block() * 100], use.a.ReinterpretCast<int8_t>(), DataCopyExtParams(1, call.broken ? 101 : 100, 0, 0, 0));
}

/// A conflict of the second of one block's two adjacent copies with a copy of the other block.
void second_of_two_copies(const Call& call)
{
    Full use(1.0f);
    DataCopy(output(call)[block() * 4 * kTile], use.a, kTile);
    DataCopy(output(call)[block() * 4 * kTile + kTile], use.a, kTile);
    if (call.broken && block() == 1) {
        DataCopy(output(call)[kTile + 64], use.a, 8);
    }
}

/// Block 0 adds to much, block 1 to little before what block 2 reads.
void reads_behind_another_block(const Call& call)
{
    Full use(1.0f);
    if (block() == 2) {
        DataCopy(use.a, call.broken ? output(call)[128] : output(call)[2 * kTile], 8);
        return;
    }
    SetAtomicAdd<float>();
    DataCopy(output(call), use.a, block() == 0 ? kTile : 8);
    SetAtomicNone();
}

void atomic_and_plain(const Call& call)
{
    Full use(1.0f);
    const bool add = !call.broken || block() != 1;
    if (add) {
        SetAtomicAdd<float>();
    }
    DataCopy(output(call), use.a, kTile);
    SetAtomicNone();
}

void reads_another_block(const Call& call)
{
    Full use(1.0f);
    DataCopy(output(call)[block() * kTile], use.a, kTile);
    sync<HardEvent::MTE3_MTE2>(use.pipe);
    const uint32_t from = call.broken ? (block() + 1) % 4 : block();
    DataCopy(use.a, output(call)[from * kTile], kTile);
}

void scalar_reads_another_block(const Call& call)
{
    Full use(1.0f);
    if (block() == 1 || !call.broken) {
        DataCopy(output(call)[block() * kTile], use.a, kTile);
    } else {
        (void)output(call).GetValue(kTile);
    }
}

void scalar_write(const Call& call)
{
    Full use(1.0f);
    if (call.broken) {
        output(call).SetValue(0, 1.0f);
    } else {
        DataCopyPad(output(call), use.a, DataCopyExtParams(1, sizeof(float), 0, 0, 0));
    }
}

void scalar_read_of_own_write(const Call& call)
{
    Full use(1.0f);
    DataCopy(output(call), use.a, kTile);
    sync<HardEvent::MTE3_S>(use.pipe);
    (void)output(call).GetValue(call.broken ? 0 : kTile);
}

void atomic_left_on(const Call& call)
{
    Full use(1.0f);
    SetAtomicAdd<float>();
    DataCopy(output(call), use.a, kTile);
    if (!call.broken) {
        SetAtomicNone();
    }
}

template <typename T> void add_atomically(const Call& call)
{
    Full use(0.0f);
    GlobalTensor<T> target;
    target.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(call.out));
    SetAtomicAdd<T>();
    DataCopy(target, use.a.ReinterpretCast<T>(), 32);
    SetAtomicNone();
}

void atomic_of_a_wrong_type(const Call& call)
{
    if (call.broken) {
        add_atomically<uint32_t>(call);
    } else {
        add_atomically<int32_t>(call);
    }
}

void atomic_of_64_bits(const Call& call)
{
    if (call.broken) {
        add_atomically<int64_t>(call);
    } else {
        add_atomically<float>(call);
    }
}

void atomic_of_another_tensor(const Call& call)
{
    Full use(0.0f);
    if (call.broken) {
        SetAtomicAdd<int32_t>();
    } else {
        SetAtomicAdd<float>();
    }
    DataCopy(output(call), use.a, kTile);
    SetAtomicNone();
}

void sync_all(const Call& call)
{
    Full use(1.0f);
    if (call.broken) {
        SyncAll();
    }
}

void throws(const Call& call)
{
    Full use(1.0f);
    if (call.broken) {
        throw std::runtime_error("planted");
    }
}

/// More reads than the model keeps one by one lie between a read and a write of the same bytes.
void write_of_what_was_read_long_ago(const Call& call)
{
    Full use(1.0f);
    TBuf<TPosition::VECCALC> memory;
    use.pipe.InitBuffer(memory, kBlock);
    for (uint32_t i = 0; i < 33000; i++) {
        DataCopy(memory.Get<float>(), output(call)[i == 0 ? 0 : kTile], kBlock / sizeof(float));
        PipeBarrier<PIPE_MTE2>();
    }
    if (!call.broken) {
        sync<HardEvent::MTE2_MTE3>(use.pipe);
    }
    DataCopy(output(call), use.a, kTile);
}

template <uint32_t Blocks> bool tiles_of_ones(const float* out)
{
    return is_all<Blocks * kTile, 1>(out);
}

bool first_two_blocks(const float* out)
{
    return is_all<8, 1>(out) && is_all<8, 1>(out + kElements / 2) && out[8] == -1;
}

/// -1 and one from each of four blocks.
bool sum_of_four(const float* out)
{
    return is_all<kTile, 3>(out);
}

bool one_one(const float* out)
{
    return out[0] == 1 && out[1] == -1;
}

bool hundred_bytes_each(const float* out)
{
    return is_all<100, 0>(out) && out[100] == -1;
}

} // namespace

std::vector<Bug> global_bugs()
{
    return {
        {"a write beyond the end of GM", "gm-bounds", 1, beyond_the_end, last_tile},
        {"a write before the start of GM", "gm-bounds", 1, before_the_start, tiles_of_ones<1>},
        {"a read beyond the end of GM", "gm-bounds", 1, read_beyond_the_end, nullptr},
        {"a copy of blocks beyond the end of GM", "gm-bounds", 1, blocks_beyond_the_end, first_two_blocks},
        {"an address of no tensor", "gm-bounds", 1, of_no_tensor, tiles_of_ones<1>},
        {"a scalar read beyond the end of GM", "gm-bounds", 1, scalar_read_beyond, nullptr},
        {"a write to a tensor that is only read", "gm-access", 1, writes_the_input, tiles_of_ones<1>},
        {"two blocks that overlap in GM", "gm-overlap", 4, two_blocks_overlap, tiles_of_ones<4>},
        {"two blocks that share a byte of GM", "gm-overlap", 4, two_blocks_share_a_byte, hundred_bytes_each},
        {"two blocks that overlap in a second copy", "gm-overlap", 2, second_of_two_copies, tiles_of_ones<2>},
        {"an atomic and a plain write to the same GM", "gm-atomic-mix", 4, atomic_and_plain, sum_of_four},
        {"a read of what another block writes", "gm-read-of-write", 4, reads_another_block, tiles_of_ones<4>},
        {"a read behind what a third block adds to", "gm-read-of-write", 3, reads_behind_another_block, nullptr},
        {"a scalar read of what another block writes", "gm-read-of-write", 2, scalar_reads_another_block,
            tiles_of_ones<2>},
        {"a scalar write to GM", "gm-scalar-write", 1, scalar_write, one_one},
        {"a scalar read of what the block wrote", "gm-scalar-stale", 1, scalar_read_of_own_write, tiles_of_ones<1>},
        {"an atomic left on", "atomic-left-on", 1, atomic_left_on, is_all<kTile, 0>},
        {"an atomic of uint32", "data-type", 1, atomic_of_a_wrong_type, nullptr},
        {"an atomic of int64", "data-type", 1, atomic_of_64_bits, nullptr},
        {"an atomic of another type than the tensor's", "data-type", 1, atomic_of_another_tensor, nullptr},
        {"a write of what was read long ago", "missing-flag", 1, write_of_what_was_read_long_ago, tiles_of_ones<1>},
        {"SyncAll", "unsupported", 2, sync_all, nullptr},
        {"a kernel that throws", "fault", 2, throws, nullptr},
    };
}

} // namespace planted
