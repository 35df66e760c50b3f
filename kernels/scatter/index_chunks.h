// The chunks of index that a kernel goes through, two of which are in UB at a time.
#pragma once

#include "narrow.h"
#include "task.h"

/// Makes a buffer, and has the vector unit fill it with zeros.
template <class Buffer>
__aicore__ inline void InitCleared(AscendC::TPipe& pipe, Buffer& buffer, uint32_t bytes)
{
    pipe.InitBuffer(buffer, bytes);
    AscendC::Duplicate(buffer.template Get<int32_t>(), 0, static_cast<int32_t>(bytes / sizeof(int32_t)));
}

template <class Tiling>
class IndexChunks {
public:
    __aicore__ inline explicit IndexChunks(const Tiling& tiling) : tiling_(tiling) { }

    /// DMA has to wait for what the vector unit is given here.
    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR index)
    {
        gm_.SetGlobalBuffer(index);
        // The part that a shorter chunk does not fill is read too, and its results are ignored.
        InitCleared(pipe, buffer_, 2 * tiling_.index_box.bytes);
    }

    /// Starts the copy of a chunk into UB.
    __aicore__ inline void Copy(const Task& task, const Chunk& chunk, uint32_t turn)
    {
        CopyIn(tiling_.index_box, chunk.updates, task.lanes, Of(turn), gm_, chunk.index);
    }

    __aicore__ inline Bytes Of(uint32_t turn)
    {
        return buffer_.template GetWithOffset<uint8_t>(tiling_.index_box.bytes, turn * tiling_.index_box.bytes);
    }

    /// Notes the first bad index value of a chunk, on the scalar unit.
    __aicore__ inline void NoteBad(const Task& task, const Chunk& chunk, uint32_t turn, FirstBad& bad)
    {
        const ScatterBox& box = tiling_.index_box;
        for (uint32_t lane = 0; lane < task.lanes; lane++) {
            const IndexRun run{lane * box.ub[1], box.ub[0], chunk.updates,
                chunk.position + lane * tiling_.lane.position, LastAxis(tiling_).position};
            NoteFirstBad(bad, Of(turn), tiling_.index_bytes, run, static_cast<uint32_t>(tiling_.targets));
        }
    }

private:
    const Tiling& tiling_;
    GmBytes gm_;
    AscendC::TBuf<AscendC::TPosition::VECIN> buffer_;
};
