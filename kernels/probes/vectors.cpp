// The vector unit. A round is one instruction and the wait for it: the cost of a repeat, an element
// or a record follows from the difference between two sizes.
#include "probe.h"

namespace probes {

using Floats = AscendC::LocalTensor<float>;

/// The most elements of a probe's instruction.
constexpr uint32_t kMost = 7680;

/// Three buffers of `kMost` words, with `gap` bytes between the first and the second.
class Operands {
public:
    __aicore__ inline explicit Operands(AscendC::TPipe& pipe, uint32_t gap = 0)
    {
        pipe.InitBuffer(first_, kMost * sizeof(float));
        if (gap != 0) {
            pipe.InitBuffer(gap_, gap);
        }
        pipe.InitBuffer(second_, kMost * sizeof(float));
        pipe.InitBuffer(third_, kMost * sizeof(float));
        AscendC::Duplicate(First(), 0.0f, static_cast<int32_t>(kMost));
        AscendC::Duplicate(Second(), 0.0f, static_cast<int32_t>(kMost));
        AscendC::Duplicate(Third(), 0.0f, static_cast<int32_t>(kMost));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline Floats First() { return first_.Get<float>(); }
    __aicore__ inline Floats Second() { return second_.Get<float>(); }
    __aicore__ inline Floats Third() { return third_.Get<float>(); }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> first_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> gap_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> second_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> third_;
};

} // namespace probes

/// An Add of `size` f32. `form`: bytes between the sources, which decide whether they lie in the
/// same banks.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_add(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    (void)memory;
    AscendC::TPipe pipe;
    probes::Operands operands(pipe, tiling.form);
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        AscendC::Add(operands.Third(), operands.First(), operands.Second(), static_cast<int32_t>(tiling.size));
        AscendC::PipeBarrier<PIPE_V>();
    }
}

/// A Cast of `size` f32 to int32.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_cast(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    (void)memory;
    AscendC::TPipe pipe;
    probes::Operands operands(pipe);
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        AscendC::Cast(
            operands.Third().ReinterpretCast<int32_t>(), operands.First(), AscendC::RoundMode::CAST_RINT, tiling.size);
        AscendC::PipeBarrier<PIPE_V>();
    }
}

/// A Gather of `size` f32 from places that lie all over the source.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_gather(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    (void)memory;
    AscendC::TPipe pipe;
    probes::Operands operands(pipe);
    const auto places = operands.Second().ReinterpretCast<uint32_t>();
    Order<AscendC::HardEvent::V_S>();
    uint32_t place = 0;
    for (uint32_t element = 0; element < tiling.size; element++) {
        places.SetValue(element, place * static_cast<uint32_t>(sizeof(float)));
        place = (place + 1237) % probes::kMost;
    }
    Order<AscendC::HardEvent::S_V>();
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        AscendC::Gather(operands.Third(), operands.First(), places, 0, tiling.size);
        AscendC::PipeBarrier<PIPE_V>();
    }
}

/// A GatherMask of `size` words, none of which is chosen, and the wait for its count.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_gather_mask(
    GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    probes::Operands operands(pipe);
    probes::Scalar scalar(pipe, memory);
    const auto from = operands.First().ReinterpretCast<uint32_t>();
    const auto bits = operands.Second().ReinterpretCast<uint32_t>();
    const auto to = operands.Third().ReinterpretCast<uint32_t>();
    uint64_t chosen = 0;
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        uint64_t now = 0;
        AscendC::GatherMask(to, from, bits, true, tiling.size, {1, 1, 8, 1}, now);
        AscendC::PipeBarrier<PIPE_V>();
        chosen += now;
    }
    scalar.Leave(static_cast<uint32_t>(chosen));
}

/// A Sort32 of `size` keys, 32 in a repeat.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_sort(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    (void)memory;
    AscendC::TPipe pipe;
    probes::Operands operands(pipe);
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        AscendC::Sort32(operands.Third(), operands.First(), operands.Second().ReinterpretCast<uint32_t>(),
            static_cast<int32_t>(tiling.size / 32));
        AscendC::PipeBarrier<PIPE_V>();
    }
}

/// A MrgSort of four lists, of `size` records together.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_merge(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    (void)memory;
    AscendC::TPipe pipe;
    probes::Operands operands(pipe);
    const uint16_t each = static_cast<uint16_t>(tiling.size / 4);
    const uint16_t lengths[4] = {each, each, each, each};
    const uint32_t step = 2 * each;
    const probes::Floats from = operands.First();
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        const AscendC::MrgSortSrcList<float> lists(from, from[step], from[2 * step], from[3 * step]);
        AscendC::MrgSort(operands.Third(), lists, AscendC::MrgSort4Info(lengths, false, 15, 1));
        AscendC::PipeBarrier<PIPE_V>();
    }
}
