// Copies between GM and UB.
#include "probe.h"

namespace probes {

using Bytes = AscendC::LocalTensor<uint8_t>;
using GmBytes = AscendC::GlobalTensor<uint8_t>;

/// Copies of `form` blocks of `size` bytes, each of which begins at a multiple of 512 bytes of GM.
class Copies {
public:
    __aicore__ inline Copies(AscendC::TPipe& pipe, GM_ADDR memory, const ScatterProbeTiling& tiling)
        : params_(static_cast<uint16_t>(tiling.form), tiling.size, Step(tiling.size) - tiling.size, 0, 0),
          gmStep_(tiling.form * Step(tiling.size)),
          ubStep_(tiling.form * tiling.size)
    {
        memory_.SetGlobalBuffer(memory + kScatterProbeData);
        pipe.InitBuffer(buffer_, kScatterProbeRoom);
    }

    /// A copy from GM into place `number` of UB.
    __aicore__ inline void In(uint32_t number)
    {
        const AscendC::DataCopyPadExtParams<uint8_t> pad(false, 0, 0, 0);
        AscendC::DataCopyPad(
            buffer_.Get<uint8_t>()[number * ubStep_], memory_[static_cast<uint64_t>(number) * gmStep_], params_, pad);
    }

    /// A copy from place `number` of UB to GM.
    __aicore__ inline void Out(uint32_t number)
    {
        AscendC::DataCopyPad(
            memory_[static_cast<uint64_t>(number) * gmStep_], buffer_.Get<uint8_t>()[number * ubStep_], params_);
    }

    /// Zeroes the bytes that are copied out.
    __aicore__ inline void Clear(uint32_t bytes)
    {
        AscendC::Duplicate(buffer_.Get<float>(), 0.0f, static_cast<int32_t>((bytes + 31) / 32 * 8));
        Order<AscendC::HardEvent::V_MTE3>();
    }

private:
    /// The stride of blocks in GM.
    static __aicore__ inline uint32_t Step(uint32_t size) { return (size + 511) / 512 * 512; }

    const AscendC::DataCopyExtParams params_;
    const uint32_t gmStep_;
    const uint32_t ubStep_;
    GmBytes memory_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
};

} // namespace probes

/// A round: `repeats` copies to UB, one after the other, and the wait for all of them. `form`: the
/// blocks of a copy.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_copy_in(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    probes::Copies copies(pipe, memory, tiling);
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        uint32_t number = 0;
        // Four at a time, so that the loop doesn't delay the copies.
        for (; number + 4 <= tiling.repeats; number += 4) {
            copies.In(number);
            copies.In(number + 1);
            copies.In(number + 2);
            copies.In(number + 3);
        }
        for (; number < tiling.repeats; number++) {
            copies.In(number);
        }
        Order<AscendC::HardEvent::MTE2_S>();
        AscendC::PipeBarrier<PIPE_MTE2>(); // which has nothing left
    }
}

/// A round: `repeats` copies of `size` bytes from UB, one after the other, and the wait for all of
/// them.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_copy_out(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    probes::Copies copies(pipe, memory, tiling);
    copies.Clear(tiling.repeats * tiling.size);
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        for (uint32_t number = 0; number < tiling.repeats; number++) {
            copies.Out(number);
        }
        Order<AscendC::HardEvent::MTE3_S>();
        AscendC::PipeBarrier<PIPE_MTE3>(); // which has nothing left
    }
}

/// A round: `repeats` tiles of `size` bytes to UB and back to where they were; each block has its
/// own tiles.
extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_probe_bandwidth(GM_ADDR memory, ScatterProbeTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 4, tiling.size);
    const uint64_t share = static_cast<uint64_t>(tiling.repeats) * tiling.size;
    probes::GmBytes own;
    own.SetGlobalBuffer(memory + kScatterProbeData + static_cast<uint64_t>(AscendC::GetBlockIdx()) * share);
    for (uint32_t round = 0; round < tiling.rounds; round++) {
        for (uint32_t number = 0; number < tiling.repeats; number++) {
            const uint64_t at = static_cast<uint64_t>(number) * tiling.size;
            probes::Bytes tile = queue.AllocTensor<uint8_t>();
            AscendC::DataCopy(tile, own[at], tiling.size);
            queue.EnQue(tile);
            tile = queue.DeQue<uint8_t>();
            AscendC::DataCopy(own[at], tile, tiling.size);
            queue.FreeTensor(tile);
        }
        AscendC::PipeBarrier<PIPE_ALL>();
    }
}
