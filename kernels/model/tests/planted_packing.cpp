// GatherMask with a wrong operand, extent or mask.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kTile = 256;

/// A buffer that holds the input, bits that choose its even places, and a destination.
struct Numbers {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory[3];
    LocalTensor<float> source;
    LocalTensor<uint32_t> bits;
    LocalTensor<float> to;
    uint64_t kept = 0;

    explicit Numbers(const Call& call)
    {
        for (auto& buffer : memory) {
            pipe.InitBuffer(buffer, kTile * sizeof(float));
        }
        source = memory[0].Get<float>();
        bits = memory[1].Get<uint32_t>();
        to = memory[2].Get<float>();
        DataCopy(source, input(call), kTile);
        Duplicate(bits, 0x55555555u, kTile);
        PipeBarrier<PIPE_V>();
        sync<HardEvent::MTE2_V>(pipe);
    }

    void send(const Call& call, uint32_t count)
    {
        sync<HardEvent::V_MTE3>(pipe);
        DataCopyPad(output(call), to, DataCopyExtParams(1, count * sizeof(float), 0, 0, 0));
    }
};

template <uint32_t Count> bool is_even(const float* out)
{
    for (uint32_t i = 0; i < Count; i++) {
        if (out[i] != static_cast<float>(2 * i)) {
            return false;
        }
    }
    return true;
}

void no_such_pattern(const Call& call)
{
    Numbers use(call);
    GatherMask(use.to, use.source, uint8_t(call.broken ? 8 : 1), false, 0, {1, 4, 8, 0}, use.kept);
    if (!call.broken) {
        use.send(call, 128);
    }
}

void pattern_of_zero(const Call& call)
{
    Numbers use(call);
    GatherMask(use.to, use.source, uint8_t(call.broken ? 0 : 1), false, 0, {1, 4, 8, 0}, use.kept);
    if (!call.broken) {
        use.send(call, 128);
    }
}

void no_repeat(const Call& call)
{
    Numbers use(call);
    GatherMask(use.to, use.source, uint8_t(1), false, 0, {1, call.broken ? 0 : 4, 8, 0}, use.kept);
    if (!call.broken) {
        use.send(call, 128);
    }
}

void counter_mode_without_a_count(const Call& call)
{
    Numbers use(call);
    GatherMask(use.to, use.source, use.bits, true, call.broken ? 0 : kTile, {1, 1, 8, 0}, use.kept);
    if (!call.broken) {
        use.send(call, 128);
    }
}

void misaligned_packing(const Call& call)
{
    Numbers use(call);
    GatherMask(use.to[call.broken ? 1 : 0], use.source, use.bits, true, 128, {1, 1, 8, 0}, use.kept);
    if (!call.broken) {
        use.send(call, 64);
    }
}

void repeats_beyond_the_source(const Call& call)
{
    Numbers use(call);
    GatherMask(use.to, use.source, uint8_t(3), false, 0, {1, call.broken ? 5 : 4, 8, 0}, use.kept);
}

void too_small_for_what_is_chosen(const Call& call)
{
    Numbers use(call);
    GatherMask(use.to[call.broken ? 136 : 128], use.source, uint8_t(1), false, 0, {1, 4, 8, 0}, use.kept);
}

/// Bits of 64 elements are 8 bytes, but repeats of bits begin 32 bytes apart.
void packed_bits_by_repeats(const Call& call)
{
    Numbers use(call);
    TBuf<TPosition::VECCALC> memory;
    use.pipe.InitBuffer(memory, 128);
    const LocalTensor<uint8_t> bits = memory.Get<uint8_t>();
    CompareScalar(bits, use.source, 1000.0f, CMPMODE::LT, kTile);
    PipeBarrier<PIPE_V>();
    const LocalTensor<uint32_t> words = bits.ReinterpretCast<uint32_t>();
    if (call.broken) {
        GatherMask(use.to, use.source, words, false, 0, {1, 4, 8, 1}, use.kept);
    } else {
        GatherMask(use.to, use.source, words, true, kTile, {1, 1, 8, 1}, use.kept);
        use.send(call, kTile);
    }
}

void packing_of_nothing_written(const Call& call)
{
    Numbers use(call);
    TBuf<TPosition::VECCALC> memory;
    use.pipe.InitBuffer(memory, kTile * sizeof(float));
    const LocalTensor<float> fresh = memory.Get<float>();
    Adds(fresh, use.source, 0.0f, call.broken ? 192 : 256);
    PipeBarrier<PIPE_V>();
    GatherMask(use.to, fresh, use.bits, true, kTile, {1, 1, 8, 0}, use.kept);
    if (!call.broken) {
        use.send(call, 128);
    }
}

void what_follows_the_chosen(const Call& call)
{
    Numbers use(call);
    Duplicate(use.to, -1.0f, kTile);
    PipeBarrier<PIPE_V>();
    GatherMask(use.to, use.source, use.bits, true, kTile, {1, 1, 8, 0}, use.kept);
    use.send(call, call.broken ? 136 : 128);
}

void what_follows_a_pattern(const Call& call)
{
    Numbers use(call);
    Duplicate(use.to, -1.0f, kTile);
    PipeBarrier<PIPE_V>();
    // 25 elements end one word into a block of 32 bytes; the next block is as it was.
    GatherMask(use.to, use.source, uint8_t(1), true, 50, {1, 1, 8, 0}, use.kept);
    PipeBarrier<PIPE_V>();
    Adds(use.to[32], use.to[32], 1.0f, 8);
    use.send(call, call.broken ? 26 : 25);
}

void packing_onto_the_source(const Call& call)
{
    Numbers use(call);
    GatherMask(call.broken ? use.source[8] : use.source, use.source, uint8_t(1), false, 0, {1, 2, 8, 0}, use.kept);
}

void repeats_that_go_back(const Call& call)
{
    Numbers use(call);
    GatherMask(use.source, use.source, uint8_t(7), false, 0, {1, 2, call.broken ? 4 : 8, 0}, use.kept);
}

void packing_onto_the_bits(const Call& call)
{
    Numbers use(call);
    const LocalTensor<float> to = use.bits.ReinterpretCast<float>();
    GatherMask(call.broken ? to : use.to, use.source, use.bits, true, kTile, {1, 1, 8, 0}, use.kept);
}

void bits_without_a_barrier(const Call& call)
{
    Numbers use(call);
    CompareScalar(use.bits.ReinterpretCast<uint8_t>(), use.source, 1000.0f, CMPMODE::LT, kTile);
    if (!call.broken) {
        PipeBarrier<PIPE_V>();
    }
    GatherMask(use.to, use.source, use.bits, true, kTile, {1, 1, 8, 0}, use.kept);
    use.send(call, kTile);
}

void source_without_a_flag(const Call& call)
{
    Numbers use(call);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(use.source, input(call), kTile);
    if (!call.broken) {
        sync<HardEvent::MTE2_V>(use.pipe);
    }
    GatherMask(use.to, use.source, use.bits, true, kTile, {1, 1, 8, 0}, use.kept);
    use.send(call, 128);
}

void sending_without_a_flag(const Call& call)
{
    Numbers use(call);
    GatherMask(use.to, use.source, use.bits, true, kTile, {1, 1, 8, 0}, use.kept);
    // The count is there, and the elements need not be.
    if (!call.broken) {
        sync<HardEvent::V_MTE3>(use.pipe);
    }
    DataCopyPad(output(call), use.to, DataCopyExtParams(1, static_cast<uint32_t>(use.kept) * sizeof(float), 0, 0, 0));
}

void counter_mode_after_packing(const Call& call)
{
    Numbers use(call);
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(128);
    GatherMask(use.to, use.source, use.bits, true, kTile, {1, 1, 8, 0}, use.kept);
    PipeBarrier<PIPE_V>();
    if (!call.broken) {
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(128);
    }
    Adds<float, false>(use.to, use.to, 0.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams());
    SetMaskNorm();
    ResetMask();
    use.send(call, 128);
}

} // namespace

std::vector<Bug> packing_bugs()
{
    return {
        {"a pattern of GatherMask that does not exist", "parameter", 1, no_such_pattern, is_even<128>},
        {"the pattern 0 of GatherMask", "parameter", 1, pattern_of_zero, is_even<128>},
        {"a GatherMask of no repeat", "parameter", 1, no_repeat, is_even<128>},
        {"a GatherMask of no element in counter mode", "parameter", 1, counter_mode_without_a_count, is_even<128>},
        {"a GatherMask to an address that is not aligned", "alignment", 1, misaligned_packing, is_even<64>},
        {"repeats of a GatherMask beyond its source", "ub-bounds", 1, repeats_beyond_the_source, nullptr},
        {"a GatherMask to less than it chooses", "ub-bounds", 1, too_small_for_what_is_chosen, nullptr},
        {"the bits of a comparison taken by repeats", "uninitialised-read", 1, packed_bits_by_repeats,
            is_input_plus<kTile, 0>},
        {"a GatherMask of what nothing wrote", "uninitialised-read", 1, packing_of_nothing_written, is_even<128>},
        {"what follows the chosen elements", "uninitialised-read", 1, what_follows_the_chosen, is_even<128>},
        {"what follows the elements of a pattern", "uninitialised-read", 1, what_follows_a_pattern, is_even<25>},
        {"a GatherMask onto a part of its source", "overlap", 1, packing_onto_the_source, nullptr},
        {"a GatherMask in place whose repeats go back", "overlap", 1, repeats_that_go_back, nullptr},
        {"a GatherMask onto its own bits", "overlap", 1, packing_onto_the_bits, nullptr},
        {"bits of a GatherMask without a barrier", "missing-barrier", 1, bits_without_a_barrier,
            is_input_plus<kTile, 0>},
        {"the source of a GatherMask without a flag", "missing-flag", 1, source_without_a_flag, is_even<128>},
        {"no flag after a GatherMask whose count is known", "missing-flag", 1, sending_without_a_flag, is_even<128>},
        {"counter mode relied on after a GatherMask", "mask-left-set", 1, counter_mode_after_packing, is_even<128>},
    };
}

} // namespace planted
