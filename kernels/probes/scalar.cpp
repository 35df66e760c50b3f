// The scalar unit: a loop, and loops with one kind of access more. The loops have an exit that
// depends on what they compute and is never taken, so that no compiler unrolls them.
#include "probe.h"

/// Nothing at all: a launch.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_launch(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    (void)memory;
    (void)tiling;
}

/// A loop: a multiplication and an addition, two comparisons, and a jump.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_loop(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    probes::Scalar scalar(pipe, memory);
    // Goes through all numbers of 32 bits, and reaches 0 last.
    uint32_t state = 1;
    for (uint32_t round = 0; round < tiling.rounds && state != 0; round++) {
        state = state * 5 + 1;
    }
    scalar.Leave(state);
}

/// A loop with a read of UB whose value is the next one's place.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_read(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    probes::Scalar scalar(pipe, memory);
    uint32_t place = 0;
    for (uint32_t round = 0; round < tiling.rounds && place != probes::kPlaces; round++) {
        place = scalar.Chain().GetValue(place);
    }
    scalar.Leave(place);
}

/// A loop with eight reads of UB that don't wait for each other.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_reads(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    probes::Scalar scalar(pipe, memory);
    const probes::Words& words = scalar.Chain();
    uint32_t place = 0;
    for (uint32_t round = 0; round < tiling.rounds && place != probes::kPlaces; round++) {
        const uint32_t at = place & ~7u;
        const uint32_t first = words.GetValue(at);
        const uint32_t second = words.GetValue(at + 1);
        const uint32_t third = words.GetValue(at + 2);
        const uint32_t fourth = words.GetValue(at + 3);
        const uint32_t fifth = words.GetValue(at + 4);
        const uint32_t sixth = words.GetValue(at + 5);
        const uint32_t seventh = words.GetValue(at + 6);
        const uint32_t eighth = words.GetValue(at + 7);
        place = (first + second + third + fourth + fifth + sixth + seventh + eighth) % probes::kPlaces;
    }
    scalar.Leave(place);
}

/// A loop with a write to UB.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_write(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    probes::Scalar scalar(pipe, memory);
    probes::Words words = scalar.Chain();
    uint32_t state = 1;
    for (uint32_t round = 0; round < tiling.rounds && state != 0; round++) {
        state = state * 5 + 1;
        words.SetValue(state % probes::kPlaces, state);
    }
    scalar.Leave(state);
}

/// A loop with a read of GM whose value is the next one's place, in words; the host has made the
/// chain, in which no place is 0xffffffff.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_gm(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    probes::Scalar scalar(pipe, memory);
    uint32_t place = kScatterProbeData / sizeof(uint32_t);
    for (uint32_t round = 0; round < tiling.rounds && place != 0xffffffff; round++) {
        place = scalar.Memory().GetValue(place);
    }
    scalar.Leave(place);
}
