// Brcb, Gatherb and Gather with a wrong operand, stride or offset.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

/// 64 ones, offsets of 8 blocks that are all 0, and room for 16 blocks.
struct Blocks {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory[3];
    LocalTensor<float> ones;
    LocalTensor<uint32_t> offsets;
    LocalTensor<float> to;

    Blocks()
    {
        const uint32_t sizes[] = {256, 64, 512};
        for (uint32_t i = 0; i < 3; i++) {
            pipe.InitBuffer(memory[i], sizes[i]);
        }
        ones = memory[0].Get<float>();
        offsets = memory[1].Get<uint32_t>();
        to = memory[2].Get<float>();
        Duplicate(ones, 1.0f, 64);
        Duplicate(offsets, 0u, 8);
        PipeBarrier<PIPE_V>();
    }

    LocalTensor<uint32_t> words() const { return ones.ReinterpretCast<uint32_t>(); }
    LocalTensor<uint32_t> out() const { return to.ReinterpretCast<uint32_t>(); }

    void set_offset(uint32_t offset)
    {
        sync<HardEvent::V_S>(pipe);
        offsets.SetValue(7, offset);
        sync<HardEvent::S_V>(pipe);
    }

    void send(const Call& call)
    {
        sync<HardEvent::V_MTE3>(pipe);
        DataCopyPad(output(call), to, DataCopyExtParams(1, 64 * sizeof(float), 0, 0, 0));
    }
};

void no_stride_between_blocks(const Call& call)
{
    Blocks use;
    Brcb(use.to, use.ones, 1, {call.broken ? 0 : 1, 8});
    use.send(call);
}

void repeats_onto_each_other(const Call& call)
{
    Blocks use;
    Brcb(use.to, use.ones, 2, {1, call.broken ? 4 : 8});
    use.send(call);
}

void broadcast_in_place(const Call& call)
{
    Blocks use;
    Brcb(call.broken ? use.ones : use.to, use.ones, 1, {1, 8});
    if (!call.broken) {
        use.send(call);
    }
}

void broadcast_too_far(const Call& call)
{
    Blocks use;
    Brcb(use.to, use.ones, call.broken ? 3 : 2, {1, 8});
    if (!call.broken) {
        use.send(call);
    }
}

void broadcast_in_counter_mode(const Call& call)
{
    Blocks use;
    if (call.broken) {
        SetMaskCount();
    }
    Brcb(use.to, use.ones, 1, {1, 8});
    SetMaskNorm();
    if (!call.broken) {
        use.send(call);
    }
}

void offset_within_a_block(const Call& call)
{
    Blocks use;
    use.set_offset(call.broken ? 16 : 32);
    Gatherb(use.out(), use.words(), use.offsets, 1, {1, 8});
    use.send(call);
}

void offset_beyond(const Call& call)
{
    Blocks use;
    use.set_offset(call.broken ? 256 : 224);
    Gatherb(use.out(), use.words(), use.offsets, 1, {1, 8});
    use.send(call);
}

void offsets_that_are_missing(const Call& call)
{
    Blocks use;
    Gatherb(use.out(), use.words(), use.offsets, call.broken ? 2 : 1, {1, 8});
    use.send(call);
}

void blocks_from_the_destination(const Call& call)
{
    Blocks use;
    Duplicate(use.to, 1.0f, 128);
    PipeBarrier<PIPE_V>();
    Gatherb(use.out(), call.broken ? use.out() : use.out()[64], use.offsets, 1, {1, 8});
    use.send(call);
}

void elements_from_the_destination(const Call& call)
{
    Blocks use;
    Gather(call.broken ? use.ones : use.to, use.ones, use.offsets, 0, 8u);
    if (!call.broken) {
        PipeBarrier<PIPE_V>();
        Duplicate(use.to, 1.0f, 64);
        use.send(call);
    }
}

} // namespace

std::vector<Bug> block_bugs()
{
    return {
        {"a Brcb without a stride between blocks", "parameter", 1, no_stride_between_blocks, is_all<64, 1>},
        {"repeats of a Brcb onto each other", "overlap", 1, repeats_onto_each_other, is_all<64, 1>},
        {"a Brcb in place", "overlap", 1, broadcast_in_place, is_all<64, 1>},
        {"a Brcb beyond its destination", "ub-bounds", 1, broadcast_too_far, is_all<64, 1>},
        {"a Brcb in counter mode", "mask", 1, broadcast_in_counter_mode, is_all<64, 1>},
        {"an offset of Gatherb within a block", "gather-offset", 1, offset_within_a_block, is_all<64, 1>},
        {"an offset of Gatherb beyond its source", "gather-offset", 1, offset_beyond, is_all<64, 1>},
        {"a Gatherb by offsets that nothing wrote", "uninitialised-read", 1, offsets_that_are_missing, is_all<64, 1>},
        {"a Gatherb from its destination", "overlap", 1, blocks_from_the_destination, is_all<64, 1>},
        {"a Gather from its destination", "overlap", 1, elements_from_the_destination, is_all<64, 1>},
    };
}

} // namespace planted
