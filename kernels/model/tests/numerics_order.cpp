// Accesses that are ordered, and so are no hazards: the rules must not report them.

#include "numerics.h"

using namespace AscendC;
using ascendc_model::Access;

namespace numerics {

namespace {

struct Kernel {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[2];
    LocalTensor<float> a;
    LocalTensor<float> b;
    GlobalTensor<float> gm;

    explicit Kernel(float* memory)
    {
        for (auto& buffer : buffers) {
            pipe.InitBuffer(buffer, 256);
        }
        a = buffers[0].Get<float>();
        b = buffers[1].Get<float>();
        gm.SetGlobalBuffer(memory);
    }
};

template <HardEvent event> void sync()
{
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

/// Runs a kernel on 128 floats that count up, under several seeds, and expects no report.
void clean(const std::string& what, const std::function<void(Kernel&)>& body, float expected)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        std::vector<float> memory(128);
        for (uint32_t i = 0; i < 128; i++) {
            memory[i] = static_cast<float>(i);
        }
        ascendc_model::Launch launch;
        launch.options = ascendc_model::Options();
        launch.options.seed = seed;
        launch.tensors = {{"gm", memory.data(), memory.size() * sizeof(float), Access::ReadWrite}};
        const auto outcome = ascendc_model::launch(launch, [&] {
            Kernel kernel(memory.data());
            body(kernel);
        });
        expect(
            outcome.ok() && memory[64] == expected, what + ": " + std::to_string(memory[64]) + "\n" + outcome.text());
    }
}

/// Two pipes in one block of 32 bytes, and neither touches the other's bytes.
void neighbours(Kernel& kernel)
{
    uint64_t but_the_first[2] = {0xfe, 0};
    Duplicate(kernel.a, 5.0f, but_the_first, 1, 1, 8);
    kernel.a.SetValue(0, 9.0f);
    Duplicate(kernel.b, 5.0f, but_the_first, 1, 1, 8);
    kernel.b.SetValue(0, kernel.a.GetValue(0));
    sync<HardEvent::V_MTE3>();
    sync<HardEvent::S_MTE3>();
    DataCopy(kernel.gm[64], kernel.b, 8);
}

/// V waits for MTE2, and MTE3 for V: so MTE3 may read what MTE2 wrote.
void by_way_of_another_pipe(Kernel& kernel)
{
    DataCopy(kernel.a, kernel.gm[8], 8);
    sync<HardEvent::MTE2_V>();
    Duplicate(kernel.b, 1.0f, 8);
    sync<HardEvent::V_MTE3>();
    DataCopy(kernel.gm[64], kernel.a, 8);
}

/// A flag there and back orders a pipe's own instructions.
void there_and_back(Kernel& kernel)
{
    Duplicate(kernel.a, 1.0f, 8);
    sync<HardEvent::V_MTE3>();
    DataCopy(kernel.gm[64], kernel.a, 8);
    sync<HardEvent::MTE3_V>();
    Duplicate(kernel.a, 2.0f, 8);
    sync<HardEvent::V_MTE3>();
    DataCopy(kernel.gm[64], kernel.a, 8);
}

void by_a_barrier_of_all(Kernel& kernel)
{
    DataCopy(kernel.a, kernel.gm[8], 8);
    PipeBarrier<PIPE_ALL>();
    kernel.a.SetValue(0, kernel.a.GetValue(0) + 1.0f);
    PipeBarrier<PIPE_ALL>();
    Adds(kernel.b, kernel.a, 1.0f, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(kernel.gm[64], kernel.b, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(kernel.gm[72], kernel.b, 8);
}

/// Readers need no order, and neither do atomics to the same bytes.
void readers_and_atomics(Kernel& kernel)
{
    Duplicate(kernel.a, 1.0f, 8);
    sync<HardEvent::V_S>();
    PipeBarrier<PIPE_V>();
    sync<HardEvent::V_MTE3>();
    const float one = kernel.a.GetValue(3);
    Adds(kernel.b, kernel.a, one, 8);
    SetAtomicAdd<float>();
    DataCopy(kernel.gm[64], kernel.a, 8);
    DataCopy(kernel.gm[64], kernel.a, 8);
    SetAtomicNone();
}

/// A queue may set an id again before the pipe that waits for it has got there.
void flags_ahead_of_their_waits(Kernel& kernel)
{
    for (uint32_t i = 0; i < 6; i++) {
        DataCopy(kernel.a[8 * i], kernel.gm[8 * i], 8);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
        Adds(kernel.b[8 * i], kernel.a[8 * i], 1.0f, 8);
    }
    sync<HardEvent::V_MTE3>();
    DataCopy(kernel.gm[64], kernel.b, 48);
}

/// GM that MTE2 reads and MTE3 then writes, and that MTE2 reads again after a flag.
void in_place_in_gm(Kernel& kernel)
{
    for (uint32_t i = 0; i < 3; i++) {
        DataCopy(kernel.a, kernel.gm[64], 8);
        sync<HardEvent::MTE2_V>();
        Adds(kernel.b, kernel.a, 1.0f, 8);
        sync<HardEvent::V_MTE3>();
        DataCopy(kernel.gm[64], kernel.b, 8);
        sync<HardEvent::MTE3_MTE2>();
        sync<HardEvent::MTE3_V>();
        sync<HardEvent::V_MTE2>();
    }
}

} // namespace

void order()
{
    clean("neighbours in a block", neighbours, 9);
    clean("an order by way of another pipe", by_way_of_another_pipe, 8);
    clean("a flag there and back", there_and_back, 2);
    clean("a barrier of all pipes", by_a_barrier_of_all, 10);
    clean("readers and atomics", readers_and_atomics, 66);
    clean("flags ahead of their waits", flags_ahead_of_their_waits, 1);
    clean("in place in GM", in_place_in_gm, 67);
}

} // namespace numerics
