// Masks that outlive their instruction, and repeats and strides of vector instructions in the wrong
// unit.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kTile = 256;
/// Elements of float that a repeat has.
constexpr uint32_t kLanes = 64;

/// Ones in `a`, zeros in `c`.
struct Tiles {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory[2];
    LocalTensor<float> a;
    LocalTensor<float> c;

    Tiles()
    {
        for (auto& buffer : memory) {
            pipe.InitBuffer(buffer, kTile * sizeof(float));
        }
        a = memory[0].Get<float>();
        c = memory[1].Get<float>();
        Duplicate(a, 1.0f, kTile);
        Duplicate(c, 0.0f, kTile);
        PipeBarrier<PIPE_V>();
    }

    void send(const Call& call, uint32_t count)
    {
        sync<HardEvent::V_MTE3>(pipe);
        DataCopyPad(output(call), c, DataCopyExtParams(1, count * sizeof(float), 0, 0, 0));
    }
};

/// Writes `a` plus one to `c`, for the lanes of the mask register.
void add_by_register(Tiles& use)
{
    Adds<float, false>(use.c, use.a, 1.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams());
}

void mask_left_at_the_end(const Call& call)
{
    Tiles use;
    SetVectorMask<float>(8);
    add_by_register(use);
    if (!call.broken) {
        ResetMask();
    }
    use.send(call, 8);
}

void counter_mode_left_at_the_end(const Call& call)
{
    Tiles use;
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(8);
    add_by_register(use);
    if (!call.broken) {
        SetMaskNorm();
    }
    ResetMask();
    use.send(call, 8);
}

void mask_of_another_instruction(const Call& call)
{
    Tiles use;
    uint64_t lanes = 8;
    Adds(use.c, use.a, 0.0f, lanes, 1, UnaryRepeatParams());
    PipeBarrier<PIPE_V>();
    if (!call.broken) {
        ResetMask();
    }
    add_by_register(use);
    use.send(call, kLanes);
}

void repeat_of_256(const Call& call)
{
    Tiles use;
    uint64_t lanes = kLanes;
    const uint32_t repeats = call.broken ? 256 : 4;
    Adds(use.c, use.a, 1.0f, lanes, repeats, UnaryRepeatParams());
    use.send(call, kTile);
}

void repeat_cast_to_0(const Call& call)
{
    Tiles use;
    uint64_t lanes = kLanes;
    const uint32_t repeats = call.broken ? 256 : 4;
    Adds(use.c, use.a, 1.0f, lanes, static_cast<uint8_t>(repeats), UnaryRepeatParams());
    use.send(call, kTile);
}

void repeat_beyond_256(const Call& call)
{
    Tiles use;
    uint64_t lanes = kLanes;
    const uint32_t repeats = call.broken ? 257 : 1;
    Duplicate(use.c, 2.0f, lanes, repeats, 1, 8);
    use.send(call, kLanes);
}

/// A stride of one repeat, which has to be given as eight blocks.
void stride_in_repeats(const Call& call)
{
    Tiles use;
    uint64_t lanes = kLanes;
    Adds(use.c, use.a, 1.0f, lanes, 4, UnaryRepeatParams(1, 1, call.broken ? 1 : 8, 8));
    use.send(call, kTile);
}

void stride_in_bytes(const Call& call)
{
    Tiles use;
    uint64_t lanes = kLanes;
    const uint32_t step = call.broken ? 256 : 8;
    Adds(use.c, use.a, 1.0f, lanes, 4, UnaryRepeatParams(1, 1, step, step));
    use.send(call, kTile);
}

void stride_that_stays(const Call& call)
{
    Tiles use;
    uint64_t lanes = kLanes;
    UnaryRepeatParams strides;
    strides.dstRepStride = call.broken ? 0 : 8;
    Adds(use.c, use.a, 1.0f, lanes, 4, strides);
    use.send(call, kTile);
}

void blocks_on_each_other(const Call& call)
{
    Tiles use;
    uint64_t lanes = kLanes;
    Duplicate(use.c, 2.0f, lanes, 1, call.broken ? 0 : 1, 8);
    use.send(call, kLanes);
}

/// A gap of one element, where GM's is in bytes.
void gap_of_gm_in_elements(const Call& call)
{
    Tiles use;
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopyPad(output(call), use.a, DataCopyExtParams(4, 32, 0, call.broken ? 1 : sizeof(float), 0));
}

bool four_runs(const float* out)
{
    for (uint32_t i = 0; i < 4 * 9; i++) {
        if (out[i] != (i % 9 == 8 ? -1 : 1)) {
            return false;
        }
    }
    return true;
}

/// DataCopyParams has 16 bits for a gap.
void gap_that_is_cut_off(const Call& call)
{
    Tiles use;
    sync<HardEvent::V_MTE3>(use.pipe);
    const uint32_t gap = call.broken ? (1 << 16) + 2 : 2;
    DataCopyPad(output(call), use.a, DataCopyParams(4, 32, gap, 0));
}

} // namespace

std::vector<Bug> extent_bugs()
{
    return {
        {"a mask left set at the end", "mask-left-set", 1, mask_left_at_the_end, is_all<8, 2>},
        {"counter mode left set at the end", "mask-left-set", 1, counter_mode_left_at_the_end, is_all<8, 2>},
        {"the mask that another instruction left", "mask-left-set", 1, mask_of_another_instruction, is_all<64, 2>},
        {"a repeat of 256", "parameter", 1, repeat_of_256, is_all<kTile, 2>},
        {"a repeat of 256 cast to 0", "parameter", 1, repeat_cast_to_0, is_all<kTile, 2>},
        {"a repeat of 257", "parameter", 1, repeat_beyond_256, is_all<kLanes, 2>},
        {"a stride in repeats", "overlap", 1, stride_in_repeats, is_all<kTile, 2>},
        {"a stride in bytes", "parameter", 1, stride_in_bytes, is_all<kTile, 2>},
        {"repeats that write the same place", "overlap", 1, stride_that_stays, is_all<kTile, 2>},
        {"blocks that write the same place", "overlap", 1, blocks_on_each_other, is_all<kLanes, 2>},
        {"a gap of GM in elements", "stride", 1, gap_of_gm_in_elements, four_runs},
        {"a gap that 16 bits cut off", "parameter", 1, gap_that_is_cut_off, is_all<32, 1>},
    };
}

} // namespace planted
