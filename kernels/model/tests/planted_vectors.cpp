// Vector instructions with a wrong operand, extent or data type.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kTile = 256;

/// Three buffers, the first two full of ones.
struct Ones {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory[3];
    LocalTensor<float> a;
    LocalTensor<float> b;
    LocalTensor<float> c;

    Ones()
    {
        for (auto& buffer : memory) {
            pipe.InitBuffer(buffer, kTile * sizeof(float));
        }
        a = memory[0].Get<float>();
        b = memory[1].Get<float>();
        c = memory[2].Get<float>();
        Duplicate(a, 1.0f, kTile);
        Duplicate(b, 1.0f, kTile);
        PipeBarrier<PIPE_V>();
    }

    void send(const Call& call, const LocalTensor<float>& tensor, uint32_t count)
    {
        sync<HardEvent::V_MTE3>(pipe);
        DataCopyPad(output(call), tensor, DataCopyExtParams(1, count * sizeof(float), 0, 0, 0));
    }
};

void misaligned_operand(const Call& call)
{
    Ones use;
    Add(use.c, use.a[call.broken ? 1 : 8], use.b, 64);
    if (!call.broken) {
        use.send(call, use.c, 64);
    }
}

void beyond_the_tensor(const Call& call)
{
    Ones use;
    Add(use.c[64], use.a, use.b, call.broken ? 200 : 192);
    if (!call.broken) {
        use.send(call, use.c[64], 192);
    }
}

void unwritten_operand(const Call& call)
{
    Ones use;
    if (!call.broken) {
        Duplicate(use.c, 1.0f, kTile);
        PipeBarrier<PIPE_V>();
    }
    Add(use.a, use.c, use.b, 64);
    use.send(call, use.a, 64);
}

void partial_overlap(const Call& call)
{
    Ones use;
    Adds(call.broken ? use.a[8] : use.a, use.a, 1.0f, 128);
    use.send(call, use.a, call.broken ? 8 : 128);
}

/// In place with strides: each repeat would read what the one before wrote.
void repeat_overlap(const Call& call)
{
    Ones use;
    UnaryRepeatParams strides;
    strides.dstRepStride = 8;
    strides.srcRepStride = call.broken ? 4 : 8;
    uint64_t mask = 32;
    Adds(use.a, use.a, 1.0f, mask, 2, strides);
    use.send(call, use.a, 32);
}

void widening_in_place(const Call& call)
{
    Ones use;
    Duplicate(use.c.ReinterpretCast<half>(), static_cast<half>(1.0f), 128);
    PipeBarrier<PIPE_V>();
    Cast(call.broken ? use.c : use.a, use.c.ReinterpretCast<half>(), RoundMode::CAST_NONE, 128);
    use.send(call, use.a, 128);
}

void no_such_rounding(const Call& call)
{
    Ones use;
    Cast(use.c.ReinterpretCast<bfloat16_t>(), use.a, call.broken ? RoundMode::CAST_NONE : RoundMode::CAST_RINT, 64);
}

void integers_by_order(const Call& call)
{
    Ones use;
    const CMPMODE mode = call.broken ? CMPMODE::LT : CMPMODE::EQ;
    Compare(
        use.c.ReinterpretCast<uint8_t>(), use.a.ReinterpretCast<int32_t>(), use.b.ReinterpretCast<int32_t>(), mode, 64);
}

void comparison_of_a_part(const Call& call)
{
    Ones use;
    Compare(use.c.ReinterpretCast<uint8_t>(), use.a, use.b, CMPMODE::EQ, call.broken ? 60 : 64);
}

void selection_of_the_wrong_mode(const Call& call)
{
    Ones use;
    Compare(use.c.ReinterpretCast<uint8_t>(), use.a, use.b, CMPMODE::EQ, 64);
    PipeBarrier<PIPE_V>();
    Select(use.a, use.c.ReinterpretCast<uint8_t>(), use.b, 5.0f,
        call.broken ? SELMODE::VSEL_TENSOR_TENSOR_MODE : SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    use.send(call, use.a, 64);
}

void too_many_lanes(const Call& call)
{
    Ones use;
    uint64_t lanes = call.broken ? 65 : 64;
    Add(use.c, use.a, use.b, lanes, 2, BinaryRepeatParams());
    if (!call.broken) {
        use.send(call, use.c, 128);
    }
}

void no_lane(const Call& call)
{
    Ones use;
    uint64_t mask[2] = {call.broken ? 0u : 0xffu, 0};
    Add(use.c, use.a, use.b, mask, 1, BinaryRepeatParams());
    if (!call.broken) {
        use.send(call, use.c, 8);
    }
}

void lanes_in_counter_mode(const Call& call)
{
    Ones use;
    SetMaskCount();
    if (!call.broken) {
        SetMaskNorm();
    }
    uint64_t lanes = 64;
    Add(use.c, use.a, use.b, lanes, 1, BinaryRepeatParams());
    SetMaskNorm();
    if (!call.broken) {
        use.send(call, use.c, 64);
    }
}

void negative_count(const Call& call)
{
    Ones use;
    Add(use.c, use.a, use.b, call.broken ? -1 : 64);
    if (!call.broken) {
        use.send(call, use.c, 64);
    }
}

void gather(const Call& call, uint32_t offset)
{
    Ones use;
    LocalTensor<uint32_t> offsets = use.c.ReinterpretCast<uint32_t>();
    Duplicate(offsets, 8u, 64);
    sync<HardEvent::V_S>(use.pipe);
    offsets.SetValue(63, call.broken ? offset : 12u);
    sync<HardEvent::S_V>(use.pipe);
    Gather(use.b, use.a, offsets, 0, 64u);
    use.send(call, use.b, 64);
}

void gather_beyond(const Call& call)
{
    gather(call, kTile * sizeof(float));
}
void gather_off_the_element(const Call& call)
{
    gather(call, 6);
}

/// A buffer of UB, full of a value.
template <typename T> struct Filled {
    TBuf<TPosition::VECCALC> memory;
    LocalTensor<T> all;

    Filled(TPipe& pipe, T value, uint32_t count)
    {
        pipe.InitBuffer(memory, count * sizeof(T));
        all = memory.Get<T>();
        Duplicate(all, value, static_cast<int32_t>(count));
        PipeBarrier<PIPE_V>();
    }
};

void send_first(TPipe& pipe, const Call& call, const LocalTensor<float>& tensor, uint32_t count)
{
    sync<HardEvent::V_MTE3>(pipe);
    DataCopyPad(output(call), tensor, DataCopyExtParams(1, count * sizeof(float), 0, 0, 0));
}

/// The header keeps 8 bits of the number of whole repeats.
void gather_of_too_many(const Call& call)
{
    constexpr uint32_t kMost = 255 * 64 + 63;
    TPipe pipe;
    Filled<float> from(pipe, 1.0f, kTile);
    Filled<float> to(pipe, 0.0f, kMost + 1);
    Filled<uint32_t> offsets(pipe, 8u, kMost + 1);
    Gather(to.all, from.all, offsets.all, 0, call.broken ? kMost + 1 : kMost);
    send_first(pipe, call, to.all, 64);
}

/// 68 whole repeats leave 136 values and indices, their maxima 6, and theirs 2.
void maximum_with_room_for_a_round(const Call& call)
{
    constexpr uint32_t kCount = 68 * 64 + 63;
    TPipe pipe;
    Filled<float> from(pipe, 1.0f, kCount);
    Filled<float> to(pipe, 0.0f, 8);
    Filled<float> work(pipe, 0.0f, call.broken ? 136 + 8 : 136 + 8 + 8);
    ReduceMax(to.all, from.all, work.all, kCount, true);
    send_first(pipe, call, to.all, 1);
}

/// CreateVecIndex has a flag from S to V on A2, but not on 950.
void scalar_before_an_index(const Call& call)
{
    Ones use;
    sync<HardEvent::V_S>(use.pipe);
    use.b.SetValue(0, 1.0f);
    CreateVecIndex(use.c, 0.0f, kTile);
    if (!call.broken) {
        sync<HardEvent::S_V>(use.pipe);
    }
    Adds(use.a, use.b, 1.0f, 64);
    use.send(call, use.a, 64);
}

void index_over_a_reader(const Call& call)
{
    Ones use;
    Adds(use.c, use.a, 1.0f, kTile);
    if (!call.broken) {
        // CreateVecIndex begins with the scalar unit.
        sync<HardEvent::V_S>(use.pipe);
    }
    CreateVecIndex(use.a, 0.0f, kTile);
    use.send(call, use.a, kTile);
}

void overlapping_local_copy(const Call& call)
{
    Ones use;
    DataCopy(call.broken ? use.a[8] : use.c, use.a, 64);
    if (!call.broken) {
        use.send(call, use.c, 64);
    }
}

} // namespace

std::vector<Bug> vector_bugs()
{
    return {
        {"a vector operand that is not aligned", "alignment", 1, misaligned_operand, is_all<64, 2>},
        {"a vector instruction beyond the tensor", "ub-bounds", 1, beyond_the_tensor, is_all<192, 2>},
        {"a vector operand that nothing wrote", "uninitialised-read", 1, unwritten_operand, is_all<64, 2>},
        {"source and destination that overlap in part", "overlap", 1, partial_overlap, is_all<128, 2>},
        {"a repeat that reads what the last one wrote", "overlap", 1, repeat_overlap, is_all<32, 2>},
        {"a widening Cast in place", "overlap", 1, widening_in_place, is_all<128, 1>},
        {"a local copy onto itself", "overlap", 1, overlapping_local_copy, is_all<64, 1>},
        {"a rounding that the pair of types has not", "data-type", 1, no_such_rounding, nullptr},
        {"int32 compared by order", "data-type", 1, integers_by_order, nullptr},
        {"a comparison of part of a repeat", "copy-size", 1, comparison_of_a_part, nullptr},
        {"a Select of the wrong mode", "parameter", 1, selection_of_the_wrong_mode, is_all<64, 1>},
        {"a negative count", "parameter", 1, negative_count, is_all<64, 2>},
        {"more lanes than a repeat has", "mask", 1, too_many_lanes, is_all<128, 2>},
        {"a mask without a lane", "mask", 1, no_lane, is_all<8, 2>},
        {"a mask of lanes in counter mode", "mask", 1, lanes_in_counter_mode, is_all<64, 2>},
        {"an offset beyond the gathered tensor", "gather-offset", 1, gather_beyond, is_all<64, 1>},
        {"an offset off the gathered element", "gather-offset", 1, gather_off_the_element, is_all<64, 1>},
        {"a Gather of 256 repeats", "parameter", 1, gather_of_too_many, is_all<64, 1>},
        {"a ReduceMax without room for all rounds", "ub-bounds", 1, maximum_with_room_for_a_round, is_all<1, 1>},
        {"CreateVecIndex as a flag from S to V", "missing-flag", 1, scalar_before_an_index, is_all<64, 2>},
        {"CreateVecIndex over what V still reads", "missing-flag", 1, index_over_a_reader, is_input_plus<kTile, 0>},
    };
}

} // namespace planted
