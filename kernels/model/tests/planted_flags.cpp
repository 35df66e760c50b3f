// Flags, barriers and event ids left out, doubled or mixed up.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kTile = 256;

/// One tile through TBufs, where every flag is the kernel's own; each of the five can be left out.
struct Manual {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[2];
    LocalTensor<float> a;
    LocalTensor<float> b;

    Manual()
    {
        for (auto& buffer : buffers) {
            pipe.InitBuffer(buffer, kTile * sizeof(float));
        }
        a = buffers[0].Get<float>();
        b = buffers[1].Get<float>();
    }
};

void mte2_to_v(const Call& call)
{
    Manual use;
    DataCopy(use.a, input(call), kTile);
    if (!call.broken) {
        sync<HardEvent::MTE2_V>(use.pipe);
    }
    Adds(use.b, use.a, 1.0f, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.b, kTile);
}

void v_to_mte3(const Call& call)
{
    Manual use;
    DataCopy(use.a, input(call), kTile);
    sync<HardEvent::MTE2_V>(use.pipe);
    Adds(use.b, use.a, 1.0f, kTile);
    if (!call.broken) {
        sync<HardEvent::V_MTE3>(use.pipe);
    }
    DataCopy(output(call), use.b, kTile);
}

void mte3_to_v(const Call& call)
{
    Manual use;
    for (int32_t i = 0; i < 2; i++) {
        Duplicate(use.a, static_cast<float>(i), kTile);
        sync<HardEvent::V_MTE3>(use.pipe);
        DataCopy(output(call)[i * kTile], use.a, kTile);
        if (!call.broken) {
            sync<HardEvent::MTE3_V>(use.pipe);
        }
    }
}

bool zeros_then_ones(const float* out)
{
    return is_all<kTile, 0>(out) && is_all<kTile, 1>(out + kTile);
}

void v_to_mte2(const Call& call)
{
    Manual use;
    for (uint32_t i = 0; i < 2; i++) {
        DataCopy(use.a, input(call)[i * kTile], kTile);
        sync<HardEvent::MTE2_V>(use.pipe);
        Adds(use.b, use.a, 1.0f, kTile);
        if (!call.broken) {
            sync<HardEvent::V_MTE2>(use.pipe);
        }
        sync<HardEvent::V_MTE3>(use.pipe);
        DataCopy(output(call)[i * kTile], use.b, kTile);
        sync<HardEvent::MTE3_V>(use.pipe);
    }
}

void v_to_s(const Call& call)
{
    Manual use;
    Duplicate(use.a, 7.0f, kTile);
    if (!call.broken) {
        sync<HardEvent::V_S>(use.pipe);
    }
    const float seven = use.a.GetValue(kTile - 1);
    sync<HardEvent::S_V>(use.pipe);
    Duplicate(use.b, seven, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.b, kTile);
}

void s_to_v(const Call& call)
{
    Manual use;
    for (uint32_t i = 0; i < 8; i++) {
        use.a.SetValue(i, static_cast<float>(i));
    }
    if (!call.broken) {
        sync<HardEvent::S_V>(use.pipe);
    }
    Adds(use.b, use.a, 1.0f, 8);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.b, 8);
}

/// A flag only covers what the scalar unit wrote before it.
void s_after_its_flag(const Call& call)
{
    Manual use;
    for (uint32_t i = 0; i < 8; i++) {
        use.a.SetValue(i, static_cast<float>(i));
    }
    sync<HardEvent::S_V>(use.pipe);
    if (call.broken) {
        use.a.SetValue(3, 9.0f);
    }
    Adds(use.b, use.a, 1.0f, 8);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.b, 8);
}

void s_read_to_v(const Call& call)
{
    Manual use;
    Duplicate(use.a, 7.0f, kTile);
    sync<HardEvent::V_S>(use.pipe);
    const float seven = use.a.GetValue(3);
    if (!call.broken) {
        sync<HardEvent::S_V>(use.pipe);
    }
    PipeBarrier<PIPE_V>();
    Duplicate(use.a, seven + 1.0f, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.a, kTile);
}

void s_to_mte3(const Call& call)
{
    Manual use;
    for (uint32_t i = 0; i < 8; i++) {
        use.a.SetValue(i, static_cast<float>(i));
    }
    if (!call.broken) {
        sync<HardEvent::S_MTE3>(use.pipe);
    }
    DataCopy(output(call), use.a, 8);
}

void mte2_to_s(const Call& call)
{
    Manual use;
    DataCopy(use.a, input(call), kTile);
    if (!call.broken) {
        sync<HardEvent::MTE2_S>(use.pipe);
    }
    const float five = use.a.GetValue(5);
    Duplicate(use.b, five, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.b, kTile);
}

void s_to_mte2(const Call& call)
{
    Manual use;
    for (uint32_t i = 0; i < 2; i++) {
        DataCopy(use.a, input(call)[i * kTile], kTile);
        sync<HardEvent::MTE2_S>(use.pipe);
        use.b.SetValue(i, use.a.GetValue(0));
        if (!call.broken) {
            sync<HardEvent::S_MTE2>(use.pipe);
        }
    }
    sync<HardEvent::S_MTE3>(use.pipe);
    DataCopyPad(output(call), use.b, DataCopyExtParams(1, 2 * sizeof(float), 0, 0, 0));
}

bool zero_and_tile(const float* out)
{
    return out[0] == 0 && out[1] == kTile && out[2] == -1;
}

void mte2_to_mte3(const Call& call)
{
    Manual use;
    DataCopy(use.a, input(call), kTile);
    if (!call.broken) {
        sync<HardEvent::MTE2_MTE3>(use.pipe);
    }
    DataCopy(output(call), use.a, kTile);
}

void mte3_to_mte2(const Call& call)
{
    Manual use;
    for (uint32_t i = 0; i < 2; i++) {
        DataCopy(use.a, input(call)[i * kTile], kTile);
        sync<HardEvent::MTE2_MTE3>(use.pipe);
        DataCopy(output(call)[i * kTile], use.a, kTile);
        if (!call.broken) {
            sync<HardEvent::MTE3_MTE2>(use.pipe);
        }
    }
}

/// Through GM: what MTE3 wrote there, MTE2 reads back.
void through_gm(const Call& call)
{
    Manual use;
    Duplicate(use.a, 3.0f, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.a, kTile);
    if (!call.broken) {
        sync<HardEvent::MTE3_MTE2>(use.pipe);
    }
    DataCopy(use.b, output(call), kTile);
    sync<HardEvent::MTE2_MTE3>(use.pipe);
    DataCopy(output(call)[kTile], use.b, kTile);
}

/// In place in GM: MTE3 overwrites what MTE2 has still to read.
void in_place_in_gm(const Call& call)
{
    Manual use;
    Duplicate(use.a, 3.0f, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(use.b, output(call), kTile);
    if (!call.broken) {
        sync<HardEvent::MTE2_MTE3>(use.pipe);
    }
    DataCopy(output(call), use.a, kTile);
}

void barrier_read_after_write(const Call& call)
{
    Manual use;
    Duplicate(use.a, 1.0f, kTile);
    if (!call.broken) {
        PipeBarrier<PIPE_V>();
    }
    Adds(use.b, use.a, 1.0f, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.b, kTile);
}

void barrier_write_after_read(const Call& call)
{
    Manual use;
    Duplicate(use.a, 1.0f, kTile);
    PipeBarrier<PIPE_V>();
    Adds(use.b, use.a, 1.0f, kTile);
    if (!call.broken) {
        PipeBarrier<PIPE_V>();
    }
    Duplicate(use.a, 9.0f, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.b, kTile);
}

void barrier_write_after_write(const Call& call)
{
    Manual use;
    Duplicate(use.a, 1.0f, kTile);
    if (!call.broken) {
        PipeBarrier<PIPE_V>();
    }
    Duplicate(use.a[8], 2.0f, kTile - 8);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.a[8], kTile - 8);
}

void barrier_mte2(const Call& call)
{
    Manual use;
    DataCopy(use.a, input(call)[kTile], kTile);
    if (!call.broken) {
        PipeBarrier<PIPE_MTE2>();
    }
    DataCopy(use.a, input(call), kTile / 2);
    sync<HardEvent::MTE2_MTE3>(use.pipe);
    DataCopy(output(call), use.a, kTile / 2);
}

void barrier_mte3(const Call& call)
{
    Manual use;
    Duplicate(use.a, 1.0f, kTile);
    Duplicate(use.b, 2.0f, kTile);
    sync<HardEvent::V_MTE3>(use.pipe);
    DataCopy(output(call), use.a, kTile);
    if (!call.broken) {
        PipeBarrier<PIPE_MTE3>();
    }
    DataCopy(output(call), use.b, kTile);
}

void set_twice(const Call& call)
{
    Manual use;
    DataCopy(use.a, input(call), kTile);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    DataCopy(use.b, input(call)[kTile], kTile);
    SetFlag<HardEvent::MTE2_V>(call.broken ? EVENT_ID0 : EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(call.broken ? EVENT_ID0 : EVENT_ID1);
}

/// FetchEventID does not reserve: the second fetch returns the same id.
void fetched_twice(const Call& call)
{
    Manual use;
    DataCopy(use.a, input(call), kTile);
    const int32_t first =
        call.broken ? use.pipe.FetchEventID<HardEvent::MTE2_V>() : use.pipe.AllocEventID<HardEvent::MTE2_V>();
    SetFlag<HardEvent::MTE2_V>(first);
    const int32_t second = use.pipe.FetchEventID(HardEvent::MTE2_V);
    SetFlag<HardEvent::MTE2_V>(second);
    WaitFlag<HardEvent::MTE2_V>(first);
    WaitFlag<HardEvent::MTE2_V>(second);
    if (!call.broken) {
        use.pipe.ReleaseEventID<HardEvent::MTE2_V>(static_cast<TEventID>(first));
    }
}

void wait_without_set(const Call& call)
{
    Manual use;
    if (!call.broken) {
        SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
    }
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

void scalar_wait_without_set(const Call& call)
{
    Manual use;
    SetFlag<HardEvent::V_S>(call.broken ? EVENT_ID1 : EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
}

void left_set(const Call& call)
{
    Manual use;
    SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
    if (!call.broken) {
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
    }
}

void id_out_of_range(const Call& call)
{
    Manual use;
    const int32_t id = call.broken ? 8 : 7;
    SetFlag<HardEvent::V_MTE3>(id);
    WaitFlag<HardEvent::V_MTE3>(id);
}

void released_unallocated(const Call& call)
{
    Manual use;
    const TEventID id = call.broken ? use.pipe.FetchEventID<HardEvent::V_S>() : use.pipe.AllocEventID<HardEvent::V_S>();
    use.pipe.ReleaseEventID<HardEvent::V_S>(id);
}

void ids_exhausted(const Call& call)
{
    Manual use;
    for (int32_t i = 0; i < (call.broken ? 9 : 8); i++) {
        use.pipe.AllocEventID<HardEvent::MTE2_V>();
    }
}

} // namespace

std::vector<Bug> flag_bugs()
{
    return {
        {"no flag from MTE2 to V", "missing-flag", 1, mte2_to_v, is_input_plus<kTile, 1>},
        {"no flag from V to MTE3", "missing-flag", 1, v_to_mte3, is_input_plus<kTile, 1>},
        {"no flag from MTE3 to V before the buffer is written again", "missing-flag", 1, mte3_to_v, zeros_then_ones},
        {"no flag from V to MTE2 before the buffer is filled again", "missing-flag", 1, v_to_mte2,
            is_input_plus<2 * kTile, 1>},
        {"no flag from V to S", "missing-flag", 1, v_to_s, is_all<kTile, 7>},
        {"no flag from S to V after writing", "missing-flag", 1, s_to_v, is_input_plus<8, 1>},
        {"a scalar write after the flag", "missing-flag", 1, s_after_its_flag, is_input_plus<8, 1>},
        {"no flag from S to V after reading", "missing-flag", 1, s_read_to_v, is_all<kTile, 8>},
        {"no flag from S to MTE3", "missing-flag", 1, s_to_mte3, is_input_plus<8, 0>},
        {"no flag from MTE2 to S", "missing-flag", 1, mte2_to_s, is_all<kTile, 5>},
        {"no flag from S to MTE2", "missing-flag", 1, s_to_mte2, zero_and_tile},
        {"no flag from MTE2 to MTE3", "missing-flag", 1, mte2_to_mte3, is_input_plus<kTile, 0>},
        {"no flag from MTE3 to MTE2", "missing-flag", 1, mte3_to_mte2, is_input_plus<2 * kTile, 0>},
        {"GM read back without a flag", "missing-flag", 1, through_gm, is_all<2 * kTile, 3>},
        {"GM overwritten before it was read", "missing-flag", 1, in_place_in_gm, is_all<kTile, 3>},
        {"no barrier between a vector write and a read", "missing-barrier", 1, barrier_read_after_write,
            is_all<kTile, 2>},
        {"no barrier between a vector read and a write", "missing-barrier", 1, barrier_write_after_read,
            is_all<kTile, 2>},
        {"no barrier between two vector writes", "missing-barrier", 1, barrier_write_after_write, is_all<kTile - 8, 2>},
        {"no barrier between two copies to the same UB", "missing-barrier", 1, barrier_mte2,
            is_input_plus<kTile / 2, 0>},
        {"no barrier between two copies to the same GM", "missing-barrier", 1, barrier_mte3, is_all<kTile, 2>},
        {"an event id set twice", "flag-set-twice", 1, set_twice, nullptr},
        {"an event id fetched twice", "flag-set-twice", 1, fetched_twice, nullptr},
        {"a wait without a set", "wait-without-set", 1, wait_without_set, nullptr},
        {"a scalar wait for the wrong id", "wait-without-set", 1, scalar_wait_without_set, nullptr},
        {"a flag left set", "flag-left-set", 1, left_set, nullptr},
        {"an event id out of range", "event-id", 1, id_out_of_range, nullptr},
        {"an event id released that was not allocated", "event-id", 1, released_unallocated, nullptr},
        {"more event ids than there are", "event-ids-exhausted", 1, ids_exhausted, nullptr},
    };
}

} // namespace planted
